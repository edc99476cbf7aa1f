import type { CaseKind, Clause, Suite } from "./corpus.ts";

const KINDS: readonly CaseKind[] = ["accept", "refuse", "boundary"];

/** The kinds of case a clause still lacks. */
export function missingKinds(clause: Clause, suite: Suite): CaseKind[] {
	return (clause.kinds ?? KINDS).filter((kind) => countOf(suite, clause.id, kind) === 0);
}

function countOf(suite: Suite, clause: string, kind: CaseKind): number {
	return suite.cases.filter((each) => each.clause === clause && each.kind === kind).length;
}

/** COVERAGE.md: for each clause of the specifications, how many cases accept, refuse and stand on a limit. */
export function coverageReport(suites: readonly Suite[]): string {
	const total = suites.reduce((sum, suite) => sum + suite.cases.length, 0);
	const lines = [
		"# Coverage",
		"",
		`Generated from the cases by \`node test/house/coverage.mjs\`: ${total} cases. A dash marks a kind that the clause has no room for.`,
	];
	for (const suite of suites) {
		lines.push(
			"",
			`## ${suite.suite}`,
			"",
			"| clause | where | demands | accept | refuse | boundary |",
			"| --- | --- | --- | --: | --: | --: |",
		);
		for (const clause of suite.clauses) {
			const counts = KINDS.map((kind) =>
				(clause.kinds ?? KINDS).includes(kind) ? countOf(suite, clause.id, kind) : "–",
			);
			lines.push(`| \`${clause.id}\` | ${clause.where} | ${clause.demands} | ${counts.join(" | ")} |`);
		}
	}
	lines.push("", "## Required conformance", "", "| item | demands | cases | tests |", "| --- | --- | --: | --- |");
	for (const suite of suites)
		for (const { item, demands, clauses, tests } of suite.required ?? []) {
			const cases = suite.cases.filter((each) => clauses.includes(each.clause)).length;
			lines.push(
				`| ${item} | ${demands} | ${cases === 0 ? "–" : cases} | ${(tests ?? []).map((test) => `\`${test}\``).join(", ")} |`,
			);
		}
	return `${lines.join("\n")}\n`;
}
