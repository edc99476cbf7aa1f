// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import { describe, expect, it } from "vitest";
import { type JsonValue, parseJson } from "../../src/json/index.ts";
import { compileSchemaGraph, compileSchemaValue, SCHEMA_URI, type Schema } from "../../src/schema/index.ts";
import { referenceEvaluate } from "./reference.ts";

const schemaOf = (members: object): Schema => compileSchemaValue({ $schema: SCHEMA_URI, ...members } as JsonValue);
const embedded = (schema: JsonValue, defs: Record<string, JsonValue> = {}): Schema =>
	compileSchemaGraph({ roots: [{ pointer: "", schema }], defs }).schemas[0]!;
const own = (name: string, value: JsonValue): { [name: string]: JsonValue } => Object.fromEntries([[name, value]]);

/** `valid` or `invalid`, both by the metered evaluation and by the short way. */
function verdict(schema: Schema, instance: JsonValue): string {
	const { valid, diagnostics } = schema.evaluate(instance);
	expect(schema.accepts(instance)).toBe(valid);
	expect(diagnostics.length).toBe(valid ? 0 : 1);
	return valid ? "valid" : "invalid";
}

type Case = [schema: object, valid: JsonValue[], invalid: JsonValue[]];

describe("section 3: keywords accept and refuse as JSON Schema 2020-12 has them, by JSON/1 equality", () => {
	const cases: Record<string, Case[]> = {
		type: [
			[{ type: "null" }, [null], [false, 0, "", [], {}]],
			[{ type: "boolean" }, [true, false], [null, 0, "true"]],
			[{ type: "integer" }, [0, -0, 1.0, 1e2, -9007199254740991], [0.5, "1", 1e-5]],
			[{ type: "number" }, [0, 0.5, 1e-300], ["0", null]],
			[{ type: "string" }, ["", "a"], [null, 0, ["a"]]],
			[{ type: "array" }, [[], [1]], [{}, null, "[]"]],
			[{ type: "object" }, [{}, own("__proto__", 1)], [[], null]],
			[{ type: ["integer", "null"] }, [1, null], [1.5, "a", {}]],
			[{ type: ["integer", "number"] }, [1, 1.5], ["1"]],
			[{ type: ["array", "string", "boolean"] }, [[], "", true], [{}, 1, null]],
		],
		enum: [
			[{ enum: [] }, [], [null, 0, "", {}]],
			[{ enum: [1, "a", null, true] }, [1.0, "a", null, true], [0, "A", false, "1", [], {}, [1]]],
			[{ enum: [0] }, [-0, 0], [false, "0"]],
			[{ enum: ["a", "b", "c", "d", "e", "f", "g", "h", "i"] }, ["a", "i"], ["j", 1]],
		],
		const: [
			[{ const: null }, [null], [0, false, "", {}]],
			[{ const: 0 }, [0, -0], [false, null, ""]],
			[{ const: "a" }, ["a"], ["b", ["a"]]],
			[{ const: false }, [false], [0, true]],
			[{ const: "\u00e9" }, ["\u00e9"], ["e\u0301"]],
		],
		allOf: [[{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2, "x"], [0, 3]]],
		anyOf: [[{ anyOf: [{ type: "string" }, { minimum: 2 }] }, ["", 2], [1]]],
		oneOf: [
			[{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1, 2, "x"]],
			[{ oneOf: [false, true, false] }, [1], []],
			[{ oneOf: [false] }, [], [1]],
			[
				{ oneOf: [{ properties: { length: { const: 1 } } }, { properties: { length: { const: 2 } } }] },
				[{ length: 1 }, { length: 2 }],
				[{ length: 3 }, {}, [], [1], "x"],
			],
			[
				{
					oneOf: [
						{ properties: { k: { const: "a" } }, required: ["k"] },
						{ properties: { k: { enum: ["b", "c"] }, v: { type: "null" } } },
						{ required: ["v"] },
					],
				},
				[{ k: "a" }, { k: "b" }, { k: "x", v: 1 }, { v: 1 }, { k: "c", v: 1 }],
				[{ k: "x" }, { k: "b", v: null }, { v: null }, 1],
			],
		],
		not: [
			[{ not: { type: "null" } }, [0, ""], [null]],
			[{ not: {} }, [], [null, 1]],
			[{ not: { not: { const: 1 } } }, [1], [2]],
		],
		if: [
			[{ if: { type: "string" }, then: { minLength: 1 }, else: { minimum: 0 } }, ["a", 0, null], ["", -1]],
			[{ if: { type: "string" }, then: { minLength: 1 } }, ["a", -1], [""]],
			[{ if: { type: "string" }, else: { minimum: 0 } }, ["", 0], [-1]],
			[{ if: false }, [1], []],
			[{ then: false, else: false }, [1, "", {}], []],
		],
		properties: [
			[{ properties: { a: { type: "null" }, b: false } }, [{}, { a: null }, { c: 1 }, [], 1], [{ a: 1 }, { b: 1 }]],
			[{ properties: own("__proto__", { type: "number" }) }, [{}, own("__proto__", 1)], [own("__proto__", "x")]],
			[
				{ properties: { constructor: { type: "number" }, toString: false, hasOwnProperty: false } },
				[{}, { constructor: 1 }],
				[{ constructor: "x" }, { toString: 1 }],
			],
			[{ properties: { "": { type: "null" }, "~/": false } }, [{ "": null }], [{ "": 1 }, { "~/": 1 }]],
		],
		required: [
			[{ required: [] }, [{}, 1], []],
			[{ required: ["a", "b"] }, [{ a: null, b: false }, [], "x"], [{}, { a: 1 }, { b: 1 }]],
			[{ required: ["toString"] }, [{ toString: 1 }], [{}]],
			[{ required: ["__proto__"] }, [own("__proto__", null)], [{}]],
		],
		additionalProperties: [
			[{ additionalProperties: false }, [{}, [], 1], [{ a: 1 }, own("__proto__", 1)]],
			[{ properties: { a: true }, additionalProperties: false }, [{}, { a: 1 }], [{ a: 1, b: 1 }, { toString: 1 }]],
			[{ properties: { a: true }, additionalProperties: { type: "null" } }, [{ a: 1, b: null }], [{ b: 1 }]],
			[
				{ properties: own("__proto__", true), additionalProperties: false },
				[own("__proto__", 1)],
				[{ constructor: 1 }],
			],
			[
				{ properties: { a: true }, required: ["a"], additionalProperties: false },
				[{ a: 1 }],
				[{}, { b: 1 }, { a: 1, b: 1 }],
			],
			[{ allOf: [{ properties: { a: true } }], additionalProperties: false }, [{}], [{ a: 1 }]],
		],
		minProperties: [[{ minProperties: 1 }, [{ a: 1 }, own("__proto__", 1), []], [{}]]],
		maxProperties: [[{ maxProperties: 1 }, [{}, { a: 1 }, [1, 2]], [{ a: 1, b: 1 }]]],
		dependentRequired: [
			[{ dependentRequired: { a: ["b", "c"] } }, [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, []], [{ a: 1 }, { a: 1, b: 1 }]],
			[{ dependentRequired: { valueOf: ["x"] } }, [{}], [{ valueOf: 1 }]],
			[{ dependentRequired: { a: ["toString"] } }, [{}], [{ a: 1 }]],
			[{ dependentRequired: {} }, [{}, { a: 1 }], []],
		],
		dependentSchemas: [
			[{ dependentSchemas: { a: { required: ["b"] }, c: false } }, [{}, { a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
			[{ dependentSchemas: { toString: false } }, [{}], [{ toString: 1 }]],
		],
		prefixItems: [
			[{ prefixItems: [{ type: "null" }, { const: 1 }] }, [[], [null], [null, 1, "x"], {}], [[1], [null, 2]]],
		],
		items: [
			[{ items: { type: "null" } }, [[], [null, null], "x"], [[1], [null, 1]]],
			[{ items: false }, [[]], [[1]]],
			[{ prefixItems: [true], items: false }, [[], [1]], [[1, 2]]],
			[{ prefixItems: [true, true], items: { const: 1 } }, [[0], [0, 0, 1, 1]], [[0, 0, 0]]],
		],
		contains: [
			[{ contains: { const: 1 } }, [[1], [0, 1], {}], [[], [0]]],
			[{ contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1], []]],
			[{ contains: { const: 1 }, minContains: 0 }, [[], [0]], []],
			[{ contains: { const: 1 }, maxContains: 1 }, [[1]], [[1, 1], []]],
			[{ contains: { const: 1 }, minContains: 0, maxContains: 0 }, [[], [0]], [[1]]],
			[{ minContains: 3, maxContains: 0 }, [[], [1]], []],
		],
		minItems: [[{ minItems: 2 }, [[1, 2], {}, "a"], [[], [1]]]],
		maxItems: [[{ maxItems: 1 }, [[], [1], { a: 1, b: 2 }], [[1, 2]]]],
		minLength: [
			[{ minLength: 2 }, ["ab", "😀😀", "e\u0301", 1], ["", "a", "😀"]],
			[{ minLength: 0 }, [""], []],
		],
		maxLength: [
			[{ maxLength: 1 }, ["", "a", "😀", [1, 2]], ["ab", "😀a"]],
			[{ maxLength: 0 }, [""], ["a"]],
			[{ minLength: 1, maxLength: 2 }, ["a", "😀😀"], ["", "abc", "😀😀😀"]],
		],
		minimum: [
			[{ minimum: 1 }, [1, 1.5, "0"], [0, 0.999999, -1]],
			[{ minimum: 0 }, [-0], [-1e-300]],
		],
		exclusiveMinimum: [
			[{ exclusiveMinimum: 1 }, [1.0000001, 2], [1, 0]],
			[{ exclusiveMinimum: 0 }, [1e-300], [-0, 0]],
		],
		maximum: [[{ maximum: 1 }, [1, 0, "2"], [1.0000001, 2]]],
		exclusiveMaximum: [[{ exclusiveMaximum: 1 }, [0.999999], [1, 2]]],
		$ref: [
			[{ $ref: "#/$defs/A", $defs: { A: { type: "string" } } }, ["x"], [1]],
			[{ $ref: "#/$defs/A", minLength: 2, $defs: { A: { type: "string" } } }, ["ab"], ["a", 1]],
			[{ $ref: "#/$defs/toString", $defs: { toString: false } }, [], [1]],
		],
		annotations: [
			[{ title: "t", description: "d", $comment: "c", examples: [1], $defs: { A: false } }, [1, null, {}], []],
		],
	};

	for (const [keyword, list] of Object.entries(cases)) {
		it(keyword, () => {
			for (const [members, valid, invalid] of list) {
				const schema = schemaOf(members);
				for (const instance of valid)
					expect([members, instance, verdict(schema, instance)]).toEqual([members, instance, "valid"]);
				for (const instance of invalid)
					expect([members, instance, verdict(schema, instance)]).toEqual([members, instance, "invalid"]);
			}
		});
	}

	it("boolean schemas", () => {
		expect(verdict(embedded(true), 1)).toBe("valid");
		expect(verdict(embedded(false), 1)).toBe("invalid");
	});

	it("judges a parsed instance like a literal one", () => {
		const schema = schemaOf({
			properties: own("__proto__", { type: "number" }),
			required: ["__proto__"],
			maxProperties: 1,
		});
		expect(verdict(schema, parseJson('{"__proto__":1}'))).toBe("valid");
		expect(verdict(schema, parseJson('{"__proto__":"x"}'))).toBe("invalid");
		expect(verdict(schema, parseJson('{"prototype":1}'))).toBe("invalid");
	});
});

describe("section 4: the work table", () => {
	const cases: [string, object, JsonValue, number, Record<string, JsonValue>?][] = [
		["W1: a root pair", {}, null, 1],
		["W1: a boolean schema is a pair", { not: true }, null, 3],
		[
			"W2: a definition met twice is one pair, its references two",
			{ allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] },
			"",
			1 + 2 + 2 * 2 + 1,
			{ A: true },
		],
		["W2: siblings of $ref", { $ref: "#/$defs/A", type: "string" }, "", 1 + 1 + 1 + 1, { A: true }],
		["W3: type always applies, once per name", { type: ["string", "null", "array"] }, 1, 1 + 3],
		["W3: const and enum apply to containers", { const: 1, enum: [1, 2, 3] }, {}, 1 + 1 + 3],
		["enum charges members after a match", { enum: [1, 2, 3] }, 1, 1 + 3],
		["enum charges duplicates", { enum: [1, 1, 1] }, 1, 1 + 3],
		[
			"W3: keywords of other types cost nothing",
			{
				minLength: 1,
				minItems: 1,
				minProperties: 1,
				minimum: 1,
				required: ["a"],
				properties: { a: true },
				items: true,
				additionalProperties: true,
				contains: true,
			},
			null,
			1,
		],
		["allOf evaluates every branch", { allOf: [false, true, false] }, 1, 1 + 3 + 3],
		["anyOf evaluates every branch", { anyOf: [true, true, false] }, 1, 1 + 3 + 3],
		["oneOf evaluates every branch", { oneOf: [true, true, true] }, 1, 1 + 3 + 3],
		["W6: if with a selected branch", { if: true, then: true, else: { enum: [1, 2, 3] } }, 1, 1 + 1 + 1 + 1 + 1],
		["W6: if without the selected branch", { if: false, then: true }, 1, 1 + 1 + 1],
		["W6: then and else alone", { then: true, else: true }, 1, 1],
		["properties: declared and present", { properties: { a: true, b: true, c: true } }, { a: 1, z: 1 }, 1 + 3 + 1],
		["required", { required: ["a", "b"] }, {}, 1 + 2],
		[
			"W7: additionalProperties classifies every member",
			{ properties: { a: true }, additionalProperties: true },
			{ a: 1, b: 1, c: 1 },
			1 + 1 + 1 + 3 + 2,
		],
		["minProperties and maxProperties", { minProperties: 1, maxProperties: 2 }, { a: 1, b: 2, c: 3 }, 1 + 2],
		["dependentRequired", { dependentRequired: { a: ["x", "y"], b: ["z"], c: [] } }, { a: 1 }, 1 + 3 + 2],
		["W9: dependentSchemas", { dependentSchemas: { a: true, b: true } }, { a: 1 }, 1 + 2 + 1],
		["W8: prefixItems charges all listed", { prefixItems: [true, true, true] }, [1], 1 + 3 + 1],
		["W8: items on an empty array", { items: true }, [], 1 + 1],
		["B8: items with nothing left", { prefixItems: [true], items: true }, [1], 1 + 1 + 1 + 1],
		["items after the prefix", { prefixItems: [true], items: true }, [1, 2, 3], 1 + 1 + 1 + 1 + 2],
		["W8: contains on an empty array", { contains: true }, [], 1],
		["contains per item", { contains: true }, [1, 2], 1 + 2 + 2],
		["W5: contains with minContains 0", { contains: false, minContains: 0 }, [1, 2], 1 + 2 + 2 + 1],
		["W4: minContains without contains", { minContains: 1, maxContains: 1 }, [1], 1],
		["contains bounds on arrays only", { contains: true, minContains: 1, maxContains: 1 }, "", 1],
		["minItems and maxItems", { minItems: 1, maxItems: 1 }, [1], 1 + 2],
		["B8: length once for both bounds", { minLength: 1, maxLength: 9 }, "a😀b", 1 + 3 + 2],
		["length for one bound", { maxLength: 9 }, "😀😀", 1 + 2 + 1],
		["W10: length once per pair", { maxLength: 9, allOf: [{ maxLength: 9 }] }, "abcd", 1 + 4 + 1 + 1 + (1 + 4 + 1)],
		["four numeric bounds", { minimum: 0, exclusiveMinimum: 0, maximum: 0, exclusiveMaximum: 0 }, 5, 1 + 4],
		["annotations are free", { title: "x", description: "x", $comment: "x", examples: [1, 2] }, 1, 1],
		[
			"W12: a memoized pair is free, also behind not and if",
			{ not: { $ref: "#/$defs/A" }, if: { $ref: "#/$defs/A" }, anyOf: [{ $ref: "#/$defs/A" }] },
			"abc",
			1 + (1 + 2) + (1 + 2) + (1 + 2) + (1 + 3 + 1),
			{ A: { maxLength: 2 } },
		],
		[
			"the same definition at another location is another pair",
			{ prefixItems: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] },
			[1, 1],
			1 + 2 + 2 * (2 + 1),
			{ A: true },
		],
	];
	it.each(cases)("%s", (_, schema, instance, work, defs) => {
		const { work: found, profile, valid } = embedded(schema as JsonValue, defs).evaluate(instance, { profile: true });
		expect(found).toBe(work);
		expect(Object.values(profile!).reduce((sum, units) => sum + units, 0)).toBe(work);
		const expected = referenceEvaluate(schema as never, instance as never, defs as never);
		expect({ work: expected.work, valid: expected.valid, profile: expected.profile }).toEqual({ work, valid, profile });
	});

	it("names the keywords of a profile, and pair", () => {
		const schema = embedded({ type: "object", properties: { a: { minLength: 1, maxLength: 3 } }, required: ["a"] });
		expect(schema.evaluate({ a: "ab" }, { profile: true })).toEqual({
			valid: true,
			work: 9,
			diagnostics: [],
			profile: { pair: 2, type: 1, properties: 1, required: 1, minLength: 3, maxLength: 1 },
		});
		expect(schema.evaluate({ a: "ab" })).not.toHaveProperty("profile");
	});
});

describe("section 4: the budget", () => {
	const exhausted = expect.objectContaining({
		code: "SCHEMA_LIMIT_EXCEEDED",
		limit: { name: "work", max: 1_000_000 },
	}) as Error;
	const text = (length: number): string => "a".repeat(length);

	it("1,000,000 units pass, 1,000,001 don't (W11, B9)", () => {
		const schema = schemaOf({ maxLength: 2_000_000 });
		expect(schema.evaluate(text(999_998))).toEqual({ valid: true, work: 1_000_000, diagnostics: [] });
		expect(schema.accepts(text(999_998))).toBe(true);
		expect(() => schema.evaluate(text(999_999))).toThrow(exhausted);
		expect(() => schema.accepts(text(999_999))).toThrow(exhausted);
		expect(() => schema.check(text(999_999))).toThrow(exhausted);
		expect(() => schema["~standard"].validate(text(999_999))).toThrow(exhausted);
	});

	it("characters are scalars there too", () => {
		const schema = schemaOf({ maxLength: 2_000_000 });
		expect(schema.evaluate("😀".repeat(999_998)).work).toBe(1_000_000);
		expect(schema.accepts("😀".repeat(999_998))).toBe(true);
		expect(() => schema.accepts("😀".repeat(999_999))).toThrow(exhausted);
	});

	it("a shared definition is charged once (B9)", () => {
		const branch = { $ref: "#/$defs/A" };
		const schema = schemaOf({ allOf: [branch, branch], $defs: { A: { maxLength: 600_000 } } });
		expect(schema.evaluate(text(600_000))).toMatchObject({ valid: true, work: 600_009 });
		expect(schema.accepts(text(600_000))).toBe(true);
	});

	it("exhaustion beats invalidity wherever it occurs (B10)", () => {
		const long = text(600_000);
		for (const members of [
			{ type: "null", allOf: [{ maxLength: 1 }, { maxLength: 1 }] },
			{ allOf: [false, { maxLength: 1 }, { maxLength: 1 }] },
			{ anyOf: [true, { maxLength: 1 }, { maxLength: 1 }] },
			{ not: { allOf: [{ maxLength: 1 }, { maxLength: 1 }] } },
			{ if: { allOf: [{ maxLength: 1 }, { maxLength: 1 }] } },
		]) {
			expect(() => schemaOf(members).evaluate(long)).toThrow(exhausted);
			expect(() => schemaOf(members).accepts(long)).toThrow(exhausted);
			expect(schemaOf(members).evaluate(text(400_000)).work).toBeGreaterThan(800_000);
		}
	});

	it("the branch not selected is not charged", () => {
		const heavy = { allOf: [{ maxLength: 1 }, { maxLength: 1 }] };
		const schema = schemaOf({ if: { type: "string" }, then: true, else: heavy });
		expect(schema.evaluate(text(600_000))).toMatchObject({ valid: true, work: 6 });
		expect(schema.accepts(text(600_000))).toBe(true);
	});

	it("enum over many items", () => {
		const schema = schemaOf({ items: { enum: Array.from({ length: 99 }, (_, i) => i) } });
		const zeros = (length: number): JsonValue => Array<number>(length).fill(0);
		expect(schema.evaluate(zeros(9_999)).work).toBe(2 + 9_999 * 100);
		expect(() => schema.evaluate(zeros(10_000))).toThrow(exhausted);
		expect(schema.accepts(zeros(9_999))).toBe(true);
		expect(() => schema.accepts(zeros(10_000))).toThrow(exhausted);
	});

	it("a definition on exponentially many ways costs what its pairs cost", () => {
		const defs: Record<string, JsonValue> = { D63: { maxLength: 3 } };
		for (let i = 0; i < 63; i++) {
			const next = { $ref: `#/$defs/D${i + 1}` };
			defs[`D${i}`] = { allOf: [next, next] };
		}
		const schema = embedded({ $ref: "#/$defs/D0" }, defs);
		expect(schema.evaluate("abc", { all: true })).toMatchObject({ valid: true, work: 2 + 63 * (1 + 2 + 2 * 2) + 5 });
		expect(schema.accepts("abc")).toBe(true);
		const { diagnostics } = schema.evaluate("abcd", { all: true });
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ schemaPointer: "/$defs/D63", keyword: "maxLength" });
	});

	it("the same on the way down the instance", () => {
		const defs: Record<string, JsonValue> = { D20: { type: "string" } };
		for (let i = 0; i < 20; i++) {
			const next = { properties: { a: { $ref: `#/$defs/D${i + 1}` } } };
			defs[`D${i}`] = { anyOf: [next, next] };
		}
		let instance: JsonValue = "x";
		for (let i = 0; i < 20; i++) instance = { a: instance };
		const schema = embedded({ $ref: "#/$defs/D0" }, defs);
		expect(schema.evaluate(instance).work).toBe(
			referenceEvaluate({ $ref: "#/$defs/D0" }, instance as never, defs as never).work,
		);
		expect(schema.accepts(instance)).toBe(true);
	});

	it("members are counted once per object, however many schemas ask", () => {
		let counted = 0;
		const target = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`m${i}`, i]));
		const watched = new Proxy(target, {
			ownKeys: (object) => {
				counted++;
				return Reflect.ownKeys(object);
			},
		});
		const schema = schemaOf({ allOf: Array<object>(2_000).fill({ minProperties: 1, maxProperties: 1_000 }) });
		expect(schema.evaluate(watched)).toMatchObject({ valid: true, work: 1 + 2_000 + 2_000 * 3 });
		expect(counted).toBe(1);
	});

	it("a shared reference in the instance is two locations", () => {
		const schema = schemaOf({
			items: { allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] },
			$defs: { A: { required: ["a"] } },
		});
		const shared = { a: 1 };
		expect(schema.evaluate([shared, shared]).work).toBe(schema.evaluate([{ a: 1 }, { a: 1 }]).work);
	});
});

describe("no schema overflows the stack", () => {
	const chained = (count: number, link: (next: JsonValue) => JsonValue, end: JsonValue): Schema => {
		const defs: Record<string, JsonValue> = { [`D${count - 1}`]: end };
		for (let i = 0; i < count - 1; i++) defs[`D${i}`] = link({ $ref: `#/$defs/D${i + 1}` });
		return embedded({ $ref: "#/$defs/D0" }, defs);
	};

	it.each<[string, number, (next: JsonValue) => JsonValue, number]>([
		["$ref", 4_095, (next) => next, 2],
		["allOf", 2_047, (next) => ({ allOf: [next] }), 4],
		["not not", 1_364, (next) => ({ not: { not: next } }), 6],
		["if then", 1_300, (next) => ({ if: next, then: {} }), 0],
		["oneOf and sibling", 2_047, (next) => ({ oneOf: [next], type: "string" }), 5],
	])("4,096 schemas chained by %s", (_, count, link, each) => {
		const schema = chained(count, link, { const: "x" });
		expect(schema.accepts("x")).toBe(true);
		const { valid, work } = schema.evaluate("x");
		expect(valid).toBe(true);
		if (each > 0) expect(work).toBe(2 + (count - 1) * each + 2);
		const refused = schema.evaluate("y", { all: true });
		expect(refused.valid).toBe(schema.accepts("y"));
	});

	it("the longest chain that is answered without a meter, under a caller who is deep already", () => {
		const link = (next: JsonValue): JsonValue => ({
			type: ["string", "null"],
			minLength: 1,
			const: "x",
			allOf: [next],
			not: { not: true },
		});
		const schema = chained(63, link, { const: "x" });
		const deep = (levels: number): boolean => (levels === 0 ? schema.accepts("x") : deep(levels - 1));
		expect(deep(4_000)).toBe(true);
	});

	it("a chain that goes down the instance at the same time", () => {
		const schema = chained(1_365, (next) => ({ properties: { a: next }, allOf: [next] }), true);
		let instance: JsonValue = {};
		for (let i = 0; i < 60; i++) instance = { a: instance };
		expect(schema.accepts(instance)).toBe(true);
		expect(schema.evaluate(instance).work).toBeGreaterThan(500_000);
	});

	it("an instance of depth 128 under a chain of 64 levels", () => {
		const defs: Record<string, JsonValue> = { D127: true };
		for (let i = 0; i < 127; i++) defs[`D${i}`] = { items: { $ref: `#/$defs/D${i + 1}` } };
		let instance: JsonValue = [];
		for (let i = 0; i < 127; i++) instance = [instance];
		const schema = embedded({ $ref: "#/$defs/D0" }, defs);
		expect(schema.accepts(instance)).toBe(true);
		expect(schema.evaluate(instance).valid).toBe(true);
	});
});
