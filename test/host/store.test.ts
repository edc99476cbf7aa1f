import { describe, expect, test } from "vitest";
import { deleteUnusedKeys, isRunKey, memoryOperationStore, OPERATION_STORE_LIMITS } from "../../src/host/index.ts";
import { held, storeContract } from "./store-contract.ts";

storeContract(
	"in memory",
	async (limits) => memoryOperationStore({ limits }),
	async (store) => store,
);

describe("the store in memory", () => {
	test("takes its times from the clock it is given", async () => {
		let ms = 1_000;
		const store = memoryOperationStore({ now: () => ms });
		const claim = await held(store, "k");
		ms = 2_000;
		await claim.begin({ scope: [], operationId: "a", identity: `sha256:${"a".repeat(64)}`, channels: false });
		expect(await store.list()).toMatchObject([{ createdUnixMs: 1_000, usedUnixMs: 2_000 }]);
		expect(await memoryOperationStore().list()).toEqual([]);
	});

	test("forgets the keys that nothing has used since, but none that is claimed meanwhile", async () => {
		let ms = 1_000;
		const store = memoryOperationStore({ now: () => ms });
		for (const key of ["old", "taken", "new"]) {
			await held(store, key);
			ms += 1_000;
		}
		const claiming = {
			...store,
			list: async () => {
				const keys = await store.list();
				await held(store, "taken");
				return keys;
			},
		};
		expect(await deleteUnusedKeys(claiming, 3_000)).toEqual(["old"]);
		expect((await store.list()).map(({ key }) => key)).toEqual(["taken", "new"]);
	});

	test("refuses limits out of their domain", () => {
		expect(() => memoryOperationStore({ limits: { keys: 0 } })).toThrow(RangeError);
		expect(() => memoryOperationStore({ limits: { outcomeBytes: 1.5 } })).toThrow(RangeError);
		expect(() => memoryOperationStore({ limits: { other: 1 } as never })).toThrow(RangeError);
		expect(OPERATION_STORE_LIMITS).toEqual({ keys: 10_000, operations: 65_536, outcomeBytes: 67_108_864 });
	});
});

describe("the key of a Run", () => {
	test.each<[string, unknown, boolean]>([
		["a word", "nightly", true],
		["256 units", "x".repeat(256), true],
		["257 units", "x".repeat(257), false],
		["nothing", "", false],
		["a line end", "a\nb", false],
		["U+0000", "\u0000", false],
		["U+0085", "\u0085", false],
		["a lone surrogate", "\ud800", false],
		["a pair", "😀", true],
		["no text", 1, false],
	])("may be %s: %s", (_, key, valid) => {
		expect(isRunKey(key)).toBe(valid);
	});
});
