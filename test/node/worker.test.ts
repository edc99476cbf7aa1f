/** Components in worker threads: `host.load(source, { launch: workerLauncher() })`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeRuntime } from "../../adapters/node/runtime.ts";
import { workerLauncher } from "../../adapters/node/worker.ts";
import { createHost, type Launch, type RunFailure, type RunOptions, type RunReport } from "../../src/host/index.ts";
import { memorySource } from "../../src/package/index.ts";
import { workspace } from "./fixtures.ts";

const FLOW_MD = "---\nname: threaded\ndescription: Runs in a thread.\nuses:\n  host:\n    local: true\n---\n";
const IMPORT = 'import { handle } from "@jigging/flow";\n';

/** What became of one Run of a package with this `flow.mjs`. */
async function run(
	flow: string | Readonly<Record<string, string>>,
	options: Partial<RunOptions> & { readonly launch?: Launch; readonly onRun?: (run: { cancel(): void }) => void } = {},
): Promise<RunReport | RunFailure> {
	const { launch = workerLauncher(), onRun, ...running } = options;
	const base = workspace();
	const host = createHost({
		runtime: nodeRuntime({ temporary: base }),
		limits: { cancelGraceMs: 200, exitGraceMs: 500 },
	});
	const files = typeof flow === "string" ? { "flow.mjs": IMPORT + flow } : flow;
	const pack = await host.load(memorySource({ "FLOW.md": FLOW_MD, ...files }), { launch });
	onTestFinished(() => pack.dispose());
	const started = host.run(pack, {
		input: null,
		deadlineMs: 20_000,
		capabilities: { host: { call: ({ input }) => ({ value: input }) } },
		...running,
	});
	onRun?.(started);
	return started.result.catch((error: RunFailure) => error);
}

const CALL = `const call = (operationId, input, options) => run.callCapability({ operationId, slot: "host", method: "echo", input }, options);`;

describe("a component in a worker thread", () => {
	test("calls its host over the port, with nothing of the host's environment; what it prints is its stderr", async () => {
		process.env.MILLRACE_SECRET = "x";
		onTestFinished(() => {
			delete process.env.MILLRACE_SECRET;
		});
		const report = await run(
			`console.log("top");
			await handle(async (run) => { ${CALL}
				console.log("inside");
				process.stdout.write("no protocol\\n");
				const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => call("o:" + at, { at })));
				return { outcome: "done", output: [run.input, answers.length, answers[63].at, process.env.HOME === run.scratch, Object.hasOwn(process.env, "MILLRACE_SECRET")] };
			});`,
			{ input: "Ada" },
		);
		expect(report).toMatchObject({ outcome: "done", output: ["Ada", 64, 63, true, false] });
		expect(report.stderr.text.split("\n").sort()).toEqual(["", "inside", "no protocol", "top"]);
	});

	test("frames of 16 MiB go both ways", { timeout: 30_000 }, async () => {
		const report = await run(
			`await handle(async (run) => { ${CALL}
				const half = "x".repeat(8_388_000);
				const [first, second] = await call("a", [half, half]);
				return { outcome: "done", output: [first, second.length] };
			});`,
		);
		expect(
			"output" in report &&
				(report.output as [string, number]).map((one) => (typeof one === "string" ? one.length : one)),
		).toEqual([8_388_000, 8_388_000]);
	});

	test("cancellation aborts its signal", async () => {
		let started: { cancel(): void } | undefined;
		const report = await run(
			`await handle((run) => new Promise((resolve) => {
				console.log("ready");
				run.signal.addEventListener("abort", () => { console.log("aborted " + run.signal.reason.code); resolve({ outcome: "done", output: 1 }); });
			}));`,
			{
				onRun: (run) => {
					started = run;
				},
				onStderr: (bytes) => {
					if (new TextDecoder().decode(bytes).includes("ready")) started?.cancel();
				},
			},
		);
		expect(report).toMatchObject({ code: "CANCELLED", phase: "run" });
		expect(report.stderr.text).toBe("ready\naborted CANCELLED\n");
	});

	test.each([
		["one that loops for ever is ended", "await handle(async () => { for (;;); });", "DEADLINE_EXCEEDED", ""],
		[
			"one that lingers after its answer",
			`await handle(async () => ({ outcome: "done", output: 1 })); setInterval(() => {}, 1000);`,
			"EXECUTION_FAILED",
			"had to be killed",
		],
		[
			"one that exits before it answers",
			"await handle(async () => process.exit(3));",
			"EXECUTION_FAILED",
			"exited with code 3 before",
		],
		[
			"one that exits with a code after it",
			`await handle(async () => ({ outcome: "done", output: 1 })); process.exit(4);`,
			"EXECUTION_FAILED",
			"exited with code 4",
		],
		["one that never takes its Run", "", "CHANNEL_LOST", "exited before it answered"],
		["one that throws at its top", 'throw new Error("boom");', "EXECUTION_FAILED", "exited with code 1 before"],
		[
			"one whose handler throws",
			'await handle(async () => { throw new Error("boom"); });',
			"EXECUTION_FAILED",
			"handler threw",
		],
	])("%s", async (_, flow, code, message) => {
		const report = await run(flow, { deadlineMs: 1_000 });
		expect(report).toMatchObject({ code });
		expect((report as RunFailure).message).toContain(message);
		if (flow.includes("boom")) expect(report.stderr.text).toContain("Error: boom");
	});

	test("one that takes more memory than it may is ended", { timeout: 30_000 }, async () => {
		const launch = workerLauncher({ resourceLimits: { maxOldGenerationSizeMb: 16 } });
		const report = await run("await handle(async () => { const all = []; for (;;) all.push([all.length]); });", {
			launch,
		});
		expect(report).toMatchObject({ code: "EXECUTION_FAILED" });
		expect(report.stderr.text).toContain("memory");
	});

	test("TypeScript runs as it does in a process", async () => {
		const flow = `${IMPORT}import type { RunContext } from "@jigging/flow";
			await handle(async (run: RunContext) => ({ outcome: "done", output: run.input }));`;
		expect(await run({ "flow.ts": flow }, { input: 1 })).toMatchObject({ output: 1 });
	});

	test("what a thread can't run is refused", async () => {
		expect(await run({ "flow.py": "" })).toMatchObject({ code: "RUNTIME_UNSUPPORTED", phase: "activation" });
		expect(await run({ "flow.mjs": "#!/usr/bin/env deno\n" })).toMatchObject({ code: "SELECTOR_UNSUPPORTED" });
	});

	test("both names of the SDK are one module there", async () => {
		const flow = `import { handle } from "@jigging/flow"; import * as other from "millrace/sdk";
			await handle(async () => ({ outcome: "done", output: handle === other.handle }));`;
		expect(await run({ "flow.mjs": flow })).toMatchObject({ output: true });
	});
});

test("a Run that was cancelled while its thread started leaves no thread", async () => {
	const report = await run("await handle(async () => new Promise(() => setInterval(() => {}, 1000)));", {
		onRun: (run) => void Promise.resolve().then(() => run.cancel()),
	});
	expect(report).toMatchObject({ code: "CANCELLED", phase: "activation" });
});

test("LoadOptions.launch: a function, and not beside a handler", async () => {
	const host = createHost({ runtime: nodeRuntime({ temporary: workspace() }) });
	const source = memorySource({ "FLOW.md": FLOW_MD, "flow.mjs": "" });
	await expect(host.load(source, { launch: 1 as never })).rejects.toThrow(TypeError);
	const handler = async () => ({ outcome: "done", output: 1 });
	await expect(host.load(source, { launch: workerLauncher(), handler })).rejects.toThrow(TypeError);
});

test("a launcher that fails is a failed activation, and the scratch directory goes", async () => {
	let scratch = "";
	const report = await run("", {
		launch: async (request) => {
			scratch = request.scratch;
			throw new Error("no machine");
		},
	});
	expect(report).toMatchObject({ code: "LAUNCH_FAILED", phase: "activation" });
	expect([(report as RunFailure).message.includes("no machine"), existsSync(join(scratch))]).toEqual([true, false]);
});
