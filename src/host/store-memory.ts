import { encodeUtf8 } from "../web.ts";
import {
	type ClaimAnswer,
	type OperationBinding,
	type OperationClaim,
	type OperationIntent,
	type OperationName,
	type OperationStore,
	type OperationStoreLimits,
	operationPath,
	resolveStoreLimits,
	type StoredKey,
	sameBinding,
} from "./store.ts";

export interface MemoryStoreOptions {
	readonly limits?: Partial<OperationStoreLimits> | undefined;
	/** Unix milliseconds, for {@link StoredKey}; without it the times are 0. */
	readonly now?: (() => number) | undefined;
}

interface Kept extends OperationIntent {
	settled: boolean;
	outcome: string | undefined;
}

interface Entry {
	readonly binding: OperationBinding;
	readonly createdUnixMs: number;
	incarnation: number;
	unsettled: number;
	outcomeBytes: number;
	usedUnixMs: number;
	readonly operations: Map<string, Kept>;
}

/**
 * A store that lives as long as this object: operations outlive a Run, but not the program. For tests, and where losing
 * them with the program is right.
 */
export function memoryOperationStore(options: MemoryStoreOptions = {}): OperationStore {
	const limits = resolveStoreLimits(options.limits);
	const now = options.now ?? (() => 0);
	/** The key used last comes last. */
	const entries = new Map<string, Entry>();
	let incarnations = 0;

	function touch(key: string, entry: Entry): void {
		entry.usedUnixMs = now();
		entries.delete(key);
		entries.set(key, entry);
	}

	function claimOf(key: string, entry: Entry): OperationClaim {
		const { incarnation } = entry;
		const isHeld = (): boolean => entries.get(key) === entry && entry.incarnation === incarnation;
		return {
			incarnation,
			recorded: Array.from(entry.operations.values(), ({ outcome: _, ...operation }) => operation),
			async begin({ scope, operationId, identity, channels }) {
				if (!isHeld()) return "superseded";
				const path = operationPath({ scope, operationId });
				if (entry.operations.has(path)) throw new TypeError(`The operation "${path}" is recorded already.`);
				if (entry.operations.size >= limits.operations) return "full";
				const intent = { scope: [...scope], operationId, identity, channels };
				entry.operations.set(path, { ...intent, settled: false, outcome: undefined });
				entry.unsettled += 1;
				touch(key, entry);
				return "recorded";
			},
			async settle(name, outcome) {
				if (!isHeld()) return "superseded";
				const kept = entry.operations.get(operationPath(name));
				if (kept === undefined || kept.settled) {
					throw new TypeError(`The operation "${operationPath(name)}" is not recorded, or settled.`);
				}
				const bytes = encodeUtf8(outcome).length;
				kept.settled = true;
				entry.unsettled -= 1;
				if (entry.outcomeBytes + bytes <= limits.outcomeBytes) {
					kept.outcome = outcome;
					entry.outcomeBytes += bytes;
				}
				touch(key, entry);
				return "recorded";
			},
			async outcome(name: OperationName) {
				return entry.operations.get(operationPath(name))?.outcome;
			},
		};
	}

	return {
		async claim(key, binding): Promise<ClaimAnswer> {
			let entry = entries.get(key);
			if (entry !== undefined && !sameBinding(entry.binding, binding)) return { kind: "bound", binding: entry.binding };
			if (entry === undefined) {
				if (entries.size >= limits.keys) return { kind: "full" };
				const made = { incarnation: 0, unsettled: 0, outcomeBytes: 0, usedUnixMs: 0 };
				entry = { binding: { ...binding }, createdUnixMs: now(), ...made, operations: new Map() };
			}
			incarnations += 1;
			entry.incarnation = incarnations;
			touch(key, entry);
			return { kind: "claimed", claim: claimOf(key, entry) };
		},
		async list() {
			const keys: StoredKey[] = [];
			for (const [key, { operations, ...entry }] of entries) keys.push({ key, ...entry, operations: operations.size });
			return keys.reverse();
		},
		async delete(key, incarnation) {
			const entry = entries.get(key);
			if (entry === undefined || (incarnation !== undefined && entry.incarnation !== incarnation)) return false;
			return entries.delete(key);
		},
	};
}
