/** Run SDK/1 sections 5 and 6, Run/1 sections 7 to 9: what a handler's end, a cancellation or a loss means for the Run. */
import { describe, expect, it } from "vitest";
import { CapabilityError, OperationError, type RunContext } from "../../src/sdk/index.ts";
import { encodeUtf8 } from "../../src/web.ts";
import { memoryHost, rootRequest, settle } from "./memory-host.ts";

const done = { outcome: "done", output: null };

/** The root answer of a Run whose handler does `body`. */
async function answerOf(body: (run: RunContext) => unknown): Promise<Record<string, unknown>> {
	const host = memoryHost(async (run) => (await body(run)) as never);
	host.run();
	const answer = await host.until(1);
	await host.done;
	expect(host.state).toEqual({ stopped: true, failed: false });
	return answer;
}

const failureOf = (answer: Record<string, unknown>): unknown => {
	const { code, message, data } = answer.error as { code: number; message: string; data: Record<string, unknown> };
	expect([code, typeof message]).toEqual([-32000, "string"]);
	return data;
};

describe("the context (Run SDK/1 section 2)", () => {
	it("shows what the host supplied", async () => {
		let seen: unknown;
		const host = memoryHost(async (run) => {
			const { input, settings, attachments, channels, scratch, deadlineUnixMs, signal } = run;
			seen = JSON.parse(JSON.stringify({ input, settings, attachments, channels, scratch, deadlineUnixMs }));
			expect([signal instanceof AbortSignal, signal.aborted]).toEqual([true, false]);
			return done;
		});
		const attachments = { source: { path: "/workspace/source", access: "read" } };
		host.run({ name: "Ada" }, { settings: { loud: true }, attachments, scratch: "/s", deadlineUnixMs: 0 });
		await host.done;
		expect(seen).toEqual({
			input: { name: "Ada" },
			settings: { loud: true },
			attachments,
			channels: {},
			scratch: "/s",
			deadlineUnixMs: 0,
		});
	});

	it("hands out isolated values: mutation reaches no other part", async () => {
		const host = memoryHost(async (run) => {
			(run.input as { list: number[] }).list.push(2);
			return { outcome: "done", output: [run.input, run.input] };
		});
		host.run({ list: [1] });
		expect(await host.until(1)).toMatchObject({ result: { output: [{ list: [1, 2] }, { list: [1, 2] }] } });
	});
});

describe("results (Run SDK/1 sections 4 and 5)", () => {
	it("returns outcome and output", async () => {
		expect(await answerOf(() => ({ outcome: "needs-review", output: [1, { a: null }] }))).toEqual({
			jsonrpc: "2.0",
			id: "host:1",
			result: { outcome: "needs-review", output: [1, { a: null }] },
		});
	});

	const nested = (depth: number): unknown => {
		let value: unknown = null;
		for (let level = 0; level < depth; level++) value = [value];
		return value;
	};

	it("takes an output as deep as its frame allows", async () => {
		expect(await answerOf(() => ({ outcome: "done", output: nested(125) }))).toHaveProperty("result");
	});

	const symbols = { outcome: "done", output: null, [Symbol("x")]: 1 };
	it.each([
		["nothing", undefined],
		["null", null],
		["a string", "done"],
		["an array", ["done", null]],
		["no output", { outcome: "done" }],
		["an undefined output", { outcome: "done", output: undefined }],
		["no outcome", { output: null }],
		["an outcome in upper case", { outcome: "Done", output: null }],
		["an outcome with a line end", { outcome: "done\n", output: null }],
		["an outcome of 65", { outcome: "a".repeat(65), output: null }],
		["another member", { outcome: "done", output: null, extra: 1 }],
		["a symbol member", symbols],
		["NaN", { outcome: "done", output: Number.NaN }],
		["a lone surrogate", { outcome: "done", output: "\ud800" }],
		["a map", { outcome: "done", output: new Map() }],
		["an accessor", Object.defineProperty({ outcome: "done" }, "output", { enumerable: true, get: () => 1 })],
		["an output one level too deep for its frame", { outcome: "done", output: nested(126) }],
		["a string over 8 MiB", { outcome: "done", output: "x".repeat(8_388_609) }],
	])("%s is INVALID_RESULT", async (_name, value) => {
		expect(failureOf(await answerOf(() => value))).toMatchObject({ code: "INVALID_RESULT" });
	});

	it("an output that fits alone but not in its frame is INVALID_RESULT", async () => {
		const half = "x".repeat(8_388_590);
		expect(failureOf(await answerOf(() => ({ outcome: "done", output: [half, half] })))).toMatchObject({
			code: "INVALID_RESULT",
		});
	});

	it("never echoes the rejected value", async () => {
		const answer = await answerOf(() => ({ outcome: "SECRET-outcome", output: null }));
		expect(JSON.stringify(answer)).not.toContain("SECRET");
	});
});

describe("failures (Run SDK/1 section 5)", () => {
	it("an OperationError is preserved with its details", async () => {
		const answer = await answerOf(() => {
			throw new OperationError("PERMISSION_DENIED", "Not yours.", { why: ["a"] });
		});
		expect(answer).toEqual({
			jsonrpc: "2.0",
			id: "host:1",
			error: { code: -32000, message: "Not yours.", data: { code: "PERMISSION_DENIED", details: { why: ["a"] } } },
		});
	});

	it("omits undefined details and sends null", async () => {
		const without = await answerOf(() => Promise.reject(new OperationError("UNAVAILABLE")));
		const withNull = await answerOf(() => Promise.reject(new OperationError("UNAVAILABLE", "x", null)));
		expect([failureOf(without), failureOf(withNull)]).toEqual([
			{ code: "UNAVAILABLE" },
			{ code: "UNAVAILABLE", details: null },
		]);
	});

	it("rethrowing a call's failure preserves it", async () => {
		const host = memoryHost((run) => run.runChildFlow({ operationId: "a", slot: "b", input: null }));
		host.run();
		host.failure((await host.until(1)).id, "UNCERTAIN", "Who knows?", { tried: 1 });
		expect(failureOf(await host.until(2))).toEqual({ code: "UNCERTAIN", details: { tried: 1 } });
	});

	const withMembers = (members: object): OperationError => Object.assign(new OperationError("UNAVAILABLE"), members);
	const throwing = new OperationError("UNAVAILABLE");
	Object.defineProperty(throwing, "code", {
		get() {
			throw new Error("no");
		},
	});
	it.each<[string, unknown]>([
		["an ordinary exception", new Error("boom")],
		["a string", "boom"],
		["undefined", undefined],
		["null", null],
		["an object that can't be shown", { toString: null, [Symbol.toPrimitive]: null }],
		["a CapabilityError", new CapabilityError("not-found", null)],
		["a local code", new OperationError("CHANNEL_LOST")],
		["an unknown code", new OperationError("EXPLODED" as never)],
		["a lookalike", { name: "OperationError", code: "UNAVAILABLE", message: "x" }],
		["an empty message", new OperationError("UNAVAILABLE", "")],
		["a message of 1,025", new OperationError("UNAVAILABLE", "x".repeat(1_025), { a: 1 })],
		["a lone surrogate in the message", new OperationError("UNAVAILABLE", "\ud800")],
		["a message that is no string", withMembers({ message: 5 })],
		["details that are no JSON/1", new OperationError("UNAVAILABLE", "x", Number.NaN)],
		["members that throw", throwing],
	])("%s is EXECUTION_FAILED without details", async (_name, thrown) => {
		expect(failureOf(await answerOf(() => Promise.reject(thrown)))).toEqual({ code: "EXECUTION_FAILED" });
	});

	it("a message of 1,024 scalars outside the BMP is within the bound", async () => {
		const message = "\u{1F600}".repeat(1_024);
		expect(await answerOf(() => Promise.reject(new OperationError("UNAVAILABLE", message)))).toMatchObject({
			error: { message },
		});
	});

	it("details too deep for their frame do not kill the channel", async () => {
		let details: unknown = null;
		for (let level = 0; level < 127; level++) details = [details];
		const answer = await answerOf(() => Promise.reject(new OperationError("UNAVAILABLE", "x", details as never)));
		expect(failureOf(answer)).toEqual({ code: "EXECUTION_FAILED" });
	});

	it("a handler that throws synchronously is no different", async () => {
		const host = memoryHost((() => {
			throw new Error("at once");
		}) as never);
		host.run();
		expect(failureOf(await host.until(1))).toEqual({ code: "EXECUTION_FAILED" });
	});

	it("the exception's text goes to the diagnostics, bounded, not over the wire", async () => {
		const host = memoryHost(() => Promise.reject(new Error(`SECRET ${"x".repeat(100_000)}`)));
		host.run();
		expect(JSON.stringify(await host.until(1))).not.toContain("SECRET");
		expect(host.reports).toHaveLength(1);
		expect([host.reports[0]!.includes("SECRET"), host.reports[0]!.length]).toEqual([true, 4_096]);
	});

	it("diagnostics that throw change nothing", async () => {
		const host = memoryHost(() => Promise.reject(new Error("boom")), {
			report() {
				throw new Error("stderr is gone");
			},
		});
		host.run();
		expect(failureOf(await host.until(1))).toEqual({ code: "EXECUTION_FAILED" });
		await host.done;
	});
});

describe("root cancellation (Run/1 section 8)", () => {
	it("aborts run.signal; a handler that swallows it is CANCELLED all the same", async () => {
		let reason: unknown;
		const host = memoryHost(async (run) => {
			await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
			reason = run.signal.reason;
			return done;
		});
		host.run();
		await settle();
		host.cancel();
		host.cancel();
		expect(failureOf(await host.until(1))).toEqual({ code: "CANCELLED" });
		await host.done;
		expect([host.sent.length, (reason as OperationError).code]).toEqual([1, "CANCELLED"]);
	});

	it("wins over whatever the handler throws", async () => {
		const host = memoryHost(async (run) => {
			await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
			throw new OperationError("UNAVAILABLE", "late");
		});
		host.run();
		await settle();
		host.cancel();
		expect(failureOf(await host.until(1))).toEqual({ code: "CANCELLED" });
	});

	it("cancels pending calls, asks the host to stop them, and answers after they settled", async () => {
		let code: unknown;
		const host = memoryHost(async (run) => {
			await run.runChildFlow({ operationId: "a", slot: "b", input: null }).catch((error) => {
				code = error.code;
			});
			return done;
		});
		host.run();
		const request = await host.until(1);
		host.cancel();
		expect(await host.until(2)).toMatchObject({ method: "request/cancel", params: { requestId: request.id } });
		await settle();
		expect([code, host.sent.length]).toEqual(["CANCELLED", 2]);
		host.failure(request.id, "CANCELLED");
		expect(failureOf(await host.until(3))).toEqual({ code: "CANCELLED" });
	});

	it("before the handler began, it never begins", async () => {
		let began = false;
		const host = memoryHost(async () => {
			began = true;
			return done;
		});
		const cancel = { jsonrpc: "2.0", method: "request/cancel", params: { requestId: "host:1" } };
		host.send(rootRequest(), cancel);
		expect(failureOf(await host.until(1))).toEqual({ code: "CANCELLED" });
		expect(began).toBe(false);
	});
});

describe("abandoned calls (Run SDK/1 section 6)", () => {
	it("a result that leaves a call running becomes a failure, after that call was cancelled and settled", async () => {
		const host = memoryHost(async (run) => {
			run.runChildFlow({ operationId: "a", slot: "b", input: null });
			await settle();
			return done;
		});
		host.run();
		const request = await host.until(1);
		expect(await host.until(2)).toMatchObject({ method: "request/cancel" });
		await settle();
		expect(host.sent).toHaveLength(2);
		host.failure(request.id, "CANCELLED");
		expect(failureOf(await host.until(3))).toHaveProperty("code", "EXECUTION_FAILED");
	});
});

describe("the ends of a Run (Run/1 sections 1 and 9)", () => {
	it("invalid root params are answered -32602 and end normally", async () => {
		const host = memoryHost(async () => done);
		host.run(null, { deadlineUnixMs: -1 });
		expect(await host.until(1)).toMatchObject({ id: "host:1", error: { code: -32602 } });
		await host.done;
		expect(host.state).toEqual({ stopped: true, failed: false });
	});

	it("end of input before the answer is CHANNEL_LOST and writes nothing", async () => {
		let finish: (() => void) | undefined;
		const host = memoryHost(async () => {
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			return done;
		});
		host.run();
		await settle();
		host.end();
		await expect(host.done).rejects.toMatchObject({ name: "OperationError", code: "CHANNEL_LOST" });
		finish!();
		await settle();
		expect([host.sent, host.state, host.reports]).toEqual([[], { stopped: true, failed: true }, []]);
	});

	it("end of input while the answer is being written changes nothing", async () => {
		const host = memoryHost(async () => done);
		host.hold();
		host.run();
		await host.until(1);
		host.end();
		host.release();
		await host.done;
		expect([host.sent, host.state.failed]).toMatchObject([[{ id: "host:1", result: done }], false]);
	});

	it.each([
		["a read error", "CHANNEL_LOST", (host: ReturnType<typeof memoryHost>) => host.fail(new Error("EIO"))],
		[
			"a half frame",
			"PROTOCOL_ERROR",
			(host: ReturnType<typeof memoryHost>) => {
				host.raw(encodeUtf8('{"jsonrpc"'));
				host.end();
			},
		],
		["invalid UTF-8", "PROTOCOL_ERROR", (host: ReturnType<typeof memoryHost>) => host.raw(new Uint8Array([0xff, 10]))],
	])("%s is %s", async (_name, code, fault) => {
		const host = memoryHost(() => new Promise(() => {}));
		host.run();
		await settle();
		fault(host);
		await expect(host.done).rejects.toMatchObject({ code });
		expect(host.sent).toEqual([]);
	});

	it("a broken frame is answered -32700 before handle rejects", async () => {
		const host = memoryHost(() => new Promise(() => {}));
		host.raw(encodeUtf8("{}{}\n"));
		await expect(host.done).rejects.toMatchObject({ code: "PROTOCOL_ERROR" });
		expect(host.sent).toMatchObject([{ id: null, error: { code: -32700 } }]);
	});

	it("a failed write is CHANNEL_LOST", async () => {
		const host = memoryHost(async () => done);
		host.breakWrites(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
		host.run();
		await expect(host.done).rejects.toMatchObject({ code: "CHANNEL_LOST" });
	});

	it("handle serves one Run", async () => {
		const host = memoryHost(async () => done);
		host.run();
		await host.done;
		await expect(host.handle(async () => done)).rejects.toThrow(/one Run/);
		await expect(host.handle(undefined as never)).rejects.toBeInstanceOf(TypeError);
	});
});
