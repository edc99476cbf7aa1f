import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonValue } from "../../src/json/index.ts";
import { vectors } from "../house/vectors.ts";

/** One of the published machine schemas as a second opinion, or undefined where the vectors are absent. */
export function machineValidator(path: string): ValidateFunction | undefined {
	const schema = vectors(path);
	return schema === undefined ? undefined : new Ajv2020({ strict: false }).compile(schema as object);
}

const schemaSnippets: JsonValue[] = [
	true,
	false,
	{},
	{ type: "string" },
	{ type: ["string", "null"] },
	{ enum: [] },
	{ enum: [1, 1] },
	{ const: null },
	{ minLength: 1e2 },
	{ items: { not: false } },
	{ allOf: [true] },
	{ allOf: [] },
	{ required: [] },
	{ required: ["a", "a"] },
	{ format: "date" },
	{ $ref: "#/$defs/RunInput" },
	{ $ref: "#/$defs/Nowhere" },
	{ $defs: {} },
	{ properties: { $ref: { type: "string" } } },
	{ description: "words", examples: [{ $schema: 1 }] },
];

const snippets: JsonValue[] = [
	...schemaSnippets,
	null,
	0,
	1,
	-0,
	"",
	"x",
	"x\n",
	"1.0.0",
	"01.0.0",
	"https://a.b/c",
	"https://1.2.3.4/c",
	"https://256.2.3.4/c",
	"./a.json",
	"./a/../b.json",
	"./a\\b.json",
	"send",
	"receive",
	"direct",
	"suffix",
	[],
	{ direction: "send" },
	{ direction: "receive", start: "suffix", delivery: "direct" },
	{ direction: "send", start: "beginning" },
	{ direction: "send", schema: true, contract: "./a.json" },
	{ input: true, output: true, errors: {} },
];

const names = [
	"schema",
	"contract",
	"channels",
	"direction",
	"start",
	"required",
	"delivery",
	"$defs",
	"item",
	"a",
	"A",
	"x-y",
	"a--b",
	"__proto__",
	"input",
	"errors",
	"title",
];

/**
 * A mutation: a few edits, each at a place picked by the numbers (set, add, remove, rename), which keep most of the value.
 */
export const mutate: fc.Arbitrary<(value: JsonValue) => JsonValue> = fc
	.array(
		fc.record({
			walk: fc.array(fc.nat(20), { maxLength: 6 }),
			kind: fc.constantFrom("set", "add", "remove", "rename"),
			name: fc.constantFrom(...names),
			snippet: fc.constantFrom(...snippets),
		}),
		{ minLength: 1, maxLength: 2 },
	)
	.map((edits) => (value) => {
		const copy = structuredClone(value) as JsonValue;
		for (const { walk, kind, name, snippet } of edits) {
			let target = copy as Record<string, JsonValue>;
			let keys = Object.keys(target);
			for (const step of walk) {
				const child = target[keys[step % keys.length]!];
				if (typeof child !== "object" || child === null || Object.keys(child).length === 0) break;
				target = child as Record<string, JsonValue>;
				keys = Object.keys(target);
			}
			const key = keys[(walk.at(-1) ?? 0) % keys.length]!;
			const put = (at: string, what: JsonValue): void => {
				Object.defineProperty(target, at, {
					value: structuredClone(what),
					enumerable: true,
					writable: true,
					configurable: true,
				});
			};
			if (Array.isArray(target)) (target as JsonValue[]).push(snippet);
			else if (kind === "set") put(key, snippet);
			else if (kind === "add") put(name, snippet);
			else {
				const old = target[key]!;
				delete target[key];
				if (kind === "rename") put(name, old);
			}
		}
		return copy;
	});
