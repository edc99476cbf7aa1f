import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFile } from "../../src/schema/compile.ts";
import { diagnose } from "../../src/schema/explain.ts";
import { compileSchemaValue, DIAGNOSTICS_MAX } from "../../src/schema/index.ts";
import { Judge } from "../../src/schema/judge.ts";
import { instances, reversed, schemaFiles, unions } from "./arbitrary.ts";
import { referenceEvaluate } from "./reference.ts";

const RUNS = Number(process.env.MILLRACE_RUNS ?? 1_500);

describe("Schema/1 section 4: the meter is an abstract function of schema and instance", () => {
	it("gives the verdict, the work and the profile of the literal interpreter", () => {
		fc.assert(
			fc.property(schemaFiles, instances(), (file, instance) => {
				const schema = compileSchemaValue(file);
				const expected = referenceEvaluate(file as never, instance as never);
				const { valid, work, profile, diagnostics } = schema.evaluate(instance, { profile: true });
				expect({ valid, work, profile }).toEqual({
					valid: expected.valid,
					work: expected.work,
					profile: expected.profile,
				});
				expect(schema.evaluate(instance)).toEqual({ valid, work, diagnostics });
				expect(schema.accepts(instance)).toBe(expected.valid);
				expect(diagnostics.length).toBe(expected.valid ? 0 : 1);
			}),
			{ numRuns: RUNS },
		);
	});

	it("gives the same where a member tells the branches of a union apart", () => {
		let valid = 0;
		fc.assert(
			fc.property(unions, ([file, instance]) => {
				const schema = compileSchemaValue(file);
				const expected = referenceEvaluate(file as never, instance as never);
				if (expected.valid) valid++;
				expect([schema.accepts(instance), schema.evaluate(instance).work]).toEqual([expected.valid, expected.work]);
			}),
			{ numRuns: RUNS * 4 },
		);
		expect(valid).toBeGreaterThan(RUNS / 10);
	});

	it("explains the same with and without the shorter way to what holds", () => {
		fc.assert(
			fc.property(schemaFiles, instances(), (file, instance) => {
				const { root, graph } = readFile(file);
				const failure = new Judge(graph, { explain: "all" }).run(root, instance);
				const expected = failure === null ? [] : diagnose(failure, "INVALID_INPUT", DIAGNOSTICS_MAX);
				expect(compileSchemaValue(file).evaluate(instance, { all: true }).diagnostics).toEqual(expected);
				expect(compileSchemaValue(file).evaluate(instance).diagnostics).toEqual(expected.slice(0, 1));
			}),
			{ numRuns: RUNS },
		);
	});

	it("doesn't depend on the order of members, in the schema or in the instance", () => {
		fc.assert(
			fc.property(schemaFiles, instances(), (file, instance) => {
				const one = compileSchemaValue(file).evaluate(instance, { profile: true });
				const other = compileSchemaValue(reversed(file)).evaluate(reversed(instance), { profile: true });
				expect(other).toEqual(one);
			}),
			{ numRuns: RUNS },
		);
	});

	it("explains each failure at a pair that was evaluated", () => {
		fc.assert(
			fc.property(schemaFiles, instances(), (file, instance) => {
				const { valid, diagnostics } = compileSchemaValue(file).evaluate(instance, { all: true });
				const { pairs } = referenceEvaluate(file as never, instance as never);
				expect(diagnostics.length > 0).toBe(!valid);
				for (const { schemaPointer, instancePointer } of diagnostics)
					expect(pairs).toContain(JSON.stringify([schemaPointer, instancePointer]));
			}),
			{ numRuns: RUNS },
		);
	});
});
