/** A broadcast source: acceptance waits for nobody, and each subscription succeeds or fails alone. */

import type { JsonValue } from "../../json/index.ts";
import { equalSchemas, type Schema } from "../../schema/index.ts";
import type { Failure } from "../ports.ts";
import { LAGGED, violation } from "./failures.ts";
import type { ChannelWait, Settle, SourceTerms } from "./ports.ts";
import { Reader } from "./reader.ts";
import { type Endpoint, Sender } from "./rights.ts";
import { DECIDED, type Item, type Shared, Source } from "./source.ts";

export class BroadcastSource extends Source {
	readonly delivery = "broadcast" as const;
	readonly sender: Sender;
	readonly waiting = 0;
	readonly disconnected: undefined;
	protected readonly itemBytes: number;
	readonly #live = new Set<Reader>();

	constructor(name: string, terms: SourceTerms, shared: Shared, send: string) {
		super(name, terms, shared);
		this.itemBytes = shared.limits.itemBytes;
		this.sender = new Sender(send, this);
	}

	get live(): ReadonlySet<Reader> {
		return this.#live;
	}

	/** A new reader of what comes next: no history (Channel Contract/1 section 1). */
	subscribe(endpoint: string): Reader {
		const { limits, outbox } = this.shared;
		const capacity = { items: limits.readerItems, bytes: limits.readerBytes };
		const reader = new Reader(endpoint, this, this.sequence + 1, capacity, outbox);
		this.#live.add(reader);
		const { startSequence } = reader;
		outbox.note({ type: "subscribed", source: this.name, endpoint, startSequence });
		return reader;
	}

	roomMade(reader: Reader): void {
		if (this.state.kind !== "sealed") return;
		reader.end(this.sequence);
		this.#forget(reader);
	}

	/** A reader's schema is its own; one of equal content is the source's, so that an item is checked once. */
	bind(endpoint: Endpoint, schema: Schema): void {
		if (endpoint.direction === "receive") {
			endpoint.schema ??= this.#shared(schema);
			return;
		}
		this.schema ??= schema;
		for (const reader of this.#live) if (reader.schema !== undefined) reader.schema = this.#shared(reader.schema);
	}

	dispose(reader: Reader, cause: Failure): void {
		reader.dispose(cause);
		this.#forget(reader);
	}

	override fail(cause: Failure): void {
		super.fail(cause);
		this.#live.clear();
	}

	protected take(value: JsonValue, bytes: number, settle: Settle): ChannelWait {
		const item = this.accept(value, bytes, settle);
		for (const reader of this.#live) {
			if (!reader.hasRoom(bytes)) this.#lag(reader);
			else this.#offer(reader, item);
		}
		return DECIDED;
	}

	protected drop(): void {}

	#offer(reader: Reader, item: Item): void {
		const misfit = reader.schema === this.schema ? undefined : violation(reader.schema, item.value);
		if (misfit === undefined) {
			reader.offer(item);
			return;
		}
		reader.fail(misfit);
		this.#forget(reader);
		const { endpoint } = reader;
		this.shared.outbox.note({ type: "failed", source: this.name, code: misfit.code, endpoint });
	}

	#lag(reader: Reader): void {
		reader.fail(LAGGED);
		this.#forget(reader);
		this.shared.outbox.note({ type: "lagged", source: this.name, endpoint: reader.endpoint });
	}

	#shared(schema: Schema): Schema {
		return this.schema !== undefined && equalSchemas(this.schema, schema) ? this.schema : schema;
	}

	#forget(reader: Reader): void {
		if (!reader.isOpen) this.#live.delete(reader);
	}
}
