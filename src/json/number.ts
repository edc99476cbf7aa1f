/** Numbers: the JSON/1 domain and the RFC 8785 section 3.2.2.3 spelling. */

import { JsonError } from "./error.ts";

/**
 * Whether a binary64 value is a JSON/1 number. Every finite value above 2^53 - 1 is integral, so one comparison says
 * "finite, and safe if integral" (JSON/1 "Numbers"); NaN compares false.
 */
export function isNumberInDomain(x: number): boolean {
	return x >= -9_007_199_254_740_991 && x <= 9_007_199_254_740_991;
}

/**
 * The RFC 8785 spelling of a finite number: ECMAScript's shortest round-trip form, `0` for negative zero. Finite values
 * outside of the JSON/1 domain are formatted too. Throws `JsonError` `JSON_NUMBER_RANGE` for NaN and infinities.
 */
export function formatNumber(x: number): string {
	if (!Number.isFinite(x)) throw new JsonError("JSON_NUMBER_RANGE", "NaN and infinities have no JSON spelling");
	return String(x);
}
