import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/json/index.ts";
import { compileSchema, compileSchemaValue, type Schema, SchemaError } from "../../src/schema/index.ts";
import { vectorBytes, vectors, vectorsDirectory } from "../house/vectors.ts";
import { instances, schemaFiles } from "./arbitrary.ts";

describe.skipIf(vectorsDirectory === undefined)("the standard's companion examples", () => {
	const open = (name: string): Schema => compileSchema(vectorBytes(`schema-files/${name}.schema.json`)!);

	it("input", () => {
		const schema = open("input");
		expect(schema.accepts({ ticketId: "T1", request: "help" })).toBe(true);
		expect(
			schema.evaluate({ ticketId: "T1", request: "help", qualityReferences: ["a", ""] }).diagnostics,
		).toMatchObject([
			{
				instancePointer: "/qualityReferences/1",
				schemaPointer: "/properties/qualityReferences/items",
				keyword: "minLength",
			},
		]);
		expect(schema.accepts({ ticketId: "T1" })).toBe(false);
	});

	it("settings", () => {
		const schema = open("settings");
		expect(schema.accepts({ maxRetries: 3, minimumScore: 0.5 })).toBe(true);
		expect(schema.accepts({ maxRetries: 3.5, minimumScore: 0.5 })).toBe(false);
		expect(schema.accepts({ maxRetries: 3, minimumScore: 0.5, x: 1 })).toBe(false);
	});

	it("result correlates outcome and output", () => {
		const schema = open("result");
		expect(schema.accepts({ outcome: "done", output: { artifact: "a", score: 1 } })).toBe(true);
		expect(schema.accepts({ outcome: "blocked", output: { reason: "r" } })).toBe(true);
		expect(schema.evaluate({ outcome: "blocked", output: { artifact: "a", score: 1 } }).diagnostics).toMatchObject([
			{ instancePointer: "", schemaPointer: "", keyword: "oneOf" },
		]);
	});
});

describe.skipIf(vectorsDirectory === undefined)("the published machine schema", () => {
	const conforms = new Ajv2020({ strict: false, allErrors: false }).compile(
		(vectors("machine/schema-1.json") ?? {}) as object,
	);

	/** Wrong and right pieces to put somewhere into a file. */
	const pieces: fc.Arbitrary<JsonValue> = fc.oneof(
		// Ajv's "unevaluatedProperties" takes names of Object.prototype for evaluated: a keyword may not have one here.
		instances(2).map((value) => renamed(value)),
		fc.constantFrom<JsonValue>(
			{ type: "string" },
			{ type: [] },
			{ type: ["null", "null"] },
			{ required: ["a", "a"] },
			{ $ref: "#/$defs/A" },
			{ $ref: "#/$defs/a-b" },
			{ $schema: "x" },
			{ $defs: {} },
			{ pattern: "x" },
			{ enum: [[]] },
			{ minLength: -1 },
			{ minLength: 1.5 },
		),
	);

	function renamed(value: JsonValue): JsonValue {
		if (Array.isArray(value)) return value.map(renamed);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, member]) => [name in {} ? `x-${name}` : name, renamed(member)]),
		);
	}

	/** Replaces the `n`th value of a tree. */
	function replaceAt(tree: JsonValue, n: { left: number }, piece: JsonValue): JsonValue {
		if (n.left-- === 0) return piece;
		if (Array.isArray(tree)) return tree.map((item) => replaceAt(item, n, piece));
		if (typeof tree !== "object" || tree === null) return tree;
		return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, replaceAt(value, n, piece)]));
	}

	it("accepts the structure of exactly the files that compile", () => {
		let refused = 0;
		fc.assert(
			fc.property(schemaFiles, pieces, fc.nat(60), (file, piece, at) => {
				const mutated = replaceAt(file, { left: at }, piece);
				let code: string | undefined;
				try {
					compileSchemaValue(mutated);
				} catch (error) {
					if (!(error instanceof SchemaError)) throw error;
					code = error.code;
				}
				// The machine schema doesn't see whether a reference has a target; all else must agree.
				if (code === "SCHEMA_REFERENCE_INVALID") return;
				if (code !== undefined) refused++;
				expect([mutated, conforms(mutated)]).toEqual([mutated, code === undefined]);
			}),
			{ numRuns: Number(process.env.MILLRACE_RUNS ?? 800) },
		);
		expect(refused).toBeGreaterThan(10);
	});
});

describe("JSON Schema 2020-12, where Schema/1 means the same", () => {
	/** JSON Schema's own dialect, without what Ajv gets wrong: `__proto__` as a name, and an impossible `contains` after `prefixItems`. */
	function foreign(value: JsonValue): JsonValue {
		if (Array.isArray(value)) return value.map(foreign);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value)
				.filter(([name]) => name !== "__proto__" && name !== "$schema")
				.filter(([name]) => name !== "prefixItems" || !Object.hasOwn(value, "contains"))
				.map(([name, member]) => [name, foreign(member)]),
		);
	}

	it("gives Ajv's verdict", () => {
		let valid = 0;
		fc.assert(
			fc.property(schemaFiles, fc.array(instances(), { minLength: 3, maxLength: 6 }), (file, list) => {
				const plain = foreign(file) as JsonObject;
				const validate = new Ajv2020({
					strict: false,
					ownProperties: true,
					validateSchema: false,
					logger: false,
				}).compile(plain);
				const schema = compileSchemaValue({ $schema: file.$schema!, ...plain });
				for (const instance of list.map(foreign)) {
					let verdict: boolean;
					try {
						verdict = validate(instance);
					} catch {
						// Ajv sometimes generates code that names a variable it didn't declare.
						continue;
					}
					if (verdict) valid++;
					expect([plain, instance, schema.evaluate(instance).valid]).toEqual([plain, instance, verdict]);
				}
			}),
			{ numRuns: Number(process.env.MILLRACE_RUNS ?? 150) },
		);
		expect(valid).toBeGreaterThan(50);
	});
});
