import { describe, expect, it } from "vitest";
import { RUN_LIMITS } from "../../src/run/index.ts";
import { Recorder } from "../../src/run/recorder.ts";
import { Sender } from "../../src/run/sender.ts";

const CALL = { method: "channel/release", params: {}, text: "{}" };

describe("Run/1 section 1: what ordinary admission leaves for settlements", () => {
	it("stops ordinary requests before the reserved slots and ids, and lets settlements use them", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		sender.reserve = { slots: 1, ids: 2 };
		for (let i = 1; i < RUN_LIMITS.pendingRequests; i++) {
			expect(sender.refusal()).toBeUndefined();
			sender.request(CALL);
		}
		expect([sender.refusal() === undefined, sender.refusal(true) === undefined]).toEqual([false, true]);
		sender.request(CALL);
		expect(sender.refusal(true)).toBeDefined();
	});

	it("counts ids over the whole channel, also those that settled", () => {
		const sender = new Sender("component", new Recorder({}), () => undefined);
		sender.reserve = { slots: 1, ids: 2 };
		for (let i = 0; i < RUN_LIMITS.lifetimeRequests - 2; i++) {
			const outbound = sender.request(CALL);
			sender.take();
			sender.settle(outbound);
		}
		expect([sender.pending, sender.refusal() === undefined, sender.refusal(true) === undefined]).toEqual([
			0,
			false,
			true,
		]);
	});
});
