// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
/** Random Schema/1 files and instances that meet: few names, few scalars, so that keywords apply and sometimes hold. */

import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/json/index.ts";
import { SCHEMA_URI } from "../../src/schema/index.ts";

const NAMES = ["a", "b", "c", "__proto__", "toString", "constructor", "length", "0", "é/~"];
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1, 1.5, -1, 2, "", "a", "😀", "ab", "a😀b");
const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(-1, 0, -0, 1, 1.5, 2);
const typeName = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");

/** An object with own members, `__proto__` among them. */
function object(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
	return Object.fromEntries(entries);
}

const dictionary = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
	fc.uniqueArray(fc.tuple(name, value), { maxLength: 3, selector: ([key]) => key }).map(object);

/** An instance with at most `depth` levels of containers. */
export function instances(depth = 3): fc.Arbitrary<JsonValue> {
	if (depth === 0) return scalar;
	const below = instances(depth - 1);
	return fc.oneof(
		{ weight: 3, arbitrary: scalar },
		{ weight: 3, arbitrary: dictionary(below) },
		{ weight: 2, arbitrary: fc.array(below, { maxLength: 4 }) },
	);
}

/** Keywords that mean something to one another. */
const BUNDLES = [
	["contains", "minContains"],
	["contains", "minContains", "maxContains"],
	["contains", "maxContains"],
	["prefixItems", "items"],
	["if", "then", "else"],
	["properties", "additionalProperties"],
	["properties", "required", "additionalProperties"],
	["minLength", "maxLength"],
];

/** A schema whose references name only definitions in `targets`. */
function schemas(depth: number, targets: readonly string[]): fc.Arbitrary<JsonValue> {
	const leaf = fc.boolean() as fc.Arbitrary<JsonValue>;
	const sub: fc.Arbitrary<JsonValue> =
		depth === 0
			? leaf
			: fc
					.oneof(leaf, fc.constant(null))
					.chain((value) => (value === null ? schemas(depth - 1, targets) : fc.constant(value)));
	const nested = depth === 0 ? leaf : fc.oneof({ weight: 1, arbitrary: leaf }, { weight: 4, arbitrary: sub });
	const list = fc.array(nested, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<JsonValue>;
	const names = fc.uniqueArray(name, { maxLength: 3 }) as fc.Arbitrary<JsonValue>;
	const values: Record<string, fc.Arbitrary<JsonValue>> = {
		type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
		enum: fc.array(scalar, { minLength: 1, maxLength: 4 }),
		const: scalar,
		allOf: list,
		anyOf: list,
		oneOf: list,
		not: nested,
		if: nested,
		then: nested,
		else: nested,
		properties: dictionary(nested),
		required: names,
		additionalProperties: nested,
		minProperties: count,
		maxProperties: count,
		dependentRequired: dictionary(names),
		dependentSchemas: dictionary(nested),
		prefixItems: list,
		items: nested,
		contains: nested,
		minContains: count,
		maxContains: count,
		minItems: count,
		maxItems: count,
		minLength: count,
		maxLength: count,
		minimum: number,
		exclusiveMinimum: number,
		maximum: number,
		exclusiveMaximum: number,
		title: fc.constant("t"),
	};
	if (targets.length > 0) values.$ref = fc.constantFrom(...targets).map((target) => `#/$defs/${target}`);
	const bundle = fc.constantFrom(
		...Object.keys(values).map((key) => [key]),
		...BUNDLES,
		...(targets.length > 0 ? [["$ref"], ["$ref"], ["allOf"]] : []),
	);
	return fc
		.array(bundle, { minLength: 1, maxLength: 3 })
		.map((bundles) => [...new Set(bundles.flat())])
		.chain((keywords) => fc.tuple(...keywords.map((key) => values[key]!.map((value) => [key, value] as const))))
		.map(object);
}

/** A schema file: up to four definitions, each referring only to later ones, so that no cycle arises. */
export const schemaFiles: fc.Arbitrary<JsonObject> = fc
	.tuple(
		schemas(3, ["A", "B", "C", "constructor"]),
		schemas(2, ["B", "C", "constructor"]),
		schemas(2, ["C", "constructor"]),
		schemas(2, ["constructor"]),
		schemas(1, []),
	)
	.map(([root, a, b, c, d]) => ({
		$schema: SCHEMA_URI,
		...(root as JsonObject),
		$defs: { A: a, constructor: d, C: c, B: b },
	}));

/** Unions whose branches fix members to scalars, directly or behind a reference, and instances that choose among them. */
export const unions: fc.Arbitrary<readonly [JsonObject, JsonValue]> = (() => {
	const tag = fc.constantFrom("a", "length", "constructor");
	const fixed = fc.oneof(
		scalar.map((value) => ({ const: value })),
		fc.array(scalar, { maxLength: 3 }).map((values) => ({ enum: values })),
		fc.constantFrom<JsonValue>({ $ref: "#/$defs/T" }, { type: "string" }, true),
	);
	const branch: fc.Arbitrary<JsonValue> = fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record(
				{
					type: fc.constant("object"),
					properties: fc.dictionary(tag, fixed as fc.Arbitrary<JsonValue>, { maxKeys: 3 }),
					required: fc.uniqueArray(tag, { maxLength: 2 }),
					additionalProperties: fc.boolean(),
					minProperties: count,
					$ref: fc.constant("#/$defs/B"),
				},
				{ requiredKeys: ["properties"] },
			) as fc.Arbitrary<JsonValue>,
		},
		{ weight: 1, arbitrary: fc.constantFrom<JsonValue>({ $ref: "#/$defs/B" }, true, false, { type: "array" }) },
	);
	const instance = fc.oneof(
		{ weight: 6, arbitrary: fc.dictionary(tag, scalar, { maxKeys: 3 }) as fc.Arbitrary<JsonValue> },
		{ weight: 1, arbitrary: instances(1) },
	);
	const list = fc.array(branch, { minLength: 2, maxLength: 4 });
	return fc.tuple(fc.constantFrom("anyOf", "oneOf"), list, fixed as fc.Arbitrary<JsonValue>, instance).map(
		([keyword, branches, b, value]) =>
			[
				{
					$schema: SCHEMA_URI,
					[keyword]: branches,
					$defs: { B: { properties: { a: b } }, T: { enum: ["a", 1] } },
				},
				value,
			] as const,
	);
})();

/** A copy whose objects list their members in the opposite order. */
export function reversed(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== "object" || value === null) return value;
	return object(
		Object.entries(value)
			.reverse()
			.map(([key, member]) => [key, reversed(member)]),
	);
}
