import { decodeUtf8Lossy } from "../web.ts";
import type { StderrTail } from "./errors.ts";

/** Counts what a component writes to stderr and keeps the last `keep` bytes, in memory bounded by twice that. */
export class TailBuffer {
	readonly #keep: number;
	readonly #chunks: Uint8Array[] = [];
	#held = 0;
	#bytes = 0;

	constructor(keep: number) {
		this.#keep = keep;
	}

	/** Bytes seen so far. */
	get bytes(): number {
		return this.#bytes;
	}

	push(chunk: Uint8Array): void {
		this.#bytes += chunk.length;
		if (this.#keep === 0 || chunk.length === 0) return;
		// A copy: the pipe may reuse its buffer, and a view would keep a large one alive; a Buffer's own slice is a view.
		const kept = new Uint8Array(chunk.subarray(Math.max(0, chunk.length - this.#keep)));
		this.#chunks.push(kept);
		this.#held += kept.length;
		if (this.#held > 2 * this.#keep || this.#chunks.length > 1_024) this.#compact();
	}

	#compact(): void {
		const joined = this.#joined();
		this.#chunks.length = 0;
		this.#chunks.push(joined);
		this.#held = joined.length;
	}

	#joined(): Uint8Array {
		const size = Math.min(this.#held, this.#keep);
		const joined = new Uint8Array(size);
		let end = size;
		for (let index = this.#chunks.length - 1; index >= 0 && end > 0; index -= 1) {
			const chunk = this.#chunks[index]!;
			const part = chunk.subarray(Math.max(0, chunk.length - end));
			end -= part.length;
			joined.set(part, end);
		}
		return joined;
	}

	/** The tail as text: invalid UTF-8 becomes U+FFFD, a character cut by the bound is left out. */
	read(): StderrTail {
		const bytes = this.#joined();
		const truncated = this.#bytes > bytes.length;
		let start = 0;
		if (truncated) while (start < bytes.length && start < 4 && (bytes[start]! & 0xc0) === 0x80) start += 1;
		return { text: decodeUtf8Lossy(bytes.subarray(start)), bytes: this.#bytes, truncated };
	}
}
