import { describe, expect, test } from "vitest";
import { parseCapabilityContract } from "../../src/contract/index.ts";
import type { CapabilityProvider, ChildBinding, HostLimits, RunOptions } from "../../src/host/index.ts";
import { arrange, DONE, ending, expectNothingLeft, runScript } from "./arrange.ts";
import { type Call, calling, request } from "./calling.ts";
import { settle } from "./fake.ts";

/** What one call of the parent came to, the Run itself having succeeded. */
async function came(
	call: Call,
	options: Partial<RunOptions> & {
		limits?: Partial<HostLimits>;
		frontmatter?: string;
		files?: Record<string, string>;
	} = {},
): Promise<unknown> {
	const { outcome, failure } = await runScript(calling(call), options);
	if (failure !== undefined) throw failure;
	return (outcome as { output: unknown }).output;
}

describe("a child bound to a function (Run/1 section 4)", () => {
	test("gets slot, operation, intent and input, and gives the result", async () => {
		const calls: unknown[] = [];
		const helper: ChildBinding = ({ signal, ...call }) => {
			calls.push({ ...call, aborted: signal.aborted });
			return { outcome: "partial", output: [1] };
		};
		const call = { input: { a: 1 }, intent: "find it" };
		expect(await came(call, { children: { helper } })).toEqual({ result: { outcome: "partial", output: [1] } });
		const expected = { slot: "helper", operationId: "c1", intent: "find it", input: { a: 1 }, channels: {} };
		expect(calls).toEqual([{ ...expected, aborted: false }]);
	});

	test("an unbound slot is UNAVAILABLE", async () => {
		expect(await came({})).toEqual({
			code: "UNAVAILABLE",
			message: 'No child is bound to slot "helper".',
			details: null,
		});
	});

	test("a call of an unbound slot is seen in the trace, with the slot", async () => {
		const seen: unknown[] = [];
		const onTrace: RunOptions["onTrace"] = ({ event }) => {
			if (event.type === "operation-unbound") seen.push(event);
		};
		await came({}, { onTrace });
		expect(seen).toEqual([{ type: "operation-unbound", operationId: "c1", slot: "helper", target: "child" }]);
	});

	test("`constructor` is an ordinary slot name", async () => {
		expect(await came({ slot: "constructor" }, { children: {} })).toMatchObject({ code: "UNAVAILABLE" });
	});

	test.each<[string, unknown]>([
		["throws", new Error("database password")],
		["throws nothing useful", undefined],
		["throws a code that isn't the wire's", { code: "PROTOCOL_ERROR" }],
		["throws a code of the system", { code: "ENOENT" }],
		[
			"throws an object whose code can't be read",
			{
				get code() {
					throw new Error("no");
				},
			},
		],
		["throws details outside JSON/1", { code: "UNAVAILABLE", message: "x", details: Number.NaN }],
	])("that %s fails that operation only, without a word of it", async (_, error) => {
		const { outcome, stage } = await runScript(calling({}), {
			children: {
				helper: () => {
					throw error;
				},
			},
		});
		expect(outcome).toMatchObject({ output: { code: "EXECUTION_FAILED", details: null } });
		expect(stage.runtime.components[0]!.heard).not.toContain("password");
	});

	test("an error with a wire code keeps code, message and details", async () => {
		const error = Object.assign(new Error("gone"), { code: "UNCERTAIN", details: { at: 1 } });
		const { outcome, stage } = await runScript(calling({}), { children: { helper: () => Promise.reject(error) } });
		expect(outcome).toMatchObject({ output: { code: "UNCERTAIN", details: { at: 1 } } });
		expect(stage.runtime.components[0]!.heard).toContain('"message":"gone"');
	});

	test("a message outside the wire's bounds is replaced", async () => {
		const error = { code: "UNAVAILABLE", message: "x".repeat(1_025) };
		const { outcome } = await runScript(calling({}), { children: { helper: () => Promise.reject(error) } });
		expect(outcome).toMatchObject({ output: { code: "UNAVAILABLE" } });
	});

	test.each<[string, unknown]>([
		["nothing", undefined],
		["no outcome", { output: 1 }],
		["no output", { outcome: "done" }],
		["a member too many", { outcome: "done", output: 1, extra: 1 }],
		["an outcome that is no LocalName", { outcome: "Done", output: 1 }],
		["an inherited output", Object.assign(Object.create({ output: 1 }), { outcome: "done" })],
		["a value outside JSON/1", { outcome: "done", output: () => 1 }],
	])("that gives %s is INVALID_RESULT", async (_, given) => {
		expect(await came({}, { children: { helper: () => given as never } })).toMatchObject({
			code: "INVALID_RESULT",
			message: expect.stringMatching(/^Child slot "helper": The result /),
		});
	});

	test("a call with channels is UNAVAILABLE before dispatch", async () => {
		let called = false;
		const helper: ChildBinding = () => {
			called = true;
			return DONE;
		};
		expect(await came({ channels: { out: "e1" } }, { children: { helper } })).not.toHaveProperty("result");
		expect(called).toBe(false);
	});

	test("a result beyond the retained bytes is delivered, only not kept for repetitions", async () => {
		const helper: ChildBinding = () => ({ outcome: "done", output: "x".repeat(2_000) });
		const limits = { retainedResultBytes: 1_000 };
		expect(await came({}, { children: { helper }, limits })).toMatchObject({ result: { outcome: "done" } });
	});
});

describe("cancellation of owned work (Run/1 sections 6 and 8)", () => {
	test("the last waiter's cancellation aborts the function", async () => {
		let aborted = false;
		const { outcome } = await runScript(
			async (component) => {
				const root = await component.next();
				request(component, "c1", {});
				await settle();
				component.write({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "c1" } });
				const { error } = await component.next();
				component.answer(root.id, { outcome: "done", output: error.data.code });
				component.exit(0);
			},
			{
				children: {
					helper: ({ signal }) =>
						new Promise((_, reject) => {
							signal.addEventListener("abort", () => {
								aborted = true;
								reject(signal.reason);
							});
						}),
				},
			},
		);
		expect(outcome).toEqual({ outcome: "done", output: "CANCELLED" });
		expect(aborted).toBe(true);
	});

	test("cancelling the Run cancels its functions at once", async () => {
		let aborted = false;
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				request(component, "c1", {});
				await component.next();
				await component.next();
				const error = { code: -32000, message: "stopped", data: { code: "CANCELLED" } };
				component.write({ jsonrpc: "2.0", id: root.id, error });
				component.exit(0);
			},
		});
		const run = stage.run(await stage.load("main"), {
			children: {
				helper: ({ signal }) =>
					new Promise((resolve) => {
						signal.addEventListener("abort", () => {
							aborted = true;
							resolve(DONE);
						});
					}),
			},
		});
		await settle();
		run.cancel();
		await settle();
		expect(aborted).toBe(true);
		expect((await ending(stage, run))[1]!.code).toBe("CANCELLED");
		expectNothingLeft(stage);
	});

	test.each(["the function itself", "whoever observes its start"])(
		"cancelling as it starts, by %s, aborts it",
		async (who) => {
			const seen: boolean[] = [];
			const stage = arrange({
				main: async (component) => {
					await component.next();
					request(component, "c1", {});
				},
			});
			const run = stage.run(await stage.load("main"), {
				onTrace: ({ event }) => {
					if (event.type === "operation-started" && who !== "the function itself") run.cancel();
				},
				children: {
					helper: async ({ signal }) => {
						if (who === "the function itself") run.cancel();
						seen.push(signal.aborted);
						return DONE;
					},
				},
			});
			expect((await ending(stage, run))[1]!.code).toBe("CANCELLED");
			expect(seen).toEqual([true]);
			expectNothingLeft(stage);
		},
	);

	test("a function that ignores its signal holds the Run for its grace, and then not its success", async () => {
		const { failure } = await runScript(
			async (component) => {
				const root = await component.next();
				request(component, "c1", {});
				await settle();
				component.write({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "c1" } });
				await component.next();
				component.answer(root.id, DONE);
				component.exit(0);
			},
			{ children: { helper: () => new Promise<never>(() => undefined) } },
		);
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", phase: "acceptance", durationMs: 1_000 });
	});

	test("work that outlives a failed Run doesn't outlive its bound", async () => {
		const { failure } = await runScript(
			async (component) => {
				await component.next();
				request(component, "c1", {});
				await settle();
				component.exit(1);
			},
			{ children: { helper: () => new Promise<never>(() => undefined) } },
		);
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED", durationMs: 1_000 });
	});
});

const CONTRACT = JSON.stringify({
	$schema: "https://flow.jig.md/schemas/capability-contract-1.schema.json",
	flowCapabilityContract: 1,
	id: "https://example.org/store",
	version: "1.0.0",
	methods: {
		read: {
			input: { type: "string" },
			output: { type: "number" },
			errors: { "not-found": { type: "object", required: ["key"] } },
		},
	},
});

describe("capabilities (Capability Contract/1)", () => {
	const { identity } = parseCapabilityContract(CONTRACT);
	const uses = {
		frontmatter: "uses:\n  store:\n    contract: ./store.json\n  scratch:\n    local: true\n",
		files: { "store.json": CONTRACT },
	};
	const read = { slot: "store", method: "read", input: "key" };
	const store = (call: CapabilityProvider["call"]): Partial<RunOptions> => ({
		capabilities: { store: { contract: identity, call }, scratch: { call } },
	});

	test("a value within the contract", async () => {
		const calls: unknown[] = [];
		const options = store(({ signal, ...call }) => {
			calls.push(call);
			return { value: 7 };
		});
		expect(await came(read, { ...uses, ...options })).toEqual({ result: { value: 7 } });
		expect(calls).toEqual([{ slot: "store", operationId: "c1", method: "read", input: "key", channels: {} }]);
	});

	test("a declared error within the contract", async () => {
		const error = { name: "not-found", data: { key: "k" } };
		expect(await came(read, { ...uses, ...store(() => ({ error })) })).toEqual({ result: { error } });
	});

	test("an undeclared slot is PERMISSION_DENIED, an unbound one UNAVAILABLE", async () => {
		expect(await came({ ...read, slot: "other" }, uses)).toMatchObject({ code: "PERMISSION_DENIED" });
		expect(await came(read, uses)).toMatchObject({ code: "UNAVAILABLE" });
	});

	test("an unknown method and an input outside its schema never reach the provider", async () => {
		let called = false;
		const options = store(() => {
			called = true;
			return { value: 1 };
		});
		expect(await came({ ...read, method: "write" }, { ...uses, ...options })).toMatchObject({ code: "INVALID_INPUT" });
		expect(await came({ ...read, input: 1 }, { ...uses, ...options })).toEqual({
			code: "INVALID_INPUT",
			message:
				'Capability slot "store", method "read": The input does not fit its schema at the root: ' +
				"Expected string, got integer (schema /methods/read/input).",
			details: [
				expect.objectContaining({ instancePointer: "", keyword: "type", message: "Expected string, got integer" }),
			],
		});
		expect(called).toBe(false);
	});

	test.each<[string, unknown]>([
		["a value outside its schema", { value: "text" }],
		["an undeclared error", { error: { name: "denied", data: {} } }],
		["error data outside its schema", { error: { name: "not-found", data: {} } }],
		["an error without data", { error: { name: "not-found" } }],
		["both", { value: 1, error: { name: "not-found", data: { key: 1 } } }],
		["neither", {}],
		["nothing", undefined],
		["a value outside JSON/1", { value: Number.POSITIVE_INFINITY }],
		["a name outside JSON/1", { value: { "\ud800": 1 } }],
	])("%s is INVALID_RESULT", async (_, given) => {
		expect(await came(read, { ...uses, ...store(() => given as never) })).toMatchObject({
			code: "INVALID_RESULT",
			message: expect.stringMatching(/^Capability slot "store", method "read": The /),
		});
	});

	test("a provider that throws is EXECUTION_FAILED, with a wire code that code", async () => {
		const throwing = (error: unknown): Partial<RunOptions> => store(() => Promise.reject(error));
		expect(await came(read, { ...uses, ...throwing(new Error("x")) })).toMatchObject({ code: "EXECUTION_FAILED" });
		const denied = Object.assign(new Error("no"), { code: "PERMISSION_DENIED" });
		expect(await came(read, { ...uses, ...throwing(denied) })).toMatchObject({ code: "PERMISSION_DENIED" });
	});

	test("a local slot takes any method and value", async () => {
		const call = { slot: "scratch", method: "anything", input: { a: 1 } };
		const options = store(() => ({ value: { b: 2 } }));
		expect(await came(call, { ...uses, ...options })).toEqual({ result: { value: { b: 2 } } });
		const error = { name: "own", data: null };
		expect(await came(call, { ...uses, ...store(() => ({ error })) })).toEqual({ result: { error } });
	});
});
