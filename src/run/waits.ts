/** What the layer above a component session waits for: numbered for the trace, settled exactly once. */

import type { Failure, Settlement } from "./ports.ts";
import type { Recorder } from "./recorder.ts";

/** One wait; `settle` goes when its caller has the answer. */
export interface Wait {
	readonly serial: number;
	settle: ((settlement: Settlement) => void) | undefined;
}

export const CANCELLED: Settlement = {
	failure: { code: "CANCELLED", message: "The call was cancelled." } satisfies Failure,
};

export class Waits {
	readonly #recorder: Recorder;
	#serial = 0;

	constructor(recorder: Recorder) {
		this.#recorder = recorder;
	}

	open(settle: (settlement: Settlement) => void): Wait {
		this.#serial += 1;
		return { serial: this.#serial, settle };
	}

	/** Hands the answer over, unless the wait has one. */
	settle(wait: Wait, settlement: Settlement): void {
		const { settle } = wait;
		if (settle === undefined) return;
		wait.settle = undefined;
		if (this.#recorder.observed) {
			const code = "failure" in settlement ? settlement.failure.code : undefined;
			this.#recorder.note({ type: "settled", serial: wait.serial, ...(code === undefined ? {} : { code }) });
		}
		if (this.#recorder.observed) this.#recorder.nested(() => settle(settlement));
		else settle(settlement);
	}
}
