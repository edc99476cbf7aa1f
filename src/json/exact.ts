/**
 * The exact reader: one pass over the bytes in document order, which stops at the first fault and says where it is. It alone
 * decides what JSON/1 text is; the fast reader only answers where it is certain to agree.
 */

import { JsonError, limitError } from "./error.ts";
import { JSON_LIMITS } from "./limits.ts";
import { Tokens } from "./tokens.ts";
import { findInvalidUtf8, placeAt } from "./utf8.ts";
import { addMember, type JsonValue } from "./value.ts";

const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const END_OF_ARRAY = 0x5d;
const END_OF_OBJECT = 0x7d;

/** Parses one JSON/1 document. Throws `JsonError` as `parseJson` does. */
export function parseExact(bytes: Uint8Array): JsonValue {
	if (bytes.length > JSON_LIMITS.bytes) throw limitError("bytes", placeAt(bytes, JSON_LIMITS.bytes));
	try {
		return new ExactReader(bytes).read();
	} catch (error) {
		// Before anything else: a frame that is no UTF-8 anywhere is never answered, whatever is wrong with it besides.
		const invalid = findInvalidUtf8(bytes);
		if (invalid >= 0) throw new JsonError("JSON_UTF8", "Bytes that are not UTF-8", placeAt(bytes, invalid));
		if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
			throw new JsonError("JSON_BOM", "A byte order mark; save the text as UTF-8 without one", placeAt(bytes, 0));
		throw error;
	}
}

class ExactReader {
	readonly #tokens: Tokens;
	#nodes = 0;

	constructor(bytes: Uint8Array) {
		this.#tokens = new Tokens(bytes);
	}

	read(): JsonValue {
		const tokens = this.#tokens;
		tokens.passSpace();
		const value = this.#value(1, 0);
		tokens.passSpace();
		if (tokens.next !== undefined) tokens.fail("JSON_SYNTAX", "Text after the end of the value");
		return value;
	}

	/** Reads the value that starts here: its level, and how many items are before it. */
	#value(depth: number, index: number): JsonValue {
		const tokens = this.#tokens;
		const byte = tokens.next;
		const word = byte === 0x74 ? "true" : byte === 0x66 ? "false" : byte === 0x6e ? "null" : undefined;
		if (word !== undefined) tokens.expectWord(word);
		else if (!isStart(byte)) tokens.unexpected("a value");
		if (index >= JSON_LIMITS.items) tokens.exceed("items");
		if (depth > JSON_LIMITS.depth) tokens.exceed("depth");
		if (++this.#nodes > JSON_LIMITS.nodes) tokens.exceed("nodes");
		if (byte === 0x7b) return this.#object(depth);
		if (byte === 0x5b) return this.#array(depth);
		if (byte === QUOTE) return tokens.string("stringBytes");
		if (word === undefined) return tokens.number();
		tokens.at += word.length;
		return JSON.parse(word) as JsonValue;
	}

	#array(depth: number): JsonValue {
		const tokens = this.#tokens;
		tokens.pass();
		if (tokens.next === END_OF_ARRAY) {
			tokens.at++;
			return [];
		}
		const first = this.#value(depth + 1, 0);
		if (!this.#hasMore(END_OF_ARRAY, 1)) return [first];
		const second = this.#value(depth + 1, 1);
		// Of its own length: a growing array takes room for 17.
		const items = [first, second];
		while (this.#hasMore(END_OF_ARRAY, items.length)) items.push(this.#value(depth + 1, items.length));
		return items;
	}

	#object(depth: number): JsonValue {
		const tokens = this.#tokens;
		const members: Record<string, JsonValue> = {};
		let count = 0;
		tokens.pass();
		if (tokens.next !== END_OF_OBJECT) this.#member(members, count++, depth + 1);
		while (this.#hasMore(END_OF_OBJECT, count)) this.#member(members, count++, depth + 1);
		return members;
	}

	#member(members: Record<string, JsonValue>, count: number, depth: number): void {
		const tokens = this.#tokens;
		if (tokens.next !== QUOTE) tokens.unexpected("a member name");
		if (count >= JSON_LIMITS.members) tokens.exceed("members");
		const start = tokens.at;
		const name = tokens.string("nameBytes");
		if (Object.hasOwn(members, name))
			tokens.fail("JSON_DUPLICATE_MEMBER", "A member name for the second time in one object", start);
		tokens.passSpace();
		if (tokens.next !== COLON) tokens.unexpected('":"');
		tokens.pass();
		addMember(members, name, this.#value(depth, 0));
	}

	/** After `count` children: goes past a comma to the next one, or past the closing bracket. */
	#hasMore(closing: number, count: number): boolean {
		const tokens = this.#tokens;
		if (count > 0) tokens.passSpace();
		if (count > 0 && tokens.next === COMMA) {
			tokens.pass();
			return true;
		}
		if (tokens.next !== closing) tokens.unexpected(`"," or "${String.fromCharCode(closing)}"`);
		tokens.at++;
		return false;
	}
}

/** Whether a bracket, a string or a number starts with this byte. */
function isStart(byte: number | undefined): boolean {
	return byte === 0x7b || byte === 0x5b || byte === QUOTE || byte === 0x2d || (byte! >= 0x30 && byte! <= 0x39);
}
