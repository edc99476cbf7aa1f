/** One direction between two sessions: bytes that were written and not yet read, and what can go wrong with them. */
import type { JsonValue } from "../../../src/json/index.ts";

/** A frame as the model reads it. */
export interface Message {
	readonly id?: string | null;
	readonly method?: string;
	readonly params?: { readonly [name: string]: JsonValue };
	readonly result?: JsonValue;
	readonly error?: {
		readonly code: number;
		readonly message: string;
		readonly data?: { readonly code?: string; readonly details?: JsonValue };
	};
}

/**
 * What was done to the bytes. `cut`: the stream ends inside a frame. `changed`: a reader finds other bytes than were written.
 * `doubled`: a frame comes twice. `ended`, `unread` and `unwritten`: the pipe broke between frames.
 */
export type Taint = "cut" | "changed" | "doubled" | "ended" | "unread" | "unwritten";

/** A frame on its way. `message` is absent when its bytes no longer say it. */
interface Segment {
	bytes: Uint8Array;
	message: Message | undefined;
}

export class Pipe {
	readonly taints = new Set<Taint>();
	#segments: Segment[] = [];
	/** Bytes of the first segment that were read. */
	#read = 0;
	/** The writer's end is closed. */
	closed = false;
	/** The reader was told the end, or a failure. */
	over = false;
	/** A frame was read in part. */
	get midFrame(): boolean {
		return this.#read > 0;
	}

	get size(): number {
		return this.#segments.reduce((sum, { bytes }) => sum + bytes.length, -this.#read);
	}

	get frames(): number {
		return this.#segments.length;
	}

	write(bytes: Uint8Array, message: Message): void {
		if (!this.closed && !this.over) this.#segments.push({ bytes, message });
	}

	/** Bytes to the end of the first frame. */
	get firstFrame(): number {
		return (this.#segments[0]?.bytes.length ?? 0) - this.#read;
	}

	/** Reads at most `count` bytes, and which messages they complete. */
	read(count: number): { readonly chunk: Uint8Array; readonly messages: (Message | undefined)[] } {
		const parts: Uint8Array[] = [];
		const messages: (Message | undefined)[] = [];
		for (let left = count; left > 0; ) {
			const first = this.#segments[0];
			if (first === undefined) break;
			const part = first.bytes.subarray(this.#read, this.#read + left);
			parts.push(part);
			left -= part.length;
			this.#read += part.length;
			if (this.#read < first.bytes.length) break;
			if (first.bytes.at(-1) === 10) messages.push(first.message);
			this.#segments.shift();
			this.#read = 0;
		}
		return { chunk: parts.length === 1 ? parts[0]! : Buffer.concat(parts), messages };
	}

	// Faults -----------------------------------------------------------------------------------------------------------

	/** The writer's end closes, and the last `lost` bytes never came. */
	close(lost = 0): void {
		this.closed = true;
		for (let left = Math.min(lost, this.size); left > 0; ) {
			const last = this.#segments.at(-1)!;
			const unread = this.#segments.length === 1 ? last.bytes.length - this.#read : last.bytes.length;
			if (left < unread) {
				this.#segments[this.#segments.length - 1] = {
					bytes: last.bytes.subarray(0, last.bytes.length - left),
					message: undefined,
				};
				this.taints.add("cut");
				return;
			}
			left -= unread;
			if (this.#segments.length === 1 && this.#read > 0) {
				// What is left of this frame was read already.
				this.taints.add("cut");
				this.#segments = [];
				return;
			}
			this.#segments.pop();
		}
	}

	/** Flips one bit that was not read yet. False when there is none. */
	corrupt(place: number, bit: number): boolean {
		if (this.size === 0) return false;
		let at = this.#read + (place % this.size);
		for (const segment of this.#segments) {
			if (at >= segment.bytes.length) {
				at -= segment.bytes.length;
				continue;
			}
			segment.bytes = new Uint8Array(segment.bytes);
			segment.bytes[at]! ^= 1 << (bit & 7);
			segment.message = undefined;
			this.taints.add("changed");
			return true;
		}
		return false;
	}

	/** A whole frame comes twice. False when there is none. */
	duplicate(which: number): Message | undefined {
		const found = this.#segments[which % Math.max(1, this.#segments.length)];
		if (found?.message === undefined) return undefined;
		this.#segments.splice(this.#segments.indexOf(found) + 1, 0, { bytes: found.bytes, message: undefined });
		this.taints.add("doubled");
		return found.message;
	}

	/** A frame that nobody wrote comes last. */
	inject(text: string): void {
		this.#segments.push({ bytes: Buffer.from(`${text}\n`), message: undefined });
		this.taints.add("changed");
	}

	/** Nothing more will be read. */
	drop(): void {
		if (this.midFrame) this.taints.add("cut");
		this.over = true;
		this.#segments = [];
		this.#read = 0;
	}
}
