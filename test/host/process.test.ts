import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodeRuntime } from "../../adapters/node/runtime.ts";
import { createHost, type HostLimits, type RunFailure, type RunOptions } from "../../src/host/index.ts";
import { memorySource } from "../../src/package/index.ts";
import { isAlive } from "../node/fixtures.ts";

/** Components as real processes that misbehave in one way each; whatever they do, nothing of them stays. */

const temporary = mkdtempSync(join(tmpdir(), "host-process-test-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const QUICK: Partial<HostLimits> = { cancelGraceMs: 300, killGraceMs: 300, exitGraceMs: 1_000, fenceMs: 500 };

const BARE = `
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
process.stderr.write("pid=" + process.pid + "\\n");
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const stay = () => setInterval(() => {}, 1_000);
const ready = () => process.stderr.write("ready\\n");
const descend = (detached, stdio) => {
	const child = spawn("/bin/sleep", ["60"], { detached, stdio });
	process.stderr.write("pid=" + child.pid + "\\n");
	child.unref();
};
const root = await next();
const answer = (output = null) => send({ id: root.id, result: { outcome: "done", output } });
`;

const FLOW_MD = "---\nname: subject\ndescription: A component under test.\n---\n";

interface Came {
	readonly output?: unknown;
	readonly failure?: RunFailure;
	readonly pids: readonly number[];
}

async function run(
	files: Record<string, string>,
	options: Partial<RunOptions> & { limits?: Partial<HostLimits>; cancelWhenReady?: boolean } = {},
): Promise<Came> {
	const { limits, cancelWhenReady, ...running } = options;
	const host = createHost({ runtime: nodeRuntime({ temporary }), limits: { ...QUICK, ...limits } });
	const pack = await host.load(memorySource({ "FLOW.md": FLOW_MD, ...files }));
	let stderr = "";
	const under = host.run(pack, {
		input: null,
		deadlineMs: 20_000,
		onStderr: (bytes) => {
			if (stderr.length < 10_000) stderr += new TextDecoder().decode(bytes);
			if (cancelWhenReady && stderr.includes("ready")) under.cancel();
		},
		...running,
	});
	const came = await under.result.then(
		({ output }) => ({ output }),
		(failure: RunFailure) => ({ failure }),
	);
	await pack.dispose();
	expect(readdirSync(temporary)).toEqual([]);
	return { ...came, pids: [...stderr.matchAll(/pid=([0-9]+)/g)].map((match) => Number(match[1])) };
}

const bare = (body: string, options?: Parameters<typeof run>[1]): Promise<Came> =>
	run({ "flow.mjs": BARE + body }, options);

/** What a garbage collection, a stopped process or a long computation does to the host. */
function holdUp(ms: number): void {
	const end = performance.now() + ms;
	while (performance.now() < end);
}

function expectGone({ pids }: Came): void {
	expect(pids.length).toBeGreaterThan(0);
	expect(pids.filter(isAlive)).toEqual([]);
}

describe.skipIf(!existsSync("/proc/self/stat"))("real components", { timeout: 30_000 }, () => {
	test("one that behaves is accepted and leaves nothing", async () => {
		const came = await bare("answer(root.params.input);", { input: { a: ["é", 1] } });
		expect(came.output).toEqual({ a: ["é", 1] });
		expectGone(came);
	});

	test.each([
		["responded", "it answered"],
		["exited", "it exited"],
	])("one that behaves is accepted by a host that was held up beyond its graces when %s", async (type) => {
		const came = await bare('answer(7); process.stdout.write("", () => process.exit(0));', {
			limits: { exitGraceMs: 100, fenceMs: 100, killGraceMs: 50 },
			onTrace: ({ event }) => {
				if (event.type === type || (event.type === "session" && event.event.type === type))
					queueMicrotask(() => holdUp(300));
			},
		});
		expect(came.output).toBe(7);
		expectGone(came);
	});

	test("a frame of many megabytes goes both ways", async () => {
		const input = "é".repeat(4_000_000);
		const came = await bare("answer(root.params.input);", { input });
		expect(came.output === input).toBe(true);
	});

	test("Python speaks it too", async (context) => {
		if (!nodeRuntime().launcherFor({ path: "flow.py", suffix: "py" }).ok) context.skip("not installed here");
		const script = [
			"import json, sys",
			"root = json.loads(sys.stdin.buffer.readline())",
			'result = {"outcome": "done", "output": root["params"]["input"]}',
			'print(json.dumps({"jsonrpc": "2.0", "id": root["id"], "result": result}))',
		].join("\n");
		expect((await run({ "flow.py": script }, { input: "Ada" })).output).toBe("Ada");
	});

	test("one that never reads is fenced at its deadline", async () => {
		const files = { "flow.mjs": 'process.stderr.write("pid=" + process.pid + "\\n"); setInterval(() => {}, 1000);' };
		const came = await run(files, { input: "x".repeat(8_000_000), deadlineMs: 1_500 });
		expect(came.failure).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "run" });
		expectGone(came);
	});

	test("one that floods stdout with frames is RESOURCE_EXHAUSTED", async () => {
		const came = await bare(
			'const line = JSON.stringify({ jsonrpc: "2.0", method: "noise", params: ["x".repeat(60_000)] }) + "\\n";' +
				"const pour = () => { while (process.stdout.write(line)); process.stdout.once('drain', pour); }; pour();",
			{ limits: { stdoutBytes: 20_000_000 } },
		);
		expect(came.failure).toMatchObject({ code: "RESOURCE_EXHAUSTED", phase: "run" });
		expectGone(came);
	});

	test("one that floods stdout without a line end is PROTOCOL_ERROR at the frame's bound", async () => {
		const came = await bare(
			'const part = "x".repeat(65_536);' +
				"const pour = () => { while (process.stdout.write(part)); process.stdout.once('drain', pour); }; pour();",
		);
		expect(came.failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "run" });
		expectGone(came);
	});

	test("one that floods stderr is RESOURCE_EXHAUSTED, its tail bounded", async () => {
		const came = await bare(
			'const part = "y".repeat(65_536);' +
				"const pour = () => { while (process.stderr.write(part)); process.stderr.once('drain', pour); }; pour();",
			{ limits: { stderrBytes: 1_000_000 } },
		);
		expect(came.failure).toMatchObject({ code: "RESOURCE_EXHAUSTED", phase: "run", stderr: { truncated: true } });
		expect(came.failure!.stderr.text).toHaveLength(65_536);
		expect(came.failure!.stderr.bytes).toBeGreaterThan(1_000_000);
		expectGone(came);
	});

	test("one that ignores cancellation and SIGTERM is killed: CANCELLED", async () => {
		const came = await bare('process.on("SIGTERM", () => {}); stay(); ready();', { cancelWhenReady: true });
		expect(came.failure).toMatchObject({ code: "CANCELLED", phase: "run" });
		expectGone(came);
	});

	test("one that minds cancellation ends by itself", async () => {
		const came = await bare(
			`
			ready();
			const { method } = await next();
			send({ id: root.id, error: { code: -32000, message: method, data: { code: "CANCELLED" } } });
		`,
			{ cancelWhenReady: true },
		);
		expect(came.failure).toMatchObject({ code: "CANCELLED", phase: "run" });
		expectGone(came);
	});

	test.each([
		["exit 0", "process.exit(0);", "CHANNEL_LOST"],
		["exit 3", "process.exit(3);", "EXECUTION_FAILED"],
		["an uncaught error", 'throw new Error("no");', "EXECUTION_FAILED"],
		["a signal of its own", 'process.kill(process.pid, "SIGKILL"); stay();', "EXECUTION_FAILED"],
	])("%s before the answer", async (_, body, code) => {
		const came = await bare(body);
		expect(came.failure).toMatchObject({ code, phase: "run" });
		expectGone(came);
	});

	test("one that exits without reading megabytes is judged by its exit", async () => {
		const files = { "flow.mjs": 'process.stderr.write("pid=" + process.pid + "\\n"); process.exitCode = 3;' };
		const came = await run(files, { input: "x".repeat(8_000_000) });
		expect(came.failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "run" });
		expectGone(came);
	});

	test("one whose file can't be loaded shows its stderr", async () => {
		const { failure } = await run({ "flow.mjs": "import './missing.mjs';" });
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "run" });
		expect(failure!.stderr.text).toContain("missing.mjs");
	});

	test.each([
		["a frame", "send({ method: 'more' });"],
		["a partial frame", "process.stdout.write('{');"],
		["a log line", "console.log('bye');"],
	])("%s after the answer is PROTOCOL_ERROR", async (_, body) => {
		const came = await bare(`answer(); ${body}`);
		expect(came.failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "acceptance" });
		expectGone(came);
	});

	test.each([
		["stdout pollution", "console.log('\\u001b[31mlistening'); stay();"],
		["a partial frame at the end", "process.stdout.write('{\"jsonrpc\"');"],
		["invalid UTF-8", "process.stdout.write(Buffer.from([0x7b, 0xff, 0x7d, 0x0a])); stay();"],
	])("%s is PROTOCOL_ERROR", async (_, body) => {
		const came = await bare(`${body} process.stdin.destroy();`);
		expect(came.failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "run" });
		expect(came.failure!.message).not.toContain("\u001b");
		expectGone(came);
	});

	test("one that answers and stays is killed: EXECUTION_FAILED", async () => {
		const came = await bare('process.on("SIGTERM", () => {}); answer(); stay();');
		expect(came.failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
		expectGone(came);
	});

	test("one that answers and exits with 1 is EXECUTION_FAILED", async () => {
		const came = await bare("answer(); process.exitCode = 1;");
		expect(came.failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
	});

	test("one that closes stdout and stays is CHANNEL_LOST", async () => {
		const came = await bare("(await import('node:fs')).closeSync(1); stay();");
		expect(came.failure).toMatchObject({ code: "CHANNEL_LOST", phase: "run" });
		expectGone(came);
	});

	test("one that leaves a quiet descendant in its group is accepted, the descendant gone", async () => {
		const came = await bare('descend(false, "ignore"); answer(1);');
		expect(came.output).toBe(1);
		expect(came.pids).toHaveLength(2);
		expectGone(came);
	});

	test("one whose descendant in the group holds stdout needs a kill after its answer: EXECUTION_FAILED", async () => {
		const came = await bare('descend(false, ["ignore", "inherit", "ignore"]); answer(); process.stdin.destroy();');
		expect(came.failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
		expect(came.failure!.message).toContain("held stdout open");
		expectGone(came);
	});

	test.each([
		["stdout", '["ignore", "inherit", "ignore"]'],
		["stderr", '["ignore", "ignore", "inherit"]'],
	])("one whose descendant escaped the group and holds %s is EXECUTION_FAILED naming it", async (pipe, stdio) => {
		const came = await bare(`descend(true, ${stdio}); answer(); process.stdin.destroy();`);
		expect(came.failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
		expect(came.failure!.message).toContain(`holds ${pipe} open`);
		expect(came.failure!.message).toContain(String(came.pids[1]));
		// Out of reach for the host, as it says; not for its owner.
		process.kill(came.pids[1]!, "SIGKILL");
		expect(isAlive(came.pids[0]!)).toBe(false);
	});

	test("one that forks without end is killed with its group", async () => {
		const came = await bare(
			'for (let n = 0; n < 20; n += 1) descend(false, ["ignore", "inherit", "inherit"]); stay(); ready();',
			{ cancelWhenReady: true },
		);
		expect(came.failure).toMatchObject({ code: "CANCELLED", phase: "run" });
		expect(came.pids).toHaveLength(21);
		expectGone(came);
	});

	test("its working directory is its scratch, and nothing it writes there stays", async () => {
		const came = await bare(`
			const { mkdirSync, realpathSync, writeFileSync } = await import("node:fs");
			mkdirSync("a/b", { recursive: true });
			writeFileSync("a/b/c", "x");
			answer(realpathSync(".") === realpathSync(root.params.scratch));
		`);
		expect(came.output).toBe(true);
	});

	test("a parent runs a child package, both real, and both gone", async () => {
		const host = createHost({ runtime: nodeRuntime({ temporary }), limits: QUICK });
		const child = await host.load(
			memorySource({ "FLOW.md": FLOW_MD, "flow.mjs": `${BARE}answer("Hello, " + root.params.input + "!");` }),
		);
		const parent = await host.load(
			memorySource({
				"FLOW.md": FLOW_MD,
				"flow.mjs": `${BARE}
					const params = { operationId: "greet:1", slot: "greeter", input: root.params.input };
					send({ id: "c1", method: "flow/run-child", params });
					answer((await next()).result);`,
			}),
		);
		const { output } = await host.run(parent, { input: "Ada", children: { greeter: child } }).result;
		expect(output).toEqual({ outcome: "done", output: "Hello, Ada!" });
		await Promise.all([parent.dispose(), child.dispose()]);
		expect(readdirSync(temporary)).toEqual([]);
	});

	test("a stage that changed between load and launch is refused", async () => {
		const host = createHost({ runtime: nodeRuntime({ temporary }), limits: QUICK });
		const pack = await host.load(memorySource({ "FLOW.md": FLOW_MD, "flow.mjs": `${BARE}answer();` }));
		const entry = readdirSync(temporary, { recursive: true, encoding: "utf8" }).find((path) =>
			/flow\.mjs$/.test(path),
		)!;
		chmodSync(join(temporary, entry), 0o644);
		writeFileSync(join(temporary, entry), "process.exit(0)");
		const failure = await host.run(pack, { input: null }).result.catch((error: unknown) => error);
		expect(failure).toMatchObject({ phase: "package", code: "PACKAGE_STAGE_CHANGED" });
		await pack.dispose();
		expect(readdirSync(temporary)).toEqual([]);
	});
});
