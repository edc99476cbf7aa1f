import type { AbortSignal } from "../../src/web.ts";

/** Milliseconds of synchronous work between two turns of the event loop. */
const SLICE_MS = 12;

/** When the event loop last had its turn, as far as this module saw: there is one loop, whoever works in it. */
let since = performance.now();

/**
 * Lets long synchronous file work breathe: system calls into one reused buffer are the fastest way to read a tree, and a
 * tree of 4 GiB must still let timers, signals and progress run; so must a thousand small trees, one after the other.
 * `due()` is asked after each piece of work (50 ns); `rest()` gives the loop one full turn and rejects with the signal's
 * reason once that is aborted.
 */
export class Pace {
	due(): boolean {
		return performance.now() - since >= SLICE_MS;
	}

	async rest(signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => setImmediate(resolve));
		since = performance.now();
		signal?.throwIfAborted();
	}
}
