// Writes conformance/COVERAGE.md from the cases; with --check only says whether the committed file is current.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { coverageReport, missingKinds } from "../../dist/conformance/coverage.js";

const conformance = fileURLToPath(new URL("../../conformance/", import.meta.url));
/** The corpus, and the kits in folders of their own: a suite of a kit has the same clauses and kinds. */
const folders = ["", ...readdirSync(`${conformance}cases`, { withFileTypes: true }).flatMap(folderOf).sort()];
const suites = folders.flatMap((folder) =>
	readdirSync(`${conformance}cases/${folder}`)
		.filter((name) => name.endsWith(".json"))
		.sort()
		.map((name) => JSON.parse(readFileSync(`${conformance}cases/${folder}${name}`, "utf8"))),
);

const report = coverageReport(suites);
const gaps = suites.flatMap((suite) =>
	suite.clauses.flatMap((clause) =>
		missingKinds(clause, suite).map((kind) => `${clause.id} has no case that shows: ${kind}`),
	),
);
for (const suite of suites)
	for (const { item, clauses, tests = [] } of suite.required ?? []) {
		const shown = suite.cases.some((each) => clauses.includes(each.clause)) || tests.length > 0;
		if (!shown) gaps.push(`${item} has neither a case nor a test`);
		for (const test of tests)
			if (!existsSync(new URL(`../../${test}`, import.meta.url))) gaps.push(`${item} names ${test}, which isn't there`);
	}
for (const gap of gaps) console.error(gap);

function folderOf(entry) {
	return entry.isDirectory() ? [`${entry.name}/`] : [];
}

if (process.argv.includes("--check")) {
	const current = readFileSync(`${conformance}COVERAGE.md`, "utf8") === report;
	if (!current) console.error("conformance/COVERAGE.md is not what the cases give; run node test/house/coverage.mjs");
	process.exitCode = current && gaps.length === 0 ? 0 : 1;
} else {
	writeFileSync(`${conformance}COVERAGE.md`, report);
	process.exitCode = gaps.length === 0 ? 0 : 1;
}
