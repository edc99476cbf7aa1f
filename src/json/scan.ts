/**
 * What the text itself says, beside what the engine makes of it: colons, brackets, long numbers. The quick questions may be
 * answered "perhaps" too often, because a string can hold anything, but never too seldom; `countColons` then decides.
 */

import { JSON_LIMITS } from "./limits.ts";

/** Whether a character occurs more than `max` times. */
export function mayOccurMore(text: string, character: string, max: number): boolean {
	let count = 0;
	for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) if (++count > max) return true;
	return false;
}

/** Whether some number token might be longer than allowed: one that is covers a multiple of the limit, so looking there is enough. */
export function mayHaveLongNumber(text: string): boolean {
	const max = JSON_LIMITS.numberBytes;
	for (let at = 0; at < text.length; at += max) {
		if (!isNumberUnit(text.charCodeAt(at))) continue;
		let start = at;
		while (start > 0 && at - start <= max && isNumberUnit(text.charCodeAt(start - 1))) start--;
		let end = at + 1;
		while (end - start <= max && isNumberUnit(text.charCodeAt(end))) end++;
		if (end - start > max) return true;
	}
	return false;
}

/** Digits, sign, point and exponent: no number token has anything else, and separators are not among them. */
export function isNumberUnit(unit: number): boolean {
	return unit <= 0x39 ? unit >= 0x2b && unit !== 0x2c : (unit | 0x20) === 0x65;
}

/**
 * Colons that might belong to a member: those behind a quote or white space. Never fewer than there are members in a text of valid
 * grammar; more only when a string holds such a colon.
 */
export function countLikelyColons(text: string): number {
	let count = 0;
	for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
		const before = text.charCodeAt(at - 1);
		if (before === 0x22 || before <= 0x20) count++;
	}
	return count;
}

/**
 * Colons outside of strings: exactly the members of a text of valid grammar. -1 when a number token is too long, brackets are too
 * deep, or there must be too many values. The text may be anything; the engine checks the grammar.
 */
export function countColons(text: string): number {
	const length = text.length;
	let colons = 0;
	let depth = 0;
	let children = 0;
	let run = 0;
	for (let at = 0; at < length; at++) {
		const unit = text.charCodeAt(at);
		if (unit === 0x22) {
			run = 0;
			for (at++; at < length; at++) {
				const inside = text.charCodeAt(at);
				if (inside === 0x22) break;
				if (inside === 0x5c) at++;
			}
		} else if (isNumberUnit(unit)) {
			run++;
			if (run > JSON_LIMITS.numberBytes) return -1;
		} else {
			run = 0;
			if (unit === 0x3a) {
				colons++;
			} else if (unit === 0x2c) {
				children++;
			} else if (unit === 0x5b || unit === 0x7b) {
				children++;
				depth++;
				if (depth > JSON_LIMITS.depth) return -1;
			} else if (unit === 0x5d || unit === 0x7d) {
				depth--;
			}
		}
	}
	// Each value but the root follows a comma or an opening bracket; at most half of those counted here are empty containers.
	return children > 2 * JSON_LIMITS.nodes ? -1 : colons;
}
