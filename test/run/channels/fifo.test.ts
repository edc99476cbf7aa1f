import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fifo } from "../../../src/run/channels/fifo.ts";
import { Outbox } from "../../../src/run/channels/outbox.ts";
import { Reader } from "../../../src/run/channels/reader.ts";

describe("Run/1 section 5.1: what a queue holds back", () => {
	it("is what came and was not taken, in order", () => {
		fc.assert(
			fc.property(fc.array(fc.option(fc.nat())), (steps) => {
				const queue = new Fifo<number>();
				const expected: number[] = [];
				for (const each of steps) {
					if (each === null) expect(queue.shift()).toBe(expected.shift());
					else {
						queue.push(each);
						expected.push(each);
					}
					expect([queue.length, [...queue]]).toEqual([expected.length, expected]);
				}
			}),
		);
	});

	it.each(["fail", "dispose"] as const)("is let go of when the receiver is over: %s", (how) => {
		const source = { name: "source:1" } as Reader["source"];
		const reader = new Reader("receive:1", source, 1, { items: 2, bytes: 10 }, new Outbox(undefined));
		reader.offer({ sequence: 1, value: "x", bytes: 3 });
		expect([...reader.queued].length).toBe(1);
		reader[how]({ code: "OWNER_CLOSED", message: "over" });
		expect([...reader.queued]).toEqual([]);
	});
});
