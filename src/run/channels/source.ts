/** What both profiles of a source have in common: acceptance, sealing, failure (Run/1 section 5.1). */

import type { ContractIdentity } from "../../contract/index.ts";
import type { JsonValue } from "../../json/index.ts";
import { isTrivialSchema, type Schema } from "../../schema/index.ts";
import type { ChannelOutcome, Failure } from "../ports.ts";
import { failure, OWNER_OVER, SOURCE_ABORTED, SOURCE_REVOKED, SOURCE_SEALED, violation } from "./failures.ts";
import type { ChannelLimits } from "./limits.ts";
import { measure } from "./measure.ts";
import type { Outbox } from "./outbox.ts";
import type { ChannelWait, Settle, SourceTerms } from "./ports.ts";
import type { Reader } from "./reader.ts";
import type { Endpoint } from "./rights.ts";

/** An accepted item. */
export interface Item {
	readonly sequence: number;
	readonly value: JsonValue;
	readonly bytes: number;
}

/** The wait of a request that was decided when it was made. */
export const DECIDED: ChannelWait = { cancel: () => undefined };

/** What all sources of one broker share. */
export interface Shared {
	readonly limits: ChannelLimits;
	readonly outbox: Outbox;
}

export type SourceState =
	| { readonly kind: "open" }
	| { readonly kind: "sealed" }
	| { readonly kind: "failed"; readonly failure: Failure };

const OPEN: SourceState = { kind: "open" };
const SEALED: SourceState = { kind: "sealed" };

/** An item schema that says something; a generic one is none. */
export function nontrivial(schema: Schema | undefined): Schema | undefined {
	return isTrivialSchema(schema) ? undefined : schema;
}

export abstract class Source {
	abstract readonly delivery: "direct" | "broadcast";
	/** Its name inside the broker, for observers. */
	readonly name: string;
	readonly contract: ContractIdentity | undefined;
	/**
	 * The one item schema that is not generic, of the source, its writer's port or, direct, its receiver's: connections match
	 * only when these have equal content, so that one of them stands for all.
	 */
	schema: Schema | undefined;

	protected readonly shared: Shared;
	#state: SourceState = OPEN;
	#sequence = 0;
	#bytes = 0;

	constructor(name: string, terms: SourceTerms, shared: Shared) {
		this.name = name;
		this.contract = terms.contract;
		this.schema = nontrivial(terms.schema);
		this.shared = shared;
	}

	get state(): SourceState {
		return this.#state;
	}

	/** The sequence of the last accepted item; 0 before the first. */
	get sequence(): number {
		return this.#sequence;
	}

	/** Sends that are not accepted yet. */
	abstract readonly waiting: number;
	/** Direct delivery whose receiver is gone: nothing can be accepted or closed any more. */
	abstract readonly disconnected: Failure | undefined;
	/** Receivers that are neither disposed, ended nor failed. */
	abstract readonly live: Iterable<Reader>;
	/** What an item may have at most, so that it has room in an empty queue. */
	protected abstract readonly itemBytes: number;
	/** Accepts a valid item now, or holds it back. */
	protected abstract take(value: JsonValue, bytes: number, settle: Settle): ChannelWait;
	/** Settles the sends that wait. */
	protected abstract drop(cause: Failure): void;
	/** A read released its credit. */
	abstract roomMade(reader: Reader): void;
	/** Takes the item schema of a port that `endpoint` is granted through; it was found to match. */
	abstract bind(endpoint: Endpoint, schema: Schema): void;
	/** Disposes an open receiver; `cause` is what its read is told. */
	abstract dispose(reader: Reader, cause: Failure): void;

	/** `channel/send`. `live`: the holder still takes part. */
	send(value: JsonValue, settle: Settle, live: boolean): ChannelWait {
		const refused = this.#refusal() ?? (live ? undefined : OWNER_OVER);
		if (refused !== undefined) return this.refuse(settle, refused);
		const bytes = this.#admit(value);
		if (typeof bytes === "number") return this.take(value, bytes, settle);
		this.refuse(settle, bytes);
		this.fail(bytes);
		return DECIDED;
	}

	/** `channel/close`: without a wait for the receiver or for anybody's result. */
	close(): ChannelOutcome {
		if (this.#state === SEALED) return { result: null };
		const refused = this.#refusal();
		if (refused !== undefined) return { failure: refused };
		if (this.waiting > 0) {
			const message = "The sender has sends that are not accepted yet; close it after they have settled.";
			return { failure: failure("INVALID_INPUT", message) };
		}
		this.seal();
		return { result: null };
	}

	/** Seals a source whose sender is healthy. */
	seal(): void {
		this.#state = SEALED;
		this.shared.outbox.note({ type: "sealed", source: this.name, lastSequence: this.#sequence });
		for (const reader of this.live) this.roomMade(reader);
	}

	/** Fails an open source for everybody, and for good. */
	fail(cause: Failure): void {
		this.#state = { kind: "failed", failure: cause };
		this.shared.outbox.note({ type: "failed", source: this.name, code: cause.code });
		this.drop(cause);
		for (const reader of this.live) reader.fail(cause);
	}

	/** The holder of the sender is over, or its result refused: what it sealed stays. */
	abort(): void {
		if (this.#state === OPEN && this.disconnected === undefined) this.fail(SOURCE_ABORTED);
	}

	/**
	 * The owner is over: what was not given out is lost, sealed or not; only an end that was given out survives. Receivers that
	 * the owner holds itself are disposed.
	 */
	revoke(isOwn: (reader: Reader) => boolean): void {
		for (const reader of this.live) if (isOwn(reader)) reader.dispose(SOURCE_REVOKED);
		if (this.#state === OPEN) this.fail(SOURCE_REVOKED);
		else for (const reader of this.live) reader.fail(SOURCE_REVOKED);
	}

	/** Whether an item that is to be accepted now has no place any more; `schema` is what it was checked against before. */
	protected recheck(value: JsonValue, bytes: number, schema: Schema | undefined): Failure | undefined {
		return (schema === this.schema ? undefined : violation(this.schema, value)) ?? this.#overBudget(bytes);
	}

	protected accept(value: JsonValue, bytes: number, settle: Settle): Item {
		this.#bytes += bytes;
		const sequence = ++this.#sequence;
		this.shared.outbox.settle(settle, { result: null });
		this.shared.outbox.note({ type: "accepted", source: this.name, sequence, bytes });
		return { sequence, value, bytes };
	}

	protected refuse(settle: Settle, cause: Failure): ChannelWait {
		this.shared.outbox.settle(settle, { failure: cause });
		return DECIDED;
	}

	#refusal(): Failure | undefined {
		const state = this.#state;
		if (state.kind === "failed") return state.failure;
		return state === SEALED ? SOURCE_SEALED : this.disconnected;
	}

	/** The bytes of an item that the source takes, or why it fails with it. */
	#admit(value: JsonValue): number | Failure {
		const misfit = violation(this.schema, value);
		if (misfit !== undefined) return misfit;
		const bytes = measure(value);
		if (bytes > this.itemBytes) {
			return failure(
				"RESOURCE_EXHAUSTED",
				`The item has more than ${this.itemBytes} bytes, or no place in a read's answer.`,
			);
		}
		return this.#overBudget(bytes) ?? bytes;
	}

	#overBudget(bytes: number): Failure | undefined {
		const { sourceBytes } = this.shared.limits;
		if (this.#bytes + bytes <= sourceBytes) return undefined;
		return failure("RESOURCE_EXHAUSTED", `The source has accepted all it may: ${sourceBytes} bytes.`);
	}
}
