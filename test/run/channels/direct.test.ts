import { describe, expect, it } from "vitest";
import { end, holders, item, SEND } from "./harness.ts";

describe("Run/1 section 5.1: direct delivery", () => {
	it("gives a pair of grants, the receiver's from sequence 1", () => {
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
});
