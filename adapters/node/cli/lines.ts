/** One line of a stream without its line end, or one that was longer than the bound and was skipped. */
export type Line = { readonly bytes: Uint8Array } | { readonly tooLong: true };

const LF = 0x0a;

/**
 * Splits a byte stream at LF. The bytes of a line longer than `limit` are dropped as they come, so that no peer can fill
 * the memory. A last line without a line end counts as one.
 */
export async function* linesOf(
	stream: AsyncIterable<Uint8Array>,
	limit: number,
): AsyncGenerator<Line, void, undefined> {
	let parts: Uint8Array[] = [];
	let length = 0;
	const add = (part: Uint8Array): void => {
		length += part.length;
		if (length <= limit) parts.push(part);
		else parts = [];
	};
	const take = (): Line => {
		const line = length > limit ? ({ tooLong: true } as const) : { bytes: Buffer.concat(parts, length) };
		parts = [];
		length = 0;
		return line;
	};
	for await (const chunk of stream) {
		let start = 0;
		for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
			add(chunk.subarray(start, end));
			start = end + 1;
			yield take();
		}
		if (start < chunk.length) add(chunk.subarray(start));
	}
	if (length > 0) yield take();
}
