import { describe, expect, it } from "vitest";
import { CallRefused, InvalidMessage, RUN_LIMITS } from "../../src/run/index.ts";
import { bytes, Component, cancelOf, capabilityCall, childCall, codeOf, DONE, failure, result } from "./harness.ts";

const TERMINAL = { jsonrpc: "2.0", id: "host:1", result: DONE };

describe("Run/1 sections 4 and 5: calls of the component", () => {
	it("writes a child call and settles it with the complete result", () => {
		const component = Component.running();
		component.call({ kind: "child", operationId: "o", slot: "s", intent: "why", input: [1], channels: {} });
		expect(component.flush()).toEqual([
			{
				jsonrpc: "2.0",
				id: "component:1",
				method: "flow/run-child",
				params: { operationId: "o", slot: "s", intent: "why", input: [1] },
			},
		]);
		component.feed(result("component:1", { outcome: "custom", output: 1 }));
		expect(component.settlements).toEqual([{ value: { outcome: "custom", output: 1 } }]);
	});

	it("settles a capability call with its value, its declared error or its failure, in any order", () => {
		const component = Component.running();
		for (const id of ["a", "b", "c"]) component.call(capabilityCall(id));
		component.flush();
		component.feed(failure("component:3", "UNAVAILABLE", "no"));
		component.feed(
			result("component:2", { error: { name: "not-found", data: 7 } }),
			result("component:1", { value: null }),
		);
		expect(component.settlements).toEqual([
			{ failure: { code: "UNAVAILABLE", message: "no" } },
			{ declared: { name: "not-found", data: 7 } },
			{ value: null },
		]);
	});

	it("carries null details and omits absent ones", () => {
		const component = Component.running();
		component.call();
		component.flush();
		component.feed({
			jsonrpc: "2.0",
			id: "component:1",
			error: { code: -32000, message: "m", data: { code: "UNCERTAIN", details: null } },
		});
		expect(component.settlements).toEqual([{ failure: { code: "UNCERTAIN", message: "m", details: null } }]);
	});

	it("writes what it was given, whatever a library put on the prototypes (JSON/1)", () => {
		const details = { a: [1, { b: [] }] };
		for (const prototype of [Object.prototype, Array.prototype]) {
			const called = Component.running();
			const failed = Component.running();
			Object.defineProperty(prototype, "toJSON", { value: () => "replaced", configurable: true });
			try {
				called.call(childCall("op", details));
				failed.session.finish({ failure: { code: "LAGGED", message: "m", details } });
			} finally {
				Reflect.deleteProperty(prototype, "toJSON");
			}
			expect(called.take()[0]?.params).toEqual({ operationId: "op", slot: "greeter", input: details });
			expect(failed.take()[0]?.error).toEqual({ code: -32000, message: "m", data: { code: "LAGGED", details } });
		}
	});

	it("takes a snapshot", () => {
		const component = Component.running();
		const input = { a: [1] };
		component.call(childCall("o", input));
		input.a.push(2);
		expect(component.flush()[0]?.params).toMatchObject({ input: { a: [1] } });
	});

	it.each([
		["an empty operation id", { ...childCall(), operationId: "" }, "/operationId"],
		["a bad slot", { ...childCall(), slot: "A" }, "/slot"],
		["a missing method", { ...childCall(), kind: "capability" }, "/method"],
		["an empty intent", { ...childCall(), intent: "" }, "/intent"],
		["an intent of 16,385 characters", { ...childCall(), intent: "\u{1f600}".repeat(16_385) }, "/intent"],
		["an input that is no JSON", { ...childCall(), input: { a: [1, undefined] } }, "/input/a/1"],
		["a bad endpoint reference", { ...childCall(), channels: { events: "" } }, "/channels/events"],
		["an unknown kind", { ...childCall(), kind: "other" }, ""],
	])("refuses %s with a TypeError and its place, and queues nothing", (_, call, pointer) => {
		const component = Component.running();
		const error = caught(() => component.call(call as never));
		expect(error).toBeInstanceOf(TypeError);
		expect((error as InvalidMessage).pointer).toBe(pointer);
		expect(component.take()).toEqual([]);
	});

	it("checks the whole frame: 126 arrays fit into an input, 127 don't", () => {
		const component = Component.running();
		const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
		component.call(childCall("fits", nested(126)));
		expect(caught(() => component.call(childCall("deep", nested(127))))).toBeInstanceOf(InvalidMessage);
		expect(component.flush().length).toBe(1);
	});

	it("refuses a call that exceeds 16,777,216 bytes only with its envelope, and goes on", () => {
		const component = Component.running();
		const input = Array.from({ length: 2 }, () => "x".repeat(8_388_600));
		expect(caught(() => component.call(childCall("big", input)))).toBeInstanceOf(InvalidMessage);
		component.session.finish(DONE);
		expect(component.flush()).toEqual([TERMINAL]);
	});

	it("measures a call inside its frame with the id that it gets", () => {
		const component = Component.running();
		for (const id of ["component:1", "component:2"]) {
			const envelope = { jsonrpc: "2.0", id, method: "capability/call", params: capabilityCall("big", ["", "", ""]) };
			const room =
				16_777_216 - JSON.stringify(envelope).length + '"kind":"capability",'.length + ',"channels":{}'.length;
			const call = (over: number) =>
				component.call(
					capabilityCall("big", ["x".repeat(8_000_000), "x".repeat(8_000_000), "x".repeat(room - 16_000_000 + over)]),
				);
			expect(caught(() => call(1))).toBeInstanceOf(InvalidMessage);
			call(0);
			expect(component.session.takeFrame()?.length).toBe(16_777_217);
		}
	});

	it("refuses calls before the root, after cancellation, after the handler's end and after a fatal end: OWNER_CLOSED", () => {
		const states = [
			new Component(),
			Component.running().feed(cancelOf("host:1")),
			(() => {
				const component = Component.running();
				component.session.finish(DONE);
				return component;
			})(),
			(() => {
				const component = Component.running();
				component.session.inputEnded();
				return component;
			})(),
			// Its diagnostic is not flushed yet.
			Component.running().feed("garbage"),
		];
		for (const component of states) {
			const error = caught(() => component.call());
			expect(error).toBeInstanceOf(CallRefused);
			expect((error as CallRefused).code).toBe("OWNER_CLOSED");
		}
	});

	it("admits 64 calls at once; cancelled ones count until their response", () => {
		const component = Component.running();
		const calls = Array.from({ length: 64 }, (_, i) => component.call(childCall(`o${i}`)));
		expect((caught(() => component.call(childCall("over"))) as CallRefused).code).toBe("RESOURCE_EXHAUSTED");
		component.flush();
		calls[0]?.cancel();
		expect((caught(() => component.call(childCall("over"))) as CallRefused).code).toBe("RESOURCE_EXHAUSTED");
		component.feed(failure("component:1", "CANCELLED"));
		component.call(childCall("fits"));
		expect(component.flush().map((frame) => frame.id)).toEqual(["component:65"]);
	});

	it("sends 65,536 requests and refuses the next locally; the handler recovers", () => {
		const component = Component.running();
		for (let i = 1; i <= RUN_LIMITS.lifetimeRequests; i++) {
			component.call(childCall("o"));
			component.session.takeFrame();
			component.session.receive(
				bytes(`{"jsonrpc":"2.0","id":"component:${i}","result":{"outcome":"done","output":null}}\n`),
			);
		}
		expect((caught(() => component.call()) as CallRefused).code).toBe("RESOURCE_EXHAUSTED");
		expect(component.settlements.length).toBe(RUN_LIMITS.lifetimeRequests);
		component.session.finish(DONE);
		expect(component.flush()).toEqual([TERMINAL]);
	});

	it.each([
		["a malformed result", { jsonrpc: "2.0", id: "component:1", result: { outcome: "done" } }],
		["the other method's result", result("component:1", { value: null })],
		["a local code", failure("component:1", "PROTOCOL_ERROR")],
		["an unknown code", failure("component:1", "NOPE")],
		["an empty message", failure("component:1", "LAGGED", "")],
		["a message of 1,025 characters", failure("component:1", "LAGGED", "\u{1f600}".repeat(1_025))],
		["missing data", { jsonrpc: "2.0", id: "component:1", error: { code: -32000, message: "m" } }],
		["a standard error", { jsonrpc: "2.0", id: "component:1", error: { code: -32601, message: "m" } }],
		["an unknown numeric code", { jsonrpc: "2.0", id: "component:1", error: { code: -1, message: "m" } }],
	])("treats %s in a reply as fatal PROTOCOL_ERROR, silently", (_, reply) => {
		const component = Component.running();
		component.call();
		component.flush();
		component.feed(reply);
		expect(component.settlements).toMatchObject([{ failure: { code: "PROTOCOL_ERROR" } }]);
		expect(component.end).toMatchObject({ code: "PROTOCOL_ERROR" });
		expect(component.take()).toEqual([]);
	});

	it("closes on a duplicate response", () => {
		const component = Component.running();
		component.call();
		component.flush();
		component.feed(result("component:1", { ...DONE }), result("component:1", { ...DONE }));
		expect(component.end).toMatchObject({ code: "PROTOCOL_ERROR" });
		expect(component.settlements.length).toBe(1);
	});
});

describe("Run/1 section 8: cancellation at the component", () => {
	it("drops a call whose write has not begun: no frame, no id", () => {
		const component = Component.running();
		component.call(childCall("a")).cancel();
		component.call(childCall("b"));
		expect(component.flush().map((frame) => [frame.id, frame.params])).toMatchObject([
			["component:1", { operationId: "b" }],
		]);
		expect(component.settlements).toMatchObject([{ failure: { code: "CANCELLED" } }]);
	});

	it("settles a sent call at once, asks the host once, and keeps a tombstone for its response", () => {
		const component = Component.running();
		const call = component.call();
		component.flush();
		call.cancel();
		call.cancel();
		expect(component.settlements).toMatchObject([{ failure: { code: "CANCELLED" } }]);
		expect(component.flush()).toEqual([cancelOf("component:1")]);
		component.feed(result("component:1", { ...DONE }));
		expect(component.settlements.length).toBe(1);
		expect(component.ends).toEqual([]);
	});

	it("asks nothing when the response came before the cancellation was written", () => {
		const component = Component.running();
		const call = component.call();
		component.flush();
		call.cancel();
		component.feed(failure("component:1", "UNAVAILABLE"));
		expect(component.take()).toEqual([]);
	});

	it("tells the handler of root cancellation once, settles its calls and asks the host to cancel them", () => {
		const component = Component.running();
		component.call(childCall("sent"));
		component.flush();
		component.call(childCall("unsent"));
		component.feed(cancelOf("host:1"), cancelOf("host:1"));
		expect(component.cancellations).toBe(1);
		expect(component.settlements).toMatchObject([
			{ failure: { code: "CANCELLED" } },
			{ failure: { code: "CANCELLED" } },
		]);
		expect(component.flush()).toEqual([cancelOf("component:1")]);
	});

	it.each([
		["a result", DONE],
		["another failure", { failure: { code: "INVALID_INPUT", message: "m" } as const }],
	])("answers CANCELLED whatever the handler then came to: %s", (_, end) => {
		const component = Component.running().feed(cancelOf("host:1"));
		component.session.finish(end);
		expect(component.flush().map(codeOf)).toEqual(["CANCELLED"]);
	});

	it("lets a cancellation win while the terminal waits, and no more once its write has begun", () => {
		const before = Component.running();
		before.session.finish(DONE);
		before.feed(cancelOf("host:1"));
		expect(before.flush().map(codeOf)).toEqual(["CANCELLED"]);
		const after = Component.running();
		after.session.finish(DONE);
		after.take();
		after.feed(cancelOf("host:1"));
		after.session.written();
		expect([after.cancellations, after.end]).toEqual([0, { kind: "finished" }]);
	});
});

function caught(act: () => unknown): unknown {
	try {
		act();
	} catch (error) {
		return error;
	}
	throw new Error("Nothing was thrown.");
}
