import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { checkMessage } from "../../src/run/index.ts";
import { bytes, Component, cancelOf, childCall, codeOf, DONE, failure, frame, ROOT_REQUEST } from "./harness.ts";

const TERMINAL = { jsonrpc: "2.0", id: "host:1", result: DONE };

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
