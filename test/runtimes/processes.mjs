// The runtimes that are programs: Node by its lines, Deno and Bun. What each runs is run as a user would: by its own binary.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const repository = fileURLToPath(new URL("../..", import.meta.url));
const millrace = join(repository, "dist/adapters/node/cli/main.js");
const installed = (path) => join(here, "node_modules", path);

/** Deno writes no lockfile into this repository and takes packages from where npm has put them, and may do what any process may. */
const DENO = ["run", "--quiet", "--no-lock", "--node-modules-dir=manual", "--allow-all"];

/** The process runtimes of the matrix, by where the manifest beside this file puts them; `path` is undefined where one isn't installed. */
export const PROCESSES = [
	["Node 20", "node20/bin/node", []],
	["Node 22", "node22/bin/node", []],
	["Node 24", "node24/bin/node", []],
	["Node 26", "node26/bin/node", []],
	["Deno", "@deno/linux-x64-glibc/deno", DENO],
	["Bun", "@oven/bun-linux-x64/bin/bun", []],
].map(([name, place, words]) => {
	const path = existsSync(installed(place)) ? installed(place) : undefined;
	return {
		name,
		path,
		command: [path, ...words],
		lacks: "npm ci --prefix test/runtimes, on Linux x64",
		version: async () => {
			const { stdout } = await run(path, ["--version"]);
			return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? "?";
		},
	};
});

/** What a failed command said, the end of it. */
const said = ({ message, stdout = "", stderr = "" }) =>
	`${message.split("\n")[0]}\n${`${stdout}${stderr}`.slice(-2_000)}`;

/** Runs the suite by a runtime's binary. Resolves to its report, or rejects with what became of the process. */
export async function runInProcess({ command: [path, ...words] }, suite, options, deadline) {
	const folder = await mkdtemp(join(tmpdir(), "millrace-runtime-"));
	try {
		const file = join(folder, "report.json");
		const program = [join(here, "in-process.mjs"), suite, JSON.stringify(options), file];
		await run(path, [...words, ...program], { timeout: deadline, killSignal: "SIGKILL", maxBuffer: 1 << 26 });
		return JSON.parse(await readFile(file, "utf8"));
	} catch (error) {
		throw new Error(said(error));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** One of the kits, played by Node against a component or a host that the runtime runs. Resolves to its counts. */
async function kit(words, deadline) {
	let out;
	try {
		out = await run(process.execPath, [millrace, "conformance", ...words, "--jobs", "1", "--json"], {
			timeout: deadline,
			maxBuffer: 1 << 26,
		});
	} catch (error) {
		if (typeof error.code !== "number" || !error.stdout) throw new Error(said(error));
		out = error;
	}
	const { passed, failures } = JSON.parse(out.stdout);
	return { passed, failures: failures.map(({ name, difference }) => ({ test: name, message: difference })) };
}

const line = (words) => words.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(" ");

/** The component kit against the SDK as this runtime resolves and runs it. */
export function componentKit({ command }, deadline) {
	const component = join(repository, "conformance/components/component.mjs");
	return kit(["component", "--component", line([...command, component])], deadline);
}

/**
 * The part of the host kit that has a host start a component and children of it, against our host in this runtime. The whole of it
 * takes minutes, and its other parts ask the same session that the suite has asked already.
 */
export function hostKit({ command }, deadline) {
	const words = ["host", "--suite", "children", "--host", line([...command, millrace, "conformance", "host-job"])];
	return kit(words, deadline);
}

/** The examples, each as its README line says, by this runtime. */
const EXAMPLES = [
	["greet", [millrace, "run", "demo/flows/greet", "--input", '{"name":"Ada"}'], '"greeting": "Hello, Ada!"'],
	[
		"parent and child",
		[millrace, "run", "demo/flows/parent", "--input", '{"name":"Ada"}', "--child", "greeter=demo/flows/greet"],
		'"greeting": "Hello, Ada!"',
	],
	[
		"channels",
		["demo/survey.mjs"],
		'done {"place":"Hobart","summary":{"readings":5,"mean":12.25,"warmest":14.25},"recorded":5}',
	],
	[
		"host and components in one runtime",
		["test/runtimes/one-runtime.mjs"],
		'done {"place":"Hobart","summary":{"readings":3',
	],
];

export async function examples({ command: [path, ...words] }, deadline) {
	const report = { passed: 0, failures: [] };
	for (const [name, program, expected] of EXAMPLES) {
		try {
			const { stdout } = await run(path, [...words, ...program], {
				cwd: repository,
				timeout: deadline,
				maxBuffer: 1 << 24,
			});
			if (!stdout.includes(expected)) throw new Error(`it printed ${stdout.slice(-500)}`);
			report.passed += 1;
		} catch (error) {
			report.failures.push({ test: `example ${name}`, message: said(error) });
		}
	}
	return report;
}
