/** Run/1 section 5.1 at the component: requests, grants and what a host can't say about them. */
import { afterEach, describe, expect, it } from "vitest";
import { type CallRefused, type ChannelRequest, InvalidMessage, replay } from "../../src/run/index.ts";
import {
	BROADCAST,
	ChannelComponent,
	CONTRACT,
	close,
	create,
	end,
	item,
	next,
	PAIR,
	pair,
	RECEIVE,
	release,
	SEND,
	send,
	subscribe,
	subscription,
	WRITER,
} from "./channel-frames.ts";
import { childCall, codeOf, DONE, failure, ROOT_PARAMS, ROOT_REQUEST, result } from "./harness.ts";

const recorded: ChannelComponent[] = [];
function component(channels: Parameters<typeof ChannelComponent.with>[0] = {}): ChannelComponent {
	const made = ChannelComponent.with(channels);
	recorded.push(made);
	return made;
}

/** Every trace that a test makes replays to the same decisions. */
afterEach(() => {
	for (const { events } of recorded.splice(0)) expect(replay(events).divergence).toBeUndefined();
});

function thrown(act: () => unknown): unknown {
	try {
		act();
	} catch (error) {
		return error;
	}
	throw new Error("Nothing was thrown.");
}

describe("requests on the wire", () => {
	it.each<[string, ChannelRequest, object, unknown]>([
		["create", create(), {}, PAIR],
		["create, direct", create("direct"), { delivery: "direct" }, PAIR],
		["create, broadcast", create("broadcast"), { delivery: "broadcast" }, BROADCAST],
		["create with a schema", { method: "channel/create", schema: true }, { schema: true }, PAIR],
		["create with a contract", { method: "channel/create", contract: "./c.json" }, { contract: "./c.json" }, PAIR],
		["next", next("in"), { endpoint: "in" }, item(1)],
		["send", send(7, "out"), { endpoint: "out", value: 7 }, null],
		["close", close("out"), { endpoint: "out" }, null],
		["release", release("in"), { endpoint: "in" }, { status: "released" }],
	])("%s has exactly its params and settles with exactly its result", (_, request, params, value) => {
		const one = component({ in: { ...RECEIVE, endpoint: "in" }, out: { ...SEND, endpoint: "out" } });
		const waiting = one.wait(request);
		const [frame] = one.flush();
		expect([frame?.method, frame?.params]).toEqual([request.method, params]);
		one.feed(result(frame!.id as string, value as never));
		expect([waiting.came, waiting.settlements.length]).toEqual([value, 1]);
	});

	it("leaves out members that are undefined, and snapshots a value when the request is made", () => {
		const one = component({ out: SEND });
		one.wait({ method: "channel/create", schema: undefined, delivery: "direct" } as never);
		const value = { list: [1] };
		one.wait({ method: "channel/send", endpoint: "e:send", value });
		value.list.push(2);
		expect(one.flush().map(({ params }) => params)).toEqual([
			{ delivery: "direct" },
			{ endpoint: "e:send", value: { list: [1] } },
		]);
	});

	it("settles with a host's operational failure and goes on", () => {
		const one = component({ out: SEND });
		const waiting = one.wait(send());
		one.refuse("DISCONNECTED");
		expect([waiting.came, one.end]).toEqual(["DISCONNECTED", undefined]);
	});
});

describe("invalid requests are local: InvalidMessage, before anything is queued", () => {
	it.each<[string, unknown]>([
		["another method", { method: "flow/run" }],
		["no method", {}],
		["an inherited name", { method: "constructor" }],
		["schema and contract", { method: "channel/create", schema: true, contract: "./a" }],
		["a schema that is none", { method: "channel/create", schema: 1 }],
		["another delivery", create("multicast" as never)],
		["a foreign endpoint", send(1, "e:other")],
		["a source as an endpoint", { method: "channel/next", endpoint: "b:source" }],
		["an endpoint as a source", subscribe("e:receive")],
		["a foreign source", subscribe("nobody")],
		["sending on a receiver", send(1, "e:receive")],
		["reading from a sender", next("e:send")],
		["closing a receiver", close("e:receive")],
		["releasing a sender", release("e:send")],
		["a value that is no JSON", send(Number.NaN)],
		["no value", { method: "channel/send", endpoint: "e:send" }],
		["an unknown member", { ...next(), timeout: 1 }],
	])("%s", (_, request) => {
		const one = component({ in: RECEIVE, out: SEND });
		expect(thrown(() => one.wait(request as ChannelRequest))).toBeInstanceOf(InvalidMessage);
		expect(one.take()).toEqual([]);
	});

	it("a second read while one is pending, cancelled or not", () => {
		const one = component({ in: RECEIVE });
		const read = one.wait(next());
		expect(thrown(() => one.wait(next()))).toBeInstanceOf(InvalidMessage);
		one.flush();
		read.cancel();
		expect(thrown(() => one.wait(next()))).toBeInstanceOf(InvalidMessage);
	});

	it.each<[string, (one: ChannelComponent) => void]>([
		["it ended", (one) => void one.done(next(), end(0))],
		["it was released", (one) => void one.done(release(), { status: "released" })],
		["its release is under way", (one) => void one.wait(release())],
		[
			"it failed",
			(one) => {
				one.wait(next());
				one.refuse("LAGGED");
			},
		],
	])("a read after %s", (_, act) => {
		const one = component({ in: RECEIVE });
		act(one);
		expect(thrown(() => one.wait(next()))).toBeInstanceOf(InvalidMessage);
	});

	it("comes before a closed owner; that before capacity", () => {
		const one = component({ in: RECEIVE });
		one.session.finish(DONE);
		expect(thrown(() => one.wait(next("e:other")))).toBeInstanceOf(InvalidMessage);
		for (const request of [create(), next()]) {
			expect((thrown(() => one.wait(request)) as CallRefused).code).toBe("OWNER_CLOSED");
		}
	});
});

describe("what a host can't say: fatal PROTOCOL_ERROR, every wait settled once, no frame", () => {
	const created = (grant: unknown) => (one: ChannelComponent) => {
		const waiting = one.wait(create());
		one.reply(grant);
		return waiting;
	};
	const broadcast = (grant: unknown) => (one: ChannelComponent) => {
		const waiting = one.wait(create("broadcast"));
		one.reply(grant);
		return waiting;
	};
	const subscribed = (grant: unknown) => (one: ChannelComponent) => {
		one.done(create("broadcast"), BROADCAST);
		const waiting = one.wait(subscribe());
		one.reply(grant);
		return waiting;
	};
	const read = (value: unknown) => (one: ChannelComponent) => {
		one.done(next("in"), item(1));
		const waiting = one.wait(next("in"));
		one.reply(value);
		return waiting;
	};
	const released = (value: unknown) => (one: ChannelComponent) => {
		one.done(next("in"), item(1));
		const waiting = one.wait(release("in"));
		one.reply(value);
		return waiting;
	};
	/** A read that is cancelled on the wire, and its release: answered in either order. */
	const disposed =
		(answers: [read: unknown, release: unknown], order: "read first" | "release first") => (one: ChannelComponent) => {
			one.done(next("in"), item(1));
			const waiting = one.wait(next("in"));
			const [asked] = one.flush();
			waiting.cancel();
			const joined = one.wait(release("in"));
			const [, releasing] = one.flush();
			const replies = [
				result(asked!.id as string, answers[0] as never),
				result(releasing!.id as string, answers[1] as never),
			];
			one.feed(...(order === "read first" ? replies : replies.reverse()));
			return joined;
		};

	it.each<[string, (one: ChannelComponent) => { came: unknown; settlements: unknown[] }]>([
		["a pair with one reference", created({ send: SEND, receive: { ...RECEIVE, endpoint: SEND.endpoint } })],
		["a pair with two contracts", created({ send: { ...SEND, contract: CONTRACT }, receive: RECEIVE })],
		[
			"a pair with two versions",
			created({
				send: { ...SEND, contract: CONTRACT },
				receive: { ...RECEIVE, contract: { ...CONTRACT, version: "1.0.1" } },
			}),
		],
		["a reference of the root again, as a sender", created({ send: { ...SEND, endpoint: "in" }, receive: RECEIVE })],
		["a reference of the root again, as a receiver", created({ send: SEND, receive: { ...RECEIVE, endpoint: "in" } })],
		["a reference of the root again, as a source", broadcast({ ...BROADCAST, source: "in" })],
		["a source that is its writer's reference", broadcast({ send: WRITER, source: WRITER.endpoint })],
		["a direct channel that is a broadcast", created(BROADCAST)],
		["a broadcast that is a direct channel", broadcast(PAIR)],
		["a pair whose sender receives", created({ send: RECEIVE, receive: RECEIVE })],
		["a pair whose receiver is a broadcast's", created({ send: SEND, receive: subscription("x") })],
		["a direct receiver that starts at 2", created({ send: SEND, receive: { ...RECEIVE, startSequence: 2 } })],
		["a sender with a start", created({ send: { ...SEND, startSequence: 1 }, receive: RECEIVE })],
		["a contract that is none", created({ send: { ...SEND, contract: { id: "x" } }, receive: RECEIVE })],
		["an unknown member of a grant", created({ send: { ...SEND, x: 1 }, receive: RECEIVE })],
		["a subscription with another contract", subscribed({ ...subscription("x"), contract: CONTRACT })],
		["a subscription that is direct", subscribed({ ...RECEIVE, endpoint: "x" })],
		["a subscription that sends", subscribed({ ...WRITER, endpoint: "x" })],
		["a subscription with its writer's reference", subscribed(subscription(WRITER.endpoint))],
		["a subscription with its source's reference", subscribed(subscription("b:source"))],
		["a subscription that starts at 0", subscribed(subscription("x", 0))],
		["an item again", read(item(1))],
		["an item too far", read(item(3))],
		["an end after an item that never came", read(end(2))],
		["an end before an item that came", read(end(0))],
		["an item and an end", read({ ...item(2), ...end(1) })],
		["an accepted value that is not null", (one) => one.done(send(1, "out"), {})],
		["a sealed writer that is not null", (one) => one.done(close("out"), { status: "released" })],
		["a release as ended before an item that came", released({ status: "ended", lastSequence: 0 })],
		["a release that failed locally", released({ status: "failed", code: "CHANNEL_LOST" })],
		["a release that is null", released(null)],
		...(["read first", "release first"] as const).flatMap(
			(order): [string, (one: ChannelComponent) => { came: unknown; settlements: unknown[] }][] => [
				[`an end, released without one, ${order}`, disposed([end(1), { status: "released" }], order)],
				[`an end, released as failed, ${order}`, disposed([end(1), { status: "failed", code: "LAGGED" }], order)],
				[`an end, released as another, ${order}`, disposed([end(1), { status: "ended", lastSequence: 2 }], order)],
				[`an item after the released end, ${order}`, disposed([item(2), { status: "ended", lastSequence: 1 }], order)],
				[`a wrong item of a cancelled read, ${order}`, disposed([item(3), { status: "released" }], order)],
			],
		),
	])("%s", (_, act) => {
		const one = component({ in: { ...RECEIVE, endpoint: "in" }, out: { ...SEND, endpoint: "out" } });
		const other = one.wait(send(1, "out"));
		one.flush();
		const waiting = act(one);
		expect([waiting.came, waiting.settlements.length]).toEqual(["PROTOCOL_ERROR", 1]);
		expect([other.came, other.settlements.length]).toEqual(["PROTOCOL_ERROR", 1]);
		expect(one.end).toMatchObject({ kind: "fatal", code: "PROTOCOL_ERROR" });
		expect(one.take()).toEqual([]);
	});

	it("accepts the same contract on both ends and on subscriptions, and any later start of these", () => {
		const one = component();
		one.done(create(), { send: { ...SEND, contract: CONTRACT }, receive: { ...RECEIVE, contract: { ...CONTRACT } } });
		one.done(create("broadcast"), { ...BROADCAST, send: { ...WRITER, contract: CONTRACT } });
		one.done(subscribe(), { ...subscription("x", 5), contract: CONTRACT });
		expect(one.done(next("x"), item(5)).came).toEqual(item(5));
		expect(one.done(next("x"), end(5)).came).toEqual(end(5));
		expect(one.end).toBeUndefined();
	});

	it("accepts an empty interval: a clean end is startSequence - 1", () => {
		const one = component({ in: RECEIVE, late: subscription("late", 9) });
		expect(one.done(next(), end(0)).came).toEqual(end(0));
		expect(one.done(next("late"), end(8)).came).toEqual(end(8));
	});

	it.each(["read first", "release first"] as const)("accepts a release that agrees with the end, %s", (order) => {
		const one = component({ in: { ...RECEIVE, endpoint: "in" } });
		const joined = disposed([end(1), { status: "ended", lastSequence: 1 }], order)(one);
		expect(joined.came).toEqual({ status: "ended", lastSequence: 1 });
	});

	it("answers a root with one reference twice -32602: its channels are distinct (section 3)", () => {
		const one = new ChannelComponent();
		one.feed({
			...ROOT_REQUEST,
			params: { ...ROOT_PARAMS, channels: { a: SEND, b: { ...RECEIVE, endpoint: "e:send" } } },
		});
		expect(one.started).toEqual([]);
		expect(one.flush().map(codeOf)).toEqual([-32602]);
		expect(one.end).toEqual({ kind: "finished" });
	});

	it("takes 512 endpoints, and closes on the next, whatever they came from", () => {
		const channels = Object.fromEntries(
			Array.from({ length: 256 }, (_, i) => [`c${i}`, { ...RECEIVE, endpoint: `root:${i}` }]),
		);
		for (const last of ["pair", "subscription", "broadcast"] as const) {
			const one = component(channels);
			for (let i = 0; i < 127; i++) one.done(create(), pair(`p${i}`));
			one.done(create("broadcast"), BROADCAST);
			if (last !== "pair") one.done(subscribe(), subscription("s:512"));
			expect(one.end).toBeUndefined();
			const over = last === "pair" ? create() : last === "broadcast" ? create("broadcast") : subscribe();
			const grants = {
				pair: pair("over"),
				broadcast: { send: { ...WRITER, endpoint: "w" }, source: "s" },
				subscription: subscription("s:513"),
			};
			expect(one.done(over, grants[last]).came).toBe("PROTOCOL_ERROR");
		}
	});
});

describe("offers: a call maps endpoints that this Run holds and hasn't used", () => {
	const call = (channels: Record<string, string>, operationId = "op:1") => ({ ...childCall(operationId), channels });

	it("writes the references under their ports", () => {
		const one = component({ in: RECEIVE, out: SEND });
		one.call(call({ events: "e:send", ticks: "e:receive" }));
		expect(one.flush()[0]?.params).toMatchObject({ channels: { events: "e:send", ticks: "e:receive" } });
	});

	it("offers again what was offered: repetitions join", () => {
		const one = component({ out: SEND });
		for (const operationId of ["op:1", "op:1", "op:2"]) one.call(call({ events: "e:send" }, operationId));
		expect(one.flush().length).toBe(3);
	});

	const nothing = (): undefined => undefined;
	it.each<[string, (one: ChannelComponent) => unknown, Record<string, string>, string]>([
		["a foreign reference", nothing, { a: "e:other" }, "/channels/a"],
		["a source", nothing, { a: "b:source" }, "/channels/a"],
		["the same twice", nothing, { a: "e:send", b: "e:send" }, "/channels/b"],
		["a sender that has sent", (one) => one.done(send(), null), { a: "e:send" }, "/channels/a"],
		["a sender that is sending", (one) => one.wait(send()), { a: "e:send" }, "/channels/a"],
		["a closed sender", (one) => one.done(close(), null), { a: "e:send" }, "/channels/a"],
		["a receiver that has read", (one) => one.done(next(), item(1)), { a: "e:receive" }, "/channels/a"],
		["a disposed receiver", (one) => one.done(release(), { status: "released" }), { a: "e:receive" }, "/channels/a"],
	])("refuses %s, before anything is queued", (_, act, channels, pointer) => {
		const one = component({ in: RECEIVE, out: SEND });
		one.done(create("broadcast"), BROADCAST);
		act(one);
		one.flush();
		const error = thrown(() => one.call(call(channels))) as InvalidMessage;
		expect([error instanceof InvalidMessage, error.pointer]).toEqual([true, pointer]);
		expect(one.take()).toEqual([]);
	});

	it("keeps a sender's right to move when its peer is disposed (section 5.1)", () => {
		const one = component();
		one.done(create(), PAIR);
		one.done(release(), { status: "released" });
		one.call(call({ events: "e:send" }));
		expect(one.flush()[0]?.params).toMatchObject({ channels: { events: "e:send" } });
	});

	it("looks without using: a subscription leaves its writer free to move", () => {
		const one = component();
		one.done(create("broadcast"), BROADCAST);
		one.done(subscribe(), subscription("s:1"));
		one.call(call({ events: "b:send" }));
		expect(one.flush()[0]?.params).toMatchObject({ channels: { events: "b:send" } });
	});
});

describe("responses stay correlated", () => {
	it("a failure settles the wait whose request it answers, whatever order they come in", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const waits = [one.wait(next()), one.wait(send(1)), one.wait(send(2)), one.wait(create())];
		const ids = one.flush().map((frame) => frame.id as string);
		one.feed(failure(ids[3]!, "UNAVAILABLE"), result(ids[2]!, null), failure(ids[1]!, "DISCONNECTED"));
		one.feed(result(ids[0]!, item(1) as never));
		expect(waits.map(({ came }) => came)).toEqual([item(1), "DISCONNECTED", null, "UNAVAILABLE"]);
	});

	it("a duplicate or a standard error is fatal", () => {
		for (const reply of [
			result("component:1", null),
			{ jsonrpc: "2.0", id: "component:1", error: { code: -32602, message: "m" } },
		]) {
			const one = component({ out: SEND });
			one.done(send(), null);
			one.feed(reply);
			expect(one.end).toMatchObject({ code: "PROTOCOL_ERROR" });
		}
	});
});
