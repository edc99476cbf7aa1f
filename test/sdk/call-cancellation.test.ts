/** Run SDK/1 sections 2 and 6: one call's cancellation, and how many there may be. */
import { describe, expect, it } from "vitest";
import { capability, caught, child, codeOf, done } from "./caller.ts";
import { memoryHost, settle } from "./memory-host.ts";

describe("per-call cancellation (Run SDK/1 section 2)", () => {
	it("rejects promptly, sends request/cancel once, and holds the root answer until the request settled", async () => {
		const controller = new AbortController();
		const { host, error } = caught((run) => run.runChildFlow(child, { signal: controller.signal }));
		const request = await host.until(1);
		controller.abort();
		controller.abort();
		expect(codeOf(await error)).toBe("CANCELLED");
		expect(await host.until(2)).toEqual({
			jsonrpc: "2.0",
			method: "request/cancel",
			params: { requestId: request.id },
		});
		await settle();
		expect(host.sent).toHaveLength(2);
		host.failure(request.id, "CANCELLED");
		expect(await host.until(3)).toMatchObject({ id: "host:1", result: done });
		await host.done;
	});

	it("a late success of a cancelled call is no unknown response", async () => {
		const controller = new AbortController();
		const { host, error } = caught((run) => run.runChildFlow(child, { signal: controller.signal }));
		const request = await host.until(1);
		controller.abort();
		await error;
		host.result(request.id, done);
		await host.done;
		expect(host.sent.at(-1)).toMatchObject({ id: "host:1", result: done });
	});

	it("a call that never reached the wire sends neither request nor cancellation", async () => {
		const controller = new AbortController();
		const { host, error } = caught(async (run) => {
			const first = run.callCapability({ ...capability, operationId: "w:0" });
			await settle();
			const second = run.runChildFlow(child, { signal: controller.signal });
			await settle();
			controller.abort();
			await first;
			await second;
		});
		host.hold();
		const first = await host.until(1);
		await settle();
		await settle();
		await settle();
		host.release();
		host.result(first.id, { value: null });
		expect(codeOf(await error)).toBe("CANCELLED");
		await host.done;
		expect(host.sent.map((message) => message.method ?? "root")).toEqual(["capability/call", "root"]);
	});

	it("keeps one listener on a shared signal and leaves none behind, over 1,000 calls", async () => {
		const controller = new AbortController();
		const { signal } = controller;
		let listeners = 0;
		let most = 0;
		const { addEventListener, removeEventListener } = signal;
		signal.addEventListener = ((...parts: Parameters<typeof addEventListener>) => {
			most = Math.max(most, ++listeners);
			return addEventListener.apply(signal, parts);
		}) as typeof addEventListener;
		signal.removeEventListener = ((...parts: Parameters<typeof removeEventListener>) => {
			listeners--;
			return removeEventListener.apply(signal, parts);
		}) as typeof removeEventListener;
		const { host, error } = caught(async (run) => {
			for (let index = 0; index < 1_000; index += 50) {
				const batch = Array.from({ length: 50 }, (_, offset) =>
					run.callCapability({ ...capability, operationId: `w:${index + offset}` }, { signal }),
				);
				await Promise.all(batch);
			}
		});
		let answered = 0;
		while (answered < 1_000) {
			await host.until(answered + 1);
			while (answered < host.sent.length) host.result(host.sent[answered++]!.id, { value: null });
		}
		expect(await error).toBeUndefined();
		expect([most, listeners]).toEqual([1, 0]);
	});

	it("one signal cancels every call that waits on it, and no other", async () => {
		const controller = new AbortController();
		const host = memoryHost(async (run) => {
			const calls = [0, 1, 2].map((index) =>
				run.callCapability(
					{ ...capability, operationId: `w:${index}` },
					index < 2 ? { signal: controller.signal } : {},
				),
			);
			const outcomes = await Promise.allSettled(calls);
			return { outcome: "done", output: outcomes.map((outcome) => outcome.status) };
		});
		host.run();
		await host.until(3);
		controller.abort();
		await host.until(5);
		for (const request of host.sent.slice(0, 3)) host.result(request.id, { value: null });
		expect(await host.until(6)).toMatchObject({ result: { output: ["rejected", "rejected", "fulfilled"] } });
	});
});

describe("capacities (Run SDK/1 section 6)", () => {
	it("never has more than 64 requests live on the wire, and counts a cancelled unanswered one", async () => {
		const controller = new AbortController();
		const { host } = caught(async (run) => {
			for (let index = 0; index < 64; index++) {
				run.callCapability({ ...capability, operationId: `w:${index}` }, { signal: controller.signal });
			}
			await settle();
			controller.abort();
			await run.callCapability({ ...capability, operationId: "over" });
		});
		await host.until(64);
		await settle();
		expect(host.sent.filter((message) => message.method === "capability/call")).toHaveLength(64);
	});

	it("an input that fits alone but not in its frame fails locally and the Run goes on", async () => {
		let input: unknown = null;
		for (let depth = 0; depth < 127; depth++) input = [input];
		const { host, error } = caught((run) => run.runChildFlow({ ...child, input: input as never }));
		expect(await error).toBeInstanceOf(TypeError);
		expect(await host.until(1)).toMatchObject({ id: "host:1", result: done });
	});
});
