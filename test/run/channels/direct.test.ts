import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/json/index.ts";
import { METHODS } from "../../../src/run/methods.ts";
import { end, holders, item, RECEIVE, SEND, schema, Tree } from "./harness.ts";

const NUMBER = { schema: schema({ type: "number" }) };

describe("Run/1 section 5.1: direct delivery", () => {
	it("gives a pair of grants, the receiver's from sequence 1, and is the default terms' profile", () => {
		const { parent } = holders();
		expect(parent.create()).toEqual({
			send: { endpoint: "send:1", direction: "send", delivery: "direct" },
			receive: { endpoint: "receive:1", direction: "receive", delivery: "direct", startSequence: 1 },
		});
	});

	it("hands over in order, in contiguous sequences from 1, and ends cleanly", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const send = parent.hand(child, pair.send, SEND);
		const first = parent.next(pair.receive);
		expect(first.answer).toBe("waiting");
		expect(child.sendMany(send, 3)).toEqual([null, null, null]);
		expect(first.answer).toEqual(item(1, 1));
		expect(parent.next(pair.receive).answer).toEqual(item(2, 2));
		expect(child.close(send)).toBe(null);
		expect(parent.next(pair.receive).answer).toEqual(item(3, 3));
		expect(parent.next(pair.receive).answer).toEqual(end(3));
		expect(child.finalise()).toBe("sealed");
		child.end();
		expect(parent.finalise()).toBe("sealed");
	});

	it("ends an empty interval at startSequence - 1, also for a read that waits, and says so to every later read", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		const read = parent.next(receive);
		expect(parent.close(send)).toBe(null);
		expect(read.answer).toEqual(end(0));
		expect(parent.next(receive).answer).toEqual(end(0));
	});

	it("gives exactly what its methods give on the wire", () => {
		const { parent } = holders();
		const made = parent.create();
		const { send, receive } = parent.direct();
		const results: [string, JsonValue][] = [
			["channel/create", made],
			["channel/send", parent.send(send, 1).answer],
			["channel/next", parent.next(receive).answer],
			["channel/close", parent.close(send)],
			["channel/next", parent.next(receive).answer],
			["channel/release", parent.release(receive)],
		];
		for (const [method, result] of results) {
			expect([method, METHODS.get(method)?.result(result)]).toEqual([method, undefined]);
		}
	});
});

describe("Run/1 section 5.1: one outstanding read", () => {
	it("refuses a second read with INVALID_INPUT and leaves the first", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		const first = parent.next(receive);
		expect(parent.next(receive).answer).toBe("INVALID_INPUT");
		parent.send(send, "a");
		expect(first.answer).toEqual(item(1, "a"));
	});

	it("disposes the receiver of a cancelled read, not its producer", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		const sender = parent.hand(child, send, SEND);
		const read = parent.next(receive);
		read.cancel();
		read.cancel();
		expect(read.answer).toBe("CANCELLED");
		expect(parent.release(receive)).toEqual({ status: "released" });
		expect(child.send(sender, 1).answer).toBe("DISCONNECTED");
		expect(child.finalise()).toBe("sealed");
		expect(parent.finalise()).toBe("sealed");
	});

	it("leaves a read that was decided as it is when it is cancelled afterwards", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		const read = parent.next(receive);
		parent.send(send, 1);
		read.cancel();
		expect(read.answer).toEqual(item(1, 1));
		parent.send(send, 2);
		const queued = parent.next(receive);
		queued.cancel();
		expect(queued.answer).toEqual(item(2, 2));
		parent.close(send);
		expect(parent.next(receive).answer).toEqual(end(2));
	});

	it("cancels the read it stands for, though one function settles both", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		const outcomes: unknown[] = [];
		const settle = (outcome: unknown): void => void outcomes.push(outcome);
		const first = parent.participant.next(receive, settle);
		parent.send(send, 1);
		parent.participant.next(receive, settle);
		first.cancel();
		parent.send(send, 2);
		expect(outcomes).toEqual([{ result: item(1, 1) }, { result: item(2, 2) }]);
	});
});

describe("Run/1 section 5.1: a full direct queue exerts bounded pressure", () => {
	it("accepts what the queue holds, and lets one more wait until a read takes one", () => {
		const { parent } = holders({ queuedItems: 2 });
		const { send, receive } = parent.direct();
		const sends = [1, 2, 3, 4].map((value) => parent.send(send, value));
		expect(sends.map((each) => each.answer)).toEqual([null, null, "waiting", "waiting"]);
		expect(parent.next(receive).answer).toEqual(item(1, 1));
		// The item in flight keeps its place until the next read.
		expect(sends.map((each) => each.answer)).toEqual([null, null, "waiting", "waiting"]);
		expect(parent.next(receive).answer).toEqual(item(2, 2));
		expect(sends.map((each) => each.answer)).toEqual([null, null, null, "waiting"]);
		expect(parent.next(receive).answer).toEqual(item(3, 3));
		expect(parent.next(receive).answer).toEqual(item(4, 4));
	});

	it("holds the credit of a delivered item until the next read, also of an item that never was queued", () => {
		const { parent } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		const read = parent.next(receive);
		expect(parent.send(send, 1).answer).toBe(null);
		expect(read.answer).toEqual(item(1, 1));
		const second = parent.send(send, 2);
		expect(second.answer).toBe("waiting");
		expect(parent.next(receive).answer).toEqual(item(2, 2));
		expect(second.answer).toBe(null);
	});

	it("counts canonical bytes: at the bound it is accepted, one beyond it waits", () => {
		const { parent } = holders({ queuedBytes: 12 });
		const { send, receive } = parent.direct();
		expect(parent.send(send, "12345678").answer).toBe(null);
		expect(parent.send(send, 12).answer).toBe(null);
		const third = parent.send(send, 1);
		expect(third.answer).toBe("waiting");
		expect(parent.next(receive).answer).toEqual(item(1, "12345678"));
		expect(third.answer).toBe("waiting");
		parent.next(receive);
		expect(third.answer).toBe(null);
	});

	it("keeps the order of arrival: a small item never overtakes one that waits", () => {
		const { parent } = holders({ queuedBytes: 12 });
		const { send, receive } = parent.direct();
		const sends = ["12345678", "12345678", 1].map((value) => parent.send(send, value));
		expect(sends.map((each) => each.answer)).toEqual([null, "waiting", "waiting"]);
		parent.next(receive);
		expect(parent.next(receive).answer).toEqual(item(2, "12345678"));
		expect(sends.map((each) => each.answer)).toEqual([null, null, null]);
		expect(parent.next(receive).answer).toEqual(item(3, 1));
	});

	it("retracts a cancelled send before it has a sequence, and accepts what may follow it", () => {
		const { parent } = holders({ queuedBytes: 12 });
		const { send, receive } = parent.direct();
		parent.send(send, "12345678");
		const big = parent.send(send, "1234567890");
		const small = parent.send(send, 1);
		big.cancel();
		big.cancel();
		expect([big.answer, small.answer]).toEqual(["CANCELLED", null]);
		expect(parent.next(receive).answer).toEqual(item(1, "12345678"));
		expect(parent.next(receive).answer).toEqual(item(2, 1));
	});

	it("leaves an accepted send accepted when it is cancelled afterwards", () => {
		const { parent } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.send(send, 1).cancel();
		const waiting = parent.send(send, 2);
		parent.next(receive);
		parent.next(receive);
		waiting.cancel();
		expect(waiting.answer).toBe(null);
		parent.close(send);
		expect(parent.next(receive).answer).toEqual(end(2));
	});

	it("gives back what waits when it is accepted, cancelled or refused", () => {
		const { parent } = holders({ queuedItems: 1, pendingBytes: 10 });
		const { send, receive } = parent.direct();
		parent.send(send, 1);
		const cancelled = parent.send(send, "12345678");
		expect(parent.send(send, 1).answer).toBe("RESOURCE_EXHAUSTED");
		cancelled.cancel();
		expect(parent.send(send, "12345678").answer).toBe("waiting");
		parent.next(receive);
		parent.next(receive);
		expect(parent.send(send, "12345678").answer).toBe("waiting");
	});

	it("fails the source with a send that is over its budget only when it is accepted", () => {
		const { parent } = holders({ queuedItems: 1, sourceBytes: 10 });
		const { send, receive } = parent.direct();
		const [, first, second] = [1, "12345", "67890"].map((value) => parent.send(send, value));
		expect([first?.answer, second?.answer]).toEqual(["waiting", "waiting"]);
		parent.next(receive);
		expect(parent.next(receive).answer).toEqual(item(2, "12345"));
		expect(parent.next(receive).answer).toBe("RESOURCE_EXHAUSTED");
		expect([first?.answer, second?.answer]).toEqual([null, "RESOURCE_EXHAUSTED"]);
	});

	it("fails alone what waits beyond the bound", () => {
		const { parent } = holders({ queuedItems: 1, pendingSends: 1 });
		const { send, receive } = parent.direct();
		expect(parent.sendMany(send, 3)).toEqual([null, "waiting", "RESOURCE_EXHAUSTED"]);
		parent.next(receive);
		expect(parent.next(receive).answer).toEqual(item(2, 2));
		expect(parent.send(send, 4).answer).toBe("waiting");
		expect(parent.next(receive).answer).toEqual(item(3, 4));
	});
});

describe("Run/1 section 5.1: writer close", () => {
	it("rejects while sends are not accepted, and seals after they are", () => {
		const { parent } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.sendMany(send, 2);
		expect(parent.close(send)).toBe("INVALID_INPUT");
		parent.next(receive);
		parent.next(receive);
		expect(parent.close(send)).toBe(null);
	});

	it("seals without waiting for the receiver, and again as often as it is asked", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		parent.send(send, 1);
		expect([parent.close(send), parent.close(send)]).toEqual([null, null]);
		expect(parent.send(send, 2).answer).toBe("OWNER_CLOSED");
		expect(parent.next(receive).answer).toEqual(item(1, 1));
		expect(parent.next(receive).answer).toEqual(end(1));
		expect(parent.close(send)).toBe(null);
	});

	it("stays sealed when the receiver is disposed afterwards", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		parent.close(send);
		expect(parent.release(receive)).toEqual({ status: "released" });
		expect(parent.close(send)).toBe(null);
		expect(parent.send(send, 1).answer).toBe("OWNER_CLOSED");
	});
});

describe("Run/1 section 5.1: an invalid item fails the whole source", () => {
	it.each<[string, JsonValue, string]>([
		["that the source's schema refuses", "text", "INVALID_INPUT"],
		["that is too big", 1.234567890123, "RESOURCE_EXHAUSTED"],
	])("%s", (_, value, code) => {
		const { parent } = holders({ itemBytes: 10, queuedItems: 1 });
		const { send, receive } = parent.direct(NUMBER);
		parent.send(send, 1);
		const waiting = parent.send(send, 2);
		expect(parent.send(send, value).answer).toBe(code);
		expect(waiting.answer).toBe(code);
		// What was queued and not given out is discarded; the cause stays for both ends.
		expect(parent.next(receive).answer).toBe(code);
		expect(parent.next(receive).answer).toBe(code);
		expect(parent.send(send, 1).answer).toBe(code);
		expect(parent.close(send)).toBe(code);
		expect(parent.release(receive)).toMatchObject({ status: "failed", code });
		// It was settled with whoever used it: ordinary recovery.
		expect(parent.finalise()).toBe("sealed");
	});

	it("settles the read that waits with the cause", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct(NUMBER);
		const read = parent.next(receive);
		parent.send(send, "text");
		expect(read.answer).toBe("INVALID_INPUT");
	});

	it("leaves an item that was given out, and fails the next read", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct(NUMBER);
		const read = parent.next(receive);
		parent.send(send, 1);
		parent.send(send, "text");
		expect(read.answer).toEqual(item(1, 1));
		expect(parent.next(receive).answer).toBe("INVALID_INPUT");
	});

	it("names place and rule, and never the value", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct({ schema: schema({ properties: { a: { type: "string" } } }) });
		const failure = parent.send(send, { a: 418 }).failure;
		expect(failure).toEqual({
			code: "INVALID_INPUT",
			message: expect.stringMatching(/^The item does not fit the channel's schema at \/a: /),
			details: [
				{
					code: "INVALID_INPUT",
					instancePointer: "/a",
					schemaPointer: "/properties/a",
					keyword: "type",
					message: expect.any(String),
				},
			],
		});
		expect(JSON.stringify(failure)).not.toContain("418");
		expect(parent.release(receive)).toEqual({ status: "failed", code: "INVALID_INPUT", details: failure?.details });
	});

	it("keeps its message within 1,024 scalars, whatever the names", () => {
		const { parent } = holders();
		const name = `${"😀".repeat(200)}\u202e`;
		const { send } = parent.direct({
			schema: schema({ additionalProperties: false, required: [name, "x".repeat(900)] }),
		});
		for (const value of [{ [name]: 1 }, {}]) {
			const { message } = parent.send(send, value).failure!;
			expect(message.isWellFormed()).toBe(true);
			expect(Array.from(message).length).toBeLessThanOrEqual(1_024);
		}
	});

	it("counts an item that can't be checked within the work limit as exhausted", () => {
		const { parent } = holders({ itemBytes: 2_000_000, queuedBytes: 2_000_000 });
		const { send, receive } = parent.direct({ schema: schema({ maxLength: 2_000_000 }) });
		expect(parent.send(send, "x".repeat(999_998)).answer).toBe(null);
		expect(parent.send(send, "x".repeat(999_999)).answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.next(receive).answer).toBe("RESOURCE_EXHAUSTED");
	});

	it("refuses by rights, then state, then schema, then size, then budget", () => {
		const { parent, child } = holders({ itemBytes: 10, sourceBytes: 5 });
		const { send, receive } = parent.direct(NUMBER);
		expect(child.send(send, "a text that is too long").answer).toBe("PERMISSION_DENIED");
		const { send: other } = parent.direct(NUMBER);
		expect(parent.send(other, "a text that is too long").answer).toBe("INVALID_INPUT");
		expect(parent.send(send, 1.234567890123).failure?.message).toContain("10 bytes");
		const { send: third } = parent.direct(NUMBER);
		expect(parent.send(third, 123456).failure?.message).toContain("5 bytes");
		parent.release(receive);
	});
});

describe("Run/1 section 5.1: receiver disposal", () => {
	it("rejects pending and future sends and close with DISCONNECTED", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		const sender = parent.hand(child, send, SEND);
		const [, waiting] = [1, 2].map((value) => child.send(sender, value));
		expect(parent.release(receive)).toEqual({ status: "released" });
		expect(waiting?.answer).toBe("DISCONNECTED");
		expect(child.send(sender, 3).answer).toBe("DISCONNECTED");
		expect(child.close(sender)).toBe("DISCONNECTED");
	});

	it("drops the read that waits with CANCELLED", () => {
		const { parent } = holders();
		const { receive } = parent.direct();
		const read = parent.next(receive);
		expect(parent.release(receive)).toEqual({ status: "released" });
		expect(read.answer).toBe("CANCELLED");
		expect(parent.next(receive).answer).toBe("DISCONNECTED");
	});

	it("answers the same every time, whatever becomes of the source", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct(NUMBER);
		expect(parent.release(receive)).toEqual({ status: "released" });
		parent.send(send, "text");
		parent.end();
		expect(parent.release(receive)).toEqual({ status: "released" });
	});

	it("says ended only of an end that was given out", () => {
		const { parent } = holders();
		const [read, unread] = [parent.direct(), parent.direct()];
		for (const { send } of [read, unread]) {
			parent.send(send, 1);
			parent.close(send);
		}
		for (let i = 0; i < 2; i++) parent.next(read.receive);
		parent.next(unread.receive);
		expect(parent.release(read.receive)).toEqual({ status: "ended", lastSequence: 1 });
		expect(parent.release(read.receive)).toEqual({ status: "ended", lastSequence: 1 });
		expect(parent.release(unread.receive)).toEqual({ status: "released" });
	});

	it("says failed of a cause that came before, though no read was told", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct(NUMBER);
		parent.send(send, "text");
		expect(parent.release(receive)).toMatchObject({ status: "failed", code: "INVALID_INPUT" });
		expect(parent.release(receive)).toMatchObject({ status: "failed", code: "INVALID_INPUT" });
	});

	it("says failed after a cancelled read only if the cause was first", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct(NUMBER);
		parent.next(receive).cancel();
		expect(parent.send(send, "text").answer).toBe("DISCONNECTED");
		expect(parent.release(receive)).toEqual({ status: "released" });
	});
});

describe("Run/1 section 5.1: no blocked participant stops another", () => {
	it("decides whole before it tells: a callback may use the broker again", () => {
		const { parent } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		const got: JsonValue[] = [];
		const read = (): void => {
			parent.participant.next(receive, (outcome) => {
				if (!("result" in outcome)) return;
				got.push(outcome.result);
				if (got.length < 4) read();
			});
		};
		read();
		for (let value = 1; value <= 3; value++) expect(parent.send(send, value).answer).toBe(null);
		expect(parent.close(send)).toBe(null);
		expect(got).toEqual([item(1, 1), item(2, 2), item(3, 3), end(3)]);
	});

	it("sends from inside the settlement of a send as often as it likes", () => {
		const { parent } = holders({ sourceBytes: 1_000_000 });
		const { send, receive } = parent.direct();
		let sent = 0;
		let got = 0;
		const more = (): void => {
			if (sent < 60_000) parent.participant.send(send, sent++ % 10, more);
		};
		const read = (): void => {
			parent.participant.next(receive, () => {
				got += 1;
				read();
			});
		};
		read();
		more();
		expect([sent, got]).toEqual([60_000, 60_000]);
	});

	it("goes on when a callback throws", () => {
		const tree = new Tree();
		const parent = tree.holder();
		const { send, receive } = parent.direct();
		parent.participant.next(receive, () => {
			throw new Error("a layer that fails");
		});
		expect(parent.send(send, 1).answer).toBe(null);
		expect(parent.send(send, 2).answer).toBe(null);
		expect(parent.next(receive).answer).toEqual(item(2, 2));
	});

	it("keeps another participant's pair apart", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const one = parent.direct();
		const two = parent.direct();
		const sender = parent.hand(child, one.send, SEND);
		const receiver = parent.hand(child, two.receive, RECEIVE);
		child.sendMany(sender, 3);
		parent.send(two.send, "through");
		expect(child.next(receiver).answer).toEqual(item(1, "through"));
	});
});
