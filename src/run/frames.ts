/** Framing (Run/1 section 1): one JSON object per frame, ended by one LF that is not part of it. */

import { RUN_LIMITS } from "./limits.ts";

/** Ends a frame. */
export const LF = 0x0a;
/** Chunks below this are copied together, so that a sender of single bytes costs bytes and not objects. */
const SMALL_CHUNK = 4_096;
const BLOCK_BYTES = 65_536;
/** Frames that are decoded together: many short ones, but no more text than that at a time. */
const RUN_BYTES = 65_536;

/**
 * Splits a byte stream at 0x0A. Push a chunk, then take frames until there is none. Linear in the bytes whatever the
 * chunking: each byte is searched once and copied at most twice; a frame that lies in one chunk is a view of it. Holds at
 * most one frame's bytes, plus the chunk that was pushed last.
 *
 * It doesn't decode: a multi-byte character that is cut by a chunk boundary is whole again in its frame.
 */
export class FrameReader {
	/** What came before the current chunk and belongs to the next frame. */
	#parts: Uint8Array[] = [];
	#held = 0;
	/** The block that small chunks are copied into; its filled part is the last of `#parts`. */
	#block: Uint8Array | undefined;
	#filled = 0;
	#chunk: Uint8Array = new Uint8Array(0);
	#at = 0;
	#oversized = false;

	/** Adds a chunk. The bytes are read in place until the frames were taken; the caller leaves them alone. */
	push(chunk: Uint8Array): void {
		if (this.#oversized) return;
		if (this.#at < this.#chunk.length) this.#hold(this.#chunk.subarray(this.#at));
		this.#chunk = chunk;
		this.#at = 0;
	}

	/** The next complete frame without its LF (empty for an empty frame), or undefined. */
	next(): Uint8Array | undefined {
		if (this.#oversized) return undefined;
		const end = this.#chunk.indexOf(LF, this.#at);
		const rest = (end < 0 ? this.#chunk.length : end) - this.#at;
		if (this.#held + rest > RUN_LIMITS.frameBytes) {
			this.clear();
			this.#oversized = true;
			return undefined;
		}
		const piece = this.#chunk.subarray(this.#at, this.#at + rest);
		if (end < 0) {
			if (rest > 0) this.#hold(piece);
			this.#chunk = new Uint8Array(0);
			this.#at = 0;
			return undefined;
		}
		this.#at = end + 1;
		return this.#held === 0 ? piece : this.#join(piece);
	}

	/**
	 * As many complete frames as there are in the next 64 KiB of the chunk, together and with their LFs; undefined where the
	 * next frame is longer or began in an earlier chunk, or where there is none: {@link next} then tells.
	 */
	nextRun(): Uint8Array | undefined {
		if (this.#held > 0 || this.#oversized) return undefined;
		const end = this.#chunk.lastIndexOf(LF, this.#at + RUN_BYTES - 1);
		if (end < this.#at) return undefined;
		const chunk = this.#chunk;
		const run = this.#at === 0 && end + 1 === chunk.length ? chunk : chunk.subarray(this.#at, end + 1);
		this.#at = end + 1;
		return run;
	}

	/** More than 16,777,216 bytes came without an LF: nothing after that is a frame. */
	get oversized(): boolean {
		return this.#oversized;
	}

	/** Bytes that are not yet part of a taken frame. At the end of the stream, more than 0 is an incomplete frame. */
	get buffered(): number {
		return this.#held + this.#chunk.length - this.#at;
	}

	/** The first bytes that are buffered, at most `count`: for a message about an incomplete frame. */
	peek(count: number): Uint8Array {
		const head = this.#parts[0] ?? this.#chunk.subarray(this.#at);
		return head.slice(0, count);
	}

	/** Forgets what is buffered. */
	clear(): void {
		this.#parts = [];
		this.#held = 0;
		this.#block = undefined;
		this.#filled = 0;
		this.#chunk = new Uint8Array(0);
		this.#at = 0;
	}

	#hold(piece: Uint8Array): void {
		this.#held += piece.length;
		if (piece.length >= SMALL_CHUNK) {
			this.#parts.push(piece);
			this.#block = undefined;
			return;
		}
		let rest = piece;
		while (rest.length > 0) {
			if (this.#block === undefined || this.#filled === this.#block.length) {
				// Doubling up to the block size: a short frame in two pieces doesn't allocate a whole block.
				const size = this.#block === undefined ? SMALL_CHUNK : Math.min(2 * this.#block.length, BLOCK_BYTES);
				this.#block = new Uint8Array(size);
				this.#filled = 0;
				this.#parts.push(this.#block.subarray(0, 0));
			}
			const taken = rest.subarray(0, this.#block.length - this.#filled);
			this.#block.set(taken, this.#filled);
			this.#filled += taken.length;
			this.#parts[this.#parts.length - 1] = this.#block.subarray(0, this.#filled);
			rest = rest.subarray(taken.length);
		}
	}

	#join(last: Uint8Array): Uint8Array {
		const frame = new Uint8Array(this.#held + last.length);
		let at = 0;
		for (const part of this.#parts) {
			frame.set(part, at);
			at += part.length;
		}
		frame.set(last, at);
		this.#parts = [];
		this.#held = 0;
		this.#block = undefined;
		this.#filled = 0;
		return frame;
	}
}
