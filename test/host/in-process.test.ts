import { expect, test } from "vitest";
import type { RunOptions } from "../../src/host/index.ts";
import { memorySource } from "../../src/package/index.ts";
import type { RunHandler } from "../../src/sdk/index.ts";
import { arrange, DONE, ending, expectNothingLeft, type Stage } from "./arrange.ts";
import { settle } from "./fake.ts";

const FLOW_MD = "---\nname: inside\ndescription: A handler of the program.\n---\n";

async function arranged(
	handler: RunHandler,
	options: Partial<RunOptions> = {},
): Promise<{ stage: Stage; run: ReturnType<Stage["run"]> }> {
	const stage = arrange({});
	const pack = await stage.host.load(memorySource({ "FLOW.md": FLOW_MD }), { handler });
	return { stage, run: stage.run(pack, options) };
}

async function runHandler(handler: RunHandler, options: Partial<RunOptions> = {}): ReturnType<typeof ending> {
	const { stage, run } = await arranged(handler, options);
	const ended = await ending(stage, run);
	expectNothingLeft(stage);
	return ended;
}

test("a handler goes down the corridor as a process does", async () => {
	const [outcome] = await runHandler(async (run) => ({ outcome: "done", output: { received: run.input } }), {
		input: "Ada",
	});
	expect(outcome).toEqual({ outcome: "done", output: { received: "Ada" } });
});

test("its calls are the host's operations", async () => {
	const [outcome] = await runHandler(
		async (run) => ({
			outcome: "done",
			output: (await run.runChildFlow({ operationId: "a", slot: "shout", input: "hi" })).output,
		}),
		{ children: { shout: ({ input }) => ({ outcome: "done", output: `${input}!` }) } },
	);
	expect(outcome).toEqual({ outcome: "done", output: "hi!" });
});

test("an undeclared outcome is refused, a thrown error is its failure", async () => {
	const [, refused] = await runHandler(async () => ({ outcome: "odd", output: null }));
	expect(refused).toMatchObject({ code: "INVALID_RESULT", phase: "acceptance" });
	const [, failed] = await runHandler(async () => {
		throw new Error("no");
	});
	expect(failed).toMatchObject({ code: "EXECUTION_FAILED", phase: "run" });
});

test("cancellation reaches its signal", async () => {
	const { stage, run } = await arranged(
		(context) =>
			new Promise((_, reject) => {
				context.signal.addEventListener("abort", () => reject(context.signal.reason));
			}),
	);
	await settle();
	run.cancel();
	expect((await ending(stage, run))[1]).toMatchObject({ code: "CANCELLED", phase: "run", durationMs: 0 });
	expectNothingLeft(stage);
});

test("one that doesn't stop is named, in bounded time", async () => {
	const [, failure] = await runHandler(() => new Promise(() => undefined), { deadlineMs: 1_000 });
	expect(failure).toMatchObject({ code: "EXECUTION_FAILED", durationMs: 5_000 });
	expect(failure!.message).toContain("the handler did not stop");
});

test("it may be a child, and a child's parent", async () => {
	const stage = arrange({});
	const source = memorySource({ "FLOW.md": FLOW_MD });
	const child = await stage.host.load(source, { handler: async (run) => ({ outcome: "done", output: [run.input] }) });
	const parent = await stage.host.load(source, {
		handler: async (run) => run.runChildFlow({ operationId: "a", slot: "child", input: 1 }),
	});
	const [outcome] = await ending(stage, stage.run(parent, { children: { child } }));
	expect(outcome).toEqual({ ...DONE, output: [1] });
	expectNothingLeft(stage);
});
