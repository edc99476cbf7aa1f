import type { Digest } from "../sha256.ts";

/**
 * The port through which the operations of a Run outlive its host (Run/1 section 6: "the host chooses its persistence
 * strategy"). A store keeps, under a key of its user's, what was about to be dispatched and what it came to. Whoever writes
 * one promises four things; the host builds "never twice" on them and on nothing else.
 *
 * 1. **Atomic.** Each method is one step: it happens wholly or not at all, whatever else runs on the same store, in this
 *    process or another.
 * 2. **Durable before it answers.** What `begin` and `settle` recorded, and the incarnation that `claim` made, survive the
 *    end of the process (and of the machine, where the store says so) from the moment their promise resolves.
 * 3. **Fenced.** A key has one holder: the claim with the newest incarnation. `begin` and `settle` of any other claim
 *    record nothing and answer `superseded`, for ever, also after the key was deleted and claimed anew.
 * 4. **Write once.** An operation's intent and its outcome are never replaced.
 *
 * A promise that rejects says that nobody knows whether the step happened: before a dispatch the host then doesn't
 * dispatch, afterwards it answers `UNCERTAIN`. A promise that never settles holds up its operation, until the Run's grace
 * gives it up; it never holds up the Run.
 */
export interface OperationStore {
	/**
	 * Makes the caller the holder of `key` ({@link isRunKey}), in one step:
	 *
	 * - a key that is not there is made, bound to `binding`; where there is no room for it, the answer is `full`;
	 * - a key bound to another binding stays untouched, holder included, and the answer is `bound` with that binding;
	 * - otherwise the claim gets an incarnation above all that this store ever gave, and supersedes the holder before it.
	 */
	claim(key: string, binding: OperationBinding): Promise<ClaimAnswer>;
	/** Every key, the one used last first. */
	list(): Promise<readonly StoredKey[]>;
	/**
	 * Forgets a key with everything recorded under it; whoever holds it is superseded. With `incarnation`, only while that is
	 * still its newest one. Answers whether there was such a key. What is forgotten can be dispatched again.
	 */
	delete(key: string, incarnation?: number): Promise<boolean>;
}

/** What a key is for: the same operations of another package, or of other input, are other operations. */
export interface OperationBinding {
	/** The root package (Package/1). */
	readonly package: Digest;
	/** SHA-256 of the RFC 8785 bytes of the root's input and of its settings. */
	readonly input: Digest;
	readonly settings: Digest;
}

export type ClaimAnswer =
	| { readonly kind: "claimed"; readonly claim: OperationClaim }
	| { readonly kind: "bound"; readonly binding: OperationBinding }
	| { readonly kind: "full" };

/** The name of one operation below a key. */
export interface OperationName {
	/** The operation ids that lead from the root Run to the Run that calls; empty for the root's own calls. */
	readonly scope: readonly string[];
	readonly operationId: string;
}

/** What is recorded before an operation is dispatched. */
export interface OperationIntent extends OperationName {
	/** SHA-256 of the call's canonical method and params, with the names of its channel ports but not their endpoints. */
	readonly identity: Digest;
	/** The call maps channels. */
	readonly channels: boolean;
}

/** An operation that an earlier incarnation recorded. */
export interface RecordedOperation extends OperationIntent {
	readonly settled: boolean;
}

/** The right to record under one key, as long as no newer claim takes it. */
export interface OperationClaim {
	/** A positive safe integer. */
	readonly incarnation: number;
	/** Everything recorded under the key when it was claimed, in any order. */
	readonly recorded: readonly RecordedOperation[];
	/**
	 * Records that an operation is about to be dispatched. `full`: the key has no room for another operation. Rejects for one
	 * that is recorded already.
	 */
	begin(intent: OperationIntent): Promise<"recorded" | "superseded" | "full">;
	/**
	 * Records what an operation came to: `outcome` is JSON text of at most 16 MiB, opaque to the store. Where the key has no
	 * room for it, the operation is settled all the same, without its outcome. Rejects for an operation that isn't recorded, or
	 * is settled.
	 */
	settle(name: OperationName, outcome: string): Promise<"recorded" | "superseded">;
	/** What {@link settle} recorded, or undefined where it isn't kept. */
	outcome(name: OperationName): Promise<string | undefined>;
}

/** A key, for whoever looks after a store. */
export interface StoredKey {
	readonly key: string;
	readonly binding: OperationBinding;
	/** The newest one. */
	readonly incarnation: number;
	/** Operations recorded under it, and how many of them are not settled. */
	readonly operations: number;
	readonly unsettled: number;
	/** UTF-8 bytes of the outcomes kept. */
	readonly outcomeBytes: number;
	/** When it was made, and when something was last recorded under it or it was claimed; 0 where the store has no clock. */
	readonly createdUnixMs: number;
	readonly usedUnixMs: number;
}

/** What one store holds at most. Nothing is given up to make room: what was recorded may be asked for at any restart. */
export interface OperationStoreLimits {
	readonly keys: number;
	/** Operations below one key. */
	readonly operations: number;
	/** UTF-8 bytes of outcomes below one key; one that doesn't fit is not kept, and its repetition is `RESOURCE_EXHAUSTED`. */
	readonly outcomeBytes: number;
}

/** The limits of a store that names none. */
export const OPERATION_STORE_LIMITS: OperationStoreLimits = Object.freeze({
	keys: 10_000,
	operations: 65_536,
	outcomeBytes: 67_108_864,
});

/** Completes named limits with their defaults. Throws a `RangeError` that names the limit out of its domain. */
export function resolveStoreLimits(given: Partial<OperationStoreLimits> = {}): OperationStoreLimits {
	const limits: Record<keyof OperationStoreLimits, number> = { ...OPERATION_STORE_LIMITS };
	for (const name of Object.keys(given)) {
		if (!Object.hasOwn(limits, name)) throw new RangeError(`"${name}" is not a limit of an operation store.`);
		const value = given[name as keyof OperationStoreLimits];
		if (value === undefined) continue;
		if (!Number.isSafeInteger(value) || value < 1) {
			throw new RangeError(`limits.${name} must be an integer of at least 1.`);
		}
		limits[name as keyof OperationStoreLimits] = value;
	}
	return Object.freeze(limits);
}

/**
 * Retention: forgets every key that nothing has used since `beforeUnixMs`; answers which. One that is claimed meanwhile
 * stays.
 */
export async function deleteUnusedKeys(store: OperationStore, beforeUnixMs: number): Promise<readonly string[]> {
	const old = (await store.list()).filter((each) => each.usedUnixMs < beforeUnixMs);
	const gone = await Promise.all(old.map(({ key, incarnation }) => store.delete(key, incarnation)));
	return old.flatMap(({ key }, index) => (gone[index] ? [key] : []));
}

/** Whether `text` can be the key of a Run: 1 to 256 UTF-16 units of well-formed text without control characters. */
export function isRunKey(text: unknown): text is string {
	if (typeof text !== "string" || text.length < 1 || text.length > 256) return false;
	return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Whether two bindings are the same one. */
export function sameBinding(a: OperationBinding, b: OperationBinding): boolean {
	return a.package === b.package && a.input === b.input && a.settings === b.settings;
}

/** One text for a name: operation ids have no spaces. The caller's scope, a space, the operation id. */
export function operationPath({ scope, operationId }: OperationName): string {
	return [...scope, operationId].join(" ");
}
