/**
 * Operation identity (Run/1 section 6): one piece of work per `operationId`, whatever number of requests wait for it, joined
 * or replayed when method and params are the same, refused when they are not. In memory, for one Run.
 */

import { canonicalize, equalJson, type JsonObject, type JsonValue } from "../json/index.ts";
import { portableSha256, renderDigest } from "../sha256.ts";
import type { Inbound } from "./core.ts";
import type { Payload } from "./encode.ts";

/** A call of at most this many bytes is kept as it is for the whole Run; a longer one gives way to its digest. */
const KEPT_CALL_BYTES = 1_024;

export const NOBODY: readonly Inbound[] = [];

/** One operation, from its first request to the end of the Run. */
export interface Entry {
	readonly operationId: string;
	readonly method: string;
	/** The requests that wait for its terminal: at most 64, mostly one. A list is replaced, not emptied: entries outlive it. */
	waiters: readonly Inbound[];
	/** Its work has ended: its terminal is fixed. */
	decided: boolean;
	/** The response for every repetition, once the operation is decided and while it is kept. */
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
	/** Used for another call; its result no longer kept; no room for another call. */
	| { readonly kind: "conflict" }
	| { readonly kind: "forgotten" }
	| { readonly kind: "full" };

export class OperationLedger {
	readonly #entries = new Map<string, Entry>();
	readonly #retainedBytes: number;
	/** Decided entries in the order of their decision; those before `#oldest` have given up their payload. */
	readonly #decided: Entry[] = [];
	#oldest = 0;
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

	/** The entry for a valid request: made (and then to be dispatched), joined, or ready to be replayed. */
	find(method: string, params: JsonObject, bytes: number): Found {
		const operationId = params.operationId as string;
		const entry = this.#entries.get(operationId);
		if (entry !== undefined) {
			if (entry.method !== method || !isSame(entry.identity, params)) return { kind: "conflict" };
			if (!entry.decided) return { kind: "joined", entry };
			return entry.payload === undefined ? { kind: "forgotten" } : { kind: "replayed", entry };
		}
		if (!this.#makeRoom(bytes)) return { kind: "full" };
		const made: Entry = {
			operationId,
			method,
			waiters: NOBODY,
			decided: false,
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

	/** Decides an operation; the payload is kept for repetitions while there is room. */
	settle(entry: Entry, payload: Payload): void {
		this.#unsettled -= 1;
		entry.decided = true;
		this.#decided.push(entry);
		// In UTF-16 units, of which a text never has more than bytes.
		if (!this.#makeRoom(payload.length)) return;
		entry.payload = payload;
		this.#retained += payload.length;
	}

	/** Takes back an undecided operation, as if it had never been asked for. */
	forget(entry: Entry): void {
		this.#entries.delete(entry.operationId);
		this.#retained -= entry.bytes;
		this.#unsettled -= 1;
	}

	/**
	 * Gives up the oldest results until `bytes` more fit. Their operations stay known, a long call by its digest: a repetition
	 * is refused, never dispatched again. Hashing waits until here, so that a Run with room never pays for it.
	 */
	#makeRoom(bytes: number): boolean {
		while (this.#retained + bytes > this.#retainedBytes && this.#oldest < this.#decided.length) {
			const entry = this.#decided[this.#oldest++]!;
			this.#retained -= entry.payload?.length ?? 0;
			entry.payload = undefined;
			if (entry.bytes <= KEPT_CALL_BYTES) continue;
			entry.identity = digestOf(entry.identity as JsonObject);
			this.#retained -= entry.bytes - KEPT_CALL_BYTES;
		}
		return this.#retained + bytes <= this.#retainedBytes;
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
