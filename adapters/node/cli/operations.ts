import { quoteForDisplay } from "../../../src/display.ts";
import { deleteUnusedKeys, type StoredKey } from "../../../src/host/index.ts";
import { type SqliteOperationStore, sqliteOperationStore } from "../operation-store.ts";
import { checkKey } from "./durable.ts";
import { count, type Output } from "./output.ts";
import { formatBytes } from "./progress.ts";
import { UsageError } from "./usage.ts";

export interface DeleteOptions {
	readonly key?: string;
	/** Milliseconds. */
	readonly unused?: number;
}

/** `millrace operations list FILE`: what a store holds. Never makes one. */
export async function listCommand(file: string, output: Output): Promise<void> {
	const keys = await within(file, (store) => store.list());
	await output.answer(keys.length === 0 ? "no keys" : keys.flatMap(describe).join("\n"), { status: "succeeded", keys });
}

function describe({ key, binding, incarnation, operations, unsettled, outcomeBytes, ...times }: StoredKey): string[] {
	const open = unsettled === 0 ? "" : `, ${unsettled} of them without an end`;
	return [
		quoteForDisplay(key, 256),
		`  package  ${binding.package}`,
		`  used     ${new Date(times.usedUnixMs).toISOString()}, claim ${incarnation}; made ${new Date(times.createdUnixMs).toISOString()}`,
		`  holds    ${count(operations, "operation")}${open}; ${formatBytes(outcomeBytes)} of results`,
	];
}

/** `millrace operations delete FILE`: forgets one key, or those that nothing has used for a time. False where there was none. */
export async function deleteCommand(file: string, options: DeleteOptions, output: Output): Promise<boolean> {
	const { key, unused } = options;
	if ((key === undefined) === (unused === undefined)) throw new UsageError("give either --key KEY or --unused TIME");
	if (key !== undefined) checkKey(key);
	const deleted = await within(file, async (store) => {
		if (key !== undefined) return (await store.delete(key)) ? [key] : [];
		return deleteUnusedKeys(store, Date.now() - unused!);
	});
	const text = deleted.length === 0 ? "nothing to delete" : `deleted ${count(deleted.length, "key")}`;
	await output.answer(text, { status: "succeeded", deleted });
	return deleted.length > 0 || key === undefined;
}

async function within<T>(file: string, act: (store: SqliteOperationStore) => Promise<T>): Promise<T> {
	const store = await sqliteOperationStore(file, { create: false });
	try {
		return await act(store);
	} finally {
		await store.close();
	}
}
