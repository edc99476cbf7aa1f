import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/json/index.ts";
import { METHODS } from "../../../src/run/methods.ts";
import { end, type Holder, holders, item, RECEIVE, SEND, schema } from "./harness.ts";

const NUMBERS = { ...RECEIVE, schema: schema({ type: "number" }) };

/** What successive reads give, up to `count` of them. */
function reads(holder: Holder, endpoint: string, count: number): JsonValue[] {
	return Array.from({ length: count }, () => holder.next(endpoint).answer);
}

describe("Run/1 section 5.1: broadcast creation and subscription", () => {
	it("gives the sender's grant and an opaque source, and each subscription a grant of its own", () => {
		const { parent } = holders();
		const made = parent.create({ delivery: "broadcast" });
		expect(made).toEqual({
			send: { endpoint: "send:1", direction: "send", delivery: "broadcast" },
			source: "source:1",
		});
		expect(METHODS.get("channel/create")?.result(made)).toBeUndefined();
		const grants = [parent.subscribe("source:1"), parent.subscribe("source:1")];
		expect(grants).toEqual([
			{ endpoint: "receive:2", direction: "receive", delivery: "broadcast", startSequence: 1 },
			{ endpoint: "receive:3", direction: "receive", delivery: "broadcast", startSequence: 1 },
		]);
		for (const grant of grants) expect(METHODS.get("channel/subscribe")?.result(grant)).toBeUndefined();
	});

	it("starts a late reader at the next accepted sequence, without history", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		parent.sendMany(send, 2);
		expect(parent.subscribe(source)).toMatchObject({ startSequence: 3 });
		parent.send(send, "third");
		expect(parent.next("receive:2").answer).toEqual(item(3, "third"));
		parent.close(send);
		expect(parent.next("receive:2").answer).toEqual(end(3));
	});

	it("ends an empty interval at startSequence - 1", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		parent.sendMany(send, 2);
		const reader = parent.reader(source);
		parent.close(send);
		expect(reads(parent, reader, 2)).toEqual([end(2), end(2)]);
	});

	it("leaves subscription authority with the creator when the writer moves", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		parent.hand(child, send, SEND);
		expect(child.subscribe(source)).toBe("PERMISSION_DENIED");
		expect(parent.subscribe(source)).toMatchObject({ startSequence: 1 });
	});

	it("refuses subscriptions by anybody else, and by any other reference", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		expect(child.subscribe(source)).toBe("PERMISSION_DENIED");
		expect(parent.subscribe(send)).toBe("PERMISSION_DENIED");
		expect(parent.subscribe("source:9")).toBe("PERMISSION_DENIED");
	});

	it("takes the source reference for no endpoint", () => {
		const { parent, child } = holders();
		const { source } = parent.broadcast();
		expect(parent.send(source, 1).answer).toBe("PERMISSION_DENIED");
		expect(parent.next(source).answer).toBe("PERMISSION_DENIED");
		expect(parent.close(source)).toBe("PERMISSION_DENIED");
		expect(parent.release(source)).toBe("PERMISSION_DENIED");
		expect(parent.give(child, { port: source }, { port: SEND })).toBe("PERMISSION_DENIED");
		expect(parent.give(child, { port: source }, { port: RECEIVE })).toBe("PERMISSION_DENIED");
	});

	it("prevents new subscriptions once the source is sealed or has failed", () => {
		const { parent } = holders();
		const [sealed, failed] = [parent.broadcast(), parent.broadcast({ schema: schema({ type: "number" }) })];
		parent.close(sealed.send);
		parent.send(failed.send, "text");
		expect(parent.subscribe(sealed.source)).toBe("OWNER_CLOSED");
		expect(parent.subscribe(failed.source)).toBe("INVALID_INPUT");
	});
});

describe("Run/1 section 5.1: broadcast acceptance does not wait for readers", () => {
	it("advances the sequence without readers, and keeps nothing", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		expect(new Set(parent.sendMany(send, 100))).toEqual(new Set([null]));
		expect(parent.subscribe(source)).toMatchObject({ startSequence: 101 });
	});

	it("spends the source's byte budget without readers", () => {
		const { parent } = holders({ sourceBytes: 10 });
		const { send, source } = parent.broadcast();
		expect(parent.send(send, "12345678").answer).toBe(null);
		expect(parent.send(send, 1).answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.subscribe(source)).toBe("RESOURCE_EXHAUSTED");
	});

	it("serves readers at their own pace", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const [fast, slow] = [parent.reader(source), parent.reader(source)];
		const waiting = parent.next(fast);
		parent.send(send, "a");
		expect(waiting.answer).toEqual(item(1, "a"));
		parent.send(send, "b");
		parent.close(send);
		expect(reads(parent, fast, 2)).toEqual([item(2, "b"), end(2)]);
		expect(reads(parent, slow, 3)).toEqual([item(1, "a"), item(2, "b"), end(2)]);
	});

	it("gives the end to every read that waits", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const waits = [parent.reader(source), parent.reader(source)].map((reader) => parent.next(reader));
		parent.close(send);
		expect(waits.map((each) => each.answer)).toEqual([end(0), end(0)]);
	});

	it("goes on for other readers when one is disposed or its read cancelled", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const [released, cancelled, kept] = [parent.reader(source), parent.reader(source), parent.reader(source)];
		const dropped = parent.next(released);
		expect(parent.release(released)).toEqual({ status: "released" });
		expect(dropped.answer).toBe("CANCELLED");
		parent.next(cancelled).cancel();
		expect(parent.send(send, 1).answer).toBe(null);
		expect(parent.next(kept).answer).toEqual(item(1, 1));
		expect(parent.next(cancelled).answer).toBe("DISCONNECTED");
		expect(parent.subscribe(source)).toMatchObject({ startSequence: 2 });
		expect(parent.close(send)).toBe(null);
	});
});

describe("Run/1 section 5.1: LAGGED", () => {
	it("fails a reader at the item beyond its queue, even before its first read", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const reader = parent.reader(source);
		parent.sendMany(send, 16);
		const kept = parent.reader(source);
		expect(parent.send(send, 17).answer).toBe(null);
		expect(reads(parent, reader, 2)).toEqual(["LAGGED", "LAGGED"]);
		expect(parent.release(reader)).toEqual({ status: "failed", code: "LAGGED" });
		expect(parent.next(kept).answer).toEqual(item(17, 17));
		expect(parent.send(send, 18).answer).toBe(null);
	});

	it("keeps a reader that is exactly as far behind as it may be", () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const reader = parent.reader(source);
		parent.sendMany(send, 16);
		parent.close(send);
		expect(reads(parent, reader, 17).slice(-2)).toEqual([item(16, 16), end(16)]);
	});

	it("counts the item in flight until the next read", () => {
		const { parent } = holders({ readerItems: 2 });
		const { send, source } = parent.broadcast();
		const [one, two] = [parent.reader(source), parent.reader(source)];
		for (const reader of [one, two]) parent.next(reader);
		parent.sendMany(send, 2);
		expect(parent.next(one).answer).toEqual(item(2, 2));
		parent.send(send, 3);
		expect(parent.next(one).answer).toEqual(item(3, 3));
		expect(parent.next(two).answer).toBe("LAGGED");
	});

	it("counts bytes first when they are first", () => {
		const { parent } = holders({ readerBytes: 12 });
		const { send, source } = parent.broadcast();
		const [one, two] = [parent.reader(source), parent.reader(source)];
		parent.send(send, "12345678");
		expect(parent.next(two).answer).toEqual(item(1, "12345678"));
		parent.send(send, 12);
		parent.release(two);
		const three = parent.reader(source);
		parent.send(send, 1);
		expect(parent.next(one).answer).toBe("LAGGED");
		expect(parent.next(three).answer).toEqual(item(3, 1));
	});

	it("lags a reader whose whole queue is smaller than the item, though it waits for it", () => {
		const { parent } = holders({ readerBytes: 4 });
		const { send, source } = parent.broadcast();
		const read = parent.next(parent.reader(source));
		expect(parent.send(send, "123456").answer).toBe(null);
		expect(read.answer).toBe("LAGGED");
	});

	it("keeps that cause whatever becomes of the source", () => {
		const { parent } = holders({ readerItems: 1 });
		const { send, source } = parent.broadcast({ schema: schema({ type: "number" }) });
		const reader = parent.reader(source);
		parent.sendMany(send, 2);
		parent.send(send, "text");
		expect(parent.next(reader).answer).toBe("LAGGED");
		parent.end();
		expect(parent.release(reader)).toEqual({ status: "failed", code: "LAGGED" });
	});

	it("leaves the item that was given out", () => {
		const { parent } = holders({ readerItems: 1 });
		const { send, source } = parent.broadcast();
		const reader = parent.reader(source);
		const read = parent.next(reader);
		parent.sendMany(send, 2);
		expect(read.answer).toEqual(item(1, 1));
		expect(parent.next(reader).answer).toBe("LAGGED");
	});
});

describe("Run/1 section 5.1: a reader's schema is local to its subscription", () => {
	it("fails that reader alone, and neither the sender nor the others", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		const [narrow, wide] = [parent.hand(child, parent.reader(source), NUMBERS), parent.reader(source)];
		const read = child.next(narrow);
		expect(parent.send(send, "text").answer).toBe(null);
		expect(read.answer).toBe("INVALID_INPUT");
		expect(child.next(narrow).answer).toBe("INVALID_INPUT");
		expect(child.release(narrow)).toMatchObject({ status: "failed", code: "INVALID_INPUT" });
		expect(parent.next(wide).answer).toEqual(item(1, "text"));
		expect(child.finalise()).toBe("sealed");
	});

	it("discards what that reader has not taken", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		const reader = parent.hand(child, parent.reader(source), NUMBERS);
		parent.send(send, 1);
		parent.send(send, "text");
		expect(child.next(reader).answer).toBe("INVALID_INPUT");
	});

	it("exhausts that reader alone when the check crosses the work limit", () => {
		const big = { itemBytes: 2_000_000, readerBytes: 4_000_000 };
		const { parent, child } = holders(big);
		const { send, source } = parent.broadcast();
		const wide = parent.reader(source);
		const port = { ...RECEIVE, schema: schema({ maxLength: 2_000_000 }) };
		const reader = parent.hand(child, parent.reader(source), port);
		expect(parent.send(send, "x".repeat(999_999)).answer).toBe(null);
		expect(child.next(reader).answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.next(wide).answer).toMatchObject({ item: { sequence: 1 } });
	});

	it("applies the source's and the writer's schema before any reader's, and to everybody", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		const sender = parent.hand(child, send, { ...SEND, schema: schema({ type: "number" }) });
		const [bound, wide] = [parent.hand(child, parent.reader(source), NUMBERS), parent.reader(source)];
		expect(child.send(sender, "text").answer).toBe("INVALID_INPUT");
		expect(child.next(bound).answer).toBe("INVALID_INPUT");
		expect(parent.next(wide).answer).toBe("INVALID_INPUT");
	});

	it("accepts an item of any number of readers with schemas of their own", () => {
		const { parent, child } = holders();
		const { send, source } = parent.broadcast();
		const types = ["number", "integer", "string"];
		const readers = types.map((type) =>
			parent.hand(child, parent.reader(source), { ...RECEIVE, schema: schema({ type }) }),
		);
		expect(parent.send(send, 1.5).answer).toBe(null);
		expect(readers.map((reader) => child.next(reader).answer)).toEqual([
			item(1, 1.5),
			"INVALID_INPUT",
			"INVALID_INPUT",
		]);
	});
});

describe("Run/1 section 5.1: a source failure reaches every reader", () => {
	it("discards what was not given out, and stays", () => {
		const { parent } = holders({ itemBytes: 10 });
		const { send, source } = parent.broadcast();
		const [queued, waiting] = [parent.reader(source), parent.reader(source)];
		parent.send(send, 1);
		parent.next(waiting);
		const read = parent.next(waiting);
		expect(parent.send(send, "a text too long").answer).toBe("RESOURCE_EXHAUSTED");
		expect(read.answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.next(queued).answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.close(send)).toBe("RESOURCE_EXHAUSTED");
		expect(parent.send(send, 1).answer).toBe("RESOURCE_EXHAUSTED");
	});
});
