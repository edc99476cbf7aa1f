// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import { expect, test } from "vitest";
import { compileSchemaGraph, compileSchemaValue, SCHEMA_URI, SchemaError } from "../../src/schema/index.ts";

const SCHEMAS = [
	{ type: "object", properties: { a: { type: ["integer", "null"] } }, required: ["a"], additionalProperties: false },
	{ anyOf: [{ minLength: 2 }, { items: { const: 1 }, contains: { type: "number" } }], not: { enum: ["ab"] } },
	{ if: { type: "array" }, then: { minItems: 2 } },
	{
		$ref: "#/$defs/A",
		$defs: { A: { oneOf: [{ $ref: "#/$defs/B" }, false] }, B: { dependentRequired: { a: ["b"] } } },
	},
	{ properties: { a: 1 } },
	{ unknown: true },
];
const INSTANCES = [{ a: 1 }, { a: 1.5, b: {} }, [1], [1, 2], "a", "ab", 5, null];

function answers(): unknown[] {
	return SCHEMAS.flatMap((schema) => {
		try {
			const compiled = compileSchemaValue({ $schema: SCHEMA_URI, ...schema });
			return INSTANCES.map((instance) => {
				const { valid, work, diagnostics } = compiled.evaluate(instance, { all: true });
				const places = diagnostics.map((each) => [
					each.instancePointer,
					each.schemaPointer,
					each.keyword,
					each.message,
				]);
				return JSON.stringify([valid, work, places, compiled.accepts(instance)]);
			});
		} catch (error) {
			return error instanceof SchemaError ? [error.code, error.schemaPointer] : [String(error)];
		}
	});
}

// JSON/1 "Syntax and strings": prototypes have no semantic role. What a schema doesn't have, no prototype lends it.
test.each([
	...[
		"$ref",
		"type",
		"enum",
		"const",
		"allOf",
		"anyOf",
		"oneOf",
		"not",
		"if",
		"then",
		"else",
		"properties",
		"required",
	],
	...["additionalProperties", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"],
	...["prefixItems", "items", "contains", "minContains", "maxContains", "minItems", "maxItems", "minLength"],
	...["maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "pair"],
	...["parent", "token", "failure", "close", "step", "plan", "truth", "name"],
])("an inherited %s changes no verdict, charge or diagnostic", (name) => {
	const expected = answers();
	for (const value of ["x", 3, {}, true, () => 7]) {
		Object.defineProperty(Object.prototype, name, {
			__proto__: null,
			value,
			configurable: true,
			writable: true,
		} as object);
		let found: unknown;
		try {
			found = answers();
		} finally {
			delete (Object.prototype as Record<string, unknown>)[name];
		}
		expect(found).toEqual(expected);
	}
});

test("an embedded graph without definitions inherits none", () => {
	Object.defineProperty(Object.prototype, "defs", { value: { "0": 1 }, configurable: true });
	try {
		const { nodes } = compileSchemaGraph({ roots: [{ pointer: "/item", schema: true }], defs: undefined });
		expect(nodes).toBe(1);
	} finally {
		delete (Object.prototype as { defs?: unknown }).defs;
	}
});
