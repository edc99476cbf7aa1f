import { describe, expect, it } from "vitest";
import { ChannelBroker, type ChannelEvent } from "../../../src/run/index.ts";
import { Holder, holders, item, RECEIVE, SEND, schema } from "./harness.ts";

describe("what an observer of channels is told", () => {
	it("every decision on a direct source, in order", () => {
		const { tree, parent, child } = holders({ queuedItems: 1 });
		const { send, receive } = parent.direct();
		parent.hand(child, send, SEND);
		child.sendMany(send, 2);
		for (let i = 0; i < 2; i++) parent.next(receive);
		child.finalise();
		child.end();
		parent.next(receive);
		const source = "source:1";
		expect(tree.events).toEqual([
			{ type: "created", source, participant: "parent", send, receive, delivery: "direct" },
			{ type: "moved", source, endpoint: send, from: "parent", to: "child" },
			{ type: "accepted", source, sequence: 1, bytes: 1 },
			{ type: "delivered", source, endpoint: receive, sequence: 1 },
			{ type: "accepted", source, sequence: 2, bytes: 1 },
			{ type: "delivered", source, endpoint: receive, sequence: 2 },
			{ type: "sealed", source, lastSequence: 2 },
			{ type: "finalised", participant: "child" },
			{ type: "over", participant: "child" },
			{ type: "ended", source, endpoint: receive, lastSequence: 2 },
		] satisfies ChannelEvent[]);
	});

	it("every decision on a broadcast source, in order", () => {
		const { tree, parent, child } = holders({ readerItems: 1 });
		const { send, source } = parent.broadcast();
		const [slow, narrow, gone, kept] = Array.from({ length: 4 }, () => parent.reader(source));
		parent.hand(child, narrow!, { ...RECEIVE, schema: schema({ type: "number" }) });
		const after = tree.events.length;
		parent.send(send, 1);
		parent.release(gone!);
		parent.next(kept!);
		parent.next(kept!);
		child.next(narrow!);
		child.next(narrow!);
		parent.send(send, "x");
		parent.end();
		expect(tree.events.slice(after)).toEqual([
			{ type: "accepted", source, sequence: 1, bytes: 1 },
			{ type: "disposed", source, endpoint: gone },
			{ type: "delivered", source, endpoint: kept, sequence: 1 },
			{ type: "delivered", source, endpoint: narrow, sequence: 1 },
			{ type: "accepted", source, sequence: 2, bytes: 3 },
			{ type: "lagged", source, endpoint: slow },
			{ type: "failed", source, code: "INVALID_INPUT", endpoint: narrow },
			{ type: "delivered", source, endpoint: kept, sequence: 2 },
			{ type: "disposed", source, endpoint: kept },
			{ type: "failed", source, code: "OWNER_CLOSED" },
			{ type: "over", participant: "parent" },
		]);
		expect(tree.events[1]).toEqual({ type: "subscribed", source, endpoint: slow, startSequence: 1 });
	});

	it("one failure of a reader, and nothing more of it", () => {
		const { tree, parent, child } = holders();
		const { send, source } = parent.broadcast();
		parent.hand(child, parent.reader(source), { ...RECEIVE, schema: schema({ type: "string" }) });
		parent.sendMany(send, 40);
		expect(tree.events.filter(({ type }) => type === "failed" || type === "lagged")).toEqual([
			{ type: "failed", source, code: "INVALID_INPUT", endpoint: "receive:2" },
		]);
	});

	it("a refused result with its code", () => {
		const { tree, parent } = holders();
		const { send } = parent.direct();
		parent.send(send, 1);
		parent.finalise();
		expect(tree.events.slice(-2)).toEqual([
			{ type: "failed", source: "source:1", code: "OWNER_CLOSED" },
			{ type: "finalised", participant: "parent", code: "EXECUTION_FAILED" },
		]);
	});

	it("and changes nothing when it throws, or uses the broker itself", () => {
		let other: Holder | undefined;
		const broker = new ChannelBroker({}, (event) => {
			if (event.type === "accepted" && other !== undefined) other.participant.create({ delivery: "direct" });
			throw new Error("an observer that fails");
		});
		const parent = new Holder(broker.participant());
		other = new Holder(broker.participant());
		const { send, receive } = parent.direct();
		expect(parent.send(send, 1).answer).toBe(null);
		expect(parent.next(receive).answer).toEqual(item(1, 1));
		expect(other.reserve).toBe(2);
	});
});
