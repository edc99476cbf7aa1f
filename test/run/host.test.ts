import { describe, expect, it } from "vitest";
import { InvalidMessage, RUN_LIMITS } from "../../src/run/index.ts";
import {
	bytes,
	callRequest,
	cancelOf,
	childRequest,
	codeOf,
	DONE,
	failure,
	Host,
	ROOT,
	ROOT_REQUEST,
	result,
} from "./harness.ts";

const ANSWER = result("host:1", { ...DONE });

describe("Run/1 section 3: flow/run at the host", () => {
	it("writes the one request, with the channel map only when it has entries", () => {
		const host = new Host();
		host.session.start();
		host.session.start();
		expect(host.flush()).toEqual([ROOT_REQUEST]);
		const channels = { events: { endpoint: "e", direction: "send", delivery: "direct" } } as const;
		const granted = new Host({}, {}, { ...ROOT, channels });
		granted.session.start();
		expect(granted.flush()).toEqual([{ ...ROOT_REQUEST, params: { ...ROOT_REQUEST.params, channels } }]);
	});

	it.each([
		["settings that are no object", { ...ROOT, settings: [] }, "/settings"],
		[
			"an attachment with another member",
			{ ...ROOT, attachments: { a: { path: "/a", access: "read", x: 1 } } },
			"/attachments/a",
		],
		[
			"257 attachments",
			{
				...ROOT,
				attachments: Object.fromEntries(
					Array.from({ length: 257 }, (_, i) => [`a${i}`, { path: "/", access: "read" }]),
				),
			},
			"/attachments",
		],
		["an empty scratch", { ...ROOT, scratch: "" }, "/scratch"],
		["a fractional deadline", { ...ROOT, deadlineUnixMs: 1.5 }, "/deadlineUnixMs"],
		[
			"an input too deep for its frame",
			{ ...ROOT, input: JSON.parse(`${"[".repeat(127)}${"]".repeat(127)}`) },
			undefined,
		],
	])("refuses %s before anything is written", (_, root, pointer) => {
		let error: unknown;
		try {
			new Host({}, {}, root as never);
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(InvalidMessage);
		if (pointer !== undefined) expect((error as InvalidMessage).pointer).toBe(pointer);
	});

	it("measures the root request inside its frame with its own id", () => {
		const { length } = JSON.stringify({ ...ROOT_REQUEST, params: { ...ROOT_REQUEST.params, input: ["", "", ""] } });
		const root = (over: number) => ({
			...ROOT,
			input: ["x".repeat(8_000_000), "x".repeat(8_000_000), "x".repeat(16_777_216 - length - 16_000_000 + over)],
		});
		expect(() => new Host({}, {}, root(1))).toThrow(InvalidMessage);
		const host = new Host({}, {}, root(0));
		host.session.start();
		expect(host.session.takeFrame()?.length).toBe(16_777_217);
	});

	it("succeeds on a valid answer, a clean end of stdout and exit 0", () => {
		const host = Host.running().feed(ANSWER);
		expect([host.responses, host.accepted]).toEqual([1, [DONE]]);
		expect(host.exit()).toBe("done");
	});

	it("fails with the component's own failure", () => {
		const host = Host.running().feed(failure("host:1", "INVALID_INPUT", "bad"));
		host.session.inputEnded();
		expect(host.session.exited({ exitCode: 0, signal: null, killed: false })).toEqual({
			status: "failed",
			code: "INVALID_INPUT",
			message: "bad",
		});
		expect([host.responses, host.answer]).toEqual([1, "failure"]);
	});

	it("fails with the failure of acceptance, and with EXECUTION_FAILED when acceptance itself breaks", () => {
		const host = Host.running();
		host.refusal = { code: "INVALID_RESULT", message: "no such outcome" };
		host.feed(ANSWER);
		expect([host.answer, host.exit()]).toEqual(["result", "INVALID_RESULT"]);
		const broken = Host.running();
		broken.refusal = { code: "NOPE" as never, message: "" };
		broken.feed(ANSWER);
		expect(broken.exit()).toBe("EXECUTION_FAILED");
	});

	it.each([
		["a standard error", { jsonrpc: "2.0", id: "host:1", error: { code: -32602, message: "m" } }],
		["a result of another shape", result("host:1", { value: null })],
		["another id", result("host:2", { ...DONE })],
	])("takes %s as root answer for PROTOCOL_ERROR", (_, answer) => {
		const host = Host.running().feed(answer);
		expect(host.stops).toEqual(["violation"]);
		expect(host.exit()).toBe("PROTOCOL_ERROR");
	});
});

describe("Run/1 section 1: the state table at the host", () => {
	it.each(["flow/run", "request/cancel", "nonsense"])(
		"answers the request-form method %j -32601 and goes on",
		(method) => {
			const host = Host.running().feed({ jsonrpc: "2.0", id: "c:1", method, params: {} });
			expect(host.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["c:1", -32601]]);
			host.feed(ANSWER);
			expect(host.exit()).toBe("done");
		},
	);

	it("ignores notifications other than request/cancel, in the form of its methods too", () => {
		const host = Host.running();
		const { id: _, ...notification } = childRequest("x");
		host.feed(notification, { jsonrpc: "2.0", method: "log", params: {} }, ANSWER);
		expect(host.operations).toEqual([]);
		expect(host.exit()).toBe("done");
	});

	it("answers invalid params -32602 without registering an operation, and goes on", () => {
		const host = Host.running();
		host.feed({ ...childRequest("c:1"), params: { operationId: "op:1", slot: "greeter" } });
		host.feed({ jsonrpc: "2.0", id: "c:2", method: "capability/call" });
		expect(host.flush().map(codeOf)).toEqual([-32602, -32602]);
		host.feed(childRequest("c:3", "op:1"));
		expect(host.operations.length).toBe(1);
	});

	it("answers the 65th pending request RESOURCE_EXHAUSTED without dispatch, and the Run goes on", () => {
		const host = Host.running();
		for (let i = 1; i <= 65; i++) host.feed(childRequest(`c:${i}`, `op:${i}`));
		expect(host.operations.length).toBe(64);
		expect(host.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["c:65", "RESOURCE_EXHAUSTED"]]);
		for (const operation of host.operations) operation.settle({ result: DONE });
		expect(host.flush().length).toBe(64);
		host.feed(ANSWER);
		expect(host.exit()).toBe("done");
	});

	it("counts 65,536 requests of the component and treats one more as fatal, silently", () => {
		const host = Host.running();
		for (let i = 1; i <= RUN_LIMITS.lifetimeRequests; i++) {
			host.session.receive(bytes(`{"jsonrpc":"2.0","id":"c${i}","method":"x"}\n`));
			if (i % 1_000 === 0) host.take();
		}
		host.flush();
		expect(host.stops).toEqual([]);
		host.feed(childRequest("over"));
		expect([host.stops, host.operations, host.take()]).toEqual([["violation"], [], []]);
		expect(host.exit()).toBe("PROTOCOL_ERROR");
	});

	it.each([
		["channel/create", {}],
		["channel/subscribe", { source: "s" }],
		["channel/send", { endpoint: "e", value: null }],
		["channel/next", { endpoint: "e" }],
		["channel/close", { endpoint: "e" }],
		["channel/release", { endpoint: "e" }],
	])("answers a valid %s UNAVAILABLE, a malformed one -32602", (method, params) => {
		const host = Host.running();
		host.feed({ jsonrpc: "2.0", id: "c:1", method, params }, { jsonrpc: "2.0", id: "c:2", method, params: { x: 1 } });
		expect(host.flush().map(codeOf)).toEqual(["UNAVAILABLE", -32602]);
	});

	it("answers a call that maps channels UNAVAILABLE, before dispatch", () => {
		const host = Host.running();
		const request = childRequest("c:1");
		host.feed({ ...request, params: { ...(request.params as object), channels: { events: "e" } } });
		expect([host.flush().map(codeOf), host.operations]).toEqual([["UNAVAILABLE"], []]);
	});

	it.each([
		["text", "hello\n", -32700],
		["a batch", "[]\n", -32600],
		["invalid UTF-8", new Uint8Array([0xff, 0x0a]), undefined],
	])("is ended by %s, with a best-effort frame where one is due", (_, output, code) => {
		const host = Host.running();
		host.session.receive(typeof output === "string" ? bytes(output) : output);
		expect([host.take().map(codeOf), host.stops]).toEqual([code === undefined ? [] : [code], ["violation"]]);
		expect(host.exit()).toBe("PROTOCOL_ERROR");
	});

	it("quotes what the component wrote", () => {
		const host = Host.running().feed("debug: \u001b[31mred");
		host.session.inputEnded();
		const conclusion = host.session.exited({ exitCode: 0, signal: null, killed: false });
		expect(conclusion).toMatchObject({ message: expect.stringContaining('"debug: \\u{1b}[31mred"') });
	});

	it("takes output before the root was written for a violation, at its first byte", () => {
		const host = new Host();
		host.session.receive(bytes("x"));
		expect(host.stops).toEqual(["violation"]);
		host.session.start();
		expect(host.take()).toEqual([]);
		expect(host.exit()).toBe("PROTOCOL_ERROR");
	});

	it.each([
		["a frame", '{"jsonrpc":"2.0","id":"c:1","method":"x"}\n'],
		["a notification", '{"jsonrpc":"2.0","method":"x"}\n'],
		["an empty frame", "\n"],
		["a stray byte", "x"],
	])("takes %s after the root answer for a violation that invalidates it, in one chunk or two", (_, tail) => {
		const apart = Host.running().feed(ANSWER);
		apart.session.receive(bytes(tail));
		const together = Host.running();
		together.session.receive(bytes(`${JSON.stringify(ANSWER)}\n${tail}`));
		for (const host of [apart, together]) {
			expect(host.stops).toEqual(["violation"]);
			expect(host.exit()).toBe("PROTOCOL_ERROR");
		}
	});

	it.each([result("host:1", { ...DONE }), failure("host:1", "INVALID_INPUT")])(
		"takes a root answer over an unanswered request for a violation; once its answer's write has begun, not",
		(answer) => {
			const early = Host.running().feed(childRequest("c:1"));
			early.operations[0]?.settle({ result: DONE });
			early.feed(answer);
			expect(early.exit()).toBe("PROTOCOL_ERROR");
			const late = Host.running().feed(childRequest("c:1"));
			late.operations[0]?.settle({ result: DONE });
			late.take();
			late.feed(answer);
			expect(late.exit()).toBe("error" in answer ? "INVALID_INPUT" : "done");
		},
	);

	it("takes a request after a recorded cancellation for OWNER_CLOSED, without dispatch", () => {
		const host = Host.running();
		host.session.cancel();
		host.feed(childRequest("c:1"));
		expect(host.operations).toEqual([]);
		expect(host.flush()).toMatchObject([cancelOf("host:1"), { id: "c:1", error: { data: { code: "OWNER_CLOSED" } } }]);
	});

	it("is ended by a reused id and by a malformed cancellation, silently", () => {
		for (const messages of [
			[childRequest("c:1"), callRequest("c:1", "op:2")],
			[{ jsonrpc: "2.0", method: "request/cancel", params: {} }],
		]) {
			const host = Host.running().feed(...messages);
			expect([host.stops, host.take()]).toEqual([["violation"], []]);
		}
	});

	it("ignores cancellations of unknown, settled and opposite requests", () => {
		const host = Host.running().feed(cancelOf("c:9"), cancelOf("host:1"), childRequest("c:1"));
		host.operations[0]?.settle({ result: DONE });
		host.feed(cancelOf("c:1"));
		expect(host.flush()).toEqual([result("c:1", { ...DONE })]);
		host.feed(cancelOf("c:1"), ANSWER);
		expect(host.exit()).toBe("done");
	});
});
