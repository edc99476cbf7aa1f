/** What the corpus itself promises (DRIVER.md, Cases): rules that stand for long values, and a judge that can say no. */
import { describe, expect, it } from "vitest";
import { type ConformanceCase, type Expectation, expandRules, judge } from "../../conformance/corpus.ts";
import { missingKinds } from "../../conformance/coverage.ts";

const caseOf = (expect: Expectation, more: Partial<ConformanceCase> = {}): ConformanceCase => ({
	name: "suite/case",
	clause: "clause",
	kind: "accept",
	request: {},
	expect,
	...more,
});

describe("rules", () => {
	it.each<[unknown, unknown]>([
		[{ $repeat: ["ab", 3] }, "ababab"],
		[{ $repeat: ["ab", 0] }, ""],
		[{ $concat: ["<", { $repeat: ["x", 2] }, ">"] }, "<xx>"],
		[{ $list: [{ $repeat: ["x", 2] }, 2] }, ["xx", "xx"]],
		[{ $members: ["m", 2, { $list: [1, 1] }] }, { m0: [1], m1: [1] }],
		[{ a: [{ b: { $repeat: ["x", 1] } }] }, { a: [{ b: "x" }] }],
		[
			{ $repeat: ["x", 1], more: 1 },
			{ $repeat: ["x", 1], more: 1 },
		],
		[{ $other: 1 }, { $other: 1 }],
	])("%j stands for %j", (rule, value) => expect(expandRules(rule)).toEqual(value));

	it("a string is not built of what is none", () => {
		expect(() => expandRules({ $concat: ["a", 1] })).toThrow(TypeError);
	});
});

describe("the judge", () => {
	it.each<[string, Expectation, unknown]>([
		[
			"the members that a case names, whatever more there is",
			{ ok: true, a: [1, { b: null }] },
			{ ok: true, a: [1, { b: null }], c: 1 },
		],
		["a member given by rule", { ok: true, a: { $repeat: ["x", 3] } }, { ok: true, a: "xxx" }],
		["any refusal where no code is demanded", { ok: false }, { ok: false, error: { code: "MINE", detail: "" } }],
		["one code of several", { ok: false, codes: ["A", "B"] }, { ok: false, error: { code: "B", detail: "" } }],
		["a list of defensible codes", { ok: false, codes: ["A"] }, { ok: false, error: { code: "C", codes: ["C", "A"] } }],
	])("passes %s", (_, demanded, answer) => {
		expect(judge(caseOf(demanded), answer)).toEqual({ status: "passed" });
	});

	it.each<[string, Expectation, unknown, string]>([
		["no object", { ok: true }, "yes", "no JSON object"],
		["a malformed request", { ok: false }, { ok: false, badRequest: "what?" }, "badRequest: what?"],
		["a refusal", { ok: true }, { ok: false, error: { code: "NO", detail: "why" } }, "refused (NO: why)"],
		["an admission", { ok: false }, { ok: true }, "accepted, should be refused"],
		["another code", { ok: false, codes: ["A"] }, { ok: false, error: { code: "B", detail: "" } }, "expected A, got B"],
		["no code", { ok: false, codes: ["A"] }, { ok: false }, "expected A, got undefined"],
		["a member that is absent", { ok: true, a: 1 }, { ok: true }, "a: expected 1, got nothing"],
		["a member too many inside", { ok: true, a: {} }, { ok: true, a: { b: 1 } }, "a: expected {}"],
		["another name inside", { ok: true, a: { toString: 1 } }, { ok: true, a: { b: 1 } }, 'got {"b":1}'],
		["another order", { ok: true, a: [1, 2] }, { ok: true, a: [2, 1] }, "a: expected [1,2], got [2,1]"],
		["a longer list", { ok: true, a: [1] }, { ok: true, a: [1, 1] }, "a: expected [1]"],
	])("fails %s", (_, demanded, answer, difference) => {
		expect(judge(caseOf(demanded), answer)).toEqual({
			status: "failed",
			difference: expect.stringContaining(difference),
		});
	});

	it("tolerates another reading of an ambiguous case, and still tells it", () => {
		const verdict = judge(caseOf({ ok: true }, { ambiguous: "the text leaves it open" }), { ok: false });
		expect(verdict).toEqual({ status: "tolerated", difference: expect.stringContaining("refused") });
	});
});

describe("coverage", () => {
	it("names each kind of case that a clause lacks, of those that make sense for it", () => {
		const cases = [caseOf({ ok: true }), caseOf({ ok: false }, { clause: "other", kind: "refuse" })];
		const clause = { id: "clause", where: "spec.md §1", demands: "something" };
		const suite = { suite: "Suite", clauses: [clause], cases };
		expect(missingKinds(clause, suite)).toEqual(["refuse", "boundary"]);
		expect(missingKinds({ ...clause, kinds: ["accept"] }, suite)).toEqual([]);
	});
});
