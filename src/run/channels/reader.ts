/** One receiver: its queue, its one read, and how it ended. */

import type { Schema } from "../../schema/index.ts";
import type { ChannelOutcome, Failure } from "../ports.ts";
import { CANCELLED, failure, OWNER_OVER, RECEIVER_GONE } from "./failures.ts";
import { Fifo } from "./fifo.ts";
import type { Outbox } from "./outbox.ts";
import type { ChannelWait, Settle } from "./ports.ts";
import type { ChannelSource } from "./rights.ts";
import { DECIDED, type Item } from "./source.ts";

/**
 * How far a receiver is. The first that is not `open` stays: an end that was given out survives the source's revocation, and a
 * reader that lagged keeps that cause whatever becomes of the source.
 */
export type ReaderState =
	| { readonly kind: "open" }
	/** The clean end was given to a read. */
	| { readonly kind: "ended"; readonly lastSequence: number }
	| { readonly kind: "failed"; readonly failure: Failure }
	| { readonly kind: "disposed" };

const OPEN: ReaderState = { kind: "open" };
const DISPOSED: ReaderState = { kind: "disposed" };

/** Items and bytes a reader may hold back, the item in flight included. */
export interface Capacity {
	readonly items: number;
	readonly bytes: number;
}

export class Reader {
	readonly direction = "receive" as const;
	readonly endpoint: string;
	readonly source: ChannelSource;
	readonly startSequence: number;
	/** First local use claims the right: it can't be moved any more. */
	used = false;
	moved = false;
	/** Of a subscription: the item schema of the port that it was granted through. */
	schema: Schema | undefined;
	/** A read was told the end or the failure, or a release was answered: nothing is left to settle. */
	exposed = false;

	readonly #capacity: Capacity;
	readonly #outbox: Outbox;
	#state: ReaderState = OPEN;
	readonly #queue = new Fifo<Item>();
	/** Bytes held back, those of the item in flight included. */
	#bytes = 0;
	/** The bytes of the item that was given to the last read: its credit is held until the next one. */
	#inFlight: number | undefined;
	/** The read that waits. An object of its own: one function may settle many reads. */
	#read: { readonly settle: Settle } | undefined;

	constructor(endpoint: string, source: ChannelSource, startSequence: number, capacity: Capacity, outbox: Outbox) {
		this.endpoint = endpoint;
		this.source = source;
		this.startSequence = startSequence;
		this.#capacity = capacity;
		this.#outbox = outbox;
	}

	get state(): ReaderState {
		return this.#state;
	}

	get isOpen(): boolean {
		return this.#state === OPEN;
	}

	/** Accepted items that no read has taken. */
	get queued(): Iterable<Item> {
		return this.#queue;
	}

	hasRoom(bytes: number): boolean {
		const items = this.#queue.length + (this.#inFlight === undefined ? 0 : 1);
		return items < this.#capacity.items && this.#bytes + bytes <= this.#capacity.bytes;
	}

	/** Takes an accepted item, which must have room: over to the read that waits, or into the queue. */
	offer(item: Item): void {
		this.#bytes += item.bytes;
		if (this.#read === undefined) this.#queue.push(item);
		else this.#deliver(item, this.#take());
	}

	/** `channel/next`. `live`: the holder still takes part, so that a wait may begin. */
	read(settle: Settle, live: boolean): ChannelWait {
		if (this.#state !== OPEN) return this.#decide(settle, this.#repeated());
		if (this.#read !== undefined) {
			const message = "The receiver has a read that waits already; one at a time.";
			return this.#decide(settle, { failure: failure("INVALID_INPUT", message) });
		}
		if (!live) return this.#decide(settle, { failure: OWNER_OVER });
		this.#bytes -= this.#inFlight ?? 0;
		this.#inFlight = undefined;
		const item = this.#queue.shift();
		const read = { settle };
		if (item !== undefined) this.#deliver(item, settle);
		else this.#read = read;
		this.source.roomMade(this);
		if (this.#read !== read) return DECIDED;
		return { cancel: () => this.#cancel(read) };
	}

	/** The source is sealed: a read that waits gets the end, as nothing can be queued before it. */
	end(lastSequence: number): void {
		if (this.#read === undefined) return;
		const { source, endpoint } = this;
		this.#state = { kind: "ended", lastSequence };
		this.exposed = true;
		this.#outbox.settle(this.#take(), { result: { end: { lastSequence } } });
		this.#outbox.note({ type: "ended", source: source.name, endpoint, lastSequence });
	}

	/** Ends an open receiver with a cause that stays. Only an item that was given out is past recall. */
	fail(cause: Failure): void {
		if (this.#state !== OPEN) return;
		this.#close({ kind: "failed", failure: cause }, cause);
	}

	/** Ends an open receiver by deliberate incomplete delivery; `cause` is what a read that waits is told. */
	dispose(cause: Failure): void {
		this.#close(DISPOSED, cause);
		this.#outbox.note({ type: "disposed", source: this.source.name, endpoint: this.endpoint });
	}

	/** The answer of `channel/release` once the receiver isn't open: the same every time, as that state stays. */
	released(): ChannelOutcome {
		const state = this.#state;
		this.exposed = true;
		if (state.kind === "ended") return { result: { status: "ended", lastSequence: state.lastSequence } };
		if (state.kind !== "failed") return { result: { status: "released" } };
		const { code, details } = state.failure;
		return { result: { status: "failed", code, ...(details === undefined ? {} : { details }) } };
	}

	/** What every read is told once the receiver isn't open. */
	#repeated(): ChannelOutcome {
		const state = this.#state;
		if (state.kind === "ended") return { result: { end: { lastSequence: state.lastSequence } } };
		if (state.kind !== "failed") return { failure: RECEIVER_GONE };
		this.exposed = true;
		return { failure: state.failure };
	}

	#deliver(item: Item, settle: Settle): void {
		const { sequence, value, bytes } = item;
		this.#inFlight = bytes;
		this.#outbox.settle(settle, { result: { item: { sequence, value } } });
		this.#outbox.note({ type: "delivered", source: this.source.name, endpoint: this.endpoint, sequence });
	}

	#decide(settle: Settle, outcome: ChannelOutcome): ChannelWait {
		this.#outbox.settle(settle, outcome);
		return DECIDED;
	}

	#close(state: ReaderState, cause: Failure): void {
		this.#state = state;
		this.#queue.clear();
		this.#bytes = 0;
		this.#inFlight = undefined;
		if (this.#read === undefined) return;
		if (state.kind === "failed") this.exposed = true;
		this.#outbox.settle(this.#take(), { failure: cause });
	}

	/** A cancelled read disposes its receiver: it can't go on after an item that it may have skipped. */
	#cancel(read: object): void {
		if (this.#read !== read) return;
		this.source.dispose(this, CANCELLED);
		this.#outbox.flush();
	}

	#take(): Settle {
		const { settle } = this.#read!;
		this.#read = undefined;
		return settle;
	}
}
