/** The short ways to an outgoing frame against the whole one: the same text, the same snapshot, the same refusal. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS, JsonError } from "../../src/json/index.ts";
import { admitPlainCall, admitPlainResult, admitWholeCall, admitWholeResult } from "../../src/run/encode.ts";

type Verdict = { readonly given: unknown } | { readonly refused: readonly unknown[] };

function verdict(admit: () => unknown): Verdict {
	try {
		return { given: admit() };
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		return { refused: [error.code, error.pointer, error.limit?.name, error.message] };
	}
}

/** Both ways of one call; the short one may pass. */
function both(params: Record<string, unknown>, id = "component:1"): readonly [Verdict | undefined, Verdict] {
	const whole = verdict(() => admitWholeCall("capability/call", params, id));
	const short = verdict(() => admitPlainCall("capability/call", { ...params }, id));
	return ["given" in short && short.given === undefined ? undefined : short, whole];
}

function call(input: unknown): Record<string, unknown> {
	return { operationId: "op:1", slot: "store", method: "write", input };
}

const cycle: unknown[] = [];
cycle.push([cycle]);
const odd = fc.constantFrom<unknown>(
	undefined,
	() => 1,
	Symbol("s"),
	1n,
	Number.NaN,
	2 ** 53,
	-0,
	"\ud800",
	cycle,
	new Date(0),
	new Array(2),
);
const value = fc.letrec((tie) => ({
	node: fc.oneof(
		{ weight: 4, arbitrary: fc.jsonValue() },
		{ weight: 1, arbitrary: odd },
		{ weight: 1, arbitrary: fc.array(tie("node"), { maxLength: 3 }) },
		{ weight: 1, arbitrary: fc.dictionary(fc.string({ unit: "binary" }), tie("node"), { maxKeys: 3 }) },
		{
			weight: 1,
			arbitrary: fc.constant({
				get trap(): never {
					throw new Error("run");
				},
			}),
		},
	),
})).node;

function nested(depth: number): unknown {
	let value: unknown = 1;
	for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
	return value;
}

describe("a call of tokens and one value", () => {
	it("is what the whole way makes of it, or left to that", () => {
		const name = fc.oneof(
			{ weight: 5, arbitrary: fc.constantFrom("op:1", "a-b") },
			{ weight: 1, arbitrary: fc.anything() },
		);
		fc.assert(
			fc.property(name, name, value, fc.boolean(), (operationId, slot, input, mapped) => {
				const params = { operationId, slot, method: "write", input, ...(mapped ? { channels: { a: "b" } } : {}) };
				const [short, whole] = both(params);
				if (short !== undefined) expect(short).toEqual(whole);
			}),
			{ numRuns: 2_000 },
		);
	});

	it("is taken for the usual calls of every method", () => {
		expect(both(call({ a: [1, "ü"] }))[0]).toBeDefined();
		for (const params of [
			{ endpoint: "c:1" },
			{ endpoint: "c:1", value: { a: 1 } },
			{ operationId: "a", slot: "b", input: 1 },
		])
			expect(both(params)[0]).toEqual(both(params)[1]);
	});

	it("says nothing before it has read a value where something else stands in it", () => {
		const trapped = new Proxy({}, { ownKeys: () => expect.fail("read") });
		for (const params of [
			{ endpoint: "no token", value: trapped },
			{ value: trapped, endpoint: "c:1" },
			{ operationId: "a", slot: "b", intent: "i", input: trapped },
			{ operationId: "a", slot: "b", input: trapped, channels: {} },
			{ toString: "a", value: trapped },
		])
			expect(admitPlainCall("m", params, "component:1")).toBeUndefined();
	});

	it("meets the bounds of the whole frame: depth", () => {
		for (const depth of [125, 126, 127, 128])
			expect(both(call(nested(depth)))).toEqual([both(call(nested(depth)))[1], both(call(nested(depth)))[1]]);
		expect("given" in both(call(nested(126)))[1]).toBe(true);
		expect("given" in both(call(nested(127)))[1]).toBe(false);
	});

	it("meets the bounds of the whole frame: values", () => {
		// 4 full arrays of 65,535 and one of what is left: 8 around, 1 + 4 + 1 arrays.
		const counted = (nodes: number): unknown => {
			const left = nodes - 6 - 4 * 65_000;
			return [...Array.from({ length: 4 }, () => new Array(65_000).fill(0)), new Array(left).fill(0)];
		};
		const fits = JSON_LIMITS.nodes - 8;
		for (const nodes of [fits, fits + 1]) {
			const [short, whole] = both(call(counted(nodes)));
			expect(short).toEqual(whole);
			expect("given" in whole).toBe(nodes === fits);
		}
	});

	it("meets the bounds of the whole frame: bytes", { timeout: 60_000 }, () => {
		const frame =
			'{"jsonrpc":"2.0","id":"component:1","method":"capability/call","params":{"operationId":"op:1","slot":"store","method":"write","input":["",""]}}';
		for (const unit of ["x", "€"]) {
			const each = new TextEncoder().encode(unit).length;
			const room = JSON_LIMITS.bytes - frame.length;
			const half = unit.repeat(Math.floor(room / 2 / each));
			for (const more of [0, 1]) {
				const rest = Math.floor((room - half.length * each) / each) + more;
				const [short, whole] = both(call([half, unit.repeat(rest)]));
				expect(Object.keys(short!)).toEqual(Object.keys(whole));
				if ("refused" in whole) expect(short).toEqual(whole);
				else
					expect((short as { given: { text: string } }).given.text === (whole.given as { text: string }).text).toBe(
						true,
					);
				expect("given" in whole).toBe(more === 0);
			}
		}
	});
});

describe("the value of a capability", () => {
	it("is admitted as the whole result would be", () => {
		fc.assert(
			fc.property(value, (given) => {
				const result = { value: given };
				expect(verdict(() => admitPlainResult(result))).toEqual(verdict(() => admitWholeResult(result)));
			}),
			{ numRuns: 2_000 },
		);
	});

	it("is left to the whole way where there is anything else, before it is read", () => {
		const given = new Proxy({}, { ownKeys: () => expect.fail("read") });
		const accessor = Object.defineProperty({}, "value", { get: () => expect.fail("run"), enumerable: true });
		const hidden = Object.defineProperty({}, "value", { value: given });
		class Own {
			value = given;
		}
		for (const result of [{ value: given, x: 1 }, accessor, hidden, new Own(), [1], null, 1])
			expect(admitPlainResult(result)).toBeUndefined();
	});

	it("meets the bounds of the whole frame", () => {
		for (const depth of [126, 127]) {
			const whole = verdict(() => admitWholeResult({ value: nested(depth) }));
			expect(verdict(() => admitPlainResult({ value: nested(depth) }))).toEqual(whole);
			expect("given" in whole).toBe(depth === 126);
		}
	});
});
