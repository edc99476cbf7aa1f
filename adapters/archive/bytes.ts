import { PackageError } from "../../src/package/index.ts";
import { invalid } from "./errors.ts";
import type { ArchiveInput, Bytes } from "./types.ts";

/** Whether an input can be read at any place; a stream can't. */
export function isBytes(input: ArchiveInput): input is Bytes {
	return typeof (input as Partial<Bytes>).slice === "function";
}

/** Reads exactly the bytes from `start` up to `end`. Throws `PACKAGE_SOURCE_FAILED`, or what the bytes themselves reject with. */
export async function readBytes(bytes: Bytes, start: number, end: number): Promise<Uint8Array> {
	const buffer = await bytes.slice(start, end).arrayBuffer();
	if (buffer.byteLength === end - start) return new Uint8Array(buffer);
	throw new PackageError(
		"PACKAGE_SOURCE_CHANGED",
		`The archive gave ${buffer.byteLength} of the ${end - start} bytes at ${start}: it changed while it was read.`,
	);
}

/** Bytes in memory, of one chunk. */
export function memoryBytes(held: Uint8Array): Bytes {
	return {
		size: held.length,
		slice: (start, end) => ({
			arrayBuffer: () => Promise.resolve(new Uint8Array(held.subarray(start, end)).buffer),
		}),
	};
}

/** Bytes of a window that follows the reader through densely packed headers, and of one that jumps from header to header. */
const DENSE = 1_048_576;
const SPARSE = 16_384;

/** Members further apart than this, on average, are jumped to: reading what lies between would take longer than asking anew. */
const FAR = 131_072;

/** A view of bytes that are read in order, with jumps: what lies between is read only where that is cheaper than not to. */
export class Window {
	readonly #bytes: Bytes;
	#held: Uint8Array = new Uint8Array(0);
	#start = 0;
	#reads = 0;
	/** Bytes between two places that were asked for, of late. */
	#stride = 0;
	#asked = 0;

	constructor(bytes: Bytes) {
		this.#bytes = bytes;
	}

	/** How often the bytes were asked. */
	get reads(): number {
		return this.#reads;
	}

	/** The bytes from `start` up to `end`, a view until the next call. Throws `PACKAGE_ARCHIVE_INVALID` where they end before. */
	async read(start: number, end: number, what: string): Promise<Uint8Array> {
		this.#stride = (this.#stride * 7 + (start - this.#asked)) / 8;
		this.#asked = start;
		if (start < this.#start || end > this.#start + this.#held.length) await this.#move(start, end, what);
		return this.#held.subarray(start - this.#start, end - this.#start);
	}

	async #move(start: number, end: number, what: string): Promise<void> {
		const { size } = this.#bytes;
		if (end > size) throw invalid(`The archive ends after ${size} bytes, in the middle of ${what}: it is truncated.`);
		const length = Math.max(end - start, this.#stride > FAR ? SPARSE : DENSE);
		this.#held = await readBytes(this.#bytes, start, Math.min(size, start + length));
		this.#start = start;
		this.#reads += 1;
	}
}
