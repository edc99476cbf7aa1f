import { describe, expect, test } from "vitest";
import { directory } from "../../adapters/node/directory.ts";
import { createHost } from "../../src/host/index.ts";
import { countedRuntime, errorOf, workspace, writeTree } from "./fixtures.ts";

const FLOW_MD = "---\nname: sample\ndescription: A sample.\nattachments:\n  source: read\n---\n";

const arrange = () => {
	const { runtime, left } = countedRuntime();
	return { host: createHost({ runtime }), left };
};

describe("a package in a directory, checked and run through the host", () => {
	test("the SDK, an attachment and scratch work together, and nothing is left", async () => {
		const { host, left } = arrange();
		const root = writeTree(workspace(), {
			"FLOW.md": FLOW_MD,
			"flow.ts": `import { handle } from "@jigging/flow";
				await handle(async (run) => (await import("./work.ts")).work(run));`,
			"work.ts": `import { readFileSync, writeFileSync } from "node:fs";
				import type { RunContext, RunResult } from "@jigging/flow";
				export function work(run: RunContext): RunResult {
					const text = readFileSync(run.attachments.source!.path + "/data", "utf8");
					writeFileSync(run.scratch + "/note", text);
					console.log("to stderr");
					return { outcome: "done", output: { text, same: process.cwd() === run.scratch } };
				}`,
		});
		const source = { path: writeTree(workspace(), { data: "attached" }), access: "read" as const };
		const pack = await host.load(directory(root));
		for (let times = 0; times < 2; times += 1) {
			const { outcome, output } = await host.run(pack, { input: null, attachments: { source } }).result;
			expect([outcome, output]).toEqual(["done", { text: "attached", same: true }]);
		}
		await pack.dispose();
		expect(left()).toEqual([]);
	});

	test.each([
		["exits before it answers", "process.exit(3)", "EXECUTION_FAILED"],
		["pollutes stdout", "console.log('hi'); setInterval(() => {}, 1000)", "PROTOCOL_ERROR"],
		[
			"never reads and ignores SIGTERM",
			"process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)",
			"DEADLINE_EXCEEDED",
		],
	])("a component that %s is classified, and nothing is left", async (_, program, code) => {
		const { runtime, left } = countedRuntime();
		const host = createHost({ runtime, limits: { cancelGraceMs: 50, killGraceMs: 50, exitGraceMs: 200 } });
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD.replace(/attach[^-]*/, ""), "flow.mjs": program });
		const pack = await host.load(directory(root));
		const error = await errorOf(() => host.run(pack, { input: null, deadlineMs: 1_500 }).result);
		expect([error.code, error.phase]).toEqual([code, "run"]);
		await pack.dispose();
		expect(left()).toEqual([]);
	});

	test("a stage that a component tampered with is not run again", async () => {
		const { host, left } = arrange();
		const root = writeTree(workspace(), {
			"FLOW.md": FLOW_MD.replace(/attach[^-]*/, ""),
			"flow.mjs": `import { handle } from "@jigging/flow"; import { appendFileSync, chmodSync } from "node:fs";
				await handle(async () => { const me = new URL(import.meta.url).pathname; chmodSync(me, 0o644); appendFileSync(me, "\\n");
					return { outcome: "done", output: null }; });`,
		});
		const pack = await host.load(directory(root));
		expect((await host.run(pack, { input: null }).result).outcome).toBe("done");
		const error = await errorOf(() => host.run(pack, { input: null }).result);
		expect([error.code, error.phase]).toEqual(["PACKAGE_STAGE_CHANGED", "package"]);
		await pack.dispose();
		expect(left()).toEqual([]);
	});
});
