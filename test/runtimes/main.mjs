// `npm run test:runtimes`: the corpus and the environment-neutral tests in every runtime, with its own streams and with
// web-streams-polyfill; in those that are programs also the SDK, the host and the examples. Words name single runtimes:
// `npm run test:runtimes -- Deno WebKit`. A runtime that isn't installed is skipped by name, and a failure where CI is set.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { addCounts } from "./counts.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const repository = fileURLToPath(new URL("../..", import.meta.url));
const SUITE = `${repository}dist/runtimes/suite.js`;
const REPORT = `${repository}dist/runtimes/report.json`;

/** What one piece of work may take; a runtime that hangs is a failure that says so. */
const DEADLINE = 600_000;

/** Kits wait for deadlines and processes, so one piece more than the cores of a small machine. */
const AT_ONCE = 3;

/** The random tests go on at length in `npm test`; here they meet another engine. */
const ENV = { MILLRACE_RUNS: "150", MILLRACE_EXPLORE: "1000" };

if (!existsSync(`${here}node_modules/buffer`)) {
	console.log("runtimes  installing test/runtimes/package-lock.json");
	spawnSync("npm", ["ci", "--prefix", here, "--ignore-scripts", "--silent"], { stdio: "inherit" });
}
// These look for the runtimes when they are loaded.
const { bundleSuite } = await import("./bundle.mjs");
const { BROWSERS, runInBrowser } = await import("./browsers.mjs");
const processes = await import("./processes.mjs");

const started = Date.now();
mkdirSync(`${repository}dist/runtimes`, { recursive: true });
const bundled = await bundleSuite(SUITE);
console.log(`runtimes  ${bundled.length} test files in one module`);

const native = { streams: "native", env: ENV };
const polyfill = { streams: "polyfill", env: ENV };
const ofPage = { ...native, ofPage: true };
const asked = process.argv.slice(2);
const wanted = ({ name }) => asked.length === 0 || asked.some((word) => name.startsWith(word));

/** The pieces of work in each runtime, by their names in the report. */
const RUNTIMES = [
	...BROWSERS.map((runtime) => ({
		runtime,
		work: {
			native: () => runInBrowser(runtime, SUITE, native, DEADLINE),
			polyfill: () => runInBrowser(runtime, SUITE, polyfill, DEADLINE),
			page: () => runInBrowser(runtime, SUITE, ofPage, DEADLINE),
		},
	})),
	...processes.PROCESSES.map((runtime) => ({
		runtime,
		work: {
			native: () => processes.runInProcess(runtime, SUITE, native, DEADLINE),
			polyfill: () => processes.runInProcess(runtime, SUITE, polyfill, DEADLINE),
			component: () => processes.componentKit(runtime, DEADLINE),
			host: () => processes.hostKit(runtime, DEADLINE),
			examples: () => processes.examples(runtime, DEADLINE),
		},
	})),
].filter(({ runtime }) => wanted(runtime));

const TITLES = {
	native: "corpus and tests, native streams",
	polyfill: "corpus and stream tests, web-streams-polyfill",
	component: "component kit",
	host: "host kit",
	examples: "examples",
	page: "Flows in Workers",
};

/** Runs one piece; whatever goes wrong is a failure of the report, with its reason. */
async function attempt(work) {
	const before = Date.now();
	try {
		const { passed, skipped = [], failures } = await work();
		return { passed, failed: failures.length, skipped, failures, milliseconds: Date.now() - before };
	} catch (error) {
		const failures = [{ test: "the run itself", message: error.message }];
		return { passed: 0, failed: 1, skipped: [], failures, milliseconds: Date.now() - before };
	}
}

const fileOf = (test) => test.split(" > ")[0];

/** Says what came of one runtime; the skipped tests by name are in the report. */
function tell({ name, version, parts }) {
	for (const [part, { passed, failed, skipped, failures, milliseconds }] of Object.entries(parts)) {
		const left = skipped.length === 0 ? "" : `, ${skipped.length} skipped`;
		const seconds = (milliseconds / 1_000).toFixed(1);
		console.log(
			`runtime   ${name} ${version}: ${TITLES[part]}: ${passed} passed, ${failed} failed${left} (${seconds} s)`,
		);
		for (const { test, message } of failures.slice(0, 20)) {
			console.log(`  FAILED  ${test}\n          ${message.split("\n").slice(0, 12).join("\n          ")}`);
		}
		const files = new Map();
		for (const test of skipped) files.set(fileOf(test), (files.get(fileOf(test)) ?? 0) + 1);
		if (files.size > 0)
			console.log(`  skipped ${Array.from(files, ([file, count]) => `${count} in ${file}`).join(", ")}`);
	}
}

const results = [];
const queue = [];
for (const { runtime, work } of RUNTIMES) {
	const { name, path, lacks } = runtime;
	const result = { name, version: path === undefined ? undefined : await runtime.version(), parts: {} };
	results.push(result);
	if (path === undefined) {
		console.log(`runtime   ${name}: ${process.env.CI ? "MISSING" : "skipped, it isn't installed"} (${lacks})`);
		continue;
	}
	let left = Object.keys(work).length;
	for (const [part, make] of Object.entries(work))
		queue.push(async () => {
			result.parts[part] = undefined;
			result.parts[part] = await attempt(make);
			left -= 1;
			if (left === 0) tell(result);
		});
}
await Promise.all(
	Array.from({ length: AT_ONCE }, async () => {
		for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
	}),
);

const parts = results.flatMap((result) => Object.values(result.parts));
const missing = results.filter(({ version }) => version === undefined).length;
const sum = (count) => parts.reduce((total, part) => total + count(part), 0);
const counts = {
	passed: sum(({ passed }) => passed),
	failed: sum(({ failed }) => failed) + (process.env.CI ? missing : 0),
	skipped: sum(({ skipped }) => skipped.length) + (process.env.CI ? 0 : missing),
};
if (asked.length === 0) writeFileSync(REPORT, `${JSON.stringify({ runtimes: results }, undefined, "\t")}\n`);
if (asked.length === 0 && missing === 0) {
	const { tableDifference } = await import("./table.mjs");
	const difference = tableDifference();
	if (difference !== undefined) {
		counts.failed += 1;
		console.log(`  FAILED  ${difference}`);
	} else counts.passed += 1;
}
console.log(`runtimes  ${((Date.now() - started) / 1_000).toFixed(0)} s`);
addCounts("All runtimes", counts);
process.exit(counts.failed === 0 ? 0 : 1);
