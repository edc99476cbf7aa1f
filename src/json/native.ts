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

import { exceedsUtf8 } from "../text.ts";
import { JSON_LIMITS } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { countColons, countLikelyColons, mayBeCrowded, mayHaveLongNumber } from "./scan.ts";
import { type JsonObject, type JsonValue, objectsInheritNames } from "./value.ts";

/**
 * Reads a well-formed text of at most `JSON_LIMITS.bytes` UTF-8 bytes. `undefined` when something is wrong, or might be.
 */
export function parseNative(text: string): JsonValue | undefined {
	let colons: number | undefined;
	if (mayHaveLongNumber(text) || mayBeCrowded(text)) {
		colons = countColons(text);
		if (colons < 0) return undefined;
	}
	let value: JsonValue;
	try {
		value = JSON.parse(text) as JsonValue;
	} catch {
		return undefined;
	}
	const keys = countKeys(value, text);
	if (keys < 0) return undefined;
	// The likely colons are at least the members, and the members at least the keys: if both ends are equal, nothing was lost.
	if (colons === undefined && countLikelyColons(text) === keys) return value;
	colons ??= countColons(text);
	return colons === keys ? value : undefined;
}

/**
 * Checks every value and name, a level of the tree at a time, and counts the own keys; -1 when a check fails. No recursion:
 * the engine may have read a text nested far deeper than allowed.
 */
function countKeys(root: JsonValue, text: string): number {
	// The text itself is well-formed: only an escape can bring a lone surrogate.
	const mayBreakPairs = text.includes("\\u");
	// No escape is shorter than what it stands for, and a UTF-16 unit is at most three bytes of UTF-8.
	const checksStrings = mayBreakPairs || text.length * 3 > JSON_LIMITS.stringBytes;
	const inheritsKeys = objectsInheritNames();

	let keys = 0;
	let nodes = 1;
	let below: JsonValue[] = [];

	const isAllowed = (value: JsonValue): boolean => {
		if (typeof value === "number") return isNumberInDomain(value);
		if (typeof value === "object") {
			if (value !== null) below.push(value);
			return true;
		}
		return !checksStrings || typeof value !== "string" || isStringAllowed(value);
	};

	if (!isAllowed(root)) return -1;
	for (let depth = 1; below.length > 0; depth++) {
		const level = below;
		below = [];
		const nodesAbove = nodes;
		for (let i = 0; i < level.length; i++) {
			const container = level[i]!;
			if (Array.isArray(container)) {
				const items = container as readonly JsonValue[];
				if (items.length > JSON_LIMITS.items) return -1;
				nodes += items.length;
				for (let j = 0; j < items.length; j++) if (!isAllowed(items[j]!)) return -1;
			} else {
				let members = 0;
				for (const name in container as JsonObject) {
					if (inheritsKeys && !Object.hasOwn(container as JsonObject, name)) continue;
					members++;
					if (exceedsUtf8(name, JSON_LIMITS.nameBytes) || (mayBreakPairs && !name.isWellFormed())) return -1;
					if (!isAllowed((container as JsonObject)[name]!)) return -1;
				}
				if (members > JSON_LIMITS.members) return -1;
				keys += members;
				nodes += members;
			}
			if (nodes > JSON_LIMITS.nodes) return -1;
		}
		if (depth === JSON_LIMITS.depth && nodes > nodesAbove) return -1;
	}
	return keys;
}

function isStringAllowed(text: string): boolean {
	return text.isWellFormed() && !exceedsUtf8(text, JSON_LIMITS.stringBytes);
}
