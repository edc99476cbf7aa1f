import { crc32, createInflateRaw } from "node:zlib";
import type { Inflate } from "../../archive/inflate.ts";

/** Bytes of one chunk of output. */
const CHUNK_BYTES = 131_072;

/**
 * Decompresses with this runtime's zlib. Unlike the `DecompressionStream` of Node before 24 and of Bun, which read a second
 * gzip member or skip what follows, it can be asked how far it read: so that an archive has the one reading here that a
 * browser gives it.
 */
export const zlibInflate: Inflate = async function* (format, input) {
	const bytes = new Input(input);
	try {
		if (format === "gzip") await readGzipHeader(bytes);
		let crc = 0;
		let size = 0;
		for await (const chunk of inflateRaw(bytes)) {
			if (format === "gzip") crc = crc32(chunk, crc);
			size = (size + chunk.length) % 2 ** 32;
			yield chunk;
		}
		if (format === "gzip" && ((await readNumber(bytes, 4)) !== crc || (await readNumber(bytes, 4)) !== size))
			throw new Error("The CRC-32 or the length of the gzip data is another one than it says.");
		if ((await bytes.next()) !== undefined) throw new Error("Something follows the end of the compressed data.");
	} finally {
		bytes.close();
	}
};

/** The input, of which what wasn't used can be put back. */
class Input {
	readonly #chunks: AsyncIterator<Uint8Array>;
	#held: Uint8Array | undefined;

	constructor(chunks: AsyncIterable<Uint8Array>) {
		this.#chunks = chunks[Symbol.asyncIterator]();
	}

	/** The next bytes, at least one; undefined at the end. Views until the next call. */
	async next(): Promise<Uint8Array | undefined> {
		const held = this.#held;
		this.#held = undefined;
		if (held !== undefined && held.length > 0) return held;
		for (;;) {
			const { done, value } = await this.#chunks.next();
			if (done === true) return undefined;
			if (value.length > 0) return value;
		}
	}

	putBack(rest: Uint8Array): void {
		this.#held = rest;
	}

	async byte(): Promise<number> {
		const chunk = await this.next();
		if (chunk === undefined) throw new Error("The compressed data ends too early.");
		this.#held = chunk.subarray(1);
		return chunk[0]!;
	}

	close(): void {
		// Not waited for: a source that hangs must not hold whoever stopped.
		this.#chunks.return?.().catch(() => {});
	}
}

/** Raw deflate data, exactly to its end; what follows stays in the input. */
async function* inflateRaw(input: Input): AsyncGenerator<Buffer, void, void> {
	const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
	const closed = new Promise<void>((resolve) => inflate.once("close", resolve));
	let given = 0;
	let last: Uint8Array = new Uint8Array(0);
	let ended = false;
	const feed = async (): Promise<void> => {
		for (let chunk = await input.next(); chunk !== undefined; chunk = await input.next()) {
			const bytes = chunk;
			given += bytes.length;
			last = bytes;
			// Where the data ends inside this chunk, zlib may never say that it was written.
			await Promise.race([new Promise<void>((resolve) => inflate.write(bytes, () => resolve())), closed]);
			if (ended || inflate.bytesWritten < given) break;
		}
		inflate.end();
	};
	const feeding = feed().catch((error: unknown) => {
		inflate.destroy(error instanceof Error ? error : new Error(String(error)));
	});
	try {
		for await (const chunk of inflate) yield chunk as Buffer;
	} finally {
		ended = true;
		inflate.destroy();
	}
	await feeding;
	input.putBack(last.subarray(last.length - (given - inflate.bytesWritten)));
}

const [FHCRC, FEXTRA, FNAME, FCOMMENT, RESERVED] = [2, 4, 8, 16, 0xe0];

/** RFC 1952 section 2.3, passed over; its own checksum is checked where it has one. */
async function readGzipHeader(input: Input): Promise<void> {
	let crc = 0;
	const byte = async (): Promise<number> => {
		const value = await input.byte();
		crc = crc32(Uint8Array.of(value), crc);
		return value;
	};
	const text = async (): Promise<void> => {
		while ((await byte()) !== 0);
	};
	const fixed: number[] = [];
	while (fixed.length < 10) fixed.push(await byte());
	const flags = fixed[3]!;
	if (fixed[0] !== 0x1f || fixed[1] !== 0x8b || fixed[2] !== 8 || (flags & RESERVED) !== 0)
		throw new Error("The gzip header is not one that can be read.");
	if (flags & FEXTRA) for (let left = (await byte()) + 256 * (await byte()); left > 0; left--) await byte();
	if (flags & FNAME) await text();
	if (flags & FCOMMENT) await text();
	const declared = crc & 0xffff;
	if (flags & FHCRC && (await readNumber(input, 2)) !== declared)
		throw new Error("The gzip header has the wrong checksum.");
}

/** A little-endian number of so many bytes. */
async function readNumber(input: Input, bytes: number): Promise<number> {
	let value = 0;
	for (let index = 0; index < bytes; index++) value += (await input.byte()) * 256 ** index;
	return value;
}
