/** A direct source: one receiver, and sends that wait while its queue is full. */

import type { JsonValue } from "../../json/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { Failure } from "../ports.ts";
import { CANCELLED, failure, RECEIVER_GONE } from "./failures.ts";
import type { ChannelWait, Settle, SourceTerms } from "./ports.ts";
import { Reader } from "./reader.ts";
import { type Endpoint, Sender } from "./rights.ts";
import { DECIDED, type Shared, Source } from "./source.ts";

/** A send that is not accepted: it has no sequence yet, so that its cancellation leaves no gap. */
interface Waiting {
	readonly value: JsonValue;
	readonly bytes: number;
	readonly settle: Settle;
	/** What it was checked against; a receiver's schema may come later. */
	readonly schema: Schema | undefined;
}

export class DirectSource extends Source {
	readonly delivery = "direct" as const;
	readonly sender: Sender;
	readonly receiver: Reader;
	protected readonly itemBytes: number;
	/** In order of arrival. A set gives up its first and any other entry in constant time. */
	readonly #waiting = new Set<Waiting>();
	#waitingBytes = 0;

	constructor(name: string, terms: SourceTerms, shared: Shared, send: string, receive: string) {
		super(name, terms, shared);
		const { queuedItems, queuedBytes, itemBytes } = shared.limits;
		this.itemBytes = Math.min(itemBytes, queuedBytes);
		this.sender = new Sender(send, this);
		this.receiver = new Reader(receive, this, 1, { items: queuedItems, bytes: queuedBytes }, shared.outbox);
	}

	get waiting(): number {
		return this.#waiting.size;
	}

	get disconnected(): Failure | undefined {
		return this.receiver.state.kind === "disposed" ? RECEIVER_GONE : undefined;
	}

	get live(): readonly Reader[] {
		return this.receiver.isOpen ? [this.receiver] : [];
	}

	/** Whether either end was used or moved: a pair that nobody touched is nobody's unfinished work. */
	get touched(): boolean {
		const { sender, receiver } = this;
		return sender.used || sender.moved || receiver.used || receiver.moved;
	}

	roomMade(): void {
		for (const waiting of this.#waiting) {
			if (!this.receiver.hasRoom(waiting.bytes)) return;
			const refused = this.recheck(waiting.value, waiting.bytes, waiting.schema);
			if (refused !== undefined) {
				this.fail(refused);
				return;
			}
			this.#forget(waiting);
			this.receiver.offer(this.accept(waiting.value, waiting.bytes, waiting.settle));
		}
		if (this.state.kind === "sealed") this.receiver.end(this.sequence);
	}

	/** Either end's schema holds for the whole source: later items satisfy both. */
	bind(_endpoint: Endpoint, schema: Schema): void {
		this.schema ??= schema;
	}

	dispose(reader: Reader, cause: Failure): void {
		reader.dispose(cause);
		this.drop(RECEIVER_GONE);
	}

	protected take(value: JsonValue, bytes: number, settle: Settle): ChannelWait {
		if (this.#waiting.size === 0 && this.receiver.hasRoom(bytes)) {
			this.receiver.offer(this.accept(value, bytes, settle));
			return DECIDED;
		}
		const { pendingSends, pendingBytes } = this.shared.limits;
		if (this.#waiting.size >= pendingSends || this.#waitingBytes + bytes > pendingBytes) {
			const message = "Too much waits for this source already; send again when a send has settled.";
			return this.refuse(settle, failure("RESOURCE_EXHAUSTED", message));
		}
		const waiting: Waiting = { value, bytes, settle, schema: this.schema };
		this.#waiting.add(waiting);
		this.#waitingBytes += bytes;
		return { cancel: () => this.#cancel(waiting) };
	}

	protected drop(cause: Failure): void {
		for (const { settle } of this.#waiting) this.refuse(settle, cause);
		this.#waiting.clear();
		this.#waitingBytes = 0;
	}

	#cancel(waiting: Waiting): void {
		if (!this.#forget(waiting)) return;
		this.refuse(waiting.settle, CANCELLED);
		// A smaller one behind it may have room.
		this.roomMade();
		this.shared.outbox.flush();
	}

	#forget(waiting: Waiting): boolean {
		if (!this.#waiting.delete(waiting)) return false;
		this.#waitingBytes -= waiting.bytes;
		return true;
	}
}
