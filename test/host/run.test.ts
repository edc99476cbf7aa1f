import { describe, expect, test } from "vitest";
import { answering, arrange, DONE, ending, expectNothingLeft, runScript } from "./arrange.ts";
import type { FakeComponent, Script } from "./fake.ts";
import { settle } from "./fake.ts";

const RESULT_SCHEMA = JSON.stringify({
	$schema: "https://flow.jig.md/schemas/schema-1.json",
	type: "object",
	properties: { output: { type: "number" } },
});

const childCall = (id: string): object => ({
	jsonrpc: "2.0",
	id,
	method: "flow/run-child",
	params: { operationId: id, slot: "helper", input: null },
});

describe("acceptance (Run/1 section 9)", () => {
	test("a correlated, declared, valid answer and a zero exit are a result", async () => {
		const { stage, outcome } = await runScript(answering({ outcome: "done", output: [1, { a: "b" }] }));
		expect(outcome).toEqual({ outcome: "done", output: [1, { a: "b" }] });
		expect(stage.runtime.components[0]!.signals).toEqual([]);
		expect(stage.runtime.components[0]!.stdinEnded).toBe(true);
	});

	test("the report tells digest, duration and stderr", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				component.complain("note");
				await stage.runtime.clock.advance(250);
				component.answer(root.id, DONE);
				component.exit(0);
			},
		});
		const pack = await stage.load("main");
		const report = await stage.run(pack).result;
		expect(report).toEqual({
			...DONE,
			digest: pack.digest,
			durationMs: 250,
			stderr: { text: "note", bytes: 4, truncated: false },
		});
	});

	test("the root request carries the complete context", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				component.answer(root.id, { outcome: "done", output: root.params });
				component.exit(0);
			},
		});
		const run = stage.run(await stage.load("main"), { input: "Ada", deadlineMs: 5_000 });
		expect((await run.result).output).toEqual({
			protocol: "run/1",
			input: "Ada",
			settings: {},
			attachments: {},
			scratch: "/scratch/2",
			deadlineUnixMs: 1_787_000_001_000 + 5_000,
		});
	});

	test("a custom outcome is declared or refused", async () => {
		const script = answering({ outcome: "partial", output: null });
		const declared = "outcomes:\n  partial: Some of it.\n";
		expect((await runScript(script, { frontmatter: declared })).outcome).toMatchObject({ outcome: "partial" });
		expect((await runScript(script)).failure).toMatchObject({ code: "INVALID_RESULT", phase: "acceptance" });
	});

	test("the result schema sees the complete result", async () => {
		const files = { "result.schema.json": RESULT_SCHEMA };
		expect((await runScript(answering({ outcome: "done", output: 1 }), { files })).outcome).toBeDefined();
		const { failure } = await runScript(answering({ outcome: "done", output: "secret" }), { files });
		expect(failure).toMatchObject({
			code: "INVALID_RESULT",
			phase: "acceptance",
			message: expect.stringMatching(/^The result does not fit its schema at \/output: Expected \w+, got string \(/),
			details: [
				{
					instancePointer: "/output",
					schemaPointer: "/properties/output",
					keyword: "type",
					message: expect.stringMatching(/^Expected \w+, got string$/),
				},
			],
		});
		expect(JSON.stringify(failure!.details) + failure!.message).not.toContain("secret");
	});

	test.each([
		["a nonzero exit", (component: FakeComponent) => component.exit(3)],
		["a signal", (component: FakeComponent) => component.exit(null, "SIGSEGV")],
	])("%s after the answer is EXECUTION_FAILED", async (_, end) => {
		const { failure } = await runScript(async (component) => {
			component.answer((await component.next()).id, DONE);
			end(component);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
	});

	test("a component that answers and stays is killed: EXECUTION_FAILED", async () => {
		const { failure, stage } = await runScript(async (component) => {
			component.ignoresTerminate = true;
			component.answer((await component.next()).id, DONE);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
		expect(stage.runtime.components[0]!.signals).toEqual(["terminate", "kill"]);
		expect(failure!.durationMs).toBe(3_000);
	});

	test("an exit within the grace is in time, a late one isn't", async () => {
		const exitingAfter =
			(ms: number): Script =>
			async (component) => {
				component.answer((await component.next()).id, DONE);
				component.later(ms, () => component.exit(0));
			};
		expect((await runScript(exitingAfter(1_900))).outcome).toEqual(DONE);
		expect((await runScript(exitingAfter(2_100))).failure).toMatchObject({ code: "EXECUTION_FAILED" });
	});

	test.each([
		["a frame", '{"jsonrpc":"2.0","method":"x"}\n'],
		["stray bytes", "bye"],
		["an empty line", "\n"],
	])("%s after the answer is PROTOCOL_ERROR", async (_, text) => {
		const { failure } = await runScript(async (component) => {
			component.answer((await component.next()).id, DONE);
			component.write(text);
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "acceptance" });
	});

	test("an answer with a call still pending can't be a success", async () => {
		const { failure } = await runScript(
			async (component) => {
				const root = await component.next();
				const answer = { jsonrpc: "2.0", id: root.id, result: DONE };
				component.write(`${JSON.stringify(childCall("c1"))}\n${JSON.stringify(answer)}\n`);
				component.exit(0);
			},
			{ children: { helper: () => new Promise<never>(() => undefined) } },
		);
		expect(failure!.code).toBe("PROTOCOL_ERROR");
	});
});

describe("an operational error as the answer", () => {
	test.each(["UNAVAILABLE", "INVALID_INPUT", "EXECUTION_FAILED"])("%s is the Run's", async (code) => {
		const { failure } = await runScript(async (component) => {
			const root = await component.next();
			const error = { code: -32000, message: "told", data: { code, details: { a: 1 } } };
			component.write({ jsonrpc: "2.0", id: root.id, error });
			component.exit(0);
		});
		expect(failure).toMatchObject({ code, phase: "run", message: "told", details: { a: 1 } });
	});

	test("a standard JSON-RPC error is PROTOCOL_ERROR", async () => {
		const { failure } = await runScript(async (component) => {
			const root = await component.next();
			component.write({ jsonrpc: "2.0", id: root.id, error: { code: -32603, message: "internal" } });
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "run" });
	});
});

describe("an end before an answer (Run/1 section 9)", () => {
	test("exit 0 is CHANNEL_LOST", async () => {
		const { failure } = await runScript(async (component) => {
			await component.next();
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "CHANNEL_LOST", phase: "run" });
	});

	test.each([
		["exit 3", 3, null],
		["a signal of its own", null, "SIGSEGV"],
	])("%s is EXECUTION_FAILED, even when stdout ended first", async (_, code, signal) => {
		const { failure, stage } = await runScript(async (component) => {
			await component.next();
			component.closeStdout();
			component.later(500, () => component.exit(code, signal));
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "run" });
		expect(stage.runtime.components[0]!.signals).toEqual([]);
	});

	test("stdout closed by a process that stays is CHANNEL_LOST, and it is ended", async () => {
		const { failure, stage } = await runScript(async (component) => {
			await component.next();
			component.closeStdout();
		});
		expect(failure).toMatchObject({ code: "CHANNEL_LOST", phase: "run" });
		expect(stage.runtime.components[0]!.signals).toEqual(["terminate"]);
	});

	test("a process that was never there keeps its stderr", async () => {
		const { failure } = await runScript((component) => {
			component.complain("cannot find module");
			component.exit(1);
		});
		expect(failure).toMatchObject({
			code: "EXECUTION_FAILED",
			stderr: { text: "cannot find module", bytes: 18, truncated: false },
		});
	});
});

describe("a peer that breaks the protocol (Run/1 section 1)", () => {
	test.each<[string, string | Uint8Array]>([
		["stdout pollution", "Listening on port 3000\n"],
		["invalid UTF-8", new Uint8Array([0x7b, 0xff, 0x7d, 0x0a])],
		["a byte order mark", "\ufeff{}\n"],
		["a batch", "[]\n"],
		["an unknown response", '{"jsonrpc":"2.0","id":"nobody","result":null}\n'],
	])("%s is PROTOCOL_ERROR, and it is ended", async (_, bytes) => {
		const { failure, stage } = await runScript(async (component) => {
			await component.next();
			component.write(bytes);
		});
		expect(failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "run" });
		expect(stage.runtime.components[0]!.signals[0]).toBe("terminate");
		expect(stage.runtime.components[0]!.stdinEnded).toBe(true);
	});

	test("pollution is quoted, escaped", async () => {
		const { failure } = await runScript(async (component) => {
			await component.next();
			component.write("\u001b[31mListening\u001b[0m on port 3000\n");
		});
		expect(failure!.message).toContain("\\u{1b}[31mListening");
		expect(failure!.message).not.toContain("\u001b");
	});

	test("a partial frame at the end is PROTOCOL_ERROR", async () => {
		const { failure } = await runScript(async (component) => {
			await component.next();
			component.write('{"jsonrpc"');
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "PROTOCOL_ERROR", phase: "run" });
	});

	test("a violation is told before the component is ended", async () => {
		const { stage } = await runScript(async (component) => {
			await component.next();
			component.write("not json\n");
		});
		expect(stage.runtime.components[0]!.heard).toContain("-32700");
	});
});

describe("descendants (Run/1 section 9)", () => {
	test("one that holds stdout out of reach: our ends close, EXECUTION_FAILED names it", async () => {
		const { failure } = await runScript(async (component) => {
			component.held = true;
			component.answer((await component.next()).id, DONE);
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance", durationMs: 4_000 });
		expect(failure!.message).toContain("a descendant holds stdout");
	});

	test("one in the group is killed: a shutdown kill after the answer is EXECUTION_FAILED", async () => {
		const { failure } = await runScript(async (component) => {
			component.heldInGroup = true;
			component.answer((await component.next()).id, DONE);
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance", durationMs: 2_000 });
	});

	test("one that holds stdout after a crash doesn't hide the crash", async () => {
		const { failure } = await runScript(async (component) => {
			component.heldInGroup = true;
			await component.next();
			component.exit(7);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "run" });
	});
});

describe("an environment that breaks its own promises", () => {
	test("a fence that rejects is a component that can't be proven gone", async () => {
		const { failure } = await runScript(async (component) => {
			component.fence = () => {
				component.fenced += 1;
				return Promise.reject(new Error("no permission"));
			};
			component.answer((await component.next()).id, DONE);
			component.exit(0);
		});
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance" });
		expect(failure!.message).toContain("no permission");
	});
});

describe("activation and cleanup", () => {
	test.each([
		["scratch", "SCRATCH_FAILED", "activation"],
		["launch", "LAUNCH_FAILED", "activation"],
		["verify", "PACKAGE_STAGE_CHANGED", "package"],
	] as const)("a failing %s is %s of phase %s, with its cause", async (step, code, phase) => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main");
		const cause = new Error("no");
		stage.runtime.failing[step] = cause;
		const [, failure] = await ending(stage, stage.run(pack));
		expect(failure).toMatchObject({ code, phase, cause, digest: pack.digest });
		expectNothingLeft(stage);
	});

	test("a failing attachment is ATTACHMENT_FAILED and what was prepared before is removed", async () => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main", "attachments:\n  a: read\n");
		stage.runtime.failing.attach = new Error("no");
		const [, failure] = await ending(stage, stage.run(pack, { attachments: { a: { path: "/a" } } }));
		expect(failure).toMatchObject({ code: "ATTACHMENT_FAILED", phase: "activation" });
		expectNothingLeft(stage);
	});

	test("a failed cleanup is phase cleanup and keeps the result", async () => {
		const stage = arrange({ main: answering({ outcome: "done", output: 7 }) });
		const cause = new Error("busy");
		stage.runtime.failing["scratch-removal"] = cause;
		const [, failure] = await ending(stage, stage.run(await stage.load("main")));
		expect(failure).toMatchObject({
			code: "CLEANUP_FAILED",
			phase: "cleanup",
			cause,
			result: { outcome: "done", output: 7 },
		});
	});

	test("a failed cleanup doesn't hide what failed before", async () => {
		const stage = arrange({ main: (component) => component.exit(1) });
		const cause = new Error("busy");
		stage.runtime.failing["scratch-removal"] = cause;
		const [, failure] = await ending(stage, stage.run(await stage.load("main")));
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "run", cause });
		expect(failure).not.toHaveProperty("result");
	});
});

test("a rejection that nobody looks at ends no program", async () => {
	const unhandled: unknown[] = [];
	const listener = (reason: unknown): void => {
		unhandled.push(reason);
	};
	process.on("unhandledRejection", listener);
	try {
		const stage = arrange({ main: (component) => component.exit(1) });
		const pack = await stage.load("main");
		stage.run(pack);
		stage.run(pack, { settings: { a: 1 } });
		await settle();
		await stage.runtime.clock.advance(10_000);
		expect(unhandled).toEqual([]);
	} finally {
		process.off("unhandledRejection", listener);
	}
});
