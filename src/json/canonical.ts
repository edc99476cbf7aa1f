/** RFC 8785 canonical text and bytes. */

import { encodeUtf8 } from "../web.ts";
import { formatNumber } from "./number.ts";
import type { JsonObject, JsonValue } from "./value.ts";

/** A container that is being written: the names in order (undefined for an array), and the next child. */
interface Frame {
	readonly items: readonly JsonValue[] | undefined;
	readonly members: JsonObject;
	readonly names: readonly string[];
	next: number;
}

/**
 * The RFC 8785 text of an admitted value: members by the UTF-16 code units of their names (section 3.2.3), ECMAScript
 * strings and numbers. Iterative.
 */
export function canonicalText(value: JsonValue): string {
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

/** The RFC 8785 bytes of an admitted value: the UTF-8 of {@link canonicalText}. */
export function canonicalize(value: JsonValue): Uint8Array {
	return encodeUtf8(canonicalText(value));
}
