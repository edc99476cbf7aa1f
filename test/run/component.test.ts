import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { CallRefused, checkMessage, InvalidMessage, RUN_LIMITS } from "../../src/run/index.ts";
import {
	bytes,
	Component,
	cancelOf,
	capabilityCall,
	childCall,
	codeOf,
	DONE,
	failure,
	frame,
	ROOT,
	ROOT_PARAMS,
	ROOT_REQUEST,
	result,
} from "./harness.ts";

const TERMINAL = { jsonrpc: "2.0", id: "host:1", result: DONE };

/** What ends the channel: the code of `closed` and the codes of the frames that still leave. */
function fatalOf(component: Component): { code: unknown; frames: unknown[] } {
	const frames = component.flush();
	const end = component.end;
	return {
		code: end?.kind === "fatal" ? end.code : end?.kind,
		frames: frames.map((frame) => codeOf(frame) ?? "response"),
	};
}

describe("Run/1 section 3: flow/run at the component", () => {
	it("starts the handler once with the complete context", () => {
		const component = Component.running();
		expect(component.started).toEqual([ROOT]);
	});

	it("publishes the result with the root's id and finishes when it is flushed", () => {
		const component = Component.running();
		component.session.finish({ outcome: "done", output: { a: [1] } });
		expect(component.take()).toEqual([result("host:1", { outcome: "done", output: { a: [1] } })]);
		expect(component.ends).toEqual([]);
		component.session.written();
		expect(component.ends).toEqual([{ kind: "finished" }]);
	});

	it("answers invalid params -32602 and then ends the process normally", () => {
		const component = new Component();
		component.feed({ ...ROOT_REQUEST, params: { ...ROOT_PARAMS, runId: "x" } });
		expect(component.started).toEqual([]);
		const [answer] = component.flush();
		expect([answer?.id, codeOf(answer), component.end]).toEqual(["host:1", -32602, { kind: "finished" }]);
	});

	it("isn't talked out of the -32602 answer by a cancellation", () => {
		const component = new Component();
		component.feed({ ...ROOT_REQUEST, params: {} }, cancelOf("host:1"));
		expect(component.cancellations).toBe(0);
		expect(component.flush().map(codeOf)).toEqual([-32602]);
	});

	it.each([
		["after a running root", Component.running],
		["after an invalid root", () => new Component().feed({ ...ROOT_REQUEST, params: {} })],
	])("answers a second flow/run -32600 with its id, fatally: %s", (_, make) => {
		const component = make();
		component.feed({ ...ROOT_REQUEST, id: "host:2", params: {} });
		const frames = component.flush();
		expect(frames.map((frame) => [frame.id, codeOf(frame)])).toEqual([["host:2", -32600]]);
		expect(component.end).toMatchObject({ kind: "fatal", code: "PROTOCOL_ERROR" });
	});
});

describe("Run/1 section 1: the state table at the component", () => {
	it.each(["flow/run-child", "capability/call", "channel/next", "request/cancel", "nonsense", ""])(
		"answers the request-form method %j -32601 and goes on",
		(method) => {
			const component = Component.running();
			component.feed({ jsonrpc: "2.0", id: "host:2", method, params: {} });
			expect(component.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["host:2", -32601]]);
			component.session.finish(DONE);
			expect(component.flush()).toEqual([TERMINAL]);
		},
	);

	it.each(["flow/run", "flow/run-child", "nonsense"])(
		"ignores the notification %j, before the root and after",
		(method) => {
			const component = new Component();
			component.feed({ jsonrpc: "2.0", method, params: ROOT_PARAMS });
			component.feed({ jsonrpc: "2.0", method }, { jsonrpc: "2.0", method, params: [] }, ROOT_REQUEST, {
				jsonrpc: "2.0",
				method,
			});
			expect(component.started.length).toBe(1);
			expect(component.take()).toEqual([]);
		},
	);

	it.each([
		["JSON syntax", '{"jsonrpc":"2.0",}', -32700],
		["a duplicate member", '{"a":1,"a":1}', -32700],
		["a lone surrogate", '{"a":"\\ud800"}', -32700],
		["an integer beyond the domain", '{"a":9007199254740993}', -32700],
		["an empty frame", "", -32700],
		["two values", "{} {}", -32700],
		["129 levels", `${"[".repeat(129)}${"]".repeat(129)}`, -32700],
		["a batch", "[]", -32600],
		["null", "null", -32600],
		["an empty object", "{}", -32600],
		["another version", '{"jsonrpc":"1.0","id":"a","method":"flow/run"}', -32600],
		["a numeric id", '{"jsonrpc":"2.0","id":1,"method":"flow/run","params":{}}', -32600],
		["a null id", '{"jsonrpc":"2.0","id":null,"method":"flow/run","params":{}}', -32600],
		["an id of 129 characters", `{"jsonrpc":"2.0","id":"${"a".repeat(129)}","method":"flow/run","params":{}}`, -32600],
		["scalar params", '{"jsonrpc":"2.0","id":"a","method":"flow/run","params":1}', -32600],
		["null params of a notification", '{"jsonrpc":"2.0","method":"x","params":null}', -32600],
		["scalar params of a cancellation", '{"jsonrpc":"2.0","method":"request/cancel","params":1}', -32600],
		["an unknown member", '{"jsonrpc":"2.0","id":"a","method":"flow/run","params":{},"x":1}', -32600],
		["a method that is no string", '{"jsonrpc":"2.0","id":"a","method":1}', -32600],
		["result and error", '{"jsonrpc":"2.0","id":"a","result":1,"error":{}}', -32600],
		["a result with a null id", '{"jsonrpc":"2.0","id":null,"result":1}', -32600],
	])("answers %s with one best-effort frame and closes as PROTOCOL_ERROR", (_, text, code) => {
		const component = Component.running();
		component.feed(text);
		expect(component.ends).toEqual([]);
		expect(fatalOf(component)).toEqual({ code: "PROTOCOL_ERROR", frames: [code] });
		expect(component.take()).toEqual([]);
	});

	it("answers a BOM, but not a BOM before invalid UTF-8", () => {
		const bom = Component.running();
		bom.session.receive(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0x0a]));
		expect(fatalOf(bom)).toEqual({ code: "PROTOCOL_ERROR", frames: [-32700] });
		const invalid = Component.running();
		invalid.session.receive(new Uint8Array([0xef, 0xbb, 0xbf, 0xff, 0x0a]));
		expect(fatalOf(invalid)).toEqual({ code: "PROTOCOL_ERROR", frames: [] });
	});

	it("uses the id of an invalid request where it is unambiguous, else null", () => {
		const known = Component.running().feed('{"jsonrpc":"2.0","id":"a","method":"x","params":1}');
		expect(known.flush()[0]?.id).toBe("a");
		const unknown = Component.running().feed('{"jsonrpc":"2.0","id":"a","method":"x","result":1}');
		expect(unknown.flush()[0]?.id).toBe(null);
	});

	it.each([
		["invalid UTF-8", (c: Component) => c.session.receive(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]))],
		["an oversized frame", (c: Component) => c.session.receive(new Uint8Array(RUN_LIMITS.frameBytes + 1).fill(0x20))],
		["an unknown response", (c: Component) => c.feed(result("component:1", { value: null }))],
		[
			"an error without id",
			(c: Component) => c.feed({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "m" } }),
		],
		["an operational error without id", (c: Component) => c.feed({ ...failure("a", "LAGGED"), id: null })],
		["a reused id", (c: Component) => c.feed({ ...ROOT_REQUEST, method: "x" })],
		["a cancellation without params", (c: Component) => c.feed({ jsonrpc: "2.0", method: "request/cancel" })],
		[
			"a cancellation with array params",
			(c: Component) => c.feed({ jsonrpc: "2.0", method: "request/cancel", params: [] }),
		],
		[
			"a cancellation with another member",
			(c: Component) => c.feed({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "a", x: 1 } }),
		],
		["a cancellation envelope with another member", (c: Component) => c.feed({ ...cancelOf("a"), x: 1 })],
	])("closes as PROTOCOL_ERROR without a frame on %s", (_, act) => {
		const component = Component.running();
		act(component);
		expect(component.end).toMatchObject({ code: "PROTOCOL_ERROR" });
		expect(component.take()).toEqual([]);
	});

	it("counts 65,536 requests of the host, unknown ones too, and closes silently on the next", () => {
		const component = Component.running();
		for (let i = 2; i <= RUN_LIMITS.lifetimeRequests; i++) {
			component.session.receive(bytes(`{"jsonrpc":"2.0","id":"h${i}","method":"x"}\n`));
			if (i % 1_000 === 0) component.take();
		}
		component.flush();
		expect(component.ends).toEqual([]);
		component.feed({ jsonrpc: "2.0", id: "over", method: "x" });
		expect(fatalOf(component)).toEqual({ code: "PROTOCOL_ERROR", frames: [] });
	});

	it("ignores cancellations of unknown ids, before the root too", () => {
		const component = new Component().feed(cancelOf("host:1"), ROOT_REQUEST, cancelOf("host:2"));
		expect(component.cancellations).toBe(0);
		component.session.finish(DONE);
		expect(component.flush()).toEqual([TERMINAL]);
	});
});

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

describe("Run/1 section 9: completion at the component", () => {
	it("refuses success over an abandoned call, cancels it and awaits its response before the terminal", () => {
		const component = Component.running();
		component.call();
		component.flush();
		component.session.finish(DONE);
		expect(component.flush()).toEqual([cancelOf("component:1")]);
		component.feed(failure("component:1", "CANCELLED"));
		expect(component.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
	});

	it("counts an abandoned call that was never sent", () => {
		const component = Component.running();
		component.call();
		component.session.finish(DONE);
		expect(component.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
	});

	it("lets the handler return a result after a cancelled wait, but only when the request has settled", () => {
		const component = Component.running();
		const call = component.call();
		component.flush();
		call.cancel();
		component.session.finish(DONE);
		expect(component.flush()).toEqual([cancelOf("component:1")]);
		component.feed(failure("component:1", "CANCELLED"));
		expect(component.flush()).toEqual([TERMINAL]);
	});

	it("keeps a failure over abandonment, and turns success into CANCELLED during the wait", () => {
		const failed = Component.running();
		failed.call();
		failed.session.finish({ failure: { code: "INVALID_INPUT", message: "m" } });
		expect(failed.flush().map(codeOf)).toEqual(["INVALID_INPUT"]);
		const cancelled = Component.running();
		cancelled.call().cancel();
		const call = cancelled.call(childCall("sent"));
		cancelled.flush();
		call.cancel();
		cancelled.session.finish(DONE);
		cancelled.feed(cancelOf("host:1"), failure("component:1", "CANCELLED"));
		expect(cancelled.flush().map(codeOf)).toContain("CANCELLED");
	});

	it.each([
		["no object", null, "INVALID_RESULT"],
		["a bad outcome", { outcome: "Done", output: null }, "INVALID_RESULT"],
		["a missing output", { outcome: "done" }, "INVALID_RESULT"],
		["an unknown member", { ...DONE, x: 1 }, "INVALID_RESULT"],
		["no JSON", { outcome: "done", output: Number.NaN }, "INVALID_RESULT"],
		["a local code", { failure: { code: "CHANNEL_LOST", message: "m" } }, "EXECUTION_FAILED"],
		["an empty message", { failure: { code: "LAGGED", message: "" } }, "EXECUTION_FAILED"],
		["a long message", { failure: { code: "LAGGED", message: "m".repeat(1_025) } }, "EXECUTION_FAILED"],
		["a lone surrogate", { failure: { code: "LAGGED", message: "\ud800" } }, "EXECUTION_FAILED"],
		["bad details", { failure: { code: "LAGGED", message: "m", details: { f: () => 1 } } }, "EXECUTION_FAILED"],
	])("turns %s into its code", (_, end, code) => {
		const component = Component.running();
		component.session.finish(end as never);
		const [answer] = component.flush();
		expect([codeOf(answer), (answer?.error as { data?: object } | undefined)?.data]).toEqual([code, { code }]);
	});

	it("counts the envelope: 125 arrays around null fit into a result, 126 don't", () => {
		const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}null${"]".repeat(levels)}`);
		const fits = Component.running();
		fits.session.finish({ outcome: "done", output: nested(125) });
		expect(codeOf(fits.flush()[0])).toBeUndefined();
		const deep = Component.running();
		deep.session.finish({ outcome: "done", output: nested(126) });
		expect(deep.flush().map(codeOf)).toEqual(["INVALID_RESULT"]);
	});

	it("measures a result inside its frame with the root's own id", () => {
		const room = 16_777_216 - '{"jsonrpc":"2.0","id":"host:1","result":{"outcome":"done","output":["","",""]}}'.length;
		for (const over of [0, 1]) {
			const component = Component.running();
			const output = ["x".repeat(8_000_000), "x".repeat(8_000_000), "x".repeat(room - 16_000_000 + over)];
			component.session.finish({ outcome: "done", output });
			const frame = component.session.takeFrame();
			expect(frame?.length === 16_777_217).toBe(over === 0);
		}
	});

	it("says why in at most 1,024 characters, whatever the place is called (section 7)", () => {
		for (const name of ["\ud800", "\u200b", "\u{e0001}", "\u0001", "a"]) {
			const component = Component.running();
			const output = { [name.repeat(300)]: () => undefined } as unknown as JsonValue;
			component.session.finish({ outcome: "done", output });
			const [terminal] = component.flush();
			expect(codeOf(terminal)).toBe("INVALID_RESULT");
			expect(checkMessage(terminal!)).toBeUndefined();
		}
	});

	it("preserves a valid failure with its details", () => {
		const component = Component.running();
		component.session.finish({ failure: { code: "UNAVAILABLE", message: "m", details: { a: null } } });
		expect(component.flush()[0]?.error).toEqual({
			code: -32000,
			message: "m",
			data: { code: "UNAVAILABLE", details: { a: null } },
		});
	});

	it("answers the host's other requests before the terminal", () => {
		const component = Component.running();
		component.session.finish(DONE);
		component.feed({ jsonrpc: "2.0", id: "host:2", method: "x" });
		expect(component.flush().map((frame) => frame.id)).toEqual(["host:2", "host:1"]);
	});
});

describe("Run/1 section 9: publication at the component", () => {
	it.each([
		["before the root", () => new Component()],
		["while the handler runs", Component.running],
		[
			"while the terminal waits",
			() => {
				const component = Component.running();
				component.session.finish(DONE);
				return component;
			},
		],
	])("loses the channel to EOF %s, and writes nothing", (_, make) => {
		const component = make();
		component.session.inputEnded();
		expect(component.end).toMatchObject({ kind: "fatal", code: "CHANNEL_LOST" });
		expect(component.take()).toEqual([]);
	});

	it("is not overturned by EOF, garbage or a failed read once its write has begun", () => {
		for (const act of [
			(c: Component) => c.session.inputEnded(),
			(c: Component) => c.feed("garbage"),
			(c: Component) => c.session.readFailed(new Error("gone")),
		]) {
			const component = Component.running();
			component.session.finish(DONE);
			component.take();
			act(component);
			expect(component.ends).toEqual([]);
			component.session.written();
			expect(component.end).toEqual({ kind: "finished" });
		}
	});

	it("turns a half frame at EOF into PROTOCOL_ERROR, a failed read into CHANNEL_LOST", () => {
		const half = Component.running();
		half.session.receive(bytes('{"jsonrpc"'));
		half.session.inputEnded();
		expect(half.end).toMatchObject({ code: "PROTOCOL_ERROR" });
		const failed = Component.running();
		failed.session.receive(bytes('{"jsonrpc"'));
		failed.session.readFailed(new Error("gone"));
		expect(failed.end).toMatchObject({ code: "CHANNEL_LOST", message: expect.stringContaining("gone") });
	});

	it("turns a failed write into CHANNEL_LOST, the terminal's too", () => {
		const running = Component.running();
		running.call();
		running.take();
		running.session.writeFailed(new Error("EPIPE"));
		expect(running.end).toMatchObject({ code: "CHANNEL_LOST" });
		expect(running.settlements).toMatchObject([{ failure: { code: "CHANNEL_LOST" } }]);
		const published = Component.running();
		published.session.finish(DONE);
		published.take();
		published.session.writeFailed(new Error("EPIPE"));
		expect(published.end).toMatchObject({ code: "CHANNEL_LOST" });
	});

	it("suppresses the queued terminal and every queued write when a violation wins, and sends only its diagnostic", () => {
		const component = Component.running();
		component.feed({ jsonrpc: "2.0", id: "host:2", method: "x" });
		component.session.finish(DONE);
		component.feed("garbage");
		expect(component.flush().map(codeOf)).toEqual([-32700]);
		expect(component.ends.length).toBe(1);
	});

	it("waits with `closed` for the diagnostic's flush, not for an earlier write's, and gives up when the write fails", () => {
		const component = Component.running();
		component.call();
		component.take();
		component.feed("garbage");
		component.session.written();
		expect(component.ends).toEqual([]);
		component.take();
		component.session.writeFailed(new Error("EPIPE"));
		expect(component.end).toMatchObject({ code: "PROTOCOL_ERROR" });
	});

	it("settles every pending call exactly once when the channel dies", () => {
		const component = Component.running();
		for (let i = 0; i < 10; i++) component.call(childCall(`o${i}`));
		component.flush();
		for (let i = 10; i < 20; i++) component.call(childCall(`o${i}`));
		component.session.inputEnded();
		expect(component.settlements.length).toBe(20);
		expect(new Set(component.settlements.map((one) => "failure" in one && one.failure.code))).toEqual(
			new Set(["CHANNEL_LOST"]),
		);
	});

	it("runs an input that comes from inside a callback after the one that is under way", () => {
		const component = new Component({
			start: (session) => {
				session.receive(frame(cancelOf("host:1")));
				session.inputEnded();
			},
		});
		component.session.receive(bytes(`${JSON.stringify(ROOT_REQUEST)}\n{"jsonrpc":"2.0","id":"host:2","method":"x"}\n`));
		const order = component.events.filter(
			(event) => event.type === "refused" || event.type === "condition" || event.type === "fatal",
		);
		expect(order.map((event) => event.type)).toEqual(["refused", "condition", "fatal"]);
	});

	it("changes nothing after the end", () => {
		const component = Component.running();
		component.session.inputEnded();
		component.session.inputEnded();
		component.feed(cancelOf("host:1"));
		component.session.finish(DONE);
		component.session.written();
		component.session.writeFailed();
		component.session.readFailed();
		expect([component.ends.length, component.cancellations, component.take()]).toEqual([1, 0, []]);
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
