import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { type ChannelOutcome, replay } from "../../src/run/index.ts";
import {
	callRequest,
	cancelOf,
	channelRequest,
	codeOf,
	DONE,
	type Frame,
	failure,
	frame,
	Host,
	type HostHooks,
	result,
} from "./harness.ts";

const SEND = { endpoint: "send:1", direction: "send", delivery: "direct" };
const RECEIVE = { endpoint: "receive:1", direction: "receive", delivery: "direct", startSequence: 1 };
const PAIR = { send: SEND, receive: RECEIVE };
const RELEASED = { status: "released" };

const NOW: HostHooks = { channel: (exchange) => exchange.settle({ result: null }) };
const LATER: HostHooks = { channel: () => undefined };

const send = (id: string, value: JsonValue = 1): Frame => channelRequest(id, "send", { endpoint: "send:1", value });
const next = (id: string): Frame => channelRequest(id, "next", { endpoint: "receive:1" });
const close = (id: string): Frame => channelRequest(id, "close", { endpoint: "send:1" });
const release = (id: string): Frame => channelRequest(id, "release", { endpoint: "receive:1" });

/** The replay of a host's record decides as it did. */
function expectReplay(host: Host): void {
	expect(replay(host.events).divergence).toBeUndefined();
}

describe("Run/1 section 5.1: channel requests at the host session", () => {
	it("hands each to the layer as it was meant, and answers with what came of it", () => {
		const outcomes: [Frame, object, JsonValue][] = [
			[channelRequest("c:1", "create"), { method: "channel/create" }, PAIR],
			[
				channelRequest("c:2", "create", { delivery: "broadcast", schema: true }),
				{ method: "channel/create", delivery: "broadcast", schema: true },
				{ send: { ...SEND, delivery: "broadcast" }, source: "source:1" },
			],
			[
				channelRequest("c:3", "subscribe", { source: "source:1" }),
				{ method: "channel/subscribe", source: "source:1" },
				{ ...RECEIVE, delivery: "broadcast", startSequence: 7 },
			],
			[send("c:4", { deep: [1] }), { method: "channel/send", endpoint: "send:1", value: { deep: [1] } }, null],
			[next("c:5"), { method: "channel/next", endpoint: "receive:1" }, { item: { sequence: 1, value: null } }],
			[next("c:6"), { method: "channel/next", endpoint: "receive:1" }, { end: { lastSequence: 1 } }],
			[close("c:7"), { method: "channel/close", endpoint: "send:1" }, null],
			[release("c:8"), { method: "channel/release", endpoint: "receive:1" }, { status: "failed", code: "LAGGED" }],
		];
		const host = Host.running(LATER);
		for (const [request, meant, value] of outcomes) {
			host.feed(request);
			const exchange = host.exchanges.at(-1)!;
			expect(exchange.request).toEqual(meant);
			expect(host.flush()).toEqual([]);
			exchange.settle({ result: value });
			exchange.settle({ result: "again" });
			expect(host.flush()).toEqual([result(request.id as string, value)]);
		}
		expectReplay(host);
	});

	it("answers UNAVAILABLE where the layer has no channels, to a call that maps some as well", () => {
		const host = Host.running().feed(channelRequest("c:1", "create"), next("c:2"), release("c:3"));
		const call = callRequest("c:4");
		host.feed({ ...call, params: { ...(call.params as object), channels: { events: "send:1" } } });
		expect(host.flush().map(codeOf)).toEqual(Array(4).fill("UNAVAILABLE"));
		expect(host.operations).toEqual([]);
		expectReplay(host);
	});

	it("dispatches a call that maps channels where the layer has them", () => {
		const host = Host.running(LATER);
		const call = callRequest("c:1");
		host.feed({ ...call, params: { ...(call.params as object), channels: { events: "send:1" } } });
		expect(host.operations[0]?.call.channels).toEqual({ events: "send:1" });
	});

	it("answers invalid params -32602 without the layer", () => {
		const host = Host.running(LATER).feed(
			channelRequest("c:1", "create", { schema: true, contract: "./a.json" }),
			channelRequest("c:2", "create", { delivery: "multicast" }),
			channelRequest("c:3", "send", { endpoint: "send:1" }),
			channelRequest("c:4", "next", { endpoint: "" }),
		);
		expect(host.flush().map(codeOf)).toEqual(Array(4).fill(-32602));
		expect(host.exchanges).toEqual([]);
	});

	it.each<[string, ChannelOutcome | undefined]>([
		["a grant of another shape", { result: { ...PAIR, send: RECEIVE } }],
		["no value of JSON/1", { result: Number.NaN }],
		["a failure that can't cross the wire", { failure: { code: "NOPE" as never, message: "m" } }],
		["nothing", undefined],
		["a result that fits no frame", { result: { item: { sequence: 1, value: "x".repeat(8_388_609) } } }],
	])("makes %s of the layer EXECUTION_FAILED", (_, outcome) => {
		const host = Host.running({ channel: (exchange) => exchange.settle(outcome as ChannelOutcome) });
		host.feed(channelRequest("c:1", "create"), next("c:2"));
		expect(host.flush().map(codeOf)).toEqual(["EXECUTION_FAILED", "EXECUTION_FAILED"]);
		expectReplay(host);
	});

	it("makes what the layer throws EXECUTION_FAILED", () => {
		const host = Host.running({
			channel: () => {
				throw new Error("broken");
			},
		}).feed(next("c:1"));
		expect(host.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
		expectReplay(host);
	});

	it("takes the largest item that an answer holds with the id it is for", () => {
		// The frame is {"jsonrpc":"2.0","id":"c:1","result":{"item":{"sequence":1,"value":[…]}}}.
		const frameBytes = 16_777_216;
		const around = JSON.stringify(result("c:1", { item: { sequence: 1, value: [] } })).length;
		const half = 8_388_608 - 2;
		const rest = frameBytes - around - half - 2 - 1 - 2;
		for (const [more, code] of [
			[0, undefined],
			[1, "EXECUTION_FAILED"],
		] as const) {
			const value = ["x".repeat(half), "y".repeat(rest + more)];
			const host = Host.running({
				channel: (exchange) => exchange.settle({ result: { item: { sequence: 1, value } } }),
			}).feed(next("c:1"));
			const [answer] = host.flush();
			expect(codeOf(answer)).toBe(code);
		}
	});
});

describe("Run/1 section 8: cancelling a channel request", () => {
	it("asks the layer, which decides; nothing is answered for it", () => {
		const host = Host.running(LATER).feed(send("c:1"), next("c:2"), cancelOf("c:1"), cancelOf("c:2"));
		expect(host.cancelled).toEqual(host.exchanges);
		expect(host.flush()).toEqual([]);
		host.exchanges[0]?.settle({ result: null });
		host.exchanges[1]?.settle({ failure: { code: "CANCELLED", message: "m" } });
		expect(host.flush().map((answer) => codeOf(answer) ?? "accepted")).toEqual(["accepted", "CANCELLED"]);
		expectReplay(host);
	});

	it("ignores one that comes after the answer was decided", () => {
		const host = Host.running(NOW).feed(send("c:1"), cancelOf("c:1"));
		expect(host.cancelled).toEqual([]);
		expect(host.flush()).toEqual([result("c:1", null)]);
		host.feed(cancelOf("c:1"));
		expect(host.cancelled).toEqual([]);
	});

	it("asks the layer to let go of everything that waits when the Run is cancelled or expires", () => {
		for (const stop of ["cancel", "expire"] as const) {
			const host = Host.running({
				...LATER,
				cancelChannel: (exchange) => exchange.settle({ failure: { code: "CANCELLED", message: "m" } }),
			}).feed(send("c:1"), next("c:2"));
			host.session[stop]();
			expect(host.flush().map((answer) => codeOf(answer) ?? answer.method)).toEqual([
				"request/cancel",
				"CANCELLED",
				"CANCELLED",
			]);
			expectReplay(host);
		}
	});
});

describe("Run/1 section 1: the reserve for settling endpoints", () => {
	it("keeps one slot of 64, which a close or a release may use", () => {
		const host = Host.running(LATER);
		host.session.reserve(1);
		for (let i = 1; i <= 63; i += 1) host.feed(callRequest(`c:${i}`, `op:${i}`));
		expect(host.operations.length).toBe(63);
		host.feed(callRequest("c:64", "op:64"));
		expect(host.flush()).toMatchObject([{ id: "c:64", error: { data: { code: "RESOURCE_EXHAUSTED" } } }]);
		host.feed(next("c:65"));
		expect(host.flush().map(codeOf)).toEqual(["RESOURCE_EXHAUSTED"]);
		host.feed(release("c:66"));
		expect(host.flush()).toEqual([]);
		expect(host.exchanges.map(({ request }) => request.method)).toEqual(["channel/release"]);
		// The 65th pending request is one too many, settlement or not.
		host.feed(release("c:67"));
		expect(host.flush().map(codeOf)).toEqual(["RESOURCE_EXHAUSTED"]);
		host.exchanges[0]?.settle({ result: RELEASED });
		expect(host.flush()).toEqual([result("c:66", RELEASED)]);
		expectReplay(host);
	});

	it("keeps none while nothing is to be settled, and again when nothing is any more", () => {
		const host = Host.running(LATER);
		host.session.reserve(2);
		host.session.reserve(0);
		for (let i = 1; i <= 64; i += 1) host.feed(callRequest(`c:${i}`, `op:${i}`));
		expect(host.operations.length).toBe(64);
		expectReplay(host);
	});

	it("refuses a creation that would leave no slot for what it allocates", () => {
		const host = Host.running(LATER);
		for (let i = 1; i <= 63; i += 1) host.feed(callRequest(`c:${i}`, `op:${i}`));
		host.feed(channelRequest("c:64", "create"));
		expect(host.flush().map(codeOf)).toEqual(["RESOURCE_EXHAUSTED"]);
		host.feed(next("c:65"));
		expect(host.exchanges.length).toBe(1);
	});

	it("keeps as many of the 65,536 ids as there are endpoints to settle, with an answer to whoever is refused", () => {
		const host = Host.running(NOW);
		host.session.reserve(3);
		// Unknown methods use ids as well: all but the last three.
		const many: unknown[] = [];
		for (let i = 1; i <= 65_531; i += 1) many.push({ jsonrpc: "2.0", id: `u:${i}`, method: "x", params: {} });
		for (let at = 0; at < many.length; at += 1_000) {
			for (const one of many.slice(at, at + 1_000)) host.session.receive(frame(one));
			host.flush();
		}
		// The last id that is free is the 65,533rd; a creation needs two more for its pair.
		host.feed(channelRequest("c:1", "create"), send("c:2"), send("c:3"));
		expect(host.flush().map((answer) => codeOf(answer) ?? "accepted")).toEqual([
			"RESOURCE_EXHAUSTED",
			"accepted",
			"RESOURCE_EXHAUSTED",
		]);
		host.feed(close("c:4"), close("c:5"));
		expect(host.flush()).toEqual([result("c:4", null), result("c:5", null)]);
		expect(host.stops).toEqual([]);
		host.feed(close("c:6"));
		expect(host.stops).toEqual(["violation"]);
	}, 30_000);
});

describe("Run/1 sections 6 and 9: channel requests while a Run ends", () => {
	it("answers OWNER_CLOSED to new work after a recorded cancellation, and still settles endpoints", () => {
		const host = Host.running(LATER);
		host.session.cancel();
		host.flush();
		host.feed(channelRequest("c:1", "create"), send("c:2"), next("c:3"), close("c:4"), release("c:5"));
		expect(host.flush().map(codeOf)).toEqual(["OWNER_CLOSED", "OWNER_CLOSED", "OWNER_CLOSED"]);
		expect(host.exchanges.map(({ request }) => request.method)).toEqual(["channel/close", "channel/release"]);
		host.exchanges[0]?.settle({ result: null });
		host.exchanges[1]?.settle({ result: RELEASED });
		host.feed(failure("host:1", "CANCELLED"));
		// The answers' writes had not begun: the component answered while its requests were pending.
		expect(host.exit()).toBe("PROTOCOL_ERROR");
		expectReplay(host);
	});

	it("settles them in time for the answer", () => {
		const host = Host.running({ channel: (exchange) => exchange.settle({ result: RELEASED }) });
		host.session.cancel();
		host.flush();
		host.feed(release("c:1"));
		expect(host.flush()).toEqual([result("c:1", RELEASED)]);
		host.feed(failure("host:1", "CANCELLED"));
		expect(host.exit()).toBe("CANCELLED");
		expectReplay(host);
	});

	it("takes a root answer with a channel request pending for a violation", () => {
		const host = Host.running(LATER).feed(next("c:1"), result("host:1", { ...DONE }));
		expect(host.stops).toEqual(["violation"]);
	});

	it("answers nothing that settles after the end", () => {
		const host = Host.running(LATER).feed(next("c:1"), send("c:2"));
		expect(host.kill()).toBe("CHANNEL_LOST");
		const events = host.events.length;
		for (const exchange of host.exchanges) exchange.settle({ failure: { code: "OWNER_CLOSED", message: "m" } });
		host.session.reserve(4);
		expect(host.flush()).toEqual([]);
		expect(host.events.slice(events).map(({ type }) => type)).toEqual(["written"]);
		expectReplay(host);
	});
});
