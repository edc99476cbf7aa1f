/** `millrace conformance host` and `host-job`: exit codes, reports, selections, and that nothing stays behind. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, leftIn, millrace, processesWith, start, until, workspace, writeTree } from "./command.ts";

/** An adapter in a file, as a command line. */
function adapter(source: string): { line: string; file: string } {
	const file = join(writeTree(workspace(), { "adapter.mjs": source }), "adapter.mjs");
	return { line: `"${process.execPath}" "${file}"`, file };
}

const HOST = ["conformance", "host"];

describe.concurrent("conformance host", () => {
	test.each(["mjs", "py"])(
		"our host passes what is selected, with components in %s",
		async (entry) => {
			const temporary = workspace();
			const words = [...HOST, "--suite", "completion", "--case", "*exit/*", "--entry", entry, "--jobs", "4"];
			const { exitCode, answer, stderr } = await asked(words, { temporary });
			expect({ exitCode, answer, stderr }).toMatchObject({
				exitCode: 0,
				answer: { status: "succeeded", failed: 0, tolerated: 0, unsupported: 0, failures: [], others: [] },
				stderr: "",
			});
			expect(answer.passed).toBeGreaterThan(10);
			expect(leftIn(temporary)).toEqual([]);
		},
		60_000,
	);

	test("a host that takes everything fails case by case, with what was expected and seen", async () => {
		const { line } = adapter(`console.log(JSON.stringify({ status: "accepted", outcome: "done", output: "ok" }));`);
		const words = [...HOST, "--suite", "errors", "--case", "error/un*", "--host", line];
		const { exitCode, stdout, stderr } = await millrace(words);
		expect(exitCode).toBe(1);
		expect(stdout).toBe("0 passed, 2 failed, 0 with another reading, 0 unsupported\n");
		expect(stderr).toContain(
			'failed error/unavailable [host.error.root] expected to be refused, was accepted with "ok"',
		);
		expect(stderr).toContain("no component was started");
		expect(stderr).toContain("suite     Run/1 §7, hosts: 0 of 2 cases passed");
		const { answer } = await asked(words);
		expect(answer).toMatchObject({
			code: "CONFORMANCE_FAILED",
			failed: 2,
			failures: [{ name: "error/unavailable" }, {}],
		});
	});

	test("a host that says it can't is told as such, and that is no failure", async () => {
		const { line } = adapter(`console.log(JSON.stringify({ status: "unsupported", what: "anything" }));`);
		const { exitCode, answer } = await asked([...HOST, "--case", "exit/zero", "--host", line]);
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 0,
			answer: { passed: 0, unsupported: 1, others: [{ name: "exit/zero", difference: "anything" }] },
		});
	});

	test.each<[string, string, string]>([
		["says nothing", "", "wrote 0 lines"],
		["says what is no JSON", "console.log('hello');", "no JSON: hello"],
		["says what isn't UTF-8", "process.stdout.write(Buffer.from([0xff, 0x0a]));", "no UTF-8"],
		["crashes", "console.log('{}'); console.error('why'); process.exit(3);", "exit code 3; it said: why"],
		["answers with no verdict", "console.log('{}');", "no verdict"],
		["answers with a list", "console.log('[]');", "no JSON object"],
	])("an adapter that %s fails its case", async (_, source, difference) => {
		const { exitCode, answer } = await asked([...HOST, "--case", "exit/zero", "--host", adapter(source).line]);
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { failures: [{ difference: expect.stringContaining(difference) }] },
		});
	});

	test("an adapter that hangs is ended as a whole", async () => {
		const { line, file } = adapter(`import { spawn } from "node:child_process";
			if (process.argv[2] !== "again") spawn(process.execPath, [process.argv[1], "again"], { stdio: "inherit" });
			process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`);
		const words = [...HOST, "--case", "exit/zero", "--host", line, "--timeout", "700ms"];
		const { exitCode, answer } = await asked(words);
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { failures: [{ difference: expect.stringContaining("after 700 ms without an end") }] },
		});
		await until(() => processesWith(file).length === 0);
	});

	test("an adapter that can't be started", async () => {
		const { exitCode, answer } = await asked([...HOST, "--host", "/nowhere/adapter -v"]);
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { code: "HOST_START_FAILED", message: expect.stringContaining("/nowhere/adapter") },
		});
	});

	test("an interrupted one ends its host and the host's components", async () => {
		const temporary = workspace();
		const hanging = start([...HOST, "--case", "bounds/answers-that-nobody-reads", "--json"], { temporary });
		await until(() => processesWith(temporary).length >= 2);
		hanging.process.kill("SIGTERM");
		const { exitCode, stdout } = await hanging.finished;
		expect({ exitCode, answer: JSON.parse(stdout) }).toMatchObject({ exitCode: 1, answer: { code: "INTERRUPTED" } });
		await until(() => processesWith(temporary).length === 0);
		expect(leftIn(temporary)).toEqual([]);
	});

	test.each<[string, string[], string]>([
		["a suite that is none", ["--suite", "nope"], "the suites are"],
		["a case that is none", ["--case", "nope"], 'no case fits "nope"'],
		["a language that is none", ["--entry", "rb"], "mjs, py"],
		["no jobs", ["--jobs", "0"], "no number of things"],
		["an empty host", ["--host", " "], "names no program"],
	])("%s", async (_, words, message) => {
		const { exitCode, stderr } = await millrace([...HOST, ...words]);
		expect(exitCode).toBe(2);
		expect(stderr).toContain(message);
	});
});

test("host-job refuses a file that is no job", async () => {
	const { exitCode, stdout } = await millrace(["conformance", "host-job", join(workspace(), "none.json")]);
	expect(exitCode).toBe(1);
	expect(stdout).toBe("");
	expect(readdirSync(workspace())).toEqual([]);
});
