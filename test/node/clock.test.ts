import { afterEach, describe, expect, test, vi } from "vitest";
import { schedule } from "../../adapters/node/clock.ts";

describe("the schedule", () => {
	afterEach(() => vi.useRealTimers());

	test("runs once, never synchronously and never early", async () => {
		const start = performance.now();
		let runs = 0;
		schedule(0, () => (runs += 1));
		expect(runs).toBe(0);
		const waited = await new Promise<number>((resolve) => schedule(30, () => resolve(performance.now() - start)));
		expect(waited).toBeGreaterThanOrEqual(30);
		expect(runs).toBe(1);
	});

	test("cancelled, it never runs", async () => {
		let runs = 0;
		const cancel = schedule(5, () => (runs += 1));
		cancel();
		cancel();
		await new Promise<void>((resolve) => schedule(20, resolve));
		expect(runs).toBe(0);
	});

	test("delays beyond 2^31-1 ms are re-armed", () => {
		vi.useFakeTimers();
		let runs = 0;
		schedule(5_000_000_000, () => (runs += 1));
		vi.advanceTimersByTime(4_999_999_999);
		expect(runs).toBe(0);
		vi.advanceTimersByTime(1);
		expect(runs).toBe(1);
		const cancel = schedule(5_000_000_000, () => (runs += 1));
		vi.advanceTimersByTime(3_000_000_000);
		cancel();
		vi.advanceTimersByTime(3_000_000_000);
		expect(runs).toBe(1);
	});
});
