/** What an item weighs: its canonical JSON bytes, without writing them. */

import { formatNumber, JSON_LIMITS, type JsonValue } from "../../json/index.ts";

/**
 * A read's answer holds its value three levels deep and beside five other nodes and the root: `{jsonrpc, id, result: {item:
 * {sequence, value}}}`. JSON/1 bounds the frame as a whole, so an item can be legal in its send and have no place there.
 */
const DEPTH = JSON_LIMITS.depth - 3;
const NODES = JSON_LIMITS.nodes - 6;

/**
 * The length in bytes of an admitted value's RFC 8785 form, which is that of `canonicalize(value)`; `Infinity` for a value
 * too deep or with too many nodes for the answer of a read. One walk, nothing written; recursion ends at depth 125.
 */
export function measure(value: JsonValue): number {
	return new Measure().walk(value, 1);
}

class Measure {
	#nodes = 0;

	walk(value: JsonValue, depth: number): number {
		if (++this.#nodes > NODES || depth > DEPTH) return Infinity;
		if (typeof value === "string") return textBytes(value);
		if (typeof value === "number") return value >= 0 && value <= 9 ? digitBytes(value) : formatNumber(value).length;
		if (value === null) return 4;
		if (typeof value === "boolean") return value ? 4 : 5;
		if (Array.isArray(value)) {
			const items = value as readonly JsonValue[];
			let bytes = 2 + Math.max(0, items.length - 1);
			for (let i = 0; i < items.length && bytes < Infinity; i++) bytes += this.walk(items[i]!, depth + 1);
			return bytes;
		}
		const members = value as { readonly [name: string]: JsonValue };
		const names = Object.keys(members);
		let bytes = 2 + Math.max(0, names.length - 1);
		for (let i = 0; i < names.length && bytes < Infinity; i++) {
			const name = names[i]!;
			bytes += textBytes(name) + 1 + this.walk(members[name]!, depth + 1);
		}
		return bytes;
	}
}

function digitBytes(value: number): number {
	return Number.isInteger(value) ? 1 : formatNumber(value).length;
}

/** Bytes beyond one for each ASCII unit, as RFC 8785 section 3.2.2.2 escapes it. */
const ESCAPE = new Uint8Array(128);
ESCAPE.fill(5, 0, 0x20);
for (const unit of '\b\t\n\f\r"\\') ESCAPE[unit.charCodeAt(0)] = 1;

function textBytes(text: string): number {
	let bytes = text.length + 2;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit < 0x80) bytes += ESCAPE[unit]!;
		// Half of a pair has half of its four bytes.
		else bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
	}
	return bytes;
}
