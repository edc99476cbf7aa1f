/**
 * The fast reader: the engine's own `JSON.parse`, and afterwards a proof that the value is what JSON/1 allows. It answers
 * only when it is certain to agree with the exact reader; `undefined` means "ask the exact reader", never "invalid".
 *
 * What the engine checks: the RFC 8259 grammar. What is left: duplicates (which the engine drops silently), the number domain,
 * escaped lone surrogates, and the limits.
 *
 * The proof against duplicates needs no sets. A member takes five units at least (`"":0,`): a text that is not that much longer than
 * the shortest spelling of the value has no room for a lost one. Otherwise colons decide: outside of strings every member has exactly
 * one, and a duplicate loses at least one own key of the value; so "colons outside of strings = own keys" holds if and only if no
 * member was lost.
 *
 * A name with a backslash in it is not believed where the text has escapes: V8 15.0 takes `"\\n"` for the name `\` when it has read an
 * object with that name in that place before. It compares the written form with the length of the read one, so what it gets wrong has
 * a backslash.
 */

import { exceedsUtf8 } from "../text.ts";
import { JSON_LIMITS } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { countColons, countLikelyColons, mayHaveLongNumber, mayOccurMore } from "./scan.ts";
import { type JsonObject, type JsonValue, objectsInheritNames } from "./value.ts";

/** The fewest UTF-16 units of a member with its comma. */
const SHORTEST_MEMBER = 5;

/**
 * Reads a well-formed text of at most `JSON_LIMITS.bytes` UTF-8 bytes. `undefined` when something is wrong, or might be.
 */
export function parseNative(text: string): JsonValue | undefined {
	const max = JSON_LIMITS.nodes;
	// A text that might hold far more values than JSON/1 allows could cost the engine seconds and gigabytes, only for the limits to
	// refuse it. A value takes two units; an object that isn't empty has a colon.
	const isLong = text.length > 2 * max;
	const likely = isLong ? countLikelyColons(text) : undefined;
	const isCrowded = isLong && (likely! > max || mayOccurMore(text, "[", max) || mayOccurMore(text, "{", max));
	if (isCrowded || mayHaveLongNumber(text)) {
		const colons = countColons(text);
		return colons < 0 ? undefined : parseProved(text, JSON_LIMITS.depth, colons);
	}
	return parseProved(text, JSON_LIMITS.depth, likely);
}

/** Too short to hold as many values, items or members as JSON/1 allows at most, or as long a string. */
const PART_LENGTH = 65_536;

/**
 * Reads a part of a longer document, well-formed text of one value below `depth` levels that are not in it. `undefined`
 * when it is long, or when something is wrong, or might be: the document is then to be read whole.
 */
export function parsePart(text: string, depth: number): JsonValue | undefined {
	if (text.length > JSON_LIMITS.numberBytes && (text.length > PART_LENGTH || mayHaveLongNumber(text))) return undefined;
	return parseProved(text, JSON_LIMITS.depth - depth);
}

/** Reads a text without long numbers of at most so many levels. `likely`: its likely colons, where they are counted already. */
function parseProved(text: string, levels: number, likely?: number): JsonValue | undefined {
	let value: JsonValue;
	try {
		value = JSON.parse(text) as JsonValue;
	} catch {
		return undefined;
	}
	const survey: Survey = {
		nodes: 1,
		keys: 0,
		hasEscapes: text.includes("\\"),
		mayHaveLongString: text.length * 3 > JSON_LIMITS.stringBytes,
		inheritsNames: objectsInheritNames(),
	};
	const shortest = measure(value, levels, survey);
	if (Number.isNaN(shortest) || survey.nodes > JSON_LIMITS.nodes) return undefined;
	if (text.length - shortest < SHORTEST_MEMBER) return value;
	// The likely colons are at least the members, and the members at least the keys: if both ends are equal, nothing was lost.
	if ((likely ?? countLikelyColons(text)) === survey.keys || countColons(text) === survey.keys) return value;
	return undefined;
}

/** What a walk over a value has to know, and what it has found so far. */
interface Survey {
	/** Values, the root included. */
	nodes: number;
	/** Own names. */
	keys: number;
	/** The text itself is well-formed: only an escape can bring a lone surrogate, or make the engine mistake a name. */
	readonly hasEscapes: boolean;
	/** No escape is shorter than what it stands for, and a UTF-16 unit is at most three bytes of UTF-8. */
	readonly mayHaveLongString: boolean;
	readonly inheritsNames: boolean;
}

/**
 * The UTF-16 units of a value in its shortest spelling, or fewer; NaN when it isn't allowed, or may not be. The value may be
 * nested far deeper than so many levels: the walk stops there.
 */
function measure(value: JsonValue, levels: number, survey: Survey): number {
	if (typeof value === "string") {
		const isAllowed = !survey.hasEscapes || value.isWellFormed();
		if (!isAllowed || (survey.mayHaveLongString && exceedsUtf8(value, JSON_LIMITS.stringBytes))) return Number.NaN;
		return value.length + 2;
	}
	if (typeof value === "number") return isNumberInDomain(value) ? 1 : Number.NaN;
	if (typeof value !== "object" || value === null) return value === false ? 5 : 4;
	return Array.isArray(value)
		? measureItems(value as readonly JsonValue[], levels - 1, survey)
		: measureMembers(value as JsonObject, levels - 1, survey);
}

function measureItems(items: readonly JsonValue[], levels: number, survey: Survey): number {
	const count = items.length;
	if (count === 0) return 2;
	if (count > JSON_LIMITS.items || levels === 0) return Number.NaN;
	survey.nodes += count;
	const numbers = typeof items[0] === "number" ? countNumbers(items) : 0;
	let length = count + 1 + numbers;
	for (let i = numbers; i < count; i++) length += measure(items[i]!, levels, survey);
	return length;
}

/** How many numbers of the domain come first. In a loop of their own: handed on, each would be an object of the heap. */
function countNumbers(items: readonly JsonValue[]): number {
	let count = 0;
	while (count < items.length) {
		const item = items[count]!;
		if (typeof item !== "number" || !isNumberInDomain(item)) break;
		count++;
	}
	return count;
}

function measureMembers(members: JsonObject, levels: number, survey: Survey): number {
	let count = 0;
	let length = 1;
	for (const name in members) {
		if (survey.inheritsNames && !Object.hasOwn(members, name)) continue;
		if (levels === 0 || exceedsUtf8(name, JSON_LIMITS.nameBytes)) return Number.NaN;
		if (survey.hasEscapes && !isCertain(name)) return Number.NaN;
		count++;
		const value = members[name]!;
		const isLargeInteger = typeof value === "number" && value >= 10;
		length += name.length + 4 + measure(value, levels, survey) + (isLargeInteger ? moreDigits(value) : 0);
	}
	if (count === 0) return 2;
	survey.nodes += count;
	survey.keys += count;
	return count > JSON_LIMITS.members ? Number.NaN : length;
}

/** The digits after the first of an integer of 10 or more whose zeros can't be an exponent; none of another number. */
function moreDigits(value: number): number {
	if (!Number.isInteger(value) || value % 1_000 === 0) return 0;
	let count = 0;
	for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) count++;
	return count;
}

/** Whether a name that may have been escaped is well-formed, and none that an engine mistakes. */
function isCertain(name: string): boolean {
	for (let i = 0; i < name.length; i++) {
		const unit = name.charCodeAt(i);
		if (unit === 0x5c) return false;
		if (unit > 0xd7ff) return name.isWellFormed() && !name.includes("\\");
	}
	return true;
}
