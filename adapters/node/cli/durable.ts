import { type DurableOptions, isRunKey } from "../../../src/host/index.ts";
import { sqliteOperationStore } from "../operation-store.ts";
import { checkPlace } from "./trace.ts";
import { UsageError } from "./usage.ts";

/** `--store FILE` and `--key KEY`, which belong together. */
export interface StoreOptions {
	readonly store?: string;
	readonly key?: string;
}

/** Throws `UsageError` for what can't be meant. */
export function checkDurable({ store, key }: StoreOptions, packages: readonly string[]): void {
	if (key !== undefined && store === undefined) throw new UsageError("--key needs --store FILE, where it is kept");
	if (store === undefined) return;
	if (key === undefined) throw new UsageError("--store needs --key KEY, the name of this Run in it");
	if (store === "") throw new UsageError("--store: the name is empty");
	checkKey(key);
	checkPlace("--store", store, packages);
}

/** Throws `UsageError` for a text that can be no key. */
export function checkKey(key: string): void {
	if (!isRunKey(key)) throw new UsageError("--key must have 1 to 256 characters, and no control characters");
}

/** Runs `act` with the store open, if one is asked for, and closes it whatever comes of that. */
export async function withStore<T>(
	{ store: file, key }: StoreOptions,
	act: (operations: DurableOptions | undefined) => Promise<T>,
): Promise<T> {
	if (file === undefined || key === undefined) return act(undefined);
	const store = await sqliteOperationStore(file);
	try {
		return await act({ store, key });
	} finally {
		await store.close();
	}
}
