/** Decisions that are made but not yet told. */

import type { ChannelOutcome } from "../ports.ts";
import type { ChannelEvent, ObserveChannels } from "./events.ts";
import type { Settle } from "./ports.ts";

type Entry = { readonly settle: Settle; readonly outcome: ChannelOutcome } | ChannelEvent;

/**
 * Holds settlements and events until the whole decision is made: whoever is called back may call the broker again, and must
 * find it in a state that is nobody's middle.
 */
export class Outbox {
	readonly #observe: ObserveChannels | undefined;
	#entries: Entry[] = [];
	#flushing = false;

	constructor(observe: ObserveChannels | undefined) {
		this.#observe = observe;
	}

	settle(settle: Settle, outcome: ChannelOutcome): void {
		this.#entries.push({ settle, outcome });
	}

	note(event: ChannelEvent): void {
		if (this.#observe !== undefined) this.#entries.push(event);
	}

	/** Tells everything in the order of its decision, also what is decided meanwhile. A callback that throws changes nothing. */
	flush(): void {
		if (this.#flushing) return;
		this.#flushing = true;
		while (this.#entries.length > 0) {
			const entries = this.#entries;
			this.#entries = [];
			for (const entry of entries) {
				try {
					if ("settle" in entry) entry.settle(entry.outcome);
					else this.#observe?.(entry);
				} catch {
					// One participant's layer must not stop what others are due.
				}
			}
		}
		this.#flushing = false;
	}
}
