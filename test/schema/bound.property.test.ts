import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/json/index.ts";
import { boundOf, fits } from "../../src/schema/bound.ts";
import { readFile } from "../../src/schema/compile.ts";
import { compileSchemaValue, SCHEMA_URI } from "../../src/schema/index.ts";
import { instances, schemaFiles } from "./arbitrary.ts";

/** How many values an instance has, and UTF-16 units in its strings. */
function sizeOf(value: JsonValue): { nodes: number; units: number } {
	if (typeof value === "string") return { nodes: 1, units: value.length };
	if (typeof value !== "object" || value === null) return { nodes: 1, units: 0 };
	const total = { nodes: 1, units: 0 };
	for (const child of Object.values(value)) {
		const size = sizeOf(child);
		total.nodes += size.nodes;
		total.units += size.units;
	}
	return total;
}

const boundOfFile = (file: JsonValue): ReturnType<typeof boundOf> => {
	const { root, graph } = readFile(file);
	return boundOf(root, graph);
};

describe("the bound that lets evaluation go unmetered", () => {
	it("is never below the exact work", () => {
		let near = 0;
		fc.assert(
			fc.property(schemaFiles, instances(), (file, instance) => {
				const { perNode, perUnit } = boundOfFile(file);
				const { nodes, units } = sizeOf(instance);
				const { work } = compileSchemaValue(file).evaluate(instance);
				expect(work).toBeLessThanOrEqual(perNode * nodes + perUnit * units);
				if (work * 2 >= perNode * nodes + perUnit * units) near++;
			}),
			{ numRuns: Number(process.env.MILLRACE_RUNS ?? 1_500) },
		);
		expect(near).toBeGreaterThan(0);
	});

	it("counts what is evaluated on several ways as often, since nothing is memoized there", () => {
		const defs: JsonObject = Object.fromEntries(
			Array.from({ length: 60 }, (_, i) => {
				const next = { $ref: `#/$defs/D${i + 1}` };
				return [`D${i}`, { allOf: [next, next] }];
			}),
		);
		const { perNode } = boundOfFile({ $schema: SCHEMA_URI, $ref: "#/$defs/D0", $defs: { ...defs, D60: true } });
		expect(perNode).toBeGreaterThan(1e11);
	});

	it("is tight enough to be of use for schemas that people write", () => {
		const record = {
			type: "object",
			properties: { id: { type: "integer" }, name: { type: "string", maxLength: 80 } },
			required: ["id"],
			additionalProperties: false,
		};
		const bound = boundOfFile({ $schema: SCHEMA_URI, type: "array", items: record });
		expect(bound).toEqual({ perNode: 13, perUnit: 1, reach: 3, repeats: false, plain: true });
		const records = (count: number): JsonValue =>
			Array.from({ length: count }, (_, id) => ({ id, name: "abcdefghij" }));
		expect(fits(bound, records(10_000))).toBe(true);
		expect(fits(bound, records(60_000))).toBe(false);
	});

	it("gives up on values that were never admitted", () => {
		const cyclic: Record<string, JsonValue> = {};
		cyclic.a = cyclic;
		expect(fits({ perNode: 1, perUnit: 0, reach: 1, repeats: false, plain: true }, cyclic)).toBe(false);
		expect(compileSchemaValue({ $schema: SCHEMA_URI, type: "object" }).accepts(cyclic)).toBe(true);
	});

	it("falls back to counting occurrences when too many schemas meet in too many ways", () => {
		const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
		const layer = (to: string): JsonValue => ({
			allOf: names.map((name) => ({ properties: { [name]: { $ref: to } }, additionalProperties: { $ref: to } })),
		});
		const defs = { A: layer("#/$defs/B"), B: layer("#/$defs/C"), C: layer("#/$defs/D"), D: { type: "null" } };
		const { perNode } = boundOfFile({ $schema: SCHEMA_URI, $ref: "#/$defs/A", $defs: defs });
		expect(perNode).toBeGreaterThan(100);
	});

	it("isn't fooled by members that Object.prototype lends to everything", () => {
		const schema = compileSchemaValue({ $schema: SCHEMA_URI, required: ["lent"], additionalProperties: true });
		const strict = compileSchemaValue({ $schema: SCHEMA_URI, additionalProperties: false });
		const answers = (): boolean[] => [schema.accepts({}), strict.accepts({}), schema.evaluate({}).valid];
		const before = answers();
		const during = [true, false].map((enumerable) => {
			Object.defineProperty(Object.prototype, "lent", { value: 1, enumerable, configurable: true, writable: true });
			const found = answers();
			delete (Object.prototype as { lent?: unknown }).lent;
			return found;
		});
		expect(before).toEqual([false, true, false]);
		expect(during).toEqual([before, before]);
	});
});
