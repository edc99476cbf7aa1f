/** Run/1 section 9 at the component: what of its channels a handler may leave behind, and what the terminal waits for. */
import { afterEach, describe, expect, it } from "vitest";
import { replay } from "../../src/run/index.ts";
import {
	BROADCAST,
	ChannelComponent,
	close,
	create,
	end,
	item,
	next,
	PAIR,
	RECEIVE,
	release,
	SEND,
	send,
	subscribe,
	subscription,
} from "./channel-frames.ts";
import { cancelOf, childCall, codeOf, DONE, failure, result } from "./harness.ts";

const RELEASED = { status: "released" };
const recorded: ChannelComponent[] = [];
function component(channels: Parameters<typeof ChannelComponent.with>[0] = {}): ChannelComponent {
	const made = ChannelComponent.with(channels);
	recorded.push(made);
	return made;
}
afterEach(() => {
	for (const { events } of recorded.splice(0)) expect(replay(events).divergence).toBeUndefined();
});

/** Ends the handler, answers everything that is open, and gives the terminal's code, `undefined` for a result. */
function ending(one: ChannelComponent, value: Parameters<ChannelComponent["session"]["finish"]>[0] = DONE): unknown {
	const frames = one.flush();
	one.session.finish(value);
	for (let round = 0; round < 4; round++) {
		for (const { id, method, ...rest } of [...frames.splice(0), ...one.flush()]) {
			if (method === "channel/release") one.feed(result(id as string, RELEASED));
			else if (method === "channel/close") one.feed(result(id as string, null));
			else if (method === "request/cancel") continue;
			else if (method !== undefined) one.feed(failure(id as string, "CANCELLED"));
			else {
				expect([id, one.end]).toEqual(["host:1", { kind: "finished" }]);
				return codeOf(rest);
			}
		}
	}
	throw new Error("No terminal came.");
}

const offering = (token: string) => ({ ...childCall(), channels: { a: token } });
const succeeds: [string, Parameters<typeof component>[0], (one: ChannelComponent) => unknown][] = [
	["a pair that nobody touched", {}, (one) => one.done(create(), PAIR)],
	["a sender that was never used, granted", { out: SEND }, () => undefined],
	["a sender that has sent and is not sealed", { out: SEND }, (one) => one.done(send(), null)],
	["a broadcast without subscriptions", {}, (one) => one.done(create("broadcast"), BROADCAST)],
	["a receiver that was read to its end", { in: RECEIVE }, (one) => one.done(next(), end(0))],
	["a receiver that was released unread", { in: RECEIVE }, (one) => one.done(release(), RELEASED)],
	[
		"a receiver that failed",
		{ in: RECEIVE },
		(one) => {
			one.wait(next());
			one.refuse("OWNER_CLOSED");
		},
	],
	[
		"a receiver whose read was refused with a code that proves nothing: the host knows",
		{ in: RECEIVE },
		(one) => {
			one.wait(next());
			one.refuse("RESOURCE_EXHAUSTED");
		},
	],
	["a receiver whose release is under way", { in: RECEIVE }, (one) => one.wait(release())],
	["a sender whose close is under way", { out: SEND }, (one) => one.wait(close())],
	["a receiver whose read was cancelled", { in: RECEIVE }, (one) => one.wait(next()).cancel()],
	[
		"a receiver whose written read was cancelled",
		{ in: RECEIVE },
		(one) => {
			const read = one.wait(next());
			one.flush();
			read.cancel();
			one.feed(failure("component:1", "CANCELLED"));
		},
	],
	["a creation that was cancelled", {}, (one) => one.wait(create()).cancel()],
	["a send that was cancelled", { out: SEND }, (one) => one.wait(send()).cancel()],
	[
		"a receiver that a call was offered",
		{ in: RECEIVE },
		(one) => {
			one.call(offering("e:receive"));
			one.reply(DONE);
		},
	],
	[
		"a pair whose receiver a call was offered, and whose sender sends",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.call(offering("e:receive"));
			one.reply(DONE);
			one.done(send(), null);
		},
	],
	[
		"a pair whose sender's offer was taken back before it was written",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.call(offering("e:send")).cancel();
		},
	],
	[
		"a subscription that was read to its end",
		{},
		(one) => {
			one.done(create("broadcast"), BROADCAST);
			one.done(subscribe(), subscription("s:1", 4));
			one.done(next("s:1"), end(3));
		},
	],
];

const abandons: [string, Parameters<typeof component>[0], (one: ChannelComponent) => unknown][] = [
	["a granted receiver that was never read", { in: RECEIVE }, () => undefined],
	["a receiver that was read, but not to its end", { in: RECEIVE }, (one) => one.done(next(), item(1))],
	[
		"a created receiver that was read",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.done(next(), item(1));
		},
	],
	[
		"a receiver whose own sender has sent",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.done(send(), null);
		},
	],
	[
		"a receiver whose own sender is sealed",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.done(close(), null);
		},
	],
	[
		"a receiver whose own sender a call was offered",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.call(offering("e:send"));
			one.reply(DONE);
		},
	],
	[
		"a receiver whose own sender a call was offered, that the host refused",
		{},
		(one) => {
			one.done(create(), PAIR);
			one.call(offering("e:send"));
			one.refuse("UNAVAILABLE");
		},
	],
	[
		"a subscription that was never read",
		{},
		(one) => {
			one.done(create("broadcast"), BROADCAST);
			one.done(subscribe(), subscription("s:1"));
		},
	],
	["a pending read", { in: RECEIVE }, (one) => one.wait(next())],
	["a pending send", { out: SEND }, (one) => one.wait(send())],
	["a pending creation", {}, (one) => one.wait(create())],
	[
		"a pending subscription",
		{},
		(one) => {
			one.done(create("broadcast"), BROADCAST);
			one.wait(subscribe());
		},
	],
	[
		"a receiver whose release failed",
		{ in: RECEIVE },
		(one) => {
			one.wait(release());
			one.refuse("UNCERTAIN");
		},
	],
];

describe("what may be left behind", () => {
	it.each(succeeds)("%s", (_, channels, act) => {
		const one = component(channels);
		act(one);
		expect(ending(one)).toBeUndefined();
	});
});

describe("what is abandonment: EXECUTION_FAILED in place of a result", () => {
	it.each(abandons)("%s", (_, channels, act) => {
		const one = component(channels);
		act(one);
		expect(ending(one)).toBe("EXECUTION_FAILED");
	});

	it.each(abandons)("unless the handler failed, or the root was cancelled: %s", (_, channels, act) => {
		const failed = component(channels);
		act(failed);
		expect(ending(failed, { failure: { code: "INVALID_INPUT", message: "m" } })).toBe("INVALID_INPUT");
		const cancelled = component(channels);
		act(cancelled);
		cancelled.feed(cancelOf("host:1"));
		expect(ending(cancelled)).toBe("CANCELLED");
	});

	it("is recorded when the handler ends: what the session then cleans up erases nothing", () => {
		const one = component({ in: RECEIVE });
		one.wait(next());
		one.flush();
		one.session.finish(DONE);
		expect(one.said()).toEqual(["request/cancel component:1", "channel/release e:receive"]);
		one.feed(result("component:1", end(0) as never), result("component:2", { status: "ended", lastSequence: 0 }));
		expect(one.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
	});

	it("is also a disposal that fails after the handler ended", () => {
		const one = component({ in: RECEIVE });
		one.wait(next()).cancel();
		one.flush();
		one.session.finish(DONE);
		one.feed(failure("component:1", "UNCERTAIN"));
		expect(one.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
	});

	it("no longer is one whose failed disposal was repeated in time", () => {
		const one = component({ in: RECEIVE });
		one.wait(next()).cancel();
		one.refuse("UNCERTAIN");
		one.done(release(), RELEASED);
		expect(ending(one)).toBeUndefined();
	});
});

describe("the terminal", () => {
	it("never seals a writer: nothing is written but what was asked for", () => {
		const one = component({ out: SEND });
		one.done(create(), { ...PAIR, send: { ...SEND, endpoint: "p:s" } });
		one.done(create("broadcast"), BROADCAST);
		one.done(send(), null);
		one.session.finish(DONE);
		expect(one.said()).toEqual(["result"]);
	});

	it("waits for settlements whose waits live on, and gives them their outcome", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const waits = [one.wait(release()), one.wait(close())];
		one.session.finish(DONE);
		expect(one.said()).toEqual(["channel/release e:receive", "channel/close e:send"]);
		one.feed(result("component:1", RELEASED));
		expect(one.take()).toEqual([]);
		one.feed(result("component:2", null));
		expect([waits.map(({ came }) => came), one.said()]).toEqual([[RELEASED, null], ["result"]]);
	});

	it("turns into CANCELLED while it waits, and ends the waits for settlements, not these", () => {
		const one = component({ in: RECEIVE });
		const waiting = one.wait(release());
		one.session.finish(DONE);
		one.flush();
		one.feed(cancelOf("host:1"));
		expect([waiting.came, one.take()]).toEqual(["CANCELLED", []]);
		one.feed(result("component:1", RELEASED));
		expect(one.flush().map(codeOf)).toEqual(["CANCELLED"]);
	});

	it("waits for the answer to a read that root cancellation withdrew, and for its disposal", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const waits = [one.wait(next()), one.wait(send()), one.wait(create())];
		one.flush();
		one.feed(cancelOf("host:1"));
		expect(waits.map(({ came }) => came)).toEqual(["CANCELLED", "CANCELLED", "CANCELLED"]);
		expect(one.said()).toEqual([
			"request/cancel component:1",
			"channel/release e:receive",
			"request/cancel component:2",
			"request/cancel component:3",
		]);
		one.session.finish({ failure: { code: "CANCELLED", message: "m" } });
		one.feed(failure("component:1", "CANCELLED"), result("component:2", null));
		one.feed(result("component:4", RELEASED));
		expect(one.take()).toEqual([]);
		one.feed(failure("component:3", "CANCELLED"));
		expect(one.flush().map(codeOf)).toEqual(["CANCELLED"]);
	});
});
