import { PackageError } from "../../src/package/index.ts";
import type { ReadableStreamLike } from "../../src/web.ts";
import { invalid } from "./errors.ts";
import type { Bytes } from "./types.ts";

/** Whether an input can be read at any place. An array of bytes can't: it has no `size`, and its `slice` is another one. */
export function isBytes(input: unknown): input is Bytes {
	const { slice, size } = (input ?? {}) as Partial<Bytes>;
	return typeof slice === "function" && typeof size === "number";
}

/** Whether an input is a stream. */
export function isStream(input: unknown): input is ReadableStreamLike<Uint8Array> {
	return typeof ((input ?? {}) as Partial<ReadableStreamLike<Uint8Array>>).getReader === "function";
}

/** Reads exactly the bytes from `start` up to `end`. Throws `PACKAGE_SOURCE_CHANGED`, or what the bytes themselves reject with. */
export async function readBytes(bytes: Bytes, start: number, end: number): Promise<Uint8Array> {
	const buffer = await bytes.slice(start, end).arrayBuffer();
	if (buffer.byteLength === end - start) return new Uint8Array(buffer);
	throw new PackageError(
		"PACKAGE_SOURCE_CHANGED",
		`The archive gave ${buffer.byteLength} of the ${end - start} bytes at ${start}: it changed while it was read.`,
	);
}

/** Bytes that lie in memory already. */
export function memoryBytes(held: Uint8Array): Bytes {
	return {
		size: held.length,
		slice: (start, end) => ({
			arrayBuffer: () => Promise.resolve(new Uint8Array(held.subarray(start, end)).buffer),
		}),
	};
}

/** Chunks up to this size are put together: a list of millions of arrays costs far more than their bytes. */
const BLOCK_BYTES = 65_536;

/** Copies of chunks, however small they are. */
export class Gathered {
	#blocks: Uint8Array<ArrayBuffer>[] = [];
	#block = new Uint8Array(0);
	#used = 0;
	/** Bytes so far. */
	size = 0;

	add(chunk: Uint8Array): void {
		this.size += chunk.length;
		if (this.#used + chunk.length > this.#block.length) {
			this.#close();
			if (chunk.length >= BLOCK_BYTES) {
				this.#blocks.push(new Uint8Array(chunk));
				return;
			}
			this.#block = new Uint8Array(BLOCK_BYTES);
		}
		this.#block.set(chunk, this.#used);
		this.#used += chunk.length;
	}

	/** What was added, in order; starts over. */
	take(): Uint8Array<ArrayBuffer>[] {
		this.#close();
		const blocks = this.#blocks;
		this.#blocks = [];
		this.size = 0;
		return blocks;
	}

	#close(): void {
		if (this.#used > 0) this.#blocks.push(this.#block.subarray(0, this.#used));
		this.#block = new Uint8Array(0);
		this.#used = 0;
	}
}

/** The chunks as one array; `size` is their bytes together. */
export function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
	const all = new Uint8Array(size);
	let at = 0;
	for (const chunk of chunks) {
		all.set(chunk, at);
		at += chunk.length;
	}
	return all;
}

/** Bytes of a window that follows the reader through densely packed headers, and of one that jumps from header to header. */
const DENSE = 4_194_304;
const SPARSE = 16_384;

/** Headers further apart than this, on average, are jumped to: what a browser reads in the time that one more read takes. */
const FAR = 524_288;

interface Held {
	readonly start: number;
	readonly bytes: Uint8Array;
}

/**
 * A view of bytes that are read in order, with jumps: what lies between is read only where that is cheaper than to jump over
 * it, and then one window ahead.
 */
export class Window {
	readonly #bytes: Bytes;
	#held: Held = { start: 0, bytes: new Uint8Array(0) };
	#next: { readonly start: number; readonly end: number; readonly bytes: Promise<Uint8Array> } | undefined;
	/** Bytes between two places that were asked for, of late. */
	#stride = 0;
	#asked = 0;

	constructor(bytes: Bytes) {
		this.#bytes = bytes;
	}

	/** The bytes from `start` up to `end`, a view until the next call. Throws `PACKAGE_ARCHIVE_INVALID` where they end before. */
	async read(start: number, end: number, what: string): Promise<Uint8Array> {
		const { size } = this.#bytes;
		if (end > size) throw invalid(`The archive ends after ${size} bytes, in the middle of ${what}: it is truncated.`);
		this.#stride = (this.#stride * 7 + (start - this.#asked)) / 8;
		this.#asked = start;
		const { start: from, bytes } = this.#held;
		const until = from + bytes.length;
		if (start >= from && end <= until) return this.#view(start, end);
		const next = this.#next;
		if (next === undefined || start < from || start >= next.end || end > next.end) return this.#jump(start, end);
		const followed = await next.bytes;
		if (start >= until) {
			this.#take({ start: next.start, bytes: followed });
			return this.#view(start, end);
		}
		// It begins in one window and ends in the next.
		const whole = new Uint8Array(end - start);
		whole.set(bytes.subarray(start - from));
		whole.set(followed.subarray(0, end - until), until - start);
		return whole;
	}

	#view(start: number, end: number): Uint8Array {
		const { start: from, bytes } = this.#held;
		return bytes.subarray(start - from, end - from);
	}

	async #jump(start: number, end: number): Promise<Uint8Array> {
		const length = Math.max(end - start, this.#stride > FAR ? SPARSE : DENSE);
		const bytes = await readBytes(this.#bytes, start, Math.min(this.#bytes.size, start + length));
		this.#take({ start, bytes });
		return this.#view(start, end);
	}

	#take(held: Held): void {
		this.#held = held;
		this.#next = undefined;
		const start = held.start + held.bytes.length;
		const end = Math.min(this.#bytes.size, start + DENSE);
		if (held.bytes.length < DENSE || this.#stride > FAR || start === end) return;
		const bytes = readBytes(this.#bytes, start, end);
		// Whoever gets so far hears of it.
		bytes.catch(() => {});
		this.#next = { start, end, bytes };
	}
}
