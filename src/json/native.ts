/**
 * The fast reader: the engine's own `JSON.parse`, and afterwards a proof that the value is what JSON/1 allows. It answers
 * only when it is certain to agree with the exact reader; `undefined` means "ask the exact reader", never "invalid".
 *
 * What the engine checks: the RFC 8259 grammar. What is left: duplicates (which the engine drops silently), the number domain,
 * escaped lone surrogates, and the limits.
 *
 * The proof against duplicates needs no sets. Outside of strings every member has exactly one colon, and a duplicate loses at
 * least one own key of the value; so "colons outside of strings = own keys" holds if and only if no member was lost.
 *
 * A name with a backslash in it is not believed where the text has escapes: V8 15.0 takes `"\\n"` for the name `\` when it has read an
 * object with that name in that place before. It compares the written form with the length of the read one, so what it gets wrong has
 * a backslash.
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
	const mayMistakeNames = text.includes("\\");
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
					if (mayMistakeNames && name.includes("\\")) return -1;
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

/** Too short to hold as many values, items or members as JSON/1 allows at most, or as long a string. */
const PART_LENGTH = 65_536;

/**
 * Reads a part of a longer document, well-formed text of one value below `depth` levels that are not in it. `undefined`
 * when it is long, or when something is wrong, or might be: the document is then to be read whole.
 */
export function parsePart(text: string, depth: number): JsonValue | undefined {
	if (text.length > JSON_LIMITS.numberBytes && (text.length > PART_LENGTH || mayHaveLongNumber(text))) return undefined;
	let value: JsonValue;
	try {
		value = JSON.parse(text) as JsonValue;
	} catch {
		return undefined;
	}
	const mayBreakPairs = text.includes("\\u");
	if (typeof value !== "object" || value === null) {
		if (typeof value === "number") return isNumberInDomain(value) ? value : undefined;
		return mayBreakPairs && typeof value === "string" && !value.isWellFormed() ? undefined : value;
	}
	const doubts = { pairs: mayBreakPairs, names: text.includes("\\"), inherited: objectsInheritNames() };
	const keys = countPartKeys(value, JSON_LIMITS.depth - depth - 1, doubts);
	if (keys < 0) return undefined;
	return countLikelyColons(text) === keys || countColons(text) === keys ? value : undefined;
}

/** What of a part's names and strings is not certain. */
interface Doubts {
	/** An escape may be a lone surrogate. */
	readonly pairs: boolean;
	/** An escaped name may have been mistaken. */
	readonly names: boolean;
	/** Every object inherits names. */
	readonly inherited: boolean;
}

/** As {@link countKeys} for a container with `below` levels left under it; recursion ends with them. */
function countPartKeys(container: JsonObject | readonly JsonValue[], below: number, doubts: Doubts): number {
	let keys = 0;
	if (Array.isArray(container)) {
		const items = container as readonly JsonValue[];
		if (items.length > 0 && below === 0) return -1;
		for (let i = 0; i < items.length; i++) {
			const found = countPartValue(items[i]!, below, doubts);
			if (found < 0) return -1;
			keys += found;
		}
		return keys;
	}
	for (const name in container as JsonObject) {
		if (doubts.inherited && !Object.hasOwn(container, name)) continue;
		if (below === 0) return -1;
		if (exceedsUtf8(name, JSON_LIMITS.nameBytes) || (doubts.pairs && !name.isWellFormed())) return -1;
		if (doubts.names && name.includes("\\")) return -1;
		const found = countPartValue((container as JsonObject)[name]!, below, doubts);
		if (found < 0) return -1;
		keys += found + 1;
	}
	return keys;
}

function countPartValue(value: JsonValue, below: number, doubts: Doubts): number {
	if (typeof value === "object") return value === null ? 0 : countPartKeys(value, below - 1, doubts);
	if (typeof value === "number") return isNumberInDomain(value) ? 0 : -1;
	return doubts.pairs && typeof value === "string" && !value.isWellFormed() ? -1 : 0;
}
