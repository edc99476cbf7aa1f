// One closing line over several runs: with MILLRACE_COUNTS, each run adds its counts to that file and prints no line of its own;
// `node test/runtimes/counts.mjs FILE` prints the sum, and exits 1 when anything failed.
import { appendFileSync, readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

const closingLine = ({ passed, failed, skipped }) =>
	`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`;

/** Prints the closing line of a run, or keeps its counts for the one of several and says whose they are. */
export function addCounts(runner, counts) {
	const file = process.env.MILLRACE_COUNTS;
	if (file) appendFileSync(file, `${JSON.stringify(counts)}\n`);
	writeSync(1, file ? `${runner}: ${closingLine(counts)}` : closingLine(counts));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const total = { passed: 0, failed: 0, skipped: 0 };
	for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
		for (const [name, count] of Object.entries(JSON.parse(line))) total[name] += count;
	}
	process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
	process.exitCode = total.failed === 0 ? 0 : 1;
}
