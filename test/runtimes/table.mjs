// `node test/runtimes/table.mjs` writes README's table of runtimes from the report of the last whole `npm run test:runtimes`.
// That run itself holds the table against what it found: what works where must agree, versions may drift.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const README = `${repository}README.md`;
const BEGIN = "<!-- runtimes: written by test/runtimes/table.mjs -->\n";
const END = "<!-- /runtimes -->\n";

const COLUMNS = [
	["native", "core"],
	["polyfill", "core on web-streams-polyfill"],
	["component", "SDK"],
	["host", "host"],
	["examples", "examples"],
	["page", "Flows in Workers"],
];

/** What a runtime lacks, told by the tests that say themselves that they can't run there; other skipped tests are in the report. */
const LACKS = [
	[/shared memory is read/, "no `SharedArrayBuffer`"],
	[/when the port closes|that the port has closed/, "a `MessagePort` isn't told that its peer has closed"],
	[/`await using`/, "no `await using`"],
];

function lacksOf({ parts }) {
	const found = parts.native.skipped.map((test) => LACKS.find(([pattern]) => pattern.test(test))?.[1]);
	return [...new Set(found.filter((words) => words !== undefined))].join("; ");
}

const row = (cells) => `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|\n`;

/** The table of a report, as Markdown: programs first. */
function tableOf({ runtimes }) {
	const rows = runtimes.map((result) => {
		const cells = COLUMNS.map(([part]) => {
			const found = result.parts[part];
			return found === undefined ? "" : found.failed === 0 && found.passed > 0 ? "yes" : "no";
		});
		return [`${result.name.replace(/ \d+$/, "")} ${result.version}`, ...cells, lacksOf(result)];
	});
	const isProgram = ([, , , sdk]) => sdk !== "";
	rows.sort((a, b) => Number(isProgram(b)) - Number(isProgram(a)));
	const head = ["", ...COLUMNS.map(([, title]) => title), "what it lacks"];
	return [head, head.map(() => "---"), ...rows].map(row).join("");
}

/** The report of the last run that asked for no single runtimes. */
function report() {
	const found = JSON.parse(readFileSync(`${repository}dist/runtimes/report.json`, "utf8"));
	const missing = found.runtimes.filter(({ version }) => version === undefined).map(({ name }) => name);
	if (missing.length > 0)
		throw new Error(`The last run had no ${missing.join(", ")}: install what it lacks, and run it again.`);
	return found;
}

function split(text) {
	const begin = text.indexOf(BEGIN);
	const end = text.indexOf(END);
	if (begin < 0 || end < begin) throw new Error("README.md has no place for the table of runtimes.");
	return [text.slice(0, begin + BEGIN.length), text.slice(begin + BEGIN.length, end), text.slice(end)];
}

/** What differs between README's table and the last report, beside versions; undefined when they agree. */
export function tableDifference() {
	const [, written] = split(readFileSync(README, "utf8"));
	const lasting = (table) => table.replace(/^(\| [A-Za-z() ]+?)(?: (\d+))?(?:\.\d+)+ /gm, "$1 ");
	const [was, is] = [lasting(written), lasting(tableOf(report()))].map((table) => table.split("\n"));
	const at = is.findIndex((line, index) => line !== was[index]);
	if (at < 0 && was.length === is.length) return undefined;
	return `README's table of runtimes is not what was found; node test/runtimes/table.mjs writes it anew: ${is[at] ?? "a row is too many"}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [before, , after] = split(readFileSync(README, "utf8"));
	writeFileSync(README, before + tableOf(report()) + after);
}
