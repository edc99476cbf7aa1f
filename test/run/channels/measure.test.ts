import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize, type JsonValue } from "../../../src/json/index.ts";
import { measure } from "../../../src/run/channels/measure.ts";
import { holders, item } from "./harness.ts";

const number = fc.oneof(
	fc.double({ min: -9_007_199_254_740_991, max: 9_007_199_254_740_991, noNaN: true }),
	fc.maxSafeInteger(),
	fc.integer({ min: -20, max: 20 }),
	fc.constantFrom(-0, 0, 0.5, 1e21 / 1e10, 5e-324, 1e-7),
);
const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string({ maxLength: 200 }));
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
	value: fc.oneof(
		{ depthSize: "small" },
		fc.constantFrom(null, true, false),
		number,
		text,
		fc.array(tie("value")),
		fc.dictionary(text, tie("value"), { noNullPrototype: true }),
	) as fc.Arbitrary<JsonValue>,
}));

/** `depth` arrays in one another, the innermost empty. */
function nested(depth: number): JsonValue {
	let value: JsonValue = [];
	for (let i = 1; i < depth; i++) value = [value];
	return value;
}

describe("Run/1 section 5.1: what an item weighs", () => {
	it("is the length of its canonical JSON, for every value", () => {
		fc.assert(
			fc.property(value, (each) => measure(each) === canonicalize(each).length),
			{ numRuns: 1_000 },
		);
	});

	it("is so for every single unit of text and the ends of every range", () => {
		for (let unit = 0; unit < 0x3000; unit++) {
			const each = String.fromCharCode(unit);
			if (measure(each) !== canonicalize(each).length) expect(unit).toBe("measured otherwise");
		}
		for (const scalar of [0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff]) {
			const each = String.fromCodePoint(scalar);
			expect(measure(each)).toBe(canonicalize(each).length);
		}
	});

	it("counts own members only, of whatever name", () => {
		const each = JSON.parse('{"__proto__":{"constructor":[1,2]},"toString":"","1":0.5}') as JsonValue;
		expect(measure(each)).toBe(canonicalize(each).length);
	});

	it("has no end where a read's answer would cross JSON/1's bounds of the frame: depth", () => {
		expect(measure(nested(125))).toBe(250);
		expect(measure(nested(126))).toBe(Infinity);
		const { parent } = holders();
		const { send, receive } = parent.direct();
		expect(parent.send(send, nested(125)).answer).toBe(null);
		const { answer } = parent.next(receive);
		expect(() => canonicalize({ jsonrpc: "2.0", id: "a", result: answer })).not.toThrow();
		expect(() => canonicalize({ jsonrpc: "2.0", id: "a", result: item(1, nested(126)) })).toThrow();
		expect(parent.send(send, nested(126)).answer).toBe("RESOURCE_EXHAUSTED");
	});

	it("has no end where a read's answer would cross JSON/1's bounds of the frame: nodes", () => {
		const wide = (nodes: number): JsonValue => {
			// Four full arrays and a part of one: 262,138 nodes with the root.
			const inner = nodes - 1 - 5;
			const sizes = [65_000, 65_000, 65_000, 65_000, inner - 260_000];
			return sizes.map((size) => Array<JsonValue>(size).fill(1));
		};
		expect(measure(wide(262_138))).toBeLessThan(Infinity);
		expect(measure(wide(262_139))).toBe(Infinity);
		const answer = (nodes: number): JsonValue => ({ jsonrpc: "2.0", id: "a", result: item(1, wide(nodes)) });
		expect(() => canonicalize(answer(262_138))).not.toThrow();
		expect(() => canonicalize(answer(262_139))).toThrow();
	});
});
