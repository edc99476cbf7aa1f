// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import {
	compileInlineSchema,
	compileSchemaGraph,
	compileSchemaValue,
	DIAGNOSTICS_MAX,
	equalSchemas,
	isTrivialSchema,
	matchItemSchemas,
	SCHEMA_URI,
	type Schema,
} from "../../src/schema/index.ts";

const schemaOf = (members: object): Schema => compileSchemaValue({ $schema: SCHEMA_URI, ...members } as JsonValue);

/** `instancePointer schemaPointer keyword` of each diagnostic. */
function found(schema: Schema, instance: JsonValue, all = true): string[] {
	return schema
		.evaluate(instance, { all })
		.diagnostics.map(({ instancePointer, schemaPointer, keyword }) => `${instancePointer} ${schemaPointer} ${keyword}`);
}

describe("section 5: diagnostics", () => {
	it("carry the boundary's code", () => {
		const schema = schemaOf({ type: "null" });
		for (const code of ["INVALID_INPUT", "INVALID_SETTINGS", "INVALID_RESULT"] as const)
			expect(schema.evaluate(1, { code }).diagnostics).toMatchObject([{ code }]);
		expect(schema.evaluate(1).diagnostics).toMatchObject([{ code: "INVALID_INPUT" }]);
	});

	it("point to the schema object that holds the keyword (W13)", () => {
		const schema = schemaOf({
			$defs: { A: { properties: { b: { maxLength: 1 } } } },
			properties: { a: { items: { $ref: "#/$defs/A" } }, "~/": { const: 1 } },
		});
		expect(found(schema, { a: [{}, { b: "xx" }] })).toEqual(["/a/1/b /$defs/A/properties/b maxLength"]);
		expect(found(schema, { "~/": 2 })).toEqual(["/~0~1 /properties/~0~1 const"]);
	});

	it("a false schema has no keyword (B12)", () => {
		const schema = schemaOf({ properties: { a: true }, additionalProperties: false, dependentSchemas: { a: false } });
		const { diagnostics } = schema.evaluate({ b: 1, a: 2 }, { all: true });
		expect(diagnostics.map(({ message: _, ...place }) => place)).toEqual([
			{ code: "INVALID_INPUT", instancePointer: "/b", schemaPointer: "/additionalProperties" },
			{ code: "INVALID_INPUT", instancePointer: "", schemaPointer: "/dependentSchemas/a" },
		]);
		expect(diagnostics[0]).not.toHaveProperty("keyword");
	});

	it("contains names minContains only where it stands (B11)", () => {
		expect(found(schemaOf({ contains: false }), [1])).toEqual(["  contains"]);
		expect(found(schemaOf({ contains: false, minContains: 1 }), [1])).toEqual(["  minContains"]);
		expect(found(schemaOf({ contains: true, maxContains: 0 }), [1])).toEqual(["  maxContains"]);
		expect(found(schemaOf({ contains: true, minContains: 2, maxContains: 0 }), [1])).toEqual([
			"  minContains",
			"  maxContains",
		]);
	});

	it("first one by default, all on request: own keywords, then children in order", () => {
		const schema = schemaOf({
			required: ["z"],
			maxProperties: 1,
			properties: { b: { type: "null" }, a: { type: "null", minimum: 5 } },
			additionalProperties: { const: 1 },
			not: {},
		});
		const instance = { c: 2, b: 1, "10": 2, a: 1 };
		const all = [
			"  required",
			"  maxProperties",
			"  not",
			"/a /properties/a type",
			"/a /properties/a minimum",
			"/b /properties/b type",
			"/10 /additionalProperties const",
			"/c /additionalProperties const",
		];
		expect(found(schema, instance)).toEqual(all);
		expect(found(schema, instance, false)).toEqual(all.slice(0, 1));
	});

	it("alternatives: the keyword first, then why each branch didn't match", () => {
		const schema = schemaOf({ oneOf: [{ properties: { a: { const: 1 } } }, { required: ["b"] }] });
		expect(found(schema, { a: 2 })).toEqual(["  oneOf", "/a /oneOf/0/properties/a const", " /oneOf/1 required"]);
		expect(found(schema, { b: 2 })).toEqual(["  oneOf"]);
		expect(found(schemaOf({ anyOf: [{ type: "null" }, false] }), 1)).toEqual([
			"  anyOf",
			" /anyOf/0 type",
			" /anyOf/1 undefined",
		]);
	});

	it("say nothing of branches that were allowed to fail", () => {
		const losing = { allOf: [{ type: "null" }, { const: 3 }] };
		expect(found(schemaOf({ anyOf: [losing, true], not: losing, if: losing, else: { maximum: 0 } }), 1)).toEqual([
			" /else maximum",
		]);
	});

	it("a definition that was allowed to fail first, and then wasn't", () => {
		const to = { $ref: "#/$defs/A" };
		expect(
			found(
				schemaOf({ anyOf: [true, to], oneOf: [true, to], items: true, allOf: [to], $defs: { A: { type: "null" } } }),
				1,
			),
		).toEqual([" /$defs/A type"]);
	});

	it("a pair on two ways is reported once", () => {
		const to = { $ref: "#/$defs/A" };
		expect(found(schemaOf({ allOf: [to, to, { not: {} }], $defs: { A: { type: "null" } } }), 1)).toEqual([
			" /$defs/A type",
			" /allOf/2 not",
		]);
	});

	it("are bounded", () => {
		const items = Array<number>(3_000).fill(1);
		expect(schemaOf({ items: false }).evaluate(items, { all: true }).diagnostics).toHaveLength(DIAGNOSTICS_MAX);
	});

	it("name types, never the rejected value (B14)", () => {
		const secret = "s3cr3t";
		const instance = { [secret]: secret, list: [secret, { [secret]: 1 }], number: 123456789 };
		const schema = schemaOf({
			type: "null",
			const: 1,
			enum: ["x"],
			required: ["wanted"],
			maxProperties: 1,
			minProperties: 9,
			dependentRequired: { list: ["other"] },
			additionalProperties: {
				type: "boolean",
				maxLength: 1,
				minLength: 100,
				maximum: 5,
				items: false,
				maxItems: 1,
				contains: false,
			},
			oneOf: [false],
			not: {},
		});
		const { diagnostics } = schema.evaluate(instance, { all: true });
		expect(diagnostics.length).toBeGreaterThan(15);
		for (const { message } of diagnostics) expect(message).not.toMatch(/s3cr3t|123456789/);
		expect(diagnostics.map(({ message }) => message)).toEqual(
			expect.arrayContaining([
				"Expected null, got object",
				"Expected boolean, got integer",
				'The required member "wanted" is missing',
				'With "list", the member "other" is required',
			]),
		);
	});

	it("quote long names of the schema in part", () => {
		const [diagnostic] = schemaOf({ required: ["x".repeat(1_000)] }).evaluate({}).diagnostics;
		expect(diagnostic!.message.length).toBeLessThan(120);
	});

	it("have pointers into the descriptor for embedded schemas", () => {
		const { schemas } = compileSchemaGraph({
			roots: [{ pointer: "/methods/get/input", schema: { properties: { a: { $ref: "#/$defs/A" }, b: false } } }],
			defs: { A: { type: "null" } },
		});
		expect(found(schemas[0]!, { a: 1, b: 1 })).toEqual([
			"/a /$defs/A type",
			"/b /methods/get/input/properties/b undefined",
		]);
	});
});

describe("host values", () => {
	const schema = schemaOf({ properties: { a: { type: "number" } } });

	it("outside JSON/1 fail with the boundary's code and an empty pointer (B13)", () => {
		const cyclic: Record<string, unknown> = {};
		cyclic.a = cyclic;
		for (const [value, instancePointer, message] of [
			[Number.NaN, "", /not finite/],
			[{ a: Number.POSITIVE_INFINITY }, "/a", /not finite/],
			[undefined, "", /no undefined; use null/],
			[{ a: undefined }, "/a", /^A member that is undefined; leave it out$/],
			[{ "a/b": [1, undefined] }, "/a~1b/1", /^An item that is undefined; use null$/],
			[2 ** 53, "", /9007199254740991/],
			["\ud800", "", /surrogate/],
			[{ "\ud800": 1 }, "/\ufffd", /surrogate/],
			[new Date(0), "", /plain objects/],
			[cyclic, "/a", /contains itself/],
		] as const) {
			const checked = schema.check(value, { code: "INVALID_RESULT" });
			expect(checked).toMatchObject({
				valid: false,
				diagnostics: [
					{ code: "INVALID_RESULT", instancePointer, schemaPointer: "", message: expect.stringMatching(message) },
				],
			});
			expect((checked.valid ? [] : checked.diagnostics)[0]).not.toHaveProperty("keyword");
		}
	});

	it("come back as a snapshot", () => {
		const value = { a: 1 };
		const checked = schema.check(value);
		expect(checked).toEqual({ valid: true, value: { a: 1 } });
		expect((checked as { value: unknown }).value).not.toBe(value);
	});

	it("of a null prototype are judged like others", () => {
		expect(schema.check(Object.assign(Object.create(null), { a: "x" }))).toMatchObject({
			valid: false,
			diagnostics: [{ instancePointer: "/a", keyword: "type" }],
		});
	});

	it("never change", () => {
		const value = Object.freeze({ a: Object.freeze([1]) });
		expect(schema.check(value, { all: true })).toMatchObject({ valid: false });
		expect(value).toEqual({ a: [1] });
	});
});

describe("Standard Schema v1", () => {
	const schema = schemaOf({ properties: { list: { items: { type: "integer" } } }, required: ["name"] });

	it("has the interface's types", () => {
		expectTypeOf<Schema>().toExtend<StandardSchemaV1<JsonValue, JsonValue>>();
		expectTypeOf<StandardSchemaV1.InferOutput<Schema>>().toEqualTypeOf<JsonValue>();
		expect(schema["~standard"]).toMatchObject({ version: 1, vendor: "millrace" });
	});

	it("gives the value, or issues with paths", async () => {
		const standard: StandardSchemaV1 = schema;
		expect(await standard["~standard"].validate({ name: 1, list: [1] })).toEqual({ value: { name: 1, list: [1] } });
		expect(await standard["~standard"].validate({ list: [1, "x"] })).toEqual({
			issues: [
				{ message: 'The required member "name" is missing', path: [] },
				{ message: "Expected integer, got string", path: ["list", 1] },
			],
		});
	});

	it("says where a value is none of JSON/1, and what to do", () => {
		const { validate } = schema["~standard"];
		expect(validate({ name: "A", tags: undefined })).toEqual({
			issues: [{ message: "A member that is undefined; leave it out", path: ["tags"] }],
		});
		expect(validate({ list: [0, { a: Number.NaN }] })).toMatchObject({ issues: [{ path: ["list", 1, "a"] }] });
	});

	it("runs no accessor, and survives a proxy, on the way to that place", () => {
		const { validate } = schema["~standard"];
		const accessor = {
			get list(): never {
				throw new Error("ran");
			},
		};
		expect(validate(accessor)).toMatchObject({ issues: [{ path: ["list"] }] });
		const { proxy, revoke } = Proxy.revocable({}, {});
		revoke();
		expect(validate({ list: proxy })).toMatchObject({ issues: [{ path: ["list"] }] });
		expect(validate(proxy)).toMatchObject({ issues: [{ path: [] }] });
	});

	it("an object's digits stay names in a path", async () => {
		const inner = schemaOf({ additionalProperties: { additionalProperties: false } });
		expect(await inner["~standard"].validate({ "0": { "~/": 1 } })).toMatchObject({ issues: [{ path: ["0", "~/"] }] });
	});
});

describe("Channel Contract/1 section 3: item schemas", () => {
	const embedded = (schema: JsonValue, defs: Record<string, JsonValue> = {}): Schema =>
		compileSchemaGraph({ roots: [{ pointer: "/item", schema }], defs }).schemas[0]!;

	it("omitted and true are generic; {} is not", () => {
		expect([undefined, embedded(true)].map(isTrivialSchema)).toEqual([true, true]);
		expect([embedded(false), embedded({}), embedded({ title: "x" })].map(isTrivialSchema)).toEqual([
			false,
			false,
			false,
		]);
	});

	it("nontrivial ones must have equal canonical content", () => {
		const a = embedded({ type: "string", maxLength: 5 });
		expect(equalSchemas(a, embedded({ maxLength: 5.0, type: "string" }))).toBe(true);
		expect(equalSchemas(a, embedded({ type: ["string"], maxLength: 5 }))).toBe(false);
		expect(equalSchemas(a, embedded({ type: "string", maxLength: 5, title: "t" }))).toBe(false);
		expect(equalSchemas(a, embedded({ type: "string" }))).toBe(false);
		expect(equalSchemas(embedded({ const: 0 }), embedded({ const: -0 }))).toBe(true);
	});

	it("content includes the definitions that it leads to", () => {
		const to: JsonValue = { $ref: "#/$defs/A" };
		const a = embedded(to, { A: { not: { $ref: "#/$defs/B" } }, B: { type: "null" }, unused: true });
		expect(equalSchemas(a, embedded(to, { A: { not: { $ref: "#/$defs/B" } }, B: { type: "null" } }))).toBe(true);
		expect(equalSchemas(a, embedded(to, { A: { not: { $ref: "#/$defs/B" } }, B: { type: "string" } }))).toBe(false);
		expect(equalSchemas(embedded(to, { A: true }), embedded({ $ref: "#/$defs/B" }, { B: true }))).toBe(false);
		const inline = compileInlineSchema({
			...(to as object),
			$defs: { B: { type: "null" }, A: { not: { $ref: "#/$defs/B" } } },
		});
		expect(equalSchemas(a, inline)).toBe(true);
	});

	it("fit when one is generic or both are equal", () => {
		const a = embedded({ type: "string" });
		expect(matchItemSchemas(a, undefined)).toBe(true);
		expect(matchItemSchemas(embedded(true), a)).toBe(true);
		expect(matchItemSchemas(a, embedded({ type: "string" }))).toBe(true);
		expect(matchItemSchemas(a, embedded({}))).toBe(false);
	});
});
