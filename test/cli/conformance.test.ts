import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { linesOf } from "../../adapters/node/cli/lines.ts";
import { asked, leftIn, main, millrace, processesWith, start, until, workspace, writeTree } from "./command.ts";

/** A driver in a file, as a command line. */
function driver(source: string): { line: string; file: string } {
	const file = join(writeTree(workspace(), { "driver.mjs": source }), "driver.mjs");
	return { line: `"${process.execPath}" "${file}"`, file };
}

const REQUEST = '{"op":"json.parse","id":1,"text":"[1]"}';

async function serve(
	input: string | Uint8Array,
): Promise<{ exitCode: number | null; answers: Record<string, unknown>[] }> {
	const { exitCode, stdout } = await millrace(["conformance", "serve"], { input });
	return {
		exitCode,
		answers: stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>),
	};
}

describe.concurrent("conformance serve", () => {
	test("answers every line in its place, whatever it holds", async () => {
		const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
		const lines = [
			...[
				"",
				" ",
				"{",
				"null",
				"[]",
				"1",
				'"text"',
				"\ufeff{}",
				"{}",
				'{"op":1}',
				'{"op":"nope"}',
				'{"op":"__proto__"}',
				'{"op":"toString"}',
			],
			...[
				'{"op":"json.parse"}',
				'{"op":"json.parse","text":"1","b64":""}',
				'{"op":"json.parse","hex":"0"}',
				'{"op":"package.digest","files":7}',
			],
			...[
				'{"op":"package.digestTree","root":7}',
				'{"op":"contract.capability","descriptor":1e999}',
				`{"op":"nope","id":${deep}}`,
				deep,
			],
		];
		const input = Buffer.concat([
			...lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")]),
			Buffer.from([0x22, 0xff, 0x22, 0x0a]),
			Buffer.from(`${REQUEST}\r\n${REQUEST}`),
		]);
		const { exitCode, answers } = await serve(input);
		expect(exitCode).toBe(0);
		expect(answers).toHaveLength(lines.length + 3);
		const malformed = answers.slice(0, -2);
		for (const answer of malformed) expect(answer).toMatchObject({ ok: false });
		expect(malformed.filter((answer) => "badRequest" in answer).length).toBeGreaterThanOrEqual(lines.length - 2);
		for (const answer of answers.slice(-2)) expect(answer).toMatchObject({ id: 1, ok: true, canonical: "[1]" });
	});

	test("a line beyond the protocol's bound is skipped, the next one answered", async () => {
		const { exitCode, answers } = await serve(
			Buffer.concat([Buffer.alloc(67_108_865, "x"), Buffer.from(`\n${REQUEST}\n`)]),
		);
		expect(exitCode).toBe(0);
		expect(answers).toMatchObject([{ ok: false, badRequest: expect.stringContaining("67108864") }, { ok: true }]);
	});

	test("ends when nobody reads its answers any more", async () => {
		const script = `yes '${REQUEST}' | "$0" "$1" conformance serve | head -n 1`;
		const shell = spawn("bash", ["-c", script, process.execPath, main], { stdio: ["ignore", "pipe", "pipe"] });
		let said = "";
		for (const stream of [shell.stdout, shell.stderr]) {
			stream.on("data", (chunk) => {
				said += String(chunk);
			});
		}
		expect(await new Promise((resolve) => shell.once("close", resolve))).toBe(0);
		expect(said).toMatch(/^\{[^\n]+\}\n$/);
	});
});

describe.concurrent("conformance run", () => {
	test("our driver passes", async () => {
		const { exitCode, answer } = await asked(["conformance", "run"]);
		expect(exitCode).toBe(0);
		expect(answer).toMatchObject({ status: "succeeded", failed: 0, failures: [] });
		expect(answer.passed).toBeGreaterThan(500);
	}, 60_000);

	test("a driver that answers wrongly, or what is no JSON, fails case by case", async () => {
		const { line } = driver(`import { createInterface } from "node:readline";
			let count = 0;
			for await (const line of createInterface({ input: process.stdin }))
				console.log((count += 1) % 2 === 0 ? "hello" : JSON.stringify({ id: JSON.parse(line).id, ok: true }));`);
		const { exitCode, stdout, stderr } = await millrace(["conformance", "run", "--suite", "unicode", "--driver", line]);
		expect(exitCode).toBe(1);
		expect(stdout).toMatch(/^\d+ passed, \d+ failed, \d+ with another reading\n$/);
		expect(stderr).toMatch(/failed \S+\/\S+ \[\S+\] canonical|nothing/);
		expect(stderr).toMatch(/failed \S+\/\S+ \[\S+\] the answer is no JSON: hello/);
	}, 60_000);

	test("a driver that dies on a case is started again; only that case fails", async () => {
		const marker = join(workspace(), "died");
		const { line } =
			driver(`import { spawn } from "node:child_process"; import { createInterface } from "node:readline";
			import { existsSync, writeFileSync } from "node:fs";
			const marker = ${JSON.stringify(marker)};
			const stdio = ["pipe", "inherit", "inherit"];
			const ours = spawn(process.execPath, [${JSON.stringify(main)}, "conformance", "serve"], { stdio });
			let count = 0;
			for await (const line of createInterface({ input: process.stdin })) {
				count += 1;
				if (count === 50 && !existsSync(marker)) { writeFileSync(marker, ""); process.exit(7); }
				ours.stdin.write(line + "\\n"); }
			ours.stdin.end();`);
		const { exitCode, answer } = await asked(["conformance", "run", "--suite", "json", "--driver", line]);
		expect(exitCode).toBe(1);
		expect(answer).toMatchObject({ status: "failed", code: "CONFORMANCE_FAILED", failed: 1 });
		expect(answer.failures).toMatchObject([{ difference: "the driver ended with exit code 7" }]);
		expect(answer.passed).toBeGreaterThan(100);
	}, 60_000);

	test.each<[string, string, string[], Record<string, unknown>]>([
		[
			"always dies",
			"process.exit(3);",
			[],
			{ code: "DRIVER_ENDED", message: "the driver ended with exit code 3, 3 times in a row" },
		],
		[
			"is killed",
			"process.kill(process.pid, 'SIGKILL');",
			[],
			{ code: "DRIVER_ENDED", message: "the driver ended by SIGKILL, 3 times in a row" },
		],
		[
			"hangs",
			"process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1000);",
			["--timeout", "700ms"],
			{ code: "DRIVER_TIMEOUT" },
		],
		[
			"says what isn't UTF-8",
			"process.stdin.once('data', () => process.stdout.write(Buffer.from([0xff, 0x0a])));",
			[],
			{ code: "DRIVER_LINE_INVALID" },
		],
	])("a driver that %s is reported and leaves nothing", async (_, source, words, wanted) => {
		const { line, file } = driver(source);
		const { exitCode, answer } = await asked(["conformance", "run", "--driver", line, ...words]);
		expect(exitCode).toBe(1);
		expect(answer).toMatchObject({
			status: "failed",
			passed: 0,
			failed: 2,
			case: expect.stringContaining("/"),
			...wanted,
		});
		await until(() => processesWith(file).length === 0);
	});

	test("a driver that can't be started", async () => {
		const { exitCode, answer } = await asked(["conformance", "run", "--driver", "/nowhere/driver -v"]);
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { code: "DRIVER_START_FAILED", message: expect.stringContaining("/nowhere/driver") },
		});
	});

	test.skipIf(process.platform !== "linux")("an interrupted one ends its driver", async () => {
		const { line, file } = driver("process.stdin.resume(); setInterval(() => {}, 1000);");
		const command = start(["conformance", "run", "--driver", line, "--json"]);
		await until(() => processesWith(file).length === 2);
		command.process.kill("SIGTERM");
		const { exitCode, stdout } = await command.finished;
		expect({ exitCode, answer: JSON.parse(stdout) }).toMatchObject({ exitCode: 1, answer: { code: "INTERRUPTED" } });
		await until(() => processesWith(file).length === 0);
		expect(leftIn(command.temporary)).toEqual([]);
	});
});

test("lines are split at any chunking, and one that is too long costs no memory", async () => {
	async function* chunks(): AsyncGenerator<Uint8Array> {
		for (const part of ["a", "b\nc", "\n", "\nlong", "er", "est\n", "\r\nd"]) yield Buffer.from(part);
	}
	const found: unknown[] = [];
	for await (const line of linesOf(chunks(), 8))
		found.push("tooLong" in line ? line : Buffer.from(line.bytes).toString());
	expect(found).toEqual(["ab", "c", "", { tooLong: true }, "\r", "d"]);
});
