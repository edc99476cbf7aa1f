/** RFC 8785 canonical text and bytes. */

import { decodeUtf8 } from "../web.ts";
import { JsonError, limitError } from "./error.ts";
import { JSON_LIMITS } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { type JsonObject, type JsonValue, objectsInheritNames } from "./value.ts";
import { ByteWriter } from "./writer.ts";

let spare: Canonicalizer | undefined;

/**
 * The RFC 8785 bytes of an admitted value: members by the UTF-16 code units of their names (section 3.2.3), strings and numbers as
 * ECMAScript writes them, negative zero as `0`; UTF-8 in an array of its own.
 *
 * Canonicalization repairs nothing: what has no JSON/1 form is refused with `JsonError` `JSON_TYPE`, `JSON_NUMBER_RANGE`,
 * `JSON_LONE_SURROGATE` or `JSON_LIMIT` (depth, nodes), so that two different values never share their bytes. That is a last line, without
 * a pointer; host values go through `admitJson` first.
 */
export function canonicalize(value: JsonValue): Uint8Array {
	// Taken, not shared: a getter of a value that never was admitted might canonicalize another one meanwhile.
	const own = spare ?? new Canonicalizer();
	spare = undefined;
	try {
		return own.run(value);
	} finally {
		own.clear();
		spare = own;
	}
}

/** The RFC 8785 text of an admitted value: {@link canonicalize}, decoded. */
export function canonicalText(value: JsonValue): string {
	return decodeUtf8(canonicalize(value));
}

class Canonicalizer {
	readonly #writer = new ByteWriter();
	/** The names of the objects that are being written, each object's above its parent's. */
	readonly #names: string[] = [];
	#nodes = 0;
	#inheritsNames = false;

	run(value: JsonValue): Uint8Array {
		this.#inheritsNames = objectsInheritNames();
		this.#count(1);
		this.#value(value, 1, true);
		return this.#writer.finish();
	}

	clear(): void {
		this.#writer.clear();
		this.#names.length = 0;
		this.#nodes = 0;
	}

	/** Writes a value at a level of the tree. `mayBeNumbers`: whether an array above is not known to hold anything but numbers. */
	#value(value: JsonValue, depth: number, mayBeNumbers: boolean): void {
		if (typeof value === "string") this.#writer.string(value);
		else if (typeof value === "number") this.#writer.number(value);
		else if (value === null || typeof value === "boolean") this.#writer.ascii(String(value));
		else if (typeof value !== "object") throw new JsonError("JSON_TYPE", `JSON has no ${typeof value}`);
		else if (Array.isArray(value)) this.#array(value as readonly JsonValue[], depth, mayBeNumbers);
		else this.#object(value as JsonObject, depth);
	}

	#array(items: readonly JsonValue[], depth: number, mayBeNumbers: boolean): void {
		const writer = this.#writer;
		const before = this.#nodes;
		if (items.length === 0) {
			writer.ascii("[]");
			return;
		}
		if (mayBeNumbers && this.#holdsNumbers(items, depth)) {
			// The engine writes numbers as section 3.2.2.3 does, and a whole list of them twice as fast as one by one.
			writer.ascii(JSON.stringify(items));
			return;
		}
		this.#nodes = before;
		this.#enter(items.length, depth);
		for (let i = 0; i < items.length; i++) {
			writer.mark(i === 0 ? 0x5b : 0x2c);
			this.#value(items[i]!, depth + 1, false);
		}
		writer.mark(0x5d);
	}

	#object(members: JsonObject, depth: number): void {
		const writer = this.#writer;
		const names = this.#names;
		const first = names.length;
		// Faster than a list of them for each object.
		for (const name in members) if (!this.#inheritsNames || Object.hasOwn(members, name)) names.push(name);
		const end = names.length;
		if (end === first) {
			writer.ascii("{}");
			return;
		}
		sortFrom(names, first);
		this.#enter(end - first, depth);
		for (let i = first; i < end; i++) {
			const name = names[i]!;
			writer.name(i === first ? 0x7b : 0x2c, name);
			this.#value(members[name]!, depth + 1, true);
		}
		writer.mark(0x7d);
		names.length = first;
	}

	/** Whether an array has nothing but numbers, and arrays of them, within the limits; counts them on the way. */
	#holdsNumbers(items: readonly JsonValue[], depth: number): boolean {
		this.#nodes += items.length;
		if (this.#nodes > JSON_LIMITS.nodes || depth >= JSON_LIMITS.depth || "toJSON" in items) return false;
		for (let i = 0; i < items.length; i++) {
			const item = items[i]!;
			if (typeof item === "number") {
				if (!isNumberInDomain(item)) return false;
			} else if (!Array.isArray(item) || !this.#holdsNumbers(item as readonly JsonValue[], depth + 1)) return false;
		}
		return true;
	}

	/** Goes to the children of a container. */
	#enter(children: number, depth: number): void {
		if (depth === JSON_LIMITS.depth) throw limitError("depth", {});
		this.#count(children);
	}

	#count(nodes: number): void {
		this.#nodes += nodes;
		if (this.#nodes > JSON_LIMITS.nodes) throw limitError("nodes", {});
	}
}

/** Few names are sorted where they are. */
const FEW = 24;

/** Sorts the end of a list by UTF-16 code units, which is how strings compare; most objects have their names so already. */
function sortFrom(names: string[], first: number): void {
	let sorted = first + 1;
	while (sorted < names.length && names[sorted - 1]! <= names[sorted]!) sorted++;
	if (sorted >= names.length) return;
	if (names.length - first > FEW) {
		const many = names.splice(first).sort();
		for (let i = 0; i < many.length; i++) names.push(many[i]!);
		return;
	}
	for (let i = sorted; i < names.length; i++) {
		const name = names[i]!;
		let at = i;
		for (; at > first && names[at - 1]! > name; at--) names[at] = names[at - 1]!;
		names[at] = name;
	}
}
