/** RFC 8785 canonical text and bytes. */

import { encodeUtf8 } from "../web.ts";
import { JsonError, limitError } from "./error.ts";
import { JSON_LIMITS } from "./limits.ts";
import { formatNumber, isNumberInDomain } from "./number.ts";
import type { JsonObject, JsonValue } from "./value.ts";

/** `JSON.stringify` escapes lone surrogates, and nothing else this way; an even run of backslashes before it is text. */
const ESCAPED_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * The RFC 8785 text of an admitted value: members by the UTF-16 code units of their names (section 3.2.3), strings and
 * numbers as ECMAScript writes them, negative zero as `0`. Iterative.
 *
 * Canonicalization repairs nothing: what is seen on the way and has no JSON/1 form is refused with `JsonError` `JSON_TYPE`,
 * `JSON_NUMBER_RANGE`, `JSON_LONE_SURROGATE` or `JSON_LIMIT` (depth, nodes). That is a last line; host values go through `admitJson`.
 */
export function canonicalText(value: JsonValue): string {
	// The engine writes members in the order of `Object.keys`, and calls a `toJSON` that every object inherits.
	const text = isInOrder(value) && !inheritsToJson() ? JSON.stringify(value) : writeText(value);
	if (text.includes("\\ud") && ESCAPED_SURROGATE.test(text)) {
		throw new JsonError("JSON_LONE_SURROGATE", "A string with a surrogate without its pair");
	}
	return text;
}

/** The RFC 8785 bytes of an admitted value: the UTF-8 of {@link canonicalText}, which says what is refused. */
export function canonicalize(value: JsonValue): Uint8Array {
	return encodeUtf8(canonicalText(value));
}

/** Checks every value's kind, and says whether the members of every object are enumerated in canonical order. */
function isInOrder(root: JsonValue): boolean {
	let inOrder = true;
	let level: JsonValue[] = [root];
	let nodes = 0;
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > JSON_LIMITS.depth) throw limitError("depth", {});
		nodes += level.length;
		if (nodes > JSON_LIMITS.nodes) throw limitError("nodes", {});
		const below: JsonValue[] = [];
		for (const value of level) {
			if (typeof value === "number") {
				if (!isNumberInDomain(value)) throw new JsonError("JSON_NUMBER_RANGE", "A number outside of the JSON/1 domain");
			} else if (typeof value === "object" && value !== null) {
				if (Array.isArray(value)) {
					for (const item of value as readonly JsonValue[]) below.push(item);
					continue;
				}
				let last: string | undefined;
				for (const name of Object.keys(value)) {
					if (last !== undefined && last > name) inOrder = false;
					last = name;
					below.push((value as JsonObject)[name]!);
				}
			} else if (typeof value !== "string" && typeof value !== "boolean" && value !== null) {
				throw new JsonError("JSON_TYPE", `JSON has no ${typeof value}`);
			}
		}
		level = below;
	}
	return inOrder;
}

function inheritsToJson(): boolean {
	return "toJSON" in Object.prototype || "toJSON" in Array.prototype;
}

/** A container that is being written: its members' names in order (none for an array), and the next child. */
interface Frame {
	readonly items: readonly JsonValue[] | undefined;
	readonly members: JsonObject;
	readonly names: readonly string[];
	next: number;
}

function writeText(value: JsonValue): string {
	const stack: Frame[] = [];
	let text = "";
	let current: JsonValue = value;
	for (;;) {
		if (typeof current === "object" && current !== null) {
			const items = Array.isArray(current) ? (current as readonly JsonValue[]) : undefined;
			const names = items === undefined ? Object.keys(current).sort() : [];
			stack.push({ items, members: current as JsonObject, names, next: 0 });
			text += items === undefined ? "{" : "[";
		} else {
			text += typeof current === "number" ? formatNumber(current) : JSON.stringify(current);
		}
		for (;;) {
			const frame = stack.at(-1);
			if (frame === undefined) return text;
			const index = frame.next++;
			if (index < (frame.items ?? frame.names).length) {
				if (index > 0) text += ",";
				if (frame.items === undefined) {
					const name = frame.names[index]!;
					text += `${JSON.stringify(name)}:`;
					current = frame.members[name]!;
				} else {
					current = frame.items[index]!;
				}
				break;
			}
			text += frame.items === undefined ? "}" : "]";
			stack.pop();
		}
	}
}
