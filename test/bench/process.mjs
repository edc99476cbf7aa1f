// One whole Run of a package on disk, from loading to the accepted result, against starting `node` for nothing and for one
// line of output: what the protocol, the stage and the checks add to a process that has to be started anyway.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestPackage, directory, nodeRuntime } from "../../dist/adapters/node/index.js";
import { createHost } from "../../dist/src/host/index.js";
import { compareTasks, isShort, peakMemory } from "./measure.mjs";

/** The most memory of the program itself, in MB: the last thing a child says. */
const PEAK = `await import(${JSON.stringify(new URL("./measure.mjs", import.meta.url).href)}).then((own) => own.peakMemory())`;

const PACKAGE = {
	"FLOW.md": "---\nname: echo\ndescription: Gives its input back.\n---\n",
	"flow.mjs":
		'import { handle } from "@jigging/flow";\nawait handle(async (run) => ({ outcome: "done", output: run.input }));\n',
	"input.schema.json": '{"$schema":"https://flow.jig.md/schemas/schema-1.json","type":"object"}',
};
const WEIGHING = {
	"FLOW.md": PACKAGE["FLOW.md"],
	"flow.mjs": `import { handle } from "@jigging/flow";\nawait handle(async () => ({ outcome: "done", output: ${PEAK} }));\n`,
};
const ECHO = 'process.stdin.once("data", (line) => { process.stdout.write(line); process.stdin.destroy(); });';

function writePackage(root, files) {
	mkdirSync(root);
	for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
	return directory(root);
}

/** As bare as a component's: what this process was given (certificates, options) can double the start of a child. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };

/** Starts node, gives it a line where it wants one, and waits for its end. */
function runNode(args, line) {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: ENVIRONMENT });
		let answer = "";
		child.stdout.on("data", (chunk) => {
			answer += chunk;
		});
		child.on("error", reject);
		child.on("close", (status) => (status === 0 ? resolve(answer) : reject(new Error(`node ended with ${status}`))));
		child.stdin.end(line);
	});
}

/** Loads and runs the package of `root` once in a fresh process and prints that host's peak memory in MB. */
export async function measureMemory(root) {
	const host = createHost({ runtime: nodeRuntime() });
	const pack = await host.load(directory(root));
	await host.run(pack, { input: { name: "Ada" }, deadlineMs: 60_000 }).result;
	await pack.dispose();
	console.log(peakMemory().toFixed(0));
}

export async function bench() {
	const base = mkdtempSync(join(tmpdir(), "millrace-bench-process-"));
	try {
		const source = writePackage(join(base, "echo"), PACKAGE);
		const host = createHost({ runtime: nodeRuntime() });
		const input = { name: "Ada", list: Array.from({ length: 20 }, (_, index) => index) };
		const line = `${JSON.stringify(input)}\n`;
		const echo = join(base, "echo.mjs");
		writeFileSync(echo, ECHO);
		const run = (pack) => host.run(pack, { input, deadlineMs: 60_000 }).result;
		const pack = await host.load(source);
		await compareTasks(
			"one Run",
			[
				["node -e 0", () => runNode(["-e", "0"], "")],
				["node echoing one line", () => runNode([echo], line)],
				["host.run of a loaded package", () => run(pack)],
				[
					"host.load, host.run, dispose",
					async () => {
						const fresh = await host.load(source);
						await run(fresh);
						await fresh.dispose();
					},
				],
			],
			{ rounds: isShort ? 1 : 15, goal: 1 / 1.2 },
		);
		await pack.dispose();

		await compareTasks(
			"loading a small package",
			[
				["digestPackage", () => digestPackage(source)],
				["host.load and dispose", async () => (await host.load(source)).dispose()],
			],
			{ rounds: isShort ? 1 : 15 },
		);

		const weighing = await host.load(writePackage(join(base, "weighing"), WEIGHING));
		const { output: component } = await run(weighing);
		await weighing.dispose();
		const bare = await runNode(["--input-type=module", "-e", `console.log(${PEAK})`], "");
		const self = JSON.stringify(fileURLToPath(import.meta.url));
		const script = `import(${self}).then((own) => own.measureMemory(${JSON.stringify(join(base, "echo"))}))`;
		const hostPeak = await runNode(["-e", script], "");
		const cells = { "bare node": bare, "a component": component, "a host with one Run": hostPeak };
		const memory = Object.entries(cells).map(([name, megabytes]) => `${name} ${Number(megabytes).toFixed(0)}`);
		console.log(`peak memory, MB: ${memory.join("; ")}`);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}
