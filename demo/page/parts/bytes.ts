/** Bytes in pieces. */
import { type Digest, portableSha256, type ReadableStreamLike } from "millrace";

/** Pieces as one array; `length` is their bytes together. */
export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
	const [only] = parts;
	if (parts.length === 1 && only !== undefined) return only;
	const bytes = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

/** All bytes of a stream. Beyond `max` of them it is cancelled, and `RangeError` thrown. */
export async function readAll(
	stream: ReadableStreamLike<Uint8Array>,
	max: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
	const reader = stream.getReader();
	const parts: Uint8Array[] = [];
	let length = 0;
	for (let next = await reader.read(); !next.done; next = await reader.read()) {
		length += next.value.length;
		if (length > max) {
			await reader.cancel();
			throw new RangeError(`There are more than ${max} bytes.`);
		}
		// A copy: the stream may use its buffer again.
		parts.push(next.value.slice());
	}
	return joined(parts, length);
}

/** SHA-256 in the spelling of digests. */
export function sha256Of(bytes: Uint8Array): Digest {
	const hash = portableSha256();
	hash.update(bytes);
	return `sha256:${Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
