import { describe, expect, it } from "vitest";
import { end, holders, item, RECEIVE, SEND, schema } from "./harness.ts";

describe("Run/1 section 9: duties before a result counts", () => {
	it("lets a wholly unused unconnected pair go, and a source nobody subscribed to", () => {
		const { parent } = holders();
		const { receive } = parent.direct();
		parent.broadcast();
		expect(parent.finalise()).toBe("sealed");
		expect(parent.release(receive)).toEqual({ status: "released" });
	});

	it.each(["send", "close", "read", "moved sender"] as const)(
		"holds an activated receiver of a direct pair unfinished: %s",
		(activity) => {
			const { parent, child } = holders();
			const pair = parent.direct();
			if (activity === "send") parent.send(pair.send, 1);
			else if (activity === "close") parent.close(pair.send);
			else if (activity === "read") parent.next(pair.receive);
			else parent.hand(child, pair.send, SEND);
			expect(parent.finalise()).toBe("EXECUTION_FAILED");
		},
	);

	it("holds a subscription unfinished though it was never read", () => {
		const { parent } = holders();
		const { source } = parent.broadcast();
		parent.reader(source);
		expect(parent.finalise()).toBe("EXECUTION_FAILED");
	});

	it("holds a receiver against its holder, not against the one that gave it away", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		parent.hand(child, receive, RECEIVE);
		expect(child.finalise()).toBe("EXECUTION_FAILED");
		expect(parent.finalise()).toBe("sealed");
		expect(parent.close(send)).toBe(null);
	});

	it.each(["end", "failure", "lag", "release", "cancelled read"] as const)("is done by %s", (done) => {
		const { parent, child } = holders({ readerItems: 1 });
		const { send, source } = parent.broadcast({ schema: schema({ type: "number" }) });
		const reader = parent.hand(child, parent.reader(source), RECEIVE);
		if (done === "end") {
			parent.close(send);
			child.next(reader);
		} else if (done === "failure") parent.send(send, "text");
		else if (done === "lag") parent.sendMany(send, 2);
		else if (done === "release") child.release(reader);
		else child.next(reader).cancel();
		expect(child.finalise()).toBe("sealed");
	});

	it("is not done by a clean end that no read was told", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		const reader = parent.hand(child, receive, RECEIVE);
		parent.send(send, 1);
		parent.close(send);
		child.next(reader);
		expect(child.finalise()).toBe("EXECUTION_FAILED");
	});

	it("takes sends that wait for abandoned work", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const { send } = parent.direct();
		parent.hand(child, send, SEND);
		const [, waiting] = [1, 2].map((value) => child.send(send, value));
		expect(child.finalise()).toBe("EXECUTION_FAILED");
		expect(waiting?.answer).toBe("OWNER_CLOSED");
	});

	it("gives the same answer again", () => {
		const { parent } = holders();
		const { send, receive } = parent.direct();
		parent.send(send, 1);
		expect([parent.finalise(), parent.finalise()]).toEqual(["EXECUTION_FAILED", "EXECUTION_FAILED"]);
		parent.release(receive);
		expect(parent.finalise()).toBe("EXECUTION_FAILED");
	});
});

describe("Run/1 section 9: implicit writer sealing", () => {
	it("seals the healthy writers that the holder has, created or granted, used or not", () => {
		const { parent, child } = holders();
		const [used, unused, wide] = [parent.direct(), parent.direct(), parent.broadcast()];
		const reader = parent.reader(wide.source);
		for (const { send } of [used, unused, wide]) parent.hand(child, send, SEND);
		child.send(used.send, 1);
		expect(child.finalise()).toBe("sealed");
		child.end();
		expect([parent.next(used.receive).answer, parent.next(used.receive).answer]).toEqual([item(1, 1), end(1)]);
		expect(parent.next(unused.receive).answer).toEqual(end(0));
		expect(parent.next(reader).answer).toEqual(end(0));
	});

	it("seals only after all duties were checked: one that is not done aborts every unsealed writer", () => {
		const { parent, child } = holders();
		const [early, late] = [parent.direct(), parent.direct()];
		const inbox = parent.direct();
		parent.hand(child, early.send, SEND);
		parent.hand(child, inbox.receive, RECEIVE);
		parent.hand(child, late.send, SEND);
		child.send(early.send, 1);
		expect(child.finalise()).toBe("EXECUTION_FAILED");
		expect(parent.next(early.receive).answer).toBe("OWNER_CLOSED");
		expect(parent.next(late.receive).answer).toBe("OWNER_CLOSED");
	});

	it("keeps what was sealed explicitly when the result is refused", () => {
		const { parent, child } = holders();
		const [sealed, inbox] = [parent.direct(), parent.direct()];
		parent.hand(child, sealed.send, SEND);
		parent.hand(child, inbox.receive, RECEIVE);
		child.send(sealed.send, 1);
		child.close(sealed.send);
		expect(child.finalise()).toBe("EXECUTION_FAILED");
		child.end();
		expect([parent.next(sealed.receive).answer, parent.next(sealed.receive).answer]).toEqual([item(1, 1), end(1)]);
	});

	it("skips a writer whose direct reader left, and one whose source failed", () => {
		const { tree, parent, child } = holders();
		const [left, failed] = [parent.direct(), parent.direct({ schema: schema({ type: "number" }) })];
		for (const { send } of [left, failed]) parent.hand(child, send, SEND);
		parent.release(left.receive);
		child.send(failed.send, "text");
		expect(child.finalise()).toBe("sealed");
		expect(tree.events.filter((event) => event.type === "sealed")).toEqual([]);
	});

	it("admits no new work afterwards", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		const wide = parent.broadcast();
		parent.release(receive);
		expect(parent.finalise()).toBe("sealed");
		expect(parent.create()).toBe("OWNER_CLOSED");
		expect(parent.subscribe(wide.source)).toBe("OWNER_CLOSED");
		expect(parent.send(wide.send, 1).answer).toBe("OWNER_CLOSED");
		expect(parent.give(child, {}, {})).toBe("OWNER_CLOSED");
		expect(parent.send(send, 1).answer).toBe("DISCONNECTED");
	});

	it("lets no read begin after a refused result", () => {
		const { parent, child } = holders();
		const { receive } = parent.direct();
		parent.hand(child, receive, RECEIVE);
		expect(child.finalise()).toBe("EXECUTION_FAILED");
		expect(child.next(receive).answer).toBe("OWNER_CLOSED");
		expect(child.release(receive)).toEqual({ status: "released" });
	});
});

describe("Run/1 section 5.1: the end of a participant", () => {
	it("aborts the unsealed writers it holds with OWNER_CLOSED", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const wide = parent.broadcast();
		const reader = parent.reader(wide.source);
		for (const { send } of [pair, wide]) parent.hand(child, send, SEND);
		child.send(pair.send, 1);
		const read = parent.next(reader);
		child.end();
		expect(parent.next(pair.receive).answer).toBe("OWNER_CLOSED");
		expect(read.answer).toBe("OWNER_CLOSED");
		expect(parent.release(pair.receive)).toEqual({ status: "failed", code: "OWNER_CLOSED" });
	});

	it("doesn't touch what it sealed: that drains while its owner lives", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		parent.hand(child, send, SEND);
		child.send(send, 1);
		child.close(send);
		child.end();
		expect([parent.next(receive).answer, parent.next(receive).answer]).toEqual([item(1, 1), end(1)]);
	});

	it("disposes the receivers it holds", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.hand(child, receive, RECEIVE);
		const [, waiting] = [1, 2].map((value) => parent.send(send, value));
		child.end();
		expect(waiting?.answer).toBe("DISCONNECTED");
		expect(parent.send(send, 3).answer).toBe("DISCONNECTED");
		expect(parent.close(send)).toBe("DISCONNECTED");
		expect(child.release(receive)).toEqual({ status: "released" });
	});

	it("revokes its sources: even a sealed interval that is not drained is lost, wherever it is held", () => {
		const { parent, child } = holders();
		const [sealed, open] = [parent.direct(), parent.direct()];
		const wide = parent.broadcast();
		const reader = parent.reader(wide.source);
		for (const endpoint of [sealed.receive, open.receive, reader]) parent.hand(child, endpoint, RECEIVE);
		for (const { send } of [sealed, wide]) {
			parent.send(send, 1);
			parent.close(send);
		}
		const read = child.next(open.receive);
		parent.end();
		expect(read.answer).toBe("OWNER_CLOSED");
		for (const endpoint of [sealed.receive, open.receive, reader]) {
			expect(child.next(endpoint).answer).toBe("OWNER_CLOSED");
			expect(child.release(endpoint)).toEqual({ status: "failed", code: "OWNER_CLOSED" });
		}
		expect(parent.close(sealed.send)).toBe(null);
		expect(parent.close(open.send)).toBe("OWNER_CLOSED");
	});

	it("leaves an end that was given out", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		parent.hand(child, receive, RECEIVE);
		const read = child.next(receive);
		parent.close(send);
		parent.end();
		expect(read.answer).toEqual(end(0));
		expect(child.next(receive).answer).toEqual(end(0));
		expect(child.release(receive)).toEqual({ status: "ended", lastSequence: 0 });
		expect(child.finalise()).toBe("sealed");
	});

	it("revokes what was moved to others, and their sends that wait", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.hand(child, send, SEND);
		const [, waiting] = [1, 2].map((value) => child.send(send, value));
		parent.end();
		expect(waiting?.answer).toBe("OWNER_CLOSED");
		expect(child.send(send, 3).answer).toBe("OWNER_CLOSED");
		expect(child.close(send)).toBe("OWNER_CLOSED");
		expect(child.finalise()).toBe("sealed");
		expect(parent.release(receive)).toEqual({ status: "released" });
	});

	it("aborts as a writer before it leaves as a reader, when it holds both ends of another's source", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.give(child, { a: send, b: receive }, { a: SEND, b: RECEIVE });
		const [, waiting] = [1, 2].map((value) => child.send(send, value));
		child.end();
		expect(waiting?.answer).toBe("OWNER_CLOSED");
		expect(child.release(receive)).toEqual({ status: "failed", code: "OWNER_CLOSED" });
	});

	it("settles everything that is pending, once", () => {
		const { parent } = holders({ queuedItems: 1 });
		const [one, two] = [parent.direct(), parent.direct()];
		const wide = parent.broadcast();
		const waits = [
			parent.send(one.send, 1),
			parent.send(one.send, 2),
			parent.next(two.receive),
			parent.next(parent.reader(wide.source)),
		];
		parent.end();
		parent.end();
		for (const wait of waits) wait.cancel();
		expect(waits.map((each) => each.answer)).toEqual([null, "OWNER_CLOSED", "OWNER_CLOSED", "OWNER_CLOSED"]);
	});

	it("admits nothing afterwards, and answers a release still", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		const { source } = parent.broadcast();
		parent.end();
		expect(parent.create()).toBe("OWNER_CLOSED");
		expect(parent.subscribe(source)).toBe("OWNER_CLOSED");
		expect(parent.send(send, 1).answer).toBe("OWNER_CLOSED");
		expect(parent.close(send)).toBe("OWNER_CLOSED");
		expect(parent.next(receive).answer).toBe("DISCONNECTED");
		expect(parent.give(child, {}, {})).toBe("OWNER_CLOSED");
		expect(parent.finalise()).toBe("OWNER_CLOSED");
		expect([parent.release(receive), parent.release(receive)]).toEqual([
			{ status: "released" },
			{ status: "released" },
		]);
	});

	it("leaves a lagged or failed reader its first cause", () => {
		const { parent, child } = holders({ readerItems: 1 });
		const { send, source } = parent.broadcast();
		const reader = parent.hand(child, parent.reader(source), RECEIVE);
		parent.sendMany(send, 2);
		parent.end();
		expect(child.next(reader).answer).toBe("LAGGED");
	});
});
