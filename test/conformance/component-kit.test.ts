import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadComponentSuites } from "../../adapters/node/cli/component-kit/suites.ts";
import { asked, millrace, processesWith, repository, workspace } from "../cli/command.ts";
import { hasPython } from "../house/python.ts";

const OURS = join(repository, "conformance/components/component.mjs");
const PYTHON = join(repository, "conformance/components/component.py");

const kit = (component: string, ...words: string[]) =>
	asked(["conformance", "component", "--component", component, "--timeout", "20s", "--jobs", "3", ...words]);

const total = [...loadComponentSuites().values()].reduce((sum, { cases }) => sum + cases.length, 0);

describe("the component kit (COMPONENT.md)", () => {
	test("every case passes over this library's SDK", async () => {
		const { exitCode, answer } = await kit(`node ${OURS}`);
		expect(answer.failures).toEqual([]);
		expect({ exitCode, passed: answer.passed }).toEqual({ exitCode: 0, passed: total });
	}, 120_000);

	test.runIf(hasPython && existsSync(PYTHON))(
		"every case passes over the component in Python, written from the specification alone",
		async () => {
			const { exitCode, answer } = await kit(`python3 ${PYTHON}`);
			expect(answer.failures).toEqual([]);
			expect(exitCode).toBe(0);
		},
		180_000,
	);

	test("names are unique, and each says its suite's place", () => {
		const names = [...loadComponentSuites()].flatMap(([file, { cases }]) => cases.map(({ name }) => `${file}/${name}`));
		expect(new Set(names).size).toBe(names.length);
	});
});

/** The component behind something that changes its frames: `change` gets a frame's text and gives the texts to write. */
function flawed(change: string, atEnd = "process.exitCode = code;"): string {
	const file = join(workspace(), "flawed.mjs");
	writeFileSync(
		file,
		`import { spawn } from "node:child_process";
const child = spawn(process.execPath, [${JSON.stringify(OURS)}], { stdio: ["pipe", "pipe", "ignore"] });
process.stdin.pipe(child.stdin);
child.stdin.on("error", () => {});
const change = ${change};
let rest = "";
child.stdout.setEncoding("utf8").on("data", (chunk) => {
	const lines = (rest + chunk).split("\\n");
	rest = lines.pop();
	for (const line of lines) for (const text of [change(line)].flat()) process.stdout.write(text + "\\n");
});
child.on("close", (code) => { process.stdin.destroy(); ${atEnd} });
`,
	);
	return `node ${file}`;
}

describe.concurrent("a component with one flaw is found out", () => {
	test.each<[string, string, string, string?]>([
		["drops its cancellations", "call/*", '(line) => (line.includes("request/cancel") ? [] : line)'],
		["uses an id twice", "ids/*", '(line) => line.replace(/"component:[0-9]+"/, \'"component:1"\')'],
		["writes another frame after its terminal", "frame/whole", '(line) => [line, \'{"jsonrpc":"2.0","method":"x"}\']'],
		["writes what is no frame", "frame/whole", '(line) => ["hello", line]'],
		["answers with another output", "capability/value", "(line) => line.replace('\"deep\"', '\"other\"')"],
		[
			"loses the details of an error",
			"error/details",
			'(line) => line.replace(/,"details":\\{"why":\\["x"\\]\\}/, "")',
		],
		["claims success after a violation", "json/syntax", "(line) => line", "process.exitCode = 0;"],
		["fails after a good end", "frame/whole", "(line) => line", "process.exitCode = 1;"],
		["does not end", "frame/whole", "(line) => line", "setInterval(() => {}, 1_000);"],
		["leaves a release out", "cancel/read-releases", '(line) => (line.includes("channel/release") ? [] : line)'],
		["sends an unwanted member", "create/default", '(line) => line.replace(\'"params":{}\', \'"params":{"more":1}\')'],
	])("%s", async (_, pattern, change, atEnd) => {
		const { exitCode, answer } = await kit(flawed(change, atEnd), "--case", pattern, "--timeout", "4s");
		expect(exitCode).toBe(1);
		expect(answer).toMatchObject({ code: "CONFORMANCE_FAILED" });
		expect(answer.failed).toBeGreaterThan(0);
	});
});

describe.concurrent("components that are none", () => {
	test.each([
		["ends at once", "process.exit(0);"],
		["spins", "for (;;);"],
		["ignores its stdin", "setInterval(() => {}, 1_000);"],
		["floods stdout", 'const x = "x".repeat(65536); const go = () => process.stdout.write(x, go); go();'],
		["floods stderr", 'const x = "x".repeat(65536); const go = () => process.stderr.write(x, go); go();'],
		["ignores SIGTERM", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1_000);'],
	])("one that %s fails its case in bounded time and is gone", async (_, code) => {
		const file = join(workspace(), "none.mjs");
		writeFileSync(file, code);
		const { exitCode, answer } = await kit(`node ${file}`, "--case", "frame/whole", "--timeout", "3s");
		expect({ exitCode, failed: answer.failed }).toEqual({ exitCode: 1, failed: 1 });
		expect(processesWith(file)).toEqual([]);
	});

	test("one that can't be started is told as that", async () => {
		const { exitCode, answer } = await kit("/nowhere/component");
		expect({ exitCode, code: answer.code }).toEqual({ exitCode: 1, code: "COMPONENT_START_FAILED" });
	});

	test("unknown suites and cases are usage errors", async () => {
		for (const words of [
			["--suite", "none"],
			["--case", "none"],
			["--jobs", "0"],
		]) {
			expect((await millrace(["conformance", "component", ...words])).exitCode).toBe(2);
		}
	});
});
