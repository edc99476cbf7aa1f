import { canonicalize, type JsonObject, type JsonValue } from "../json/index.ts";
import { type CapabilityCall, type ChildCall, callParams, methodOf } from "../run/index.ts";
import { type Digest, renderDigest, type Sha256Factory } from "../sha256.ts";
import { signals } from "../signals.ts";
import type { AbortSignal } from "../web.ts";
import { HostError } from "./errors.ts";
import {
	isRunKey,
	type OperationBinding,
	type OperationClaim,
	type OperationIntent,
	type OperationName,
	type OperationStore,
	operationPath,
	type RecordedOperation,
} from "./store.ts";

/** Where the operations of a Run are kept beyond it, and under which key. */
export interface DurableOptions {
	readonly store: OperationStore;
	/** 1 to 256 UTF-16 units of well-formed text without control characters. */
	readonly key: string;
}

/** How a call stands with what earlier incarnations recorded. */
export type Standing =
	| { readonly kind: "new"; readonly intent: OperationIntent }
	/** Its id belongs to another call. */
	| { readonly kind: "conflict" }
	/** It has ended, and may be answered with what it came to. */
	| { readonly kind: "settled" }
	/** It may have been dispatched; `settled`: that nobody can tell what it came to is on record. */
	| { readonly kind: "uncertain"; readonly settled: boolean };

/** Checks the option by its shape. Throws `TypeError`. */
export function checkDurable(given: DurableOptions | undefined): DurableOptions | undefined {
	if (given === undefined) return undefined;
	if (typeof given?.store?.claim !== "function") {
		throw new TypeError("options.operations needs { store, key }, with a store as memoryOperationStore() gives one.");
	}
	if (!isRunKey(given.key)) {
		throw new TypeError(
			"options.operations.key must have 1 to 256 characters, well-formed and without control characters.",
		);
	}
	return given;
}

/** What one root Run and everything below it keep under its key: one claim, and what it may do. */
export class DurableRun {
	readonly key: string;
	readonly #store: OperationStore;
	readonly #sha256: Sha256Factory;
	readonly #onLost: (error: HostError) => void;
	readonly #recorded = new Map<string, RecordedOperation>();
	#claim: OperationClaim | undefined;
	#lost: HostError | undefined;

	/** `onLost` is called once, when another host turns out to hold the key: whatever runs has to stop. */
	constructor({ store, key }: DurableOptions, sha256: Sha256Factory, onLost: (error: HostError) => void) {
		this.#store = store;
		this.key = key;
		this.#sha256 = sha256;
		this.#onLost = onLost;
	}

	/** Why this Run can neither dispatch nor settle any more. */
	get lost(): HostError | undefined {
		return this.#lost;
	}

	/**
	 * Claims the key before anything starts; answers what was found under it. Rejects with a `HostError`
	 * `OPERATION_KEY_MISMATCH` or `OPERATION_STORE_FULL`, with what the store failed with, and once `signal` aborts: a store
	 * that hangs holds up no Run.
	 */
	async open(
		root: { readonly package: Digest; readonly input: JsonValue; readonly settings: JsonObject },
		signal: AbortSignal,
	): Promise<{ readonly incarnation: number; readonly recorded: number }> {
		const binding: OperationBinding = {
			package: root.package,
			input: this.#digest(root.input),
			settings: this.#digest(root.settings),
		};
		const answer = await unlessAborted(Promise.resolve(this.#store.claim(this.key, binding)), signal);
		if (answer.kind === "bound") throw mismatch(answer.binding, binding);
		if (answer.kind === "full") {
			throw new HostError("The operation store has no room for another key; delete some that are done with.", {
				code: "OPERATION_STORE_FULL",
				phase: "activation",
			});
		}
		this.#claim = answer.claim;
		for (const operation of answer.claim.recorded) this.#recorded.set(operationPath(operation), operation);
		return { incarnation: answer.claim.incarnation, recorded: this.#recorded.size };
	}

	/**
	 * How a call that this Run makes for the first time stands. What was recorded and not settled may have been dispatched; so
	 * may have everything that mapped channels, since no endpoint of it is left: neither is ever dispatched again.
	 */
	find(scope: readonly string[], call: ChildCall | CapabilityCall): Standing {
		const intent = this.#intent(scope, call);
		const recorded = this.#recorded.get(operationPath(intent));
		if (recorded === undefined) return { kind: "new", intent };
		if (recorded.identity !== intent.identity) return { kind: "conflict" };
		if (recorded.settled && !recorded.channels) return { kind: "settled" };
		return { kind: "uncertain", settled: recorded.settled };
	}

	/** Records an intent. Rejects when the store does. */
	async begin(intent: OperationIntent): Promise<"recorded" | "superseded" | "full"> {
		if (this.#lost !== undefined) return "superseded";
		const answer = await this.#held.begin(intent);
		if (answer === "superseded") this.#lose();
		return answer;
	}

	/** Records an outcome. Rejects when the store does. */
	async settle(name: OperationName, outcome: string): Promise<"recorded" | "superseded"> {
		if (this.#lost !== undefined) return "superseded";
		const answer = await this.#held.settle(name, outcome);
		if (answer === "superseded") this.#lose();
		return answer;
	}

	/** Reads an outcome that an earlier incarnation recorded. Rejects when the store does. */
	async outcome(name: OperationName): Promise<string | undefined> {
		return this.#held.outcome(name);
	}

	get #held(): OperationClaim {
		if (this.#claim === undefined) throw new TypeError("The key is not claimed.");
		return this.#claim;
	}

	#lose(): void {
		if (this.#lost !== undefined) return;
		this.#lost = new HostError("Another host has claimed the key of this Run, or it was deleted.", {
			code: "OPERATION_KEY_SUPERSEDED",
			phase: "run",
		});
		this.#onLost(this.#lost);
	}

	/**
	 * The identity of a call beyond its session (Run/1 section 6). Endpoint references are of one session, so only the ports
	 * that they are mapped to count.
	 */
	#intent(scope: readonly string[], call: ChildCall | CapabilityCall): OperationIntent {
		const { channels, ...params } = callParams(call) as JsonObject;
		const ports = Object.keys(channels ?? {}).sort();
		const identity = this.#digest({ method: methodOf(call), params, ...(ports.length > 0 ? { ports } : {}) });
		return { scope, operationId: call.operationId, identity, channels: ports.length > 0 };
	}

	#digest(value: JsonValue): Digest {
		const hash = this.#sha256();
		hash.update(canonicalize(value));
		return renderDigest(hash);
	}
}

function mismatch(bound: OperationBinding, given: OperationBinding): HostError {
	const differs = (["package", "input", "settings"] as const).filter((part) => bound[part] !== given[part]);
	const another = bound.package === given.package ? `other ${differs.join(" and ")}` : `the package ${bound.package}`;
	return new HostError(`The key is bound to ${another}: use another key, or delete this one.`, {
		code: "OPERATION_KEY_MISMATCH",
		phase: "activation",
		details: { differs },
	});
}

/** As `work` settles, or rejected once `signal` aborts. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const release = signals.watch(signal, () => reject(new Error("The Run was stopped.")));
		work.then(resolve, reject).finally(release);
	});
}
