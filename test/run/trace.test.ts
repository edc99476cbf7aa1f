import { describe, expect, it } from "vitest";
import { ComponentSession, replay, TRACE_VERSION, type TraceEvent } from "../../src/run/index.ts";
import {
	Component,
	callRequest,
	cancelOf,
	childCall,
	childRequest,
	DONE,
	failure,
	frame,
	Host,
	ROOT_REQUEST,
	result,
} from "./harness.ts";

const recordings: [string, () => readonly TraceEvent[]][] = [
	[
		"a component with calls, a cancelled one and root cancellation",
		() => {
			const component = Component.running();
			const call = component.call(childCall("a"));
			component.call(childCall("b"));
			component.call(childCall("unsent")).cancel();
			component.flush();
			call.cancel();
			component.feed(result("component:2", { ...DONE }));
			component.flush();
			component.feed(failure("component:1", "CANCELLED"), cancelOf("host:1"));
			component.session.finish(DONE);
			component.flush();
			return component.events;
		},
	],
	[
		"a component whose layer acts inside the session's callbacks",
		() => {
			const component = new Component({
				start: (session) => {
					session.call(childCall("a"), () => session.finish(DONE));
					session.call(childCall("b"), () => undefined).cancel();
				},
			});
			component.feed(ROOT_REQUEST);
			component.flush();
			component.feed(failure("component:1", "UNAVAILABLE"));
			component.flush();
			return component.events;
		},
	],
	[
		"a component that dies with calls pending",
		() => {
			const component = new Component({ cancelled: (session) => session.finish(DONE) });
			component.feed(ROOT_REQUEST);
			component.call();
			component.take();
			component.feed(cancelOf("host:1"));
			component.session.receive(new Uint8Array([0xff, 0x0a]));
			return component.events;
		},
	],
	[
		"a host with joined, conflicting, cancelled and re-attached requests",
		() => {
			const host = Host.running();
			host.feed(callRequest("c:1"), callRequest("c:2"), callRequest("c:3", "op:1", 1), childRequest("c:4", "op:2"));
			host.feed(cancelOf("c:4"), cancelOf("c:4"), { jsonrpc: "2.0", id: "c:5", method: "x" });
			host.operations[0]?.settle({ value: 1 });
			host.operations[1]?.settle({ value: "garbage" });
			host.flush();
			host.refusal = { code: "INVALID_RESULT", message: "no" };
			host.feed(result("host:1", { ...DONE }));
			host.exit();
			return host.events;
		},
	],
	[
		"a host whose work settles inside its dispatch, then expires",
		() => {
			const host = Host.running({ dispatch: (operation) => operation.settle({ value: null }) });
			host.feed(callRequest("c:1"), callRequest("c:2"));
			host.flush();
			host.session.expire();
			host.session.cancel();
			host.flush();
			host.kill();
			return host.events;
		},
	],
	[
		"a host that knows an operation id from before the session",
		() => {
			const host = Host.running({ dispatch: (operation) => operation.conflict() });
			host.feed(callRequest("c:1"), result("host:1", { ...DONE }));
			host.flush();
			host.exit();
			return host.events;
		},
	],
];

describe("trace and replay", () => {
	it.each(recordings)("replays %s to identical decisions", (_, record) => {
		const events = record();
		expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index));
		const again = replay(events);
		expect(again.divergence).toBeUndefined();
		expect(again.events).toEqual(events);
	});

	it("is plain data: a structured clone replays as well", () => {
		const events = recordings[3]![1]();
		expect(replay(structuredClone(events) as TraceEvent[]).divergence).toBeUndefined();
	});

	it("names the first event that differs", () => {
		const events = [...recordings[3]![1]()];
		const at = events.findIndex((event) => event.type === "decided");
		events[at] = { ...events[at]!, code: "UNCERTAIN" } as TraceEvent;
		const { divergence } = replay(events);
		expect(divergence).toMatchObject({ sequence: at, recorded: { code: "UNCERTAIN" }, replayed: { type: "decided" } });
	});

	it("refuses events that don't start a session", () => {
		const events = recordings[0]![1]();
		expect(() => replay(events.slice(1))).toThrow(TypeError);
		expect(() => replay([{ ...events[0]!, version: TRACE_VERSION + 1 } as never])).toThrow(TypeError);
		expect(() => replay([])).toThrow(TypeError);
	});

	it("shows every frame in both directions", () => {
		const component = Component.running();
		component.session.finish(DONE);
		const sent = component.take();
		const frames = component.events.filter((event) => event.type === "received" || event.type === "sent");
		expect(frames.map((event) => JSON.parse(new TextDecoder().decode(event.frame)))).toEqual([ROOT_REQUEST, ...sent]);
	});

	it("changes nothing when the observer throws", () => {
		let ended = false;
		const session = new ComponentSession({
			wake: () => undefined,
			start: () => undefined,
			cancelled: () => undefined,
			closed: () => {
				ended = true;
			},
			trace: () => {
				throw new Error("observer");
			},
		});
		session.receive(frame(ROOT_REQUEST));
		session.finish(DONE);
		expect(session.takeFrame()).toBeDefined();
		session.written();
		expect(ended).toBe(true);
	});
});
