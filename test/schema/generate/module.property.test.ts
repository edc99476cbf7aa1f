// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/json/index.ts";
import { compileSchemaValue, generateSchemaModule } from "../../../src/schema/index.ts";
import { instances, schemaFiles, unions } from "../arbitrary.ts";
import { load } from "./load.ts";

const RUNS = Number(process.env.MILLRACE_RUNS ?? 600);

/** Both answers of the evaluator and both of the module, one beside the other. */
async function agree(file: JsonObject, list: readonly JsonValue[]): Promise<number> {
	const schema = compileSchemaValue(file);
	const module = await load(file);
	let valid = 0;
	for (const instance of list) {
		const expected = schema.evaluate(instance);
		if (expected.valid) valid++;
		const found = { ...module.evaluate(instance), accepts: module.accepts(instance) };
		const { valid: verdict, work } = expected;
		expect([file, instance, found]).toEqual([file, instance, { valid: verdict, work, accepts: verdict }]);
	}
	return valid;
}

describe("Schema/1 section 4: a generated module gives the evaluator's verdict and charge", () => {
	it("on random schemas and instances", async () => {
		let valid = 0;
		const list = fc.array(instances(), { minLength: 4, maxLength: 12 });
		const property = fc.asyncProperty(schemaFiles, list, async (file, values) => {
			valid += await agree(file, values);
		});
		await fc.assert(property, { numRuns: RUNS });
		expect(valid).toBeGreaterThan(RUNS / 4);
	}, 120_000);

	it("with a memo, where a definition is met under a condition and without", async () => {
		const list = fc.array(instances(), { minLength: 4, maxLength: 12 });
		const property = fc.asyncProperty(schemaFiles, list, async ({ $schema, $defs, ...root }, values) => {
			const defs = { ...($defs as JsonObject), R: root, M: true };
			const twice = { allOf: [{ $ref: "#/$defs/R" }, { $ref: "#/$defs/M" }], if: true, then: { $ref: "#/$defs/M" } };
			const file = { $schema: $schema!, $defs: defs, ...twice };
			expect(generateSchemaModule(JSON.stringify(file)).code).toContain("function remember(");
			await agree(file, values);
		});
		await fc.assert(property, { numRuns: RUNS });
	}, 120_000);

	it.each([
		["few", 1],
		["many", 6],
	])(
		"where a member tells the branches of a union apart: %s of them",
		async (_, lists) => {
			let valid = 0;
			const property = fc.asyncProperty(fc.array(unions, { minLength: lists, maxLength: lists }), async (all) => {
				const branches = all.flatMap(([file]) => (file.anyOf ?? file.oneOf) as JsonValue[]);
				const [{ $schema, $defs, oneOf }] = all[0]!;
				const file = { $schema: $schema!, $defs: $defs!, [oneOf === undefined ? "anyOf" : "oneOf"]: branches };
				valid += await agree(
					file,
					all.map(([, value]) => value),
				);
			});
			await fc.assert(property, { numRuns: RUNS });
			expect(valid).toBeGreaterThan(RUNS / 10);
		},
		120_000,
	);
});
