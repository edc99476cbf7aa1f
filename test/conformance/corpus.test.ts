import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ConformanceCase, expandRules, judge, type Suite } from "../../conformance/corpus.ts";
import { createDriver } from "../../conformance/driver.ts";

const cases = fileURLToPath(new URL("../../conformance/cases/", import.meta.url));
const suites = readdirSync(cases)
	.filter((name) => name.endsWith(".json"))
	.map((name) => JSON.parse(readFileSync(`${cases}${name}`, "utf8")) as Suite);

const driver = createDriver();
const answer = async (each: ConformanceCase) =>
	JSON.parse(JSON.stringify(await driver({ ...(expandRules(each.request) as object), id: each.name }))) as unknown;

describe.each(suites)("$suite", (suite) => {
	it.each(suite.cases)("$name ($clause)", async (each) => {
		expect(judge(each, await answer(each)).difference).toBeUndefined();
	});

	it("names only clauses it has, and no case twice", () => {
		const clauses = new Set(suite.clauses.map((clause) => clause.id));
		expect(suite.cases.filter((each) => !clauses.has(each.clause))).toEqual([]);
		expect(new Set(suite.cases.map((each) => each.name)).size).toBe(suite.cases.length);
	});
});
