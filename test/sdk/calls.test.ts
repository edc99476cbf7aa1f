/** Run SDK/1 sections 2, 4 and 5: child and capability calls, seen from the wire and from the author. */
import { describe, expect, it } from "vitest";
import { CapabilityError, OperationError, type RunContext, type RunHandler } from "../../src/sdk/index.ts";
import { capability, caught, child, codeOf, done } from "./caller.ts";
import { type Message, memoryHost, settle } from "./memory-host.ts";

describe("requests on the wire (Run/1 sections 4 and 5)", () => {
	it("sends a child request with exactly its members and returns the complete result", async () => {
		const host = memoryHost(async (run) => {
			const result = await run.runChildFlow({ ...child, intent: "Find it.", input: { a: [1] } });
			return { outcome: "done", output: result };
		});
		host.run();
		const request = await host.until(1);
		expect(request).toEqual({
			jsonrpc: "2.0",
			id: expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/),
			method: "flow/run-child",
			params: { operationId: "research:1", slot: "research", intent: "Find it.", input: { a: [1] } },
		});
		host.result(request.id, { outcome: "found", output: 7 });
		expect(await host.until(2)).toEqual({
			jsonrpc: "2.0",
			id: "host:1",
			result: { outcome: "done", output: { outcome: "found", output: 7 } },
		});
		await host.done;
	});

	it("sends a capability call and unwraps its value", async () => {
		const host = memoryHost(async (run) => ({ outcome: "done", output: await run.callCapability(capability) }));
		host.run();
		const request = await host.until(1);
		expect(request).toMatchObject({ method: "capability/call", params: capability });
		expect(request.params).toEqual(capability);
		host.result(request.id, { value: { stored: true } });
		expect(await host.until(2)).toMatchObject({ result: { outcome: "done", output: { stored: true } } });
	});

	it("treats an optional member that is undefined as absent", async () => {
		const host = memoryHost(async (run) => {
			await run.runChildFlow({ ...child, intent: undefined, channels: undefined }, { signal: undefined });
			return done;
		});
		host.run();
		expect((await host.until(1)).params).toEqual(child);
	});

	it("works with its functions taken off the context", async () => {
		const host = memoryHost(async ({ callCapability }) => ({
			outcome: "done",
			output: await callCapability(capability),
		}));
		host.run();
		host.result((await host.until(1)).id, { value: 1 });
		expect(await host.until(2)).toMatchObject({ result: { output: 1 } });
	});

	it("settles concurrent calls in any order", async () => {
		const host = memoryHost(async (run) => ({
			outcome: "done",
			output: await Promise.all(
				[0, 1, 2].map((index) => run.callCapability({ ...capability, operationId: `write:${index}`, input: index })),
			),
		}));
		host.run();
		await host.until(3);
		for (const request of [...host.sent].reverse()) {
			host.result(request.id, { value: (request.params as { input: number }).input * 10 });
		}
		expect(await host.until(4)).toMatchObject({ result: { output: [0, 10, 20] } });
	});
});

describe("snapshots (Run SDK/1 section 4)", () => {
	it("sends the input as it was at the call", async () => {
		const host = memoryHost(async (run) => {
			const input = { list: [1] };
			const pending = run.callCapability({ ...capability, input });
			input.list.push(2);
			await pending;
			return done;
		});
		host.run();
		expect((await host.until(1)).params).toMatchObject({ input: { list: [1] } });
	});

	it("keeps __proto__ an ordinary member both ways", async () => {
		const hostile = JSON.parse('{"__proto__":{"polluted":true}}');
		const host = memoryHost(async (run) => {
			expect(Object.keys(run.input as object)).toEqual(["__proto__"]);
			return { outcome: "done", output: await run.callCapability({ ...capability, input: run.input }) };
		});
		host.run(hostile);
		const request = await host.until(1);
		expect(JSON.stringify(request.params)).toContain('"__proto__":{"polluted":true}');
		host.result(request.id, { value: hostile });
		expect(JSON.stringify(await host.until(2))).toContain('"output":{"__proto__":{"polluted":true}}');
	});
});

describe("invalid arguments are a rejected TypeError, before admission (Run SDK/1 section 4)", () => {
	const cyclic: { self?: unknown } = {};
	cyclic.self = cyclic;
	const accessor = Object.defineProperty({}, "input", {
		enumerable: true,
		get() {
			throw new Error("an accessor was run");
		},
	});
	const trap = new Proxy(
		{},
		{
			ownKeys() {
				throw new Error("trapped");
			},
		},
	);
	const calls: [string, unknown][] = [
		["no call", undefined],
		["null", null],
		["an array", []],
		["no operationId", { ...child, operationId: undefined }],
		["an empty operationId", { ...child, operationId: "" }],
		["an operationId with a blank", { ...child, operationId: "a b" }],
		["an operationId with a line end", { ...child, operationId: "a\n" }],
		["an operationId of 129", { ...child, operationId: "a".repeat(129) }],
		["a slot in upper case", { ...child, slot: "Research" }],
		["a slot of 65", { ...child, slot: "a".repeat(65) }],
		["an empty intent", { ...child, intent: "" }],
		["an intent of 16,385", { ...child, intent: "x".repeat(16_385) }],
		["a lone surrogate in intent", { ...child, intent: "\ud800" }],
		["an intent that is no string", { ...child, intent: 1 }],
		["no input", { operationId: "a", slot: "b" }],
		["an undefined input", { ...child, input: undefined }],
		["NaN", { ...child, input: Number.NaN }],
		["an unsafe integer", { ...child, input: 2 ** 53 }],
		["a date", { ...child, input: new Date(0) }],
		["a bigint", { ...child, input: 1n }],
		["a function", { ...child, input: () => 1 }],
		["a lone surrogate", { ...child, input: "\udc00" }],
		["a sparse array", { ...child, input: new Array(2) }],
		["a cycle", { ...child, input: cyclic }],
		["an undefined member", { ...child, input: { a: undefined } }],
		["an unknown member", { ...child, intnet: "typo" }],
		["a symbol member", { ...child, [Symbol("x")]: 1 }],
		["an accessor", Object.assign(accessor, { operationId: "a", slot: "b" })],
		["a hostile proxy", trap],
		["channels that are no map", { ...child, channels: [] }],
		["a channel that is no endpoint", { ...child, channels: { events: "endpoint:1" } }],
		["a foreign endpoint", { ...child, channels: { events: { direction: "send" } } }],
		["a channel name in upper case", { ...child, channels: { Events: {} } }],
	];
	it.each(calls)("%s", async (_name, call) => {
		const { host, error } = caught((run) => run.runChildFlow(call as never));
		const reason = await error;
		expect([reason instanceof TypeError, (reason as Error).name]).toEqual([true, "TypeError"]);
		expect(await host.until(1)).toMatchObject({ id: "host:1", result: done });
	});

	it.each([
		["null", null],
		["a function", () => {}],
		["an unknown member", { singal: undefined, timeout: 1 }],
		["a signal that is none", { signal: {} }],
		["a signal that is a string", { signal: "abort" }],
	])("call options: %s", async (_name, options) => {
		const { host, error } = caught((run) => run.callCapability(capability, options as never));
		expect(await error).toBeInstanceOf(TypeError);
		expect(await host.until(1)).toMatchObject({ id: "host:1" });
	});

	it("a method that is no name", async () => {
		const { error } = caught((run) => run.callCapability({ ...capability, method: "Write" }));
		expect(await error).toBeInstanceOf(TypeError);
	});

	it("never throws synchronously", async () => {
		let threw = false;
		const { error } = caught(async (run) => {
			try {
				run.runChildFlow(undefined as never).catch(() => {});
				run.callCapability(null as never, null as never).catch(() => {});
				run.channel(1 as never).catch(() => {});
			} catch {
				threw = true;
			}
		});
		await error;
		expect(threw).toBe(false);
	});

	it("names the place inside the input", async () => {
		const { error } = caught((run) => run.callCapability({ ...capability, input: { a: [0, Number.NaN] } }));
		expect(((await error) as Error).message).toContain("/a/1");
	});
});

describe("which refusal wins (Run SDK/1 section 4)", () => {
	it("invalid arguments before an aborted signal", async () => {
		const { error } = caught((run) => run.runChildFlow({ ...child, slot: "?" }, { signal: AbortSignal.abort() }));
		expect(await error).toBeInstanceOf(TypeError);
	});

	it("an aborted signal before a closed owner: exactly CANCELLED (section 2)", async () => {
		const { host, error } = caught(async (run) => {
			await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
			await run.runChildFlow(child, { signal: AbortSignal.abort() });
		});
		await settle();
		host.cancel();
		expect(codeOf(await error)).toBe("CANCELLED");
	});

	it("an aborted signal sends nothing, with room to spare", async () => {
		const { host, error } = caught((run) => run.callCapability(capability, { signal: AbortSignal.abort() }));
		expect(codeOf(await error)).toBe("CANCELLED");
		await host.done;
		expect(host.sent).toMatchObject([{ id: "host:1", result: done }]);
	});

	it("an aborted signal before the 64 live calls, and sends nothing", async () => {
		const { host, error } = caught(async (run) => {
			for (let index = 0; index < 64; index++) run.callCapability({ ...capability, operationId: `w:${index}` });
			await run.callCapability(capability, { signal: AbortSignal.abort() });
		});
		expect(codeOf(await error)).toBe("CANCELLED");
		await host.until(64);
		expect(host.sent.filter((message) => message.method === "capability/call")).toHaveLength(64);
	});

	it("OWNER_CLOSED once the handler returned", async () => {
		let context: RunContext | undefined;
		const host = memoryHost(async (run) => {
			context = run;
			return done;
		});
		host.run();
		await host.done;
		await expect(context!.runChildFlow(child)).rejects.toMatchObject({ code: "OWNER_CLOSED" });
		await expect(context!.channel()).rejects.toMatchObject({ code: "OWNER_CLOSED" });
		expect(host.sent).toHaveLength(1);
	});
});

describe("answers (Run SDK/1 section 5)", () => {
	it("a declared capability error is a CapabilityError with its name and data", async () => {
		const { host, error } = caught((run) => run.callCapability(capability));
		host.result((await host.until(1)).id, { error: { name: "not-found", data: { path: "x" } } });
		const reason = (await error) as CapabilityError;
		expect(reason).toBeInstanceOf(CapabilityError);
		expect([reason.name, reason.errorName, { ...(reason.data as object) }]).toEqual([
			"CapabilityError",
			"not-found",
			{ path: "x" },
		]);
	});

	it("an operational failure is an OperationError with code, message and details", async () => {
		const { host, error } = caught((run) => run.runChildFlow(child));
		host.failure((await host.until(1)).id, "PERMISSION_DENIED", "Not yours.", null);
		const reason = (await error) as OperationError;
		expect(reason).toBeInstanceOf(OperationError);
		expect([reason.name, reason.code, reason.message, reason.details]).toEqual([
			"OperationError",
			"PERMISSION_DENIED",
			"Not yours.",
			null,
		]);
	});

	it("omitted details stay omitted", async () => {
		const { host, error } = caught((run) => run.runChildFlow(child));
		host.failure((await host.until(1)).id, "UNAVAILABLE");
		expect(Object.hasOwn((await error) as object, "details")).toBe(false);
	});

	it.each([-32601, -32602, -32603])("the standard error %i is a fatal incompatibility", async (code) => {
		const { host, error } = caught((run) => run.runChildFlow(child));
		const request = await host.until(1);
		host.send({ jsonrpc: "2.0", id: request.id, error: { code, message: "No." } });
		expect(codeOf(await error)).toBe("PROTOCOL_ERROR");
		await expect(host.done).rejects.toMatchObject({ name: "OperationError", code: "PROTOCOL_ERROR" });
		await settle();
		expect(host.sent).toHaveLength(1);
		expect(host.state).toEqual({ stopped: true, failed: true });
	});

	it("losing the channel rejects every pending call once and aborts the Run", async () => {
		let aborted = false;
		const codes: unknown[] = [];
		const host = memoryHost(async (run) => {
			run.signal.addEventListener("abort", () => {
				aborted = true;
			});
			const calls = [0, 1, 2].map((index) => run.runChildFlow({ ...child, operationId: `r:${index}` }));
			for (const outcome of await Promise.allSettled(calls))
				codes.push(codeOf((outcome as PromiseRejectedResult).reason));
			return done;
		});
		host.run();
		await host.until(3);
		host.end();
		await expect(host.done).rejects.toMatchObject({ code: "CHANNEL_LOST" });
		await settle();
		expect([codes, aborted]).toEqual([["CHANNEL_LOST", "CHANNEL_LOST", "CHANNEL_LOST"], true]);
		expect(host.sent).toHaveLength(3);
	});
});

it("an ignored failed call is no unhandled rejection", async () => {
	const unhandled: unknown[] = [];
	const listener = (reason: unknown): void => void unhandled.push(reason);
	process.on("unhandledRejection", listener);
	try {
		const handler: RunHandler = async (run) => {
			run.runChildFlow(undefined as never);
			run.callCapability(capability, { signal: AbortSignal.abort() });
			run.channel({ schema: 1 } as never);
			run.callCapability(capability);
			await settle();
			return done;
		};
		const host = memoryHost(handler);
		host.run();
		const request: Message = await host.until(1);
		host.failure(request.id, "UNAVAILABLE");
		await host.done;
		await settle();
		expect(host.sent.at(-1)).toMatchObject({ result: done });
	} finally {
		process.off("unhandledRejection", listener);
	}
	expect(unhandled).toEqual([]);
});
