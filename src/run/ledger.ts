/**
 * Operation identity (Run/1 section 6): one piece of work per `operationId`, whatever number of requests wait for it, joined
 * or replayed when method and params are the same, refused when they are not. In memory, for one Run.
 */

import { canonicalize, equalJson, type JsonObject, type JsonValue } from "../json/index.ts";
import { portableSha256, renderDigest } from "../sha256.ts";
import type { Terminal } from "./admission.ts";
import type { Payload } from "./encode.ts";
import type { OperationOutcome } from "./ports.ts";

/** A call of at most this many bytes is kept as it is to compare repetitions with; of a longer one, its digest. */
const KEPT_CALL_BYTES = 1_024;

/** One operation, from its first request to the end of the Run. */
export interface Entry {
	readonly operationId: string;
	readonly method: string;
	/** The ids of the requests that wait for its terminal. */
	readonly waiters: Set<string>;
	/** The response for every waiter, once the operation is decided. */
	payload: Payload | undefined;
	/** The work was asked to stop. */
	abandoned: boolean;
	/** Bytes of the request that made it. */
	readonly bytes: number;
	/** The params, or their digest. */
	identity: JsonObject | string;
}

export type Found =
	| { readonly kind: "new" | "joined" | "replayed"; readonly entry: Entry }
	| { readonly kind: "conflict" }
	| { readonly kind: "full" };

export class OperationLedger {
	readonly #entries = new Map<string, Entry>();
	readonly #retainedBytes: number;
	#retained = 0;
	#unsettled = 0;

	/** `retainedBytes` bounds what running calls and decided operations may take, as `HostSessionLimits` says. */
	constructor(retainedBytes: number) {
		this.#retainedBytes = retainedBytes;
	}

	/** Operations that were dispatched and are not decided. */
	get unsettled(): number {
		return this.#unsettled;
	}

	/** What is held now, in the measure of the bound. */
	get retained(): number {
		return this.#retained;
	}

	/** The entry for a valid request: made (and then to be dispatched), joined, or ready to be replayed. */
	find(method: string, params: JsonObject, bytes: number): Found {
		const operationId = params.operationId as string;
		const entry = this.#entries.get(operationId);
		if (entry !== undefined) {
			if (entry.method !== method || !isSame(entry.identity, params)) return { kind: "conflict" };
			return { kind: entry.payload === undefined ? "joined" : "replayed", entry };
		}
		if (this.#retained + bytes > this.#retainedBytes) return { kind: "full" };
		const made: Entry = {
			operationId,
			method,
			waiters: new Set(),
			payload: undefined,
			abandoned: false,
			bytes,
			identity: params,
		};
		this.#entries.set(operationId, made);
		this.#retained += bytes;
		this.#unsettled += 1;
		return { kind: "new", entry: made };
	}

	/**
	 * Decides an operation. Its payload is kept for every later repetition, so one that would cross the bound is not: the
	 * operation then ends as `tooLarge`, for its waiters and for those to come alike.
	 */
	settle(
		entry: Entry,
		terminal: Terminal<OperationOutcome>,
		tooLarge: Terminal<OperationOutcome>,
	): Terminal<OperationOutcome> {
		this.#unsettled -= 1;
		if (entry.bytes > KEPT_CALL_BYTES) {
			entry.identity = digestOf(entry.identity as JsonObject);
			this.#retained -= entry.bytes - KEPT_CALL_BYTES;
		}
		// In UTF-16 units, of which a text never has more than bytes.
		const fits = this.#retained + terminal.payload.length <= this.#retainedBytes;
		const kept = fits ? terminal : tooLarge;
		entry.payload = kept.payload;
		this.#retained += kept.payload.length;
		return kept;
	}
}

/** Equal values have equal canonical bytes and the other way round, so a kept call needs no canonical form. */
function isSame(identity: JsonObject | string, params: JsonObject): boolean {
	return typeof identity === "string" ? identity === digestOf(params) : equalJson(identity, params);
}

function digestOf(params: JsonValue): string {
	const hash = portableSha256();
	hash.update(canonicalize(params));
	return renderDigest(hash);
}
