import { describe, expect, test } from "vitest";
import type {
	OperationBinding,
	OperationClaim,
	OperationIntent,
	OperationStore,
	OperationStoreLimits,
} from "../../src/host/index.ts";

/** What the port of `src/host/store.ts` promises, as a suite for any store. */

type DigestText = OperationBinding["package"];

export function digestOf(digit: string): DigestText {
	return `sha256:${digit.repeat(64)}`;
}

export const BINDING: OperationBinding = { package: digestOf("1"), input: digestOf("2"), settings: digestOf("3") };

export function intent(operationId: string, more: Partial<OperationIntent> = {}): OperationIntent {
	return { scope: [], operationId, identity: digestOf("a"), channels: false, ...more };
}

/** Claims a key that can be claimed. */
export async function held(store: OperationStore, key: string, binding = BINDING): Promise<OperationClaim> {
	const answer = await store.claim(key, binding);
	if (answer.kind !== "claimed") throw new Error(`the key could not be claimed: ${answer.kind}`);
	return answer.claim;
}

/** `open` gives a fresh empty store; `reopen` the same one as the next process sees it. */
export function storeContract(
	name: string,
	open: (limits?: Partial<OperationStoreLimits>) => Promise<OperationStore>,
	reopen: (store: OperationStore) => Promise<OperationStore>,
): void {
	describe(`the contract of operation stores: ${name}`, () => {
		test("a new key is made, with nothing under it", async () => {
			const claim = await held(await open(), "k");
			expect(Number.isSafeInteger(claim.incarnation) && claim.incarnation > 0).toBe(true);
			expect(claim.recorded).toEqual([]);
		});

		test("a later claim has a higher incarnation and everything recorded", async () => {
			const store = await open();
			const first = await held(store, "k");
			const other = { identity: digestOf("b"), scope: ["a:1", "b/2"], channels: true };
			expect(await first.begin(intent("one"))).toBe("recorded");
			expect(await first.begin(intent("two", other))).toBe("recorded");
			expect(await first.settle(intent("one"), '{"value":1}')).toBe("recorded");
			const second = await held(await reopen(store), "k");
			expect(second.incarnation).toBeGreaterThan(first.incarnation);
			expect([...second.recorded].sort((a, b) => (a.operationId < b.operationId ? -1 : 1))).toEqual([
				{ ...intent("one"), settled: true },
				{ ...intent("two", other), settled: false },
			]);
			expect(await second.outcome(intent("one"))).toBe('{"value":1}');
			expect(await second.outcome(intent("two", other))).toBeUndefined();
			expect(await second.outcome(intent("three"))).toBeUndefined();
		});

		test("what an earlier incarnation left unsettled can be settled, once", async () => {
			const store = await open();
			await (await held(store, "k")).begin(intent("one"));
			const second = await held(await reopen(store), "k");
			expect(await second.settle(intent("one"), '{"value":1}')).toBe("recorded");
			await expect(second.settle(intent("one"), '{"value":2}')).rejects.toThrow();
			expect(await second.outcome(intent("one"))).toBe('{"value":1}');
		});

		test.each<[string, Partial<OperationBinding>]>([
			["another package", { package: digestOf("9") }],
			["another input", { input: digestOf("9") }],
			["other settings", { settings: digestOf("9") }],
		])("a key is refused to %s, and its holder keeps it", async (_, other) => {
			const store = await open();
			const claim = await held(store, "k");
			expect(await store.claim("k", { ...BINDING, ...other })).toEqual({ kind: "bound", binding: BINDING });
			expect(await claim.begin(intent("one"))).toBe("recorded");
			expect((await store.list()).map((each) => each.incarnation)).toEqual([claim.incarnation]);
		});

		test("a superseded claim records nothing, for ever", async () => {
			const store = await open();
			const first = await held(store, "k");
			await first.begin(intent("one"));
			const second = await held(await reopen(store), "k");
			expect(await first.begin(intent("two"))).toBe("superseded");
			expect(await first.settle(intent("one"), "1")).toBe("superseded");
			expect(await second.outcome(intent("one"))).toBeUndefined();
			expect((await held(store, "k")).recorded).toEqual([{ ...intent("one"), settled: false }]);
			expect(await second.begin(intent("two"))).toBe("superseded");
		});

		test("a deleted key is forgotten, and its holder superseded, also when it is claimed anew", async () => {
			const store = await open();
			const first = await held(store, "k");
			await first.begin(intent("one"));
			expect(await store.delete("k")).toBe(true);
			expect(await store.delete("k")).toBe(false);
			expect(await first.begin(intent("two"))).toBe("superseded");
			const second = await held(store, "k", { ...BINDING, input: digestOf("9") });
			expect(second.recorded).toEqual([]);
			expect(second.incarnation).toBeGreaterThan(first.incarnation);
			expect(await first.settle(intent("one"), "1")).toBe("superseded");
			expect(await second.begin(intent("one"))).toBe("recorded");
		});

		test("a key is deleted by its incarnation only while that is the newest", async () => {
			const store = await open();
			const first = await held(store, "k");
			const second = await held(store, "k");
			expect(await store.delete("k", first.incarnation)).toBe(false);
			expect(await store.delete("other", second.incarnation)).toBe(false);
			expect(await store.delete("k", second.incarnation)).toBe(true);
			expect(await store.list()).toEqual([]);
		});

		test("an intent is recorded once, and only what is recorded can settle", async () => {
			const claim = await held(await open(), "k");
			await claim.begin(intent("one"));
			await expect(claim.begin(intent("one"))).rejects.toThrow();
			await expect(claim.begin(intent("one", { identity: digestOf("b") }))).rejects.toThrow();
			await expect(claim.settle(intent("two"), "1")).rejects.toThrow();
			await expect(claim.settle(intent("one", { scope: ["one"] }), "1")).rejects.toThrow();
		});

		test("scopes are apart, whatever their operation ids are made of", async () => {
			const claim = await held(await open(), "k");
			const names = [[], ["a"], ["a", "a"], ["a/a"], ["a:a"], ["a.a"]].map((scope) => intent("a", { scope }));
			for (const name of names) expect(await claim.begin(name)).toBe("recorded");
			for (const [index, name] of names.entries()) await claim.settle(name, String(index));
			expect(await Promise.all(names.map((name) => claim.outcome(name)))).toEqual(["0", "1", "2", "3", "4", "5"]);
		});

		test("keys are apart, whatever they are made of", async () => {
			const store = await open();
			const keys = ["__proto__", "k", "K", "ä", "a\u0308", "😀", " ", "'; --", "%", "x".repeat(256)];
			for (const key of keys) await (await held(store, key)).begin(intent(`of-${keys.indexOf(key)}`));
			for (const key of keys) {
				const { recorded } = await held(store, key);
				expect(recorded.map((each) => each.operationId)).toEqual([`of-${keys.indexOf(key)}`]);
			}
			expect((await store.list()).map((each) => each.key).sort()).toEqual([...keys].sort());
		});

		test("outcomes come back as they were", async () => {
			const store = await open();
			const claim = await held(store, "k");
			const texts = ['"\\u0000"', '"ä😀\u2028"', `"${"x".repeat(1_000_000)}"`, "1e308", ""];
			for (const [index, text] of texts.entries()) {
				await claim.begin(intent(`o${index}`));
				await claim.settle(intent(`o${index}`), text);
			}
			const later = await held(await reopen(store), "k");
			expect(await Promise.all(texts.map((_, index) => later.outcome(intent(`o${index}`))))).toEqual(texts);
		});

		test("what is asked for at once is recorded each for itself", async () => {
			const store = await open();
			const claim = await held(store, "k");
			const names = Array.from({ length: 64 }, (_, index) => `o${index}`);
			const begun = await Promise.allSettled([...names, "o7"].map((name) => claim.begin(intent(name))));
			expect(begun.filter((each) => each.status === "fulfilled").map((each) => each.value)).toEqual(
				names.map(() => "recorded"),
			);
			expect(begun.at(-1)?.status).toBe("rejected");
			await Promise.all(names.map((name) => claim.settle(intent(name), name)));
			expect(await claim.outcome(intent("o7"))).toBe("o7");
		});

		test("a store says what it holds, the key used last first", async () => {
			const store = await open();
			const first = await held(store, "first");
			const second = await held(store, "second", { ...BINDING, input: digestOf("4") });
			await second.begin(intent("one"));
			await first.begin(intent("one"));
			await first.begin(intent("two"));
			await first.settle(intent("two"), '"ä"');
			const list = await (await reopen(store)).list();
			expect(list).toMatchObject([
				{
					key: "first",
					binding: BINDING,
					incarnation: first.incarnation,
					operations: 2,
					unsettled: 1,
					outcomeBytes: 4,
				},
				{ key: "second", binding: { input: digestOf("4") }, operations: 1, unsettled: 1, outcomeBytes: 0 },
			]);
			for (const { createdUnixMs, usedUnixMs } of list) expect(usedUnixMs).toBeGreaterThanOrEqual(createdUnixMs);
		});

		test("a full store takes no other key, but those it has", async () => {
			const store = await open({ keys: 2 });
			await held(store, "a");
			await held(store, "b");
			expect(await store.claim("c", BINDING)).toEqual({ kind: "full" });
			await held(store, "a");
			await store.delete("b");
			await held(store, "c");
		});

		test("a full key takes no other operation, but settles those it has", async () => {
			const claim = await held(await open({ operations: 2 }), "k");
			await claim.begin(intent("a"));
			await claim.begin(intent("b", { scope: ["a"] }));
			expect(await claim.begin(intent("c"))).toBe("full");
			expect(await claim.settle(intent("a"), "1")).toBe("recorded");
			expect(await claim.begin(intent("c"))).toBe("full");
		});

		test("an outcome without room is not kept; its operation is settled all the same", async () => {
			const store = await open({ outcomeBytes: 4 });
			const claim = await held(store, "k");
			for (const name of ["a", "b", "c"]) await claim.begin(intent(name));
			await claim.settle(intent("a"), "ä1");
			await claim.settle(intent("b"), "22");
			await claim.settle(intent("c"), "3");
			const later = await held(await reopen(store), "k");
			expect(later.recorded.every((each) => each.settled)).toBe(true);
			const outcomes = await Promise.all(["a", "b", "c"].map((name) => later.outcome(intent(name))));
			expect(outcomes).toEqual(["ä1", undefined, "3"]);
		});
	});
}
