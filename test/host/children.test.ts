import { describe, expect, test } from "vitest";
import type { ChildBinding, HostLimits } from "../../src/host/index.ts";
import { answering, arrange, DONE, ending, expectNothingLeft, type Stage } from "./arrange.ts";
import { type Call, calling, request } from "./calling.ts";
import type { Message, Script } from "./fake.ts";
import { settle } from "./fake.ts";

describe("a child package (Run/1 section 4)", () => {
	/** A parent that makes the call, and a child under a script of its own. */
	async function nested(
		child: Script,
		options: { call?: Call; frontmatter?: string; files?: Record<string, string>; limits?: Partial<HostLimits> } = {},
	): Promise<{ stage: Stage; output: unknown }> {
		const stage = arrange({ main: calling(options.call ?? { input: "Ada", intent: "secret" }), child }, options.limits);
		const helper = await stage.load("child", options.frontmatter, options.files);
		const [outcome, failure] = await ending(stage, stage.run(await stage.load("main"), { children: { helper } }));
		if (failure !== undefined) throw failure;
		expectNothingLeft(stage);
		return { stage, output: (outcome as { output: unknown }).output };
	}

	test("runs in a context of its own and inherits the deadline only", async () => {
		const { stage, output } = await nested(async (component) => {
			const root = await component.next();
			component.answer(root.id, { outcome: "done", output: root.params });
			component.exit(0);
		});
		const parent = JSON.parse(stage.runtime.components[0]!.heard.split("\n")[0]!) as Message;
		expect(output).toEqual({
			result: {
				outcome: "done",
				output: {
					protocol: "run/1",
					input: "Ada",
					settings: {},
					attachments: {},
					scratch: "/scratch/4",
					deadlineUnixMs: parent.params.deadlineUnixMs,
				},
			},
		});
		expect(parent.params.scratch).toBe("/scratch/3");
	});

	test("may be given settings, attachments and children of its own", async () => {
		const stage = arrange({
			main: calling({ input: 1 }),
			child: async (component) => {
				const root = await component.next();
				request(component, "g1", { slot: "deeper", input: root.params.attachments });
				const { result } = await component.next();
				component.answer(root.id, result);
				component.exit(0);
			},
		});
		const child = await stage.load("child", "attachments:\n  a: read\n");
		const helper = {
			package: child,
			attachments: { a: { path: "/a" } },
			children: { deeper: ({ input }: { input: unknown }) => ({ outcome: "done", output: input as never }) },
		};
		const [outcome] = await ending(stage, stage.run(await stage.load("main"), { children: { helper } }));
		expect(outcome).toMatchObject({ output: { result: { output: { a: { path: "/attachment/5", access: "read" } } } } });
	});

	test("its own input schema decides: INVALID_INPUT, and nothing is launched", async () => {
		const files = {
			"input.schema.json": '{"$schema":"https://flow.jig.md/schemas/schema-1.json","type":"number"}',
		};
		const { output, stage } = await nested(answering(DONE), { files });
		expect(output).toMatchObject({
			code: "INVALID_INPUT",
			message: expect.stringMatching(/^Child slot "helper": The input does not fit its schema/),
			details: [{ keyword: "type" }],
		});
		expect(stage.runtime.components).toHaveLength(1);
	});

	test.each<[string, Script, string]>([
		["an operational error of its own", failing("RESOURCE_EXHAUSTED"), "RESOURCE_EXHAUSTED"],
		["an undeclared outcome", answering({ outcome: "odd", output: 1 }), "INVALID_RESULT"],
		["a broken protocol", (component) => component.write("hello\n"), "EXECUTION_FAILED"],
		["a lost channel", (component) => component.exit(0), "EXECUTION_FAILED"],
		["a crash", (component) => component.exit(9), "EXECUTION_FAILED"],
	])("%s is seen by the parent as its code", async (_, script, code) => {
		expect((await nested(script)).output).toMatchObject({ code });
	});

	test("what it answers itself stands as it is; what the host says about it names the slot", async () => {
		const own = (await nested(failing("RESOURCE_EXHAUSTED"))).output as { message: string };
		expect(own.message).not.toContain("helper");
		const broken = await nested((component) => component.write("hello\n"));
		expect(broken.output).toMatchObject({ message: 'Child slot "helper": The child broke the protocol.' });
	});

	test("a place of any length keeps within the wire's 1,024 characters", async () => {
		const name = "😀".repeat(250);
		const schema = { $schema: "https://flow.jig.md/schemas/schema-1.json", properties: { [name]: { type: "null" } } };
		const files = { "input.schema.json": JSON.stringify(schema) };
		const { output } = await nested(answering(DONE), { call: { input: { [name]: 1 } }, files });
		expect(output).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining('"helper"') });
		expect(Array.from((output as { message: string }).message).length).toBeLessThanOrEqual(1_024);
	});

	test("a required channel that the call doesn't map is INVALID_INPUT", async () => {
		const frontmatter = "channels:\n  events:\n    direction: send\n";
		expect((await nested(answering(DONE), { frontmatter })).output).toMatchObject({ code: "INVALID_INPUT" });
	});

	test("one that can't be started is UNAVAILABLE, and the host's reasons stay with the host", async () => {
		const stage = arrange({ main: calling({}) });
		const helper = await stage.load("nowhere");
		const run = stage.run(await stage.load("main"), { children: { helper } });
		expect((await ending(stage, run))[0]).toMatchObject({ output: { code: "UNAVAILABLE", details: null } });
		expect(stage.runtime.components[0]!.heard).not.toContain("no such script");
	});

	test("a disposed one is UNAVAILABLE", async () => {
		const stage = arrange({ main: calling({}), child: answering(DONE) });
		const helper = await stage.load("child");
		const pack = await stage.load("main");
		await helper.dispose();
		const run = stage.run(pack, { children: { helper } });
		expect((await ending(stage, run))[0]).toMatchObject({ output: { code: "UNAVAILABLE" } });
	});

	test("one that can't be proven gone is UNCERTAIN, and its parent can't succeed", async () => {
		const stage = arrange({
			main: calling({}),
			child: (component) => {
				component.held = true;
				component.exit(1);
			},
		});
		const helper = await stage.load("child");
		const [, failure] = await ending(stage, stage.run(await stage.load("main"), { children: { helper } }));
		expect(failure).toMatchObject({
			code: "CLEANUP_FAILED",
			phase: "cleanup",
			result: { outcome: "done", output: { code: "UNCERTAIN" } },
		});
	});

	test("one that crashed while its own work was in doubt is UNCERTAIN", async () => {
		const stage = arrange({
			main: calling({}),
			child: async (component) => {
				await component.next();
				request(component, "g1", { slot: "deeper" });
				await component.next();
				component.exit(1);
			},
		});
		const uncertain = Object.assign(new Error("who knows"), { code: "UNCERTAIN" });
		const helper = {
			package: await stage.load("child"),
			children: { deeper: () => Promise.reject(uncertain) },
		};
		const run = stage.run(await stage.load("main"), { children: { helper } });
		expect((await ending(stage, run))[0]).toMatchObject({ output: { code: "UNCERTAIN" } });
	});

	test("the children below one root are bounded in number and depth", async () => {
		expect((await nested(answering(DONE), { limits: { concurrentChildren: 0 } })).output).toMatchObject({
			code: "RESOURCE_EXHAUSTED",
		});
		expect((await nested(answering(DONE), { limits: { childDepth: 0 } })).output).toMatchObject({
			code: "RESOURCE_EXHAUSTED",
		});
		expect((await nested(answering(DONE), { limits: { concurrentChildren: 1, childDepth: 1 } })).output).toMatchObject({
			result: DONE,
		});
	});

	test("a package that calls itself ends at the depth bound", async () => {
		const stage = arrange(
			{
				main: async (component) => {
					const root = await component.next();
					request(component, "again", { slot: "self" });
					const { result, error } = await component.next();
					component.answer(root.id, { outcome: "done", output: error?.data.code ?? [result.output] });
					component.exit(0);
				},
			},
			{ childDepth: 3 },
		);
		const pack = await stage.load("main");
		const target = { package: pack, children: {} as Record<string, ChildBinding> };
		target.children.self = target;
		const [outcome] = await ending(stage, stage.run(pack, { children: { self: target } }));
		expect(outcome).toEqual({ outcome: "done", output: [[["RESOURCE_EXHAUSTED"]]] });
		expectNothingLeft(stage);
	});

	test("is cancelled with its parent, and both are gone", async () => {
		const stage = arrange({
			main: async (component) => {
				await component.next();
				request(component, "c1", {});
			},
			child: async (component) => {
				component.ignoresTerminate = true;
				await component.next();
			},
		});
		const helper = await stage.load("child");
		const run = stage.run(await stage.load("main"), { children: { helper } });
		await settle();
		run.cancel();
		const [, failure] = await ending(stage, run);
		expect(failure).toMatchObject({ code: "CANCELLED", phase: "run", durationMs: 2_000 });
		expect(stage.runtime.components.map((component) => component.heard.includes("request/cancel"))).toEqual([
			true,
			true,
		]);
		expectNothingLeft(stage);
	});

	test("shares its parent's deadline", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				request(component, "c1", {});
				await component.next();
				await component.next();
				const error = { code: -32000, message: "late", data: { code: "DEADLINE_EXCEEDED" } };
				component.write({ jsonrpc: "2.0", id: root.id, error });
				component.exit(0);
			},
			child: async (component) => {
				await component.next();
			},
		});
		const helper = await stage.load("child");
		const run = stage.run(await stage.load("main"), { children: { helper }, deadlineMs: 700 });
		const [, failure] = await ending(stage, run);
		expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "run" });
		expectNothingLeft(stage);
	});
});

function failing(code: string): Script {
	return async (component) => {
		const root = await component.next();
		component.write({ jsonrpc: "2.0", id: root.id, error: { code: -32000, message: "own", data: { code } } });
		component.exit(0);
	};
}
