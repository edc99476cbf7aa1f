/** Tests, and their conjunctions: the building blocks of the evaluator without a meter. */

import type { JsonValue } from "../json/index.ts";

/** Whether an instance is valid. */
export type Test = (value: JsonValue) => boolean;

/** Accepts everything. Compared by identity, to leave out what can't fail. */
export const always: Test = () => true;

/** Accepts nothing. */
export const never: Test = () => false;

/** Both tests, leaving out what always holds. */
export function both(first: Test, second: Test): Test {
	if (first === always) return second;
	if (second === always) return first;
	return (value) => first(value) && second(value);
}

/** All tests, in order; one that is there twice is asked once. */
export function conjunction(tests: readonly Test[]): Test {
	const real = [...new Set(tests)].filter((test) => test !== always);
	if (real.length <= 2) return both(real[0] ?? always, real[1] ?? always);
	return (value) => {
		for (let i = 0; i < real.length; i++) if (!real[i]!(value)) return false;
		return true;
	};
}
