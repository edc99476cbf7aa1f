/**
 * The fast reader: the engine's own `JSON.parse`, and afterwards a proof that the value is what JSON/1 allows. It answers
 * only when it is certain to agree with the exact reader; `undefined` means "ask the exact reader", never "invalid".
 *
 * What the engine checks: the RFC 8259 grammar. What is left: duplicates (which the engine drops silently), the number domain,
 * escaped lone surrogates, and the limits.
 *
 * The proof against duplicates needs no sets. Outside of strings every member has exactly one colon, and a duplicate loses at
 * least one own key of the value; so "colons outside of strings = own keys" holds if and only if no member was lost.
 */

import { JSON_LIMITS } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { exceedsUtf8 } from "./text.ts";
import type { JsonValue } from "./value.ts";

type Container = readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * Reads a well-formed text of at most `JSON_LIMITS.bytes` UTF-8 bytes. `undefined` when something is wrong, or might be.
 */
export function parseNative(text: string): JsonValue | undefined {
	// First, because the engine takes seconds and gigabytes for a hostile text that the scan refuses at once.
	const colons = countColons(text);
	if (colons < 0) return undefined;
	let value: JsonValue;
	try {
		value = JSON.parse(text) as JsonValue;
	} catch {
		return undefined;
	}
	return countKeys(value, text) === colons ? value : undefined;
}

/**
 * Checks every value and name, a level of the tree at a time, and counts the own keys; -1 when a check fails. No recursion:
 * the engine may have read a text nested millions deep.
 */
function countKeys(root: JsonValue, text: string): number {
	// The text itself is well-formed: only an escape can bring a lone surrogate.
	const mayBreakPairs = text.includes("\\u");
	// No escape is shorter than what it stands for, and a UTF-16 unit is at most three bytes of UTF-8.
	const mayExceed = text.length * 3 > JSON_LIMITS.stringBytes;
	if (!isScalarAllowed(root, mayBreakPairs, mayExceed)) return -1;
	let level: Container[] = typeof root === "object" && root !== null ? [root] : [];
	let nodes = 1;
	let keys = 0;
	for (let depth = 2; level.length > 0; depth++) {
		const below: Container[] = [];
		for (const container of level) {
			let children: readonly JsonValue[];
			if (Array.isArray(container)) {
				children = container;
				if (children.length > JSON_LIMITS.items) return -1;
			} else {
				const names = Object.keys(container);
				if (names.length > JSON_LIMITS.members) return -1;
				keys += names.length;
				for (const name of names) {
					if (mayBreakPairs && !name.isWellFormed()) return -1;
					if (exceedsUtf8(name, JSON_LIMITS.nameBytes)) return -1;
				}
				children = Object.values(container);
			}
			nodes += children.length;
			if (nodes > JSON_LIMITS.nodes) return -1;
			if (depth > JSON_LIMITS.depth && children.length > 0) return -1;
			for (const child of children) {
				if (typeof child === "object" && child !== null) below.push(child);
				else if (!isScalarAllowed(child, mayBreakPairs, mayExceed)) return -1;
			}
		}
		level = below;
	}
	return keys;
}

function isScalarAllowed(value: JsonValue, mayBreakPairs: boolean, mayExceed: boolean): boolean {
	if (typeof value === "number") return isNumberInDomain(value);
	if (typeof value !== "string") return true;
	if (mayBreakPairs && !value.isWellFormed()) return false;
	return !mayExceed || !exceedsUtf8(value, JSON_LIMITS.stringBytes);
}

/**
 * Colons outside of strings; -1 when a number token is too long, brackets are too deep, or there must be too many values.
 * The text may be anything: the engine checks the grammar afterwards.
 */
function countColons(text: string): number {
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
		} else if ((unit >= 0x2d && unit <= 0x39) || unit === 0x2b || (unit | 0x20) === 0x65) {
			// Digits, sign, point and exponent: no number token has anything else, and a separator ends the run.
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
