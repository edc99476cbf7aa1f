import { describe, expect, it } from "vitest";
import { RUN_LIMITS } from "../../src/run/index.ts";
import {
	bytes,
	Component,
	cancelOf,
	codeOf,
	DONE,
	failure,
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

	it("answers an invalid request null where its id was used before: no request is answered twice", () => {
		for (const [earlier, id] of [
			[ROOT_REQUEST, "host:1"],
			[{ jsonrpc: "2.0", id: "host:2", method: "unknown" }, "host:2"],
		] as const) {
			const component = new Component().feed(earlier, { jsonrpc: "2.0", id, method: "x", params: null });
			expect(component.flush().map((answer) => [answer.id, codeOf(answer)])).toEqual([[null, -32600]]);
		}
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
