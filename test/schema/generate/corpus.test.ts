import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { expandRules, type Suite } from "../../../conformance/corpus.ts";
import type { JsonObject } from "../../../src/json/index.ts";
import { SCHEMA_URI } from "../../../src/schema/index.ts";
import { load, outcome } from "./load.ts";

const suite = JSON.parse(
	readFileSync(fileURLToPath(new URL("../../../conformance/cases/schema.json", import.meta.url)), "utf8"),
) as Suite;

const cases = suite.cases
	.filter(({ request }) => String(request.op).startsWith("schema.evaluate"))
	.map(({ name, request, expect: expected }) => {
		const { schema, defs, instance } = expandRules(request) as {
			schema: unknown;
			defs?: JsonObject;
			instance: unknown;
		};
		return { name, schema, defs, instance, expected };
	})
	// What isn't JSON/1 never gets to a module, and an embedded root has rules of its own, which no module changes.
	.filter(({ schema, instance }) => instance !== undefined && typeof schema === "object" && schema !== null)
	.filter(({ name }) => !["schema/embedded-schema-uri", "schema/embedded-own-defs"].includes(name));

describe("the corpus, through generated modules", () => {
	it("has most of the cases that evaluate", () => expect(cases.length).toBeGreaterThan(100));

	it.each(cases)("$name", async ({ schema, defs, instance, expected }) => {
		const file = { $schema: SCHEMA_URI, ...(schema as object), ...(defs === undefined ? {} : { $defs: defs }) };
		const module = await load(file).catch((error: unknown) => error as Error);
		if (module instanceof Error) {
			expect(expected.ok === false && expected.codes).toContain((module as Error & { code?: string }).code);
			return;
		}
		const { verdict, work } = expected as { verdict?: string; work?: number };
		const accepted = outcome(() => module.accepts(instance));
		const evaluated = outcome(() => module.evaluate(instance));
		if (verdict === "limit") expect([accepted, evaluated]).toEqual(["SCHEMA_LIMIT_EXCEEDED", "SCHEMA_LIMIT_EXCEEDED"]);
		else {
			const valid = verdict === "valid";
			expect(accepted).toBe(valid);
			expect(evaluated).toEqual({ valid, work: work ?? expect.any(Number) });
		}
	});
});
