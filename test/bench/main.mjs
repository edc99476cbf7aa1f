// Prints ratios against named peers, measured in one process per area; never a test. `npm run bench -- json schema` runs a
// selection; with `--json` standard output is one object, { rows: [{ name, ratio, goal, met, peers }] }, and the rest goes to
// standard error. `--short` runs everything once and briefly: that it works is seen, its ratios mean nothing.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const areas = readdirSync(here)
	.filter((name) => name.endsWith(".mjs") && name !== "main.mjs" && name !== "measure.mjs")
	.map((name) => name.slice(0, -4));
const asked = process.argv.slice(2);
const asJson = asked.includes("--json");
const isShort = asked.includes("--short");
const wanted = asked.filter((name) => !["--json", "--short"].includes(name));
const unknown = wanted.filter((name) => !areas.includes(name));
const say = asJson ? console.error : console.log;

/** Runs one area in a process of its own and gives its rows, which come on a pipe beside its output. */
function rowsOf(area) {
	const script = `import(${JSON.stringify(`${here}${area}.mjs`)})
		.then((module) => module.bench())
		.then(() => import(${JSON.stringify(`${here}measure.mjs`)}))
		.then(({ rows }) => require("node:fs").writeSync(3, JSON.stringify(rows)));`;
	const { status, output } = spawnSync(process.execPath, ["--expose-gc", "-e", script], {
		env: { ...process.env, ...(isShort ? { MILLRACE_BENCH: "short" } : {}) },
		stdio: ["inherit", asJson ? 2 : "inherit", "inherit", "pipe"],
		maxBuffer: 2 ** 26,
	});
	if (status !== 0) process.exitCode = 1;
	const text = output[3].toString();
	return text === "" ? [] : JSON.parse(text).map((row) => ({ ...row, name: `${area}: ${row.name}` }));
}

if (unknown.length > 0) {
	console.error(`no bench named ${unknown.join(", ")}; there are ${areas.join(", ")}`);
	process.exitCode = 2;
} else {
	say(`node ${process.version}, ${process.arch}`);
	say("Ratios are speeds against the first named: 1.00 is as fast, 2.00 twice as fast.");
	const rows = [];
	for (const area of wanted.length > 0 ? wanted : areas) {
		say(`\n# ${area}`);
		rows.push(...rowsOf(area));
	}
	if (asJson) console.log(JSON.stringify({ rows }));
}
