import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize, canonicalText, equalJson, type JsonValue, parseJson } from "../../src/json/index.ts";
import { refusal, utf8 } from "./support.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("RFC 8785", () => {
	test("section 3.2.2: the worked example, without its number beyond the JSON/1 domain", () => {
		const text = `{
			"numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
			"string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
			"literals": [null, true, false]
		}`;
		expect(canonicalText(parseJson(text))).toBe(
			'{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
		);
	});

	test("section 3.2.3: names by UTF-16 code units", () => {
		const text = `{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}`;
		expect(Object.values(JSON.parse(canonicalText(parseJson(text))))).toHaveLength(7);
		expect(canonicalText(parseJson(text))).toBe(
			'{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
		);
	});

	test.each<[string, string]>([
		['{"\ufffd":1,"😀":2}', '{"😀":2,"\ufffd":1}'],
		['{"b":1,"a":2}', '{"a":2,"b":1}'],
		['{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
		['{"9":1,"a":2}', '{"9":1,"a":2}'],
		['{"1":1,"!":2}', '{"!":2,"1":1}'],
		['{"01":1,"1":2,"1.5":3,"-1":4,"4294967295":5}', '{"-1":4,"01":1,"1":2,"1.5":3,"4294967295":5}'],
		['{"aa":1,"a":2,"":3}', '{"":3,"a":2,"aa":1}'],
		['{"__proto__":1,"a":{"__proto__":{"x":1}},"Z":0}', '{"Z":0,"__proto__":1,"a":{"__proto__":{"x":1}}}'],
		['{"toJSON":1,"b":{"toJSON":"x"}}', '{"b":{"toJSON":"x"},"toJSON":1}'],
		["[-0,-0.0,1.0,1e2,0.10]", "[0,0,1,100,0.1]"],
		[' [ 1 , { } , [ ] , "" ] ', '[1,{},[],""]'],
		[
			'"\\u0000\\u0008\\u0009\\u000a\\u000b\\u000c\\u000d\\u001f\\u007f\\u2028"',
			'"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u007f\u2028"',
		],
		['"\\/<>&\'"', '"/<>&\'"'],
		['"\\\\ud800"', '"\\\\ud800"'],
		['["\\\\\\\\ud800","\\\\\\ud83d\\ude00"]', '["\\\\\\\\ud800","\\\\😀"]'],
		["null", "null"],
		['"e\u0301"', '"e\u0301"'],
	])("%s", (text, canonical) => {
		expect(canonicalText(parseJson(text))).toBe(canonical);
		expect(hex(canonicalize(parseJson(text)))).toBe(hex(utf8(canonical)));
	});

	test("an inherited toJSON is never called", () => {
		Object.defineProperty(Object.prototype, "toJSON", { value: () => "called", configurable: true });
		try {
			expect(canonicalText({ a: [1, { b: 2 }] })).toBe('{"a":[1,{"b":2}]}');
		} finally {
			delete (Object.prototype as { toJSON?: unknown }).toJSON;
		}
	});

	test("a document as deep as allowed, and the widest", () => {
		const deep = `${'{"b":0,"a":'.repeat(127)}0${"}".repeat(127)}`;
		expect(canonicalText(parseJson(deep))).toBe(`${'{"a":'.repeat(127)}0${',"b":0}'.repeat(127)}`);
		const wide = Object.fromEntries(Array.from({ length: 65_536 }, (_, i) => [`${65_535 - i}`, i]));
		expect(Object.keys(JSON.parse(canonicalText(wide)))).toHaveLength(65_536);
	});
});

const value = fc.jsonValue({ maxDepth: 5 }).map((drawn) => {
	const inDomain = (_: string, x: unknown) => (typeof x === "number" && Math.abs(x) > 2 ** 53 - 1 ? 0.5 : x);
	return JSON.parse(JSON.stringify(drawn, inDomain)) as JsonValue;
});

/** The same value with every object's members in another order. */
function shuffled(given: JsonValue): JsonValue {
	if (typeof given !== "object" || given === null) return given;
	if (Array.isArray(given)) return given.map(shuffled);
	return Object.fromEntries(
		Object.entries(given)
			.reverse()
			.map(([name, child]) => [name, shuffled(child)]),
	);
}

describe("canonical text", () => {
	test("read back it is the value; written again it is the text; member order doesn't matter", () => {
		fc.assert(
			fc.property(value, (given) => {
				const text = canonicalText(given);
				const read = parseJson(text);
				expect(equalJson(read, given)).toBe(true);
				expect(canonicalText(read)).toBe(text);
				expect(canonicalText(shuffled(given))).toBe(text);
				expect(canonicalize(given)).toEqual(utf8(text));
			}),
			{ numRuns: 400, seed: 8785 },
		);
	});

	test("is equal exactly when the values are", () => {
		fc.assert(
			fc.property(value, value, (a, b) => {
				expect(equalJson(a, b)).toBe(canonicalText(a) === canonicalText(b));
			}),
			{ numRuns: 400, seed: 3 },
		);
	});
});

describe("canonicalization repairs nothing", () => {
	const cycle: unknown[] = [];
	cycle.push(cycle);
	let bomb: unknown = 0;
	for (let level = 0; level < 60; level++) bomb = [bomb, bomb];
	test.each<[string, unknown, string]>([
		["NaN", [Number.NaN], "JSON_NUMBER_RANGE"],
		["Infinity", { b: 1, a: Number.POSITIVE_INFINITY }, "JSON_NUMBER_RANGE"],
		["2^53", 2 ** 53, "JSON_NUMBER_RANGE"],
		["undefined", { a: undefined }, "JSON_TYPE"],
		["a function", [() => 1], "JSON_TYPE"],
		["a bigint", 1n, "JSON_TYPE"],
		["a lone surrogate", { a: "\ud800" }, "JSON_LONE_SURROGATE"],
		["a lone surrogate behind backslashes", "\\\\\udfff", "JSON_LONE_SURROGATE"],
		["a lone surrogate in a name", { b: 1, "\udc00": 1 }, "JSON_LONE_SURROGATE"],
		["a cycle", cycle, "JSON_LIMIT"],
		["shared references that multiply", bomb, "JSON_LIMIT"],
	])("%s", (_, given, code) => {
		expect(refusal(() => canonicalText(given as JsonValue)).code).toBe(code);
		expect(refusal(() => canonicalize(given as JsonValue)).code).toBe(code);
	});
});

describe("the bytes are those of a plain writer", () => {
	/** RFC 8785 section 3.2 as it reads: names sorted, everything else as ECMAScript writes it. */
	function plain(value: JsonValue): string {
		if (Array.isArray(value)) return `[${value.map(plain).join(",")}]`;
		if (typeof value !== "object" || value === null) return JSON.stringify(value);
		const members = value as { readonly [name: string]: JsonValue };
		const names = Object.keys(members).sort();
		return `{${names.map((name) => `${JSON.stringify(name)}:${plain(members[name]!)}`).join(",")}}`;
	}
	const same = (value: JsonValue): void => {
		expect(canonicalText(value)).toBe(plain(value));
	};

	test("of random values", () => {
		const number = fc.oneof(
			fc.integer({ min: -1_100_000_000, max: 1_100_000_000 }),
			fc.double({ min: -9e15, max: 9e15, noNaN: true }),
			fc.constantFrom(0, -0, 9, 10, 99, 100, 999_999_999, 1e9, 1e9 + 1, -1, 0.1, 5e-324, 9_007_199_254_740_991),
		);
		const text = fc.oneof(
			fc.string({ unit: "binary", maxLength: 90 }),
			fc.constantFrom("", "__proto__", "10", "9", '"', "\\", "\u0000"),
		);
		const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 4 },
				number,
				text,
				fc.constantFrom(null, true, false),
				fc.array(number, { maxLength: 6 }),
				fc.array(tie("value"), { maxLength: 5 }),
				fc.dictionary(text, tie("value"), { maxKeys: 8, noNullPrototype: true }),
			),
		}));
		fc.assert(fc.property(value, same), { numRuns: Number(process.env.MILLRACE_RUNS ?? 3_000) });
	});

	test.each([1, 23, 24, 25, 26, 1_000])("of %d names in reverse and shuffled", (count) => {
		const names = Array.from({ length: count }, (_, i) => `n${(i * 7919) % count}`);
		same(
			Object.fromEntries(
				[...names]
					.sort()
					.reverse()
					.map((name) => [name, 1]),
			),
		);
		same(Object.fromEntries(names.map((name, i) => [name, { [name]: i }])));
	});

	test("of lists of numbers at the limits", () => {
		const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);
		same(nested(127));
		expect(refusal(() => canonicalize(nested(128))).limit?.name).toBe("depth");
		const many = (count: number): JsonValue =>
			Array.from({ length: 4 }, (_, i) => new Array((count >> 2) + (i < (count & 3) ? 1 : 0)).fill(7));
		same(many(262_144 - 5));
		expect(refusal(() => canonicalize(many(262_144 - 4))).limit?.name).toBe("nodes");
		// After a refusal the same writer is used again.
		same([1, { b: 2, a: [3] }]);
	});

	test("of lists that the engine would write in another way", () => {
		const own = Object.assign([1, 2], { toJSON: () => "x" });
		expect(canonicalText(own as unknown as JsonValue)).toBe("[1,2]");
		expect(refusal(() => canonicalize([1, Number.NaN])).code).toBe("JSON_NUMBER_RANGE");
		expect(refusal(() => canonicalize([1, undefined] as unknown as JsonValue)).code).toBe("JSON_TYPE");
		expect(refusal(() => canonicalize([[1], [2 ** 53]])).code).toBe("JSON_NUMBER_RANGE");
	});
});
