/** RFC 8785 canonical text and bytes. */

import { decodeUtf8 } from "../web.ts";
import { JsonError, limitError } from "./error.ts";
import { JSON_LIMITS } from "./limits.ts";
import type { JsonObject, JsonValue } from "./value.ts";
import { ByteWriter } from "./writer.ts";

/** A container that is being written: its items, or its members by their names in order; and the next child. */
interface Frame {
	readonly items: readonly JsonValue[] | undefined;
	readonly members: JsonObject;
	readonly names: readonly string[];
	next: number;
}

const NO_NAMES: readonly string[] = [];

/**
 * The RFC 8785 bytes of an admitted value: members by the UTF-16 code units of their names (section 3.2.3), strings and numbers as
 * ECMAScript writes them, negative zero as `0`; UTF-8 in an array of its own. Iterative.
 *
 * Canonicalization repairs nothing: what has no JSON/1 form is refused with `JsonError` `JSON_TYPE`, `JSON_NUMBER_RANGE`,
 * `JSON_LONE_SURROGATE` or `JSON_LIMIT` (depth, nodes), so that two different values never share their bytes. That is a last line, without
 * a pointer; host values go through `admitJson` first.
 */
export function canonicalize(value: JsonValue): Uint8Array {
	const writer = new ByteWriter();
	const stack: Frame[] = [];
	let nodes = 0;
	let current: JsonValue = value;
	for (;;) {
		if (++nodes > JSON_LIMITS.nodes) throw limitError("nodes", {});
		if (stack.length >= JSON_LIMITS.depth) throw limitError("depth", {});
		if (typeof current === "object" && current !== null) {
			const isArray = Array.isArray(current);
			writer.mark(isArray ? 0x5b : 0x7b);
			stack.push({
				items: isArray ? (current as readonly JsonValue[]) : undefined,
				members: current as JsonObject,
				names: isArray ? NO_NAMES : sortedNames(current as JsonObject),
				next: 0,
			});
		} else {
			writeScalar(writer, current);
		}
		for (;;) {
			const frame = stack.at(-1);
			if (frame === undefined) return writer.finish();
			const { items, names } = frame;
			const index = frame.next++;
			if (index < (items ?? names).length) {
				if (index > 0) writer.mark(0x2c);
				if (items !== undefined) {
					current = items[index]!;
				} else {
					const name = names[index]!;
					writer.string(name);
					writer.mark(0x3a);
					current = frame.members[name]!;
				}
				break;
			}
			writer.mark(items === undefined ? 0x7d : 0x5d);
			stack.pop();
		}
	}
}

/** The RFC 8785 text of an admitted value: {@link canonicalize}, decoded. */
export function canonicalText(value: JsonValue): string {
	return decodeUtf8(canonicalize(value));
}

/** The own names by UTF-16 code units, which is how strings compare; most objects have them so already. */
function sortedNames(value: JsonObject): readonly string[] {
	const names = Object.keys(value);
	for (let i = 1; i < names.length; i++) if (names[i - 1]! > names[i]!) return names.sort();
	return names;
}

function writeScalar(writer: ByteWriter, value: null | boolean | number | string): void {
	if (typeof value === "string") writer.string(value);
	else if (typeof value === "number") writer.number(value);
	else if (value === null || typeof value === "boolean") writer.word(String(value));
	else throw new JsonError("JSON_TYPE", `JSON has no ${typeof value}`);
}
