import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTrace } from "../../adapters/node/cli/trace.ts";
import {
	decodeTraceLine,
	encodeTraceLine,
	type RunEvent,
	readTrace,
	sessionsOf,
	traceHeader,
	traceTruncated,
} from "../../src/host/index.ts";
import { replay } from "../../src/run/index.ts";
import { asked, flows, main, millrace, packageOf, start, workspace } from "./command.ts";

const parent = join(flows, "parent");
const greet = join(flows, "greet");
const ADA = ["--input", '{"name":"Ada"}'];

/** Holds every session of a trace against what a fresh machine decides from the same inputs. */
function divergences(file: string): { sessions: string[]; diverged: unknown[] } {
	const { events, truncated } = readTrace(readFileSync(file, "utf8").split("\n"));
	expect(truncated).toBe(false);
	const sessions = sessionsOf(events);
	const diverged = [...sessions.values()]
		.map((session) => replay(session).divergence)
		.filter((each) => each !== undefined);
	return { sessions: [...sessions.keys()], diverged };
}

describe.concurrent("--trace", () => {
	test("a new file of NDJSON with a version, for its owner alone; never over an old one", async () => {
		const cwd = workspace();
		const { exitCode } = await millrace(["run", greet, ...ADA, "--trace", "t.ndjson"], { cwd });
		expect(exitCode).toBe(0);
		const file = join(cwd, "t.ndjson");
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const lines = readFileSync(file, "utf8")
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(lines[0]).toEqual({ millraceTrace: 1, values: false });
		expect(lines.at(-1)).toMatchObject({ path: [], event: { type: "succeeded", outcome: "done" } });
		const before = readFileSync(file);
		symlinkSync("elsewhere", join(cwd, "link"));
		for (const name of ["t.ndjson", "link"]) {
			const again = await asked(["run", greet, ...ADA, "--trace", name], { cwd });
			expect(again).toMatchObject({ exitCode: 1, answer: { code: "FILE_EXISTS", path: name } });
		}
		expect(readFileSync(file).equals(before)).toBe(true);
		expect(existsSync(join(cwd, "elsewhere"))).toBe(false);
	});

	test("a refused Run is traced too; one that was never loaded leaves no file", async () => {
		const cwd = workspace();
		await millrace(["run", greet, "--input", "1", "--trace", "refused"], { cwd });
		expect(readFileSync(join(cwd, "refused"), "utf8")).toContain('"type":"failed","code":"INVALID_INPUT"');
		await millrace(["run", cwd, "--trace", "../nothing"], { cwd: join(cwd) });
		expect(existsSync(join(cwd, "../nothing"))).toBe(false);
	});

	test("never inside a package, where it would change the digest", async () => {
		const dir = packageOf("");
		const words: [string[], string][] = [
			[["run", ".", "--trace", "t"], dir],
			[["run", dir, "--trace", join(dir, "t")], workspace()],
			[["run", greet, ...ADA, "--child", `x=${dir}`, "--trace", join(dir, "t")], workspace()],
		];
		for (const [each, cwd] of words) {
			expect(await asked(each, { cwd })).toMatchObject({ exitCode: 2, answer: { code: "USAGE" } });
		}
		expect(existsSync(join(dir, "t"))).toBe(false);
	});

	test("no value of anybody is in it unless asked for", async () => {
		const secret = "hunter2secret";
		const schema = JSON.stringify({ $schema: "https://flow.jig.md/schemas/schema-1.json", type: "object" });
		const flowMd = `---\nname: sample\ndescription: ${secret}\nattachments:\n  docs: read\n---\n`;
		const source = `import { handle, OperationError } from "@jigging/flow";
			await handle(async (run) => {
				console.error(run.input.secret);
				const call = { operationId: "op:1", slot: "helper", intent: run.input.secret, input: run.input };
				const child = await run.runChildFlow(call);
				await run.callCapability({ operationId: "op:2", slot: "nobody", method: "ask", input: run.settings }).catch(() => {});
				if (run.input.fail) throw new OperationError("UNAVAILABLE", run.input.secret, { [run.input.secret]: run.input.secret });
				return { outcome: "done", output: child.output };
			});`;
		const dir = packageOf(source, { "FLOW.md": flowMd, "settings.schema.json": schema });
		const child = packageOf(
			`import { handle } from "@jigging/flow"; await handle(async (run) => ({ outcome: "done", output: run.input }));`,
		);
		const stray = packageOf(`process.stdout.write("${secret}\\n"); setTimeout(() => {}, 60_000);`);
		const cwd = workspace();
		const given = { secret, [secret]: [secret] };
		const words = [
			"run",
			dir,
			"--settings",
			JSON.stringify(given),
			"--child",
			`helper=${child}`,
			"--attach",
			`docs=${join(child, "FLOW.md")}:read`,
		];
		const [done, failed, polluted, whole] = await Promise.all([
			asked([...words, "--input", JSON.stringify(given), "--trace", "done"], { cwd }),
			asked([...words, "--input", JSON.stringify({ ...given, fail: true }), "--trace", "failed"], { cwd }),
			asked(["run", stray, "--trace", "polluted"], { cwd }),
			asked([...words, "--input", JSON.stringify(given), "--trace", "whole", "--trace-values"], { cwd }),
		]);
		expect([done, failed, polluted, whole].map(({ answer }) => answer.code ?? answer.outcome)).toEqual([
			"done",
			"UNAVAILABLE",
			"PROTOCOL_ERROR",
			"done",
		]);
		for (const name of ["done", "failed", "polluted"]) {
			const text = readFileSync(join(cwd, name), "utf8");
			expect(text).not.toContain(secret);
			expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(2, -2));
			expect(text).toContain('"elided":');
		}
		const text = readFileSync(join(cwd, "done"), "utf8");
		for (const kept of ['"operationId":"op:1"', '"slot":"helper"', '"type":"launched"', '"outcome":"done"'])
			expect(text).toContain(kept);
		expect(readFileSync(join(cwd, "whole"), "utf8")).toContain(secret);
	});

	test("with values it replays to identical decisions: a parent, its child, a capability nobody gave", async () => {
		const cwd = workspace();
		const words = ["run", parent, ...ADA, "--child", `greeter=${greet}`, "--trace", "t", "--trace-values"];
		expect((await asked(words, { cwd })).answer).toMatchObject({ status: "succeeded" });
		expect(divergences(join(cwd, "t"))).toEqual({ sessions: ["", "greet:1"], diverged: [] });
	});

	test.each<[string, string, string]>([
		[
			"a component that breaks the protocol",
			`process.stdout.write("hello\\n"); setTimeout(() => {}, 60_000);`,
			"PROTOCOL_ERROR",
		],
		["one that is late", "process.stdin.resume(); setInterval(() => {}, 1000);", "DEADLINE_EXCEEDED"],
		["one that crashes", "process.exit(9);", "EXECUTION_FAILED"],
	])("%s replays as well", async (_, source, code) => {
		const cwd = workspace();
		const words = [
			"run",
			packageOf(source),
			"--deadline",
			"1s",
			"--trace",
			"t",
			"--trace-values",
			"--input",
			'{"bytes":{"b64":"AA=="},"__proto__":[-0,1e-7]}',
		];
		expect((await asked(words, { cwd })).answer.code).toBe(code);
		expect(divergences(join(cwd, "t"))).toEqual({ sessions: [""], diverged: [] });
	});

	test("a cancelled Run's trace is whole", async () => {
		const cwd = workspace();
		const running = start(
			[
				"run",
				packageOf("process.stdin.resume(); console.error('here');"),
				"--stderr",
				"--trace",
				"t",
				"--trace-values",
			],
			{ cwd },
		);
		await running.says("here");
		running.process.kill("SIGTERM");
		expect((await running.finished).exitCode).toBe(1);
		expect(divergences(join(cwd, "t"))).toEqual({ sessions: [""], diverged: [] });
	});

	test.skipIf(process.platform !== "linux")("a disk that fills up costs the trace, not the Run", () => {
		const cwd = workspace();
		const dir = packageOf(
			`import { handle } from "@jigging/flow"; await handle(async (run) => ({ outcome: "done", output: run.input.length }));`,
		);
		// An ignored SIGXFSZ makes a write beyond the limit fail as on a full disk.
		const script = `trap "" XFSZ; ulimit -f 512; exec "$0" "$1" run ${dir} --input - --json --trace t --trace-values`;
		const input = JSON.stringify("x".repeat(1_000_000));
		const { status, stdout, stderr } = spawnSync("bash", ["-c", script, process.execPath, main], {
			cwd,
			input,
			encoding: "utf8",
		});
		expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", output: 1_000_000 });
		expect(status).toBe(0);
		expect(stderr).toMatch(/^the trace t is incomplete: .*EFBIG/m);
		const text = readFileSync(join(cwd, "t"), "utf8");
		expect(text.endsWith("\n")).toBe(true);
		for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
	});
});

describe("the file", () => {
	const event: RunEvent = {
		atMs: 1,
		path: [],
		digest: `sha256:${"0".repeat(64)}`,
		event: { type: "stderr", bytes: new Uint8Array(100) },
	};

	test("is bounded, and its last line says that it was cut", () => {
		const file = join(workspace(), "t");
		const trace = openTrace(file, true, 2_000);
		for (let count = 0; count < 100; count += 1) trace.write(event);
		const { stderr } = process;
		const write = stderr.write;
		let warned = "";
		stderr.write = ((text: string) => {
			warned += text;
			return true;
		}) as typeof write;
		trace.close();
		stderr.write = write;
		expect(warned).toContain("incomplete: it reached 2000 bytes");
		expect(statSync(file).size).toBeLessThanOrEqual(2_000);
		const read = readTrace(readFileSync(file, "utf8").split("\n"));
		expect(read.truncated).toBe(true);
		expect(read.events.length).toBeGreaterThan(2);
		expect(read.events[0]).toEqual(event);
	});
});

describe("the line format", () => {
	const event = (inner: RunEvent["event"]): RunEvent => ({
		atMs: 0,
		path: ["a", "b"],
		digest: `sha256:${"1".repeat(64)}`,
		event: inner,
	});

	test("bytes survive, a Buffer's too, beside values that look like them", () => {
		const bytes = Buffer.from([0, 255, 128]);
		const input = { bytes: { b64: "AA==" }, frame: "x", ["__proto__"]: null };
		const call = { kind: "capability", operationId: "o", slot: "s", method: "m", input, channels: {} } as const;
		for (const inner of [
			{ version: 1, sequence: 0, during: 0, type: "chunk", bytes },
			{ version: 1, sequence: 0, during: 0, type: "sent", frame: bytes },
			{ version: 1, sequence: 0, during: 0, type: "call", serial: 1, call },
		] as const) {
			const read = decodeTraceLine(encodeTraceLine(event({ type: "session", event: inner }), true));
			expect(read).toEqual(
				event({
					type: "session",
					event: {
						...inner,
						...("bytes" in inner ? { bytes: new Uint8Array(bytes) } : {}),
						...("frame" in inner ? { frame: new Uint8Array(bytes) } : {}),
					} as typeof inner,
				}),
			);
		}
	});

	test.each<[string, unknown]>([
		["an error", new Error("secret")],
		["a string", "secret"],
		[
			"a cycle",
			(() => {
				const a: Record<string, unknown> = { secret: 1 };
				a.a = a;
				return a;
			})(),
		],
		["a bigint", 1n],
		["nothing", undefined],
	])("%s that was thrown gives a line, and without values nothing away", (_, error) => {
		const thrown = event({ type: "operation-failed", operationId: "o", slot: "s", error });
		expect(() => decodeTraceLine(encodeTraceLine(thrown, true))).not.toThrow();
		const line = encodeTraceLine(thrown, false);
		expect(line).not.toContain("secret");
		expect(JSON.parse(line)).toMatchObject({ path: ["a", "b"], event: { type: "operation-failed", operationId: "o" } });
	});

	test("members that are new here are elided", () => {
		const line = encodeTraceLine(
			event({ type: "launched", description: "node", hint: "secret", list: [{ deep: "secret" }] } as never),
			false,
		);
		expect(line).not.toContain("secret");
		expect(line).toContain('"description":"node"');
	});

	test.each([
		["nothing", [], "first line"],
		["no header", ["{}"], "first line"],
		["another version", ['{"millraceTrace":2,"values":true}'], "version 1"],
		["no values", [traceHeader(false)], "without values"],
		[
			"an event without values",
			[traceHeader(true), encodeTraceLine(event({ type: "stderr", bytes: new Uint8Array(1) }), false)],
			"without values",
		],
		["something else", [traceHeader(true), "[]"], "no event"],
	])("%s is no trace that can be read back", (_, lines, why) => {
		expect(() => readTrace(lines)).toThrow(new RegExp(why));
	});

	test("a cut trace is told", () => {
		expect(readTrace([traceHeader(true), traceTruncated(5), ""])).toEqual({ events: [], truncated: true });
	});
});

describe.concurrent("sequence", () => {
	test("draws a trace as text, Mermaid or SVG; under --json as data", async () => {
		const cwd = workspace();
		const traced = ["run", parent, ...ADA, "--child", `greeter=${greet}`, "--trace", "t.ndjson", "--trace-values"];
		expect((await millrace(traced, { cwd })).exitCode).toBe(0);
		const text = await millrace(["sequence", "t.ndjson"], { cwd });
		expect(text.stdout).toMatch(/\|--flow\/run-+>\|/);
		expect(text.stdout).toContain("accepted: done");
		expect((await millrace(["sequence", "t.ndjson", "--format", "mermaid"], { cwd })).stdout).toMatch(
			/^sequenceDiagram\n/,
		);
		expect((await millrace(["sequence", "t.ndjson", "--format", "svg"], { cwd })).stdout).toMatch(
			/^<svg [\s\S]*<\/svg>\n$/,
		);
		const { answer } = await asked(["sequence", "t.ndjson", "--limit", "3"], { cwd });
		expect(answer).toMatchObject({ status: "succeeded", truncated: false, participants: [{ label: "host" }, {}, {}] });
		expect(answer.messages).toHaveLength(3);
	});

	test("a file that is no trace, one without values, none, and bad options are refused", async () => {
		const cwd = workspace();
		expect((await millrace(["run", greet, ...ADA, "--trace", "bare"], { cwd })).exitCode).toBe(0);
		for (const file of ["bare", join(greet, "FLOW.md")]) {
			expect(await asked(["sequence", file], { cwd })).toMatchObject({
				exitCode: 1,
				answer: { code: "TRACE_INVALID" },
			});
		}
		expect(await asked(["sequence", "nothing"], { cwd })).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_MISSING" },
		});
		expect((await millrace(["sequence", "bare", "--format", "png"], { cwd })).exitCode).toBe(2);
		expect((await millrace(["sequence", "bare", "--limit", "0"], { cwd })).exitCode).toBe(2);
	});
});
