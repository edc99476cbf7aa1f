/** Run/1 sections 1 and 5.1 at the component: reserves, the settlement of endpoints, cancellation at every point. */
import { afterEach, describe, expect, it } from "vitest";
import { type CallRefused, RUN_LIMITS, replay } from "../../src/run/index.ts";
import {
	BROADCAST,
	ChannelComponent,
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
	summary,
	type Waiting,
} from "./channel-frames.ts";
import { bytes, cancelOf, childCall, codeOf, DONE, failure, result } from "./harness.ts";

const recorded: ChannelComponent[] = [];
function component(channels: Parameters<typeof ChannelComponent.with>[0] = {}): ChannelComponent {
	const made = ChannelComponent.with(channels);
	recorded.push(made);
	return made;
}
afterEach(() => {
	for (const { events } of recorded.splice(0)) expect(replay(events).divergence).toBeUndefined();
});

function refused(act: () => unknown): string {
	try {
		act();
	} catch (error) {
		return (error as CallRefused).code;
	}
	return "admitted";
}

/** Calls until one is refused; gives how many were admitted. */
function fill(one: ChannelComponent): number {
	for (let count = 0; ; count++) {
		if (refused(() => one.call(childCall(`fill:${count}`))) === "RESOURCE_EXHAUSTED") return count;
	}
}

const RELEASED = { status: "released" };

describe("section 1: what ordinary admission leaves for settlements", () => {
	it.each<[string, Parameters<typeof component>[0], (one: ChannelComponent) => unknown, number]>([
		["nothing without endpoints", {}, () => undefined, 64],
		["one slot for a granted sender", { out: SEND }, () => undefined, 63],
		["one slot for two endpoints", { in: RECEIVE, out: SEND }, () => undefined, 63],
		["one slot for a pending creation, beside its own", {}, (one) => one.wait(create()), 62],
		["nothing once the one endpoint is sealed", { out: SEND }, (one) => one.done(close(), null), 64],
		["nothing once it is released", { in: RECEIVE }, (one) => one.done(release(), RELEASED), 64],
		["nothing once it has ended", { in: RECEIVE }, (one) => one.done(next(), end(0)), 64],
		[
			"nothing once it has failed",
			{ in: RECEIVE },
			(one) => {
				one.wait(next());
				one.refuse("LAGGED");
			},
			64,
		],
		[
			"one slot after a read was refused for want of room",
			{ in: RECEIVE },
			(one) => {
				one.wait(next());
				one.refuse("RESOURCE_EXHAUSTED");
			},
			63,
		],
		["nothing but its own slot for a settlement under way", { out: SEND }, (one) => one.wait(close()), 63],
		[
			"nothing once its one privileged attempt failed",
			{ out: SEND },
			(one) => {
				one.wait(close());
				one.refuse("DISCONNECTED");
			},
			64,
		],
		[
			"one slot for an endpoint that a call was offered",
			{ out: SEND },
			(one) => one.call({ ...childCall(), channels: { a: "e:send" } }),
			62,
		],
	])("%s", (_, channels, act, admitted) => {
		const one = component(channels);
		act(one);
		expect(fill(one)).toBe(admitted);
		expect(refused(() => one.wait(create()))).toBe("RESOURCE_EXHAUSTED");
	});

	it("lets a close through when all ordinary slots are taken, and never writes a 65th pending request", () => {
		const one = component({ in: RECEIVE, out: SEND, other: { ...SEND, endpoint: "e:other" } });
		expect(fill(one)).toBe(63);
		const waits = [one.wait(close()), one.wait(release()), one.wait(close("e:other"))];
		expect(one.said().filter((line) => line !== "flow/run-child")).toEqual(["channel/close e:send"]);
		expect(refused(() => one.call(childCall("x")))).toBe("RESOURCE_EXHAUSTED");
		one.feed(result("component:1", null));
		expect(one.said()).toEqual(["channel/release e:receive"]);
		one.feed(result("component:65", RELEASED));
		expect(one.said()).toEqual(["channel/close e:other"]);
		one.feed(failure("component:66", "DISCONNECTED"));
		expect(waits.map(({ came }) => came)).toEqual([null, RELEASED, "DISCONNECTED"]);
		expect(one.take()).toEqual([]);
	});

	it("writes settlements before the ordinary requests that wait, and behind cancellations that came first", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const sent = one.wait(send());
		one.flush();
		one.call(childCall("a"));
		sent.cancel();
		one.wait(close());
		one.wait(release());
		expect(one.said()).toEqual([
			"request/cancel component:1",
			"channel/close e:send",
			"channel/release e:receive",
			"flow/run-child",
		]);
	});

	it("gives a second attempt on an endpoint no privilege: no reserve, no place before others, not after admission", () => {
		const one = component({ out: SEND, in: RECEIVE });
		one.wait(close());
		one.refuse("DISCONNECTED");
		one.call(childCall("first"));
		one.wait(close());
		expect(one.said()).toEqual(["flow/run-child", "channel/close e:send"]);
		one.feed(failure("component:3", "DISCONNECTED"));
		expect(fill(one)).toBe(62);
		expect(refused(() => one.wait(close()))).toBe("RESOURCE_EXHAUSTED");
		expect(refused(() => one.wait(release()))).toBe("admitted");
		one.feed(cancelOf("host:1"));
		expect(refused(() => one.wait(close()))).toBe("OWNER_CLOSED");
	});

	it("keeps an id for every endpoint to the end of the 65,536, and uses no more", () => {
		const one = component({ out: SEND, in: RECEIVE });
		const reply = (id: number, text: string): void =>
			one.session.receive(bytes(`{"jsonrpc":"2.0","id":"component:${id}","result":${text}}\n`));
		one.done(create(), pair("p"));
		let used = 1;
		for (;;) {
			if (refused(() => one.call(childCall("o"))) !== "admitted") break;
			used += 1;
			one.session.takeFrame();
			reply(used, '{"outcome":"done","output":null}');
		}
		expect(used).toBe(RUN_LIMITS.lifetimeRequests - 4);
		for (const request of [create(), next(), send()])
			expect(refused(() => one.wait(request))).toBe("RESOURCE_EXHAUSTED");
		const waits = ["e:send", "p:s"].map((endpoint) => one.wait(close(endpoint)));
		waits.push(...["e:receive", "p:r"].map((endpoint) => one.wait(release(endpoint))));
		const ids = one.flush().map(({ id }) => id);
		expect(ids).toEqual([65_533, 65_534, 65_535, 65_536].map((id) => `component:${id}`));
		reply(65_533, "null");
		one.feed(failure("component:65534", "DISCONNECTED"));
		reply(65_535, '{"status":"released"}');
		reply(65_536, '{"status":"released"}');
		expect(waits.map(({ came }) => came)).toEqual([null, "DISCONNECTED", RELEASED, RELEASED]);
		expect(refused(() => one.wait(close("p:s")))).toBe("RESOURCE_EXHAUSTED");
		one.session.finish(DONE);
		expect(one.said()).toEqual(["result"]);
		recorded.length = 0;
	}, 60_000);

	it.each([
		["direct", create(), 2],
		["broadcast", create("broadcast"), 1],
	] as const)(
		"admits a %s creation only where its own settlement has room",
		(_, request, ids) => {
			const one = component();
			for (let used = 0; used < RUN_LIMITS.lifetimeRequests - ids; used++) {
				one.call(childCall("o")).cancel();
				one.call(childCall("o"));
				one.session.takeFrame();
				one.session.receive(
					bytes(`{"jsonrpc":"2.0","id":"component:${used + 1}","result":{"outcome":"done","output":null}}\n`),
				);
			}
			expect(refused(() => one.wait(request))).toBe("RESOURCE_EXHAUSTED");
			expect(refused(() => one.call(childCall("o")))).toBe("admitted");
			recorded.length = 0;
		},
		60_000,
	);
});

describe("section 5.1: closing and releasing", () => {
	it("joins a settlement under way, and repeats a known outcome without a request", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const waits = [one.wait(release()), one.wait(close()), one.wait(release()), one.wait(close())];
		expect(one.said()).toEqual(["channel/release e:receive", "channel/close e:send"]);
		one.feed(result("component:1", { status: "failed", code: "LAGGED", details: 7 }), result("component:2", null));
		waits.push(one.wait(release()), one.wait(close()));
		const failed = { status: "failed", code: "LAGGED", details: 7 };
		expect(waits.map(({ came }) => came)).toEqual([failed, null, failed, null, failed, null]);
		expect(one.take()).toEqual([]);
	});

	it("answers the release of a receiver that has ended or failed without a request", () => {
		const one = component({ in: RECEIVE, late: subscription("late") });
		one.done(next(), item(1));
		one.done(next(), end(1));
		one.wait(next("late"));
		one.refuse("LAGGED");
		expect(one.wait(release()).came).toEqual({ status: "ended", lastSequence: 1 });
		expect(one.wait(release("late")).came).toEqual({ status: "failed", code: "LAGGED" });
		expect(one.take()).toEqual([]);
	});

	it.each(["CANCELLED", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAVAILABLE"])(
		"takes a read's %s for no proof of the end: it may be read again, and is released on the wire",
		(code) => {
			const one = component({ in: RECEIVE });
			one.wait(next());
			one.refuse(code);
			expect(one.done(next(), item(1)).came).toEqual(item(1));
			one.wait(release());
			expect(one.said()).toEqual(["channel/release e:receive"]);
		},
	);

	it("awaits the read before a release, and lets it have its item", () => {
		const one = component({ in: RECEIVE });
		const read = one.wait(next());
		one.flush();
		const released = one.wait(release());
		one.reply(RELEASED);
		expect([read.came, released.came]).toEqual([undefined, undefined]);
		one.feed(result("component:1", item(1) as never));
		expect([read.came, released.came]).toEqual([item(1), RELEASED]);
	});

	it("drops a read that is not written yet: a release would overtake it", () => {
		const one = component({ in: RECEIVE });
		const read = one.wait(next());
		const released = one.wait(release());
		expect(read.came).toBe("CANCELLED");
		expect(one.reply(RELEASED).map(summary)).toEqual(["channel/release e:receive"]);
		expect(released.came).toEqual(RELEASED);
	});

	it("keeps a settlement whose wait was cancelled, without a word to the host, and its outcome for the next", () => {
		const one = component({ in: RECEIVE, out: SEND });
		const waits = [one.wait(release()), one.wait(close())];
		waits[1]!.cancel();
		expect(one.said()).toEqual(["channel/release e:receive", "channel/close e:send"]);
		waits[0]!.cancel();
		expect(one.take()).toEqual([]);
		one.feed(result("component:1", { status: "failed", code: "LAGGED" }), result("component:2", null));
		expect(waits.map(({ came, settlements }) => [came, settlements.length])).toEqual([
			["CANCELLED", 1],
			["CANCELLED", 1],
		]);
		expect([one.wait(release()).came, one.wait(close()).came]).toEqual([{ status: "failed", code: "LAGGED" }, null]);
	});

	it("gives everyone who waits a failed settlement, and begins anew for who asks again", () => {
		const one = component({ in: RECEIVE });
		const waits = [one.wait(release()), one.wait(release())];
		one.refuse("UNCERTAIN");
		expect(waits.map(({ came }) => came)).toEqual(["UNCERTAIN", "UNCERTAIN"]);
		expect(one.done(release(), RELEASED).came).toEqual(RELEASED);
	});

	it("is admitted after root cancellation and after the handler's end, until the terminal is ready", () => {
		const one = component({ in: RECEIVE, out: SEND, more: { ...SEND, endpoint: "e:more" } });
		const call = one.call();
		one.flush();
		call.cancel();
		one.feed(cancelOf("host:1"));
		const first = one.wait(close());
		one.session.finish(DONE);
		const second = one.wait(release());
		expect(one.said()).toEqual(["request/cancel component:1", "channel/close e:send", "channel/release e:receive"]);
		one.feed(result("component:2", null), result("component:3", RELEASED), failure("component:1", "CANCELLED"));
		expect([first.came, second.came]).toEqual([null, RELEASED]);
		expect(refused(() => one.wait(close("e:more")))).toBe("OWNER_CLOSED");
		expect(one.flush().map(codeOf)).toEqual(["CANCELLED"]);
	});
});

describe("section 5.1: cancelling at every point", () => {
	it("a read that was not written: no read, but its receiver is disposed", () => {
		const one = component({ in: RECEIVE });
		one.wait(next()).cancel();
		expect(one.said()).toEqual(["channel/release e:receive"]);
	});

	it.each([
		["an item", (id: string) => result(id, item(1) as never), RELEASED, RELEASED],
		[
			"its end",
			(id: string) => result(id, end(0) as never),
			{ status: "ended", lastSequence: 0 },
			{ status: "ended", lastSequence: 0 },
		],
		["CANCELLED", (id: string) => failure(id, "CANCELLED"), RELEASED, RELEASED],
		[
			"a cause that the release doesn't know",
			(id: string) => failure(id, "LAGGED"),
			RELEASED,
			{ status: "failed", code: "LAGGED" },
		],
		[
			"nothing, while the release knows a cause",
			(id: string) => failure(id, "CANCELLED"),
			{ status: "failed", code: "OWNER_CLOSED" },
			{ status: "failed", code: "OWNER_CLOSED" },
		],
		[
			"a first cause",
			(id: string) => failure(id, "LAGGED"),
			{ status: "failed", code: "DISCONNECTED" },
			{ status: "failed", code: "LAGGED" },
		],
	])(
		"a written read that still came to %s: both answers are awaited, in either order",
		(_, answer, released, outcome) => {
			for (const order of ["read first", "release first"]) {
				const one = component({ in: RECEIVE });
				const read = one.wait(next());
				one.flush();
				read.cancel();
				expect([read.came, one.said()]).toEqual([
					"CANCELLED",
					["request/cancel component:1", "channel/release e:receive"],
				]);
				const joined = one.wait(release());
				one.session.finish(DONE);
				const replies = [answer("component:1"), result("component:2", released as never)];
				if (order === "release first") replies.reverse();
				one.feed(replies[0]);
				expect([joined.came, one.take()]).toEqual([undefined, []]);
				one.feed(replies[1]);
				expect([joined.came, joined.settlements.length, read.settlements.length]).toEqual([outcome, 1, 1]);
				expect(one.said()).toEqual(["result"]);
			}
		},
	);

	it("a read after it settled: nothing", () => {
		const one = component({ in: RECEIVE });
		const read = one.done(next(), item(1));
		read.cancel();
		expect([read.settlements.length, one.take()]).toEqual([1, []]);
	});

	it("a send: dropped unwritten, retracted written, and never disposed", () => {
		const one = component({ out: SEND });
		const written = one.wait(send(1));
		one.flush();
		const unwritten = one.wait(send(2));
		unwritten.cancel();
		written.cancel();
		expect(one.said()).toEqual(["request/cancel component:1"]);
		one.feed(result("component:1", null));
		expect(one.done(send(3), null).came).toBeNull();
		expect([written.came, unwritten.came]).toEqual(["CANCELLED", "CANCELLED"]);
	});

	it("a creation that was not written: no request, no reserve", () => {
		const one = component();
		one.wait(create()).cancel();
		expect([one.take(), fill(one)]).toEqual([[], 64]);
	});

	type Late = [string, (one: ChannelComponent) => Waiting, object, string, unknown];
	const lates: Late[] = [
		["a pair", (one) => one.wait(create()), PAIR, "channel/release e:receive", RELEASED],
		["a broadcast", (one) => one.wait(create("broadcast")), BROADCAST, "channel/close b:send", null],
		[
			"a subscription",
			(one) => {
				one.done(create("broadcast"), BROADCAST);
				return one.wait(subscribe());
			},
			subscription("s:1"),
			"channel/release s:1",
			RELEASED,
		],
	];

	it.each(lates)(
		"%s that is granted late is given back, and the terminal waits for it",
		(_, ask, grant, settles, value) => {
			const one = component();
			const waiting = ask(one);
			const [request] = one.flush();
			waiting.cancel();
			expect([waiting.came, one.said()]).toEqual(["CANCELLED", [`request/cancel ${request?.id}`]]);
			one.session.finish(DONE);
			one.feed(result(request!.id as string, grant as never));
			expect(one.reply(value).map(summary)).toEqual([settles]);
			expect(one.said()).toEqual(["result"]);
		},
	);

	it.each(lates)(
		"%s that can't be given back makes the Run UNCERTAIN, whatever the handler came to",
		(_, ask, grant) => {
			for (const [ending, code] of [
				[DONE, "UNCERTAIN"],
				[{ failure: { code: "INVALID_INPUT", message: "m" } } as const, "UNCERTAIN"],
				["cancelled", "CANCELLED"],
			] as const) {
				const one = component();
				const waiting = ask(one);
				const [request] = one.flush();
				waiting.cancel();
				one.flush();
				one.feed(result(request!.id as string, grant as never));
				one.refuse("OWNER_CLOSED");
				if (ending === "cancelled") one.feed(cancelOf("host:1"));
				one.session.finish(ending === "cancelled" ? DONE : ending);
				expect(one.flush().map(codeOf)).toEqual([code]);
			}
		},
	);

	it.each(lates)("%s that the host refused late leaves nothing to do, nor does its failure at once", (_, ask) => {
		const one = component();
		const waiting = ask(one);
		const [request] = one.flush();
		waiting.cancel();
		one.flush();
		one.feed(failure(request!.id as string, "CANCELLED"));
		one.session.finish(DONE);
		expect(one.said()).toEqual(["result"]);
	});

	it("a late grant is checked like any other", () => {
		const one = component({ out: SEND });
		const waiting = one.wait(create());
		one.flush();
		waiting.cancel();
		one.flush();
		one.feed(result("component:1", PAIR as never));
		expect(one.end).toMatchObject({ code: "PROTOCOL_ERROR" });
	});

	it("a late pair, given back, keeps no reserve for its sender", () => {
		const one = component();
		const waiting = one.wait(create());
		one.flush();
		waiting.cancel();
		one.flush();
		one.feed(result("component:1", PAIR as never));
		one.reply(RELEASED);
		expect(fill(one)).toBe(64);
	});

	it("late grants find their slots taken and wait for one", () => {
		const one = component();
		const waiting = one.wait(create());
		one.flush();
		expect(fill(one)).toBe(62);
		one.flush();
		waiting.cancel();
		one.flush();
		one.feed(result("component:1", PAIR as never));
		expect(one.said()).toEqual(["channel/release e:receive"]);
	});
});

describe("the peer dies at every point: one settlement each", () => {
	const requests = [create(), create("broadcast"), next(), send(), close(), release("late")];
	const deaths: [string, (one: ChannelComponent) => void, string][] = [
		["EOF", (one) => one.session.inputEnded(), "CHANNEL_LOST"],
		["a failed read", (one) => one.session.readFailed(new Error("gone")), "CHANNEL_LOST"],
		["a failed write", (one) => one.session.writeFailed(new Error("EPIPE")), "CHANNEL_LOST"],
		["garbage", (one) => one.session.receive(new Uint8Array([0xff, 0x0a])), "PROTOCOL_ERROR"],
	];
	it.each(deaths)("%s", (_, die, code) => {
		for (let written = 0; written <= requests.length; written++) {
			for (const cancelling of [false, true]) {
				const one = component({ in: RECEIVE, out: SEND, late: subscription("late") });
				const waits = requests.map((request) => one.wait(request));
				waits.push(one.wait(close()), one.wait(release("late")));
				for (let i = 0; i < written; i++) one.session.takeFrame();
				if (cancelling) for (const [index, waiting] of waits.entries()) if (index % 2 === 0) waiting.cancel();
				die(one);
				for (const waiting of waits) waiting.cancel();
				expect(waits.map(({ settlements }) => settlements.length)).toEqual(waits.map(() => 1));
				expect(waits.map(({ came }) => came)).toEqual(
					waits.map((_, index) => (cancelling && index % 2 === 0 ? "CANCELLED" : code)),
				);
				expect(one.ends).toMatchObject([{ kind: "fatal", code }]);
				expect(refused(() => one.wait(create()))).toBe("OWNER_CLOSED");
				expect(refused(() => one.wait(close()))).toBe("OWNER_CLOSED");
			}
		}
	});

	it("between the two answers of a disposal", () => {
		for (const first of [result("component:1", item(1) as never), result("component:2", RELEASED)]) {
			const one = component({ in: RECEIVE });
			const read = one.wait(next());
			one.flush();
			read.cancel();
			const joined = one.wait(release());
			one.flush();
			one.feed(first);
			one.session.inputEnded();
			expect([joined.came, joined.settlements.length]).toEqual(["CHANNEL_LOST", 1]);
		}
	});
});
