/** Tests, and their conjunctions: what a schema becomes. One form serves the verdict alone and the exact charge. */

import type { JsonValue } from "../json/index.ts";
import type { Location } from "./location.ts";

/** One evaluation by tests. */
export interface Meter {
	/** Units so far. Exact when everything is `full`; else no less than what the schemas that were evaluated charge. */
	work: number;
	/** Whether everything is evaluated, as the meter wants it; else the first failure decides. */
	readonly full: boolean;
	/** Member counts of large objects, by object; a count charges one unit but takes time. */
	counts: Map<object, number> | undefined;
}

/**
 * Whether an instance is valid. `at` is where it stands, when schemas that several ways lead to have to remember their verdicts.
 * Once `work` has crossed the budget, the answer means nothing.
 */
export type Test = (value: JsonValue, meter: Meter, at: Location<boolean> | undefined) => boolean;

/** All tests, in order; undefined when there is none. */
export function conjunction(tests: readonly Test[]): Test | undefined {
	if (tests.length < 2) return tests[0];
	return (value, meter, at) => {
		let valid = true;
		for (let i = 0; i < tests.length; i++) {
			if (tests[i]!(value, meter, at)) continue;
			if (!meter.full) return false;
			valid = false;
		}
		return valid;
	};
}
