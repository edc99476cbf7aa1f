import type { HostRuntime } from "./ports.ts";

/** Turns between a timer and its consequence: one for an answer, one for the end of the pipe, one for the exit. */
const TURNS = 3;

/**
 * Calls `run` when a grace of `ms` milliseconds is over; the answer cancels it. A program that was held up itself (a
 * collection, a stopped process, other work) finds its timers overdue before it has read what its pipes hold, so what came
 * in time gets some turns of the event loop first.
 */
export function afterGrace(runtime: HostRuntime, ms: number, run: () => void): () => void {
	let turns = TURNS;
	let cancel: () => void;
	const arm = (delay: number): void => {
		cancel = runtime.schedule(delay, () => {
			if (turns === 0) run();
			else {
				turns -= 1;
				arm(0);
			}
		});
	};
	arm(ms);
	return () => cancel();
}
