import { describe, expect, it } from "vitest";
import { RUN_LIMITS } from "../../src/run/index.ts";
import { Recorder } from "../../src/run/recorder.ts";
import { Sender } from "../../src/run/sender.ts";

const CALL = { method: "channel/release", params: {}, text: "{}" };

describe("Run/1 section 1: what ordinary admission leaves for settlements", () => {
	it("stops ordinary requests before the reserved slots and ids, and lets settlements use them", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		sender.reserve = () => ({ slots: 1, ids: 2 });
		for (let i = 1; i < RUN_LIMITS.pendingRequests; i++) {
			expect(sender.refusal()).toBeUndefined();
			sender.request(CALL);
		}
		expect(sender.refusal()).toBeDefined();
		sender.settlement(CALL);
		expect(taken(sender)).toBe(RUN_LIMITS.pendingRequests);
	});

	it("holds a settlement back while it would be the 65th pending request, and cancellations don't wait for it", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		sender.reserve = () => ({ slots: 1, ids: 2 });
		const calls = Array.from({ length: RUN_LIMITS.pendingRequests - 1 }, () => sender.request(CALL));
		sender.settlement(CALL);
		sender.settlement(CALL);
		expect(taken(sender)).toBe(RUN_LIMITS.pendingRequests);
		expect(sender.refusal()).toBeDefined();
		sender.cancel(calls[0]!);
		expect(taken(sender)).toBe(1);
		sender.settle(calls[0]!);
		expect([taken(sender), sender.pending]).toEqual([1, RUN_LIMITS.pendingRequests]);
	});

	it("gives a slot that a dropped request leaves to a settlement that waits", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		const calls = Array.from({ length: RUN_LIMITS.pendingRequests - 1 }, () => sender.request(CALL));
		sender.settlement(CALL);
		sender.settlement(CALL);
		// One settlement leaves, the other waits; of the ordinary requests, all but the last leave.
		for (const _ of calls) sender.take();
		expect(sender.cancel(calls.at(-1)!)).toBe(true);
		expect([taken(sender), sender.pending]).toEqual([1, RUN_LIMITS.pendingRequests]);
	});

	it("writes settlements before ordinary requests, behind cancellations that came first", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		const sent = sender.request(CALL);
		taken(sender);
		sender.request({ ...CALL, method: "channel/send" });
		sender.cancel(sent);
		sender.settlement(CALL);
		const methods = [sender.take(), sender.take(), sender.take()].map(
			(frame) => (JSON.parse(new TextDecoder().decode(frame)) as { method: string }).method,
		);
		expect(methods).toEqual(["request/cancel", "channel/release", "channel/send"]);
	});

	it("counts ids over the whole channel, also those that settled", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		sender.reserve = () => ({ slots: 1, ids: 2 });
		for (let i = 0; i < RUN_LIMITS.lifetimeRequests - 2; i++) {
			const outbound = sender.request(CALL);
			sender.take();
			sender.settle(outbound);
		}
		expect(sender.pending).toBe(0);
		expect(sender.refusal()).toBeDefined();
		sender.reserve = () => ({ slots: 0, ids: 0 });
		expect(sender.refusal()).toBeUndefined();
	});
});

function taken(sender: Sender): number {
	let count = 0;
	while (sender.take() !== undefined) count += 1;
	return count;
}
