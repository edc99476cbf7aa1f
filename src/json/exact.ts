/**
 * The exact reader: one pass over the bytes in document order, which stops at the first fault and says where it is. It alone
 * decides what JSON/1 text is; the fast reader only answers where it is certain to agree.
 */

import { JsonError, type JsonErrorCode, limitError } from "./error.ts";
import { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
import { readNumber, readString, type Token } from "./tokens.ts";
import { findInvalidUtf8, placeAt } from "./utf8.ts";
import { addMember, type JsonValue } from "./value.ts";

/** An array that is still open. Both kinds own all their members, so that nothing inherited tells them apart. */
interface OpenArray {
	readonly items: JsonValue[];
}

/** An object that is still open: its value so far, how many members it has, the name that was read last. */
interface OpenObject {
	readonly items: undefined;
	readonly members: Record<string, JsonValue>;
	count: number;
	name: string;
}

/** Parses one JSON/1 document. Throws `JsonError` as `parseJson` does. */
export function parseExact(bytes: Uint8Array): JsonValue {
	if (bytes.length > JSON_LIMITS.bytes) {
		throw limitError("bytes", placeAt(bytes, JSON_LIMITS.bytes));
	}
	// Before anything else: a frame that is no UTF-8 anywhere is never answered, whatever is wrong with it besides.
	const invalid = findInvalidUtf8(bytes);
	if (invalid >= 0) throw new JsonError("JSON_UTF8", "Bytes that are not UTF-8", placeAt(bytes, invalid));
	if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
		throw new JsonError("JSON_BOM", "A byte order mark; save the text as UTF-8 without one", placeAt(bytes, 0));
	}
	return new ExactReader(bytes).read();
}

class ExactReader {
	readonly #bytes: Uint8Array;
	readonly #open: (OpenArray | OpenObject)[] = [];
	#at = 0;
	#nodes = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	read(): JsonValue {
		this.#skipSpace();
		for (;;) {
			let value = this.#startValue();
			while (value !== undefined) {
				const parent = this.#open.at(-1);
				if (parent === undefined) {
					this.#skipSpace();
					if (this.#at < this.#bytes.length) this.#fail("JSON_SYNTAX", "Text after the end of the value");
					return value;
				}
				if (parent.items !== undefined) parent.items.push(value);
				else addMember(parent.members, parent.name, value);
				value = this.#afterChild(parent);
			}
		}
	}

	/** Reads a scalar or an empty container, or opens a container and stops before its first value. */
	#startValue(): JsonValue | undefined {
		const byte = this.#bytes[this.#at];
		switch (byte) {
			case 0x7b:
				this.#countValue();
				return this.#startObject();
			case 0x5b:
				this.#countValue();
				return this.#startArray();
			case 0x22:
				this.#countValue();
				return this.#token(readString(this.#bytes, this.#at, "stringBytes"));
			case 0x74:
				return this.#literal("true", true);
			case 0x66:
				return this.#literal("false", false);
			case 0x6e:
				return this.#literal("null", null);
			default:
				if (byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39)) {
					this.#countValue();
					return this.#token(readNumber(this.#bytes, this.#at));
				}
				return this.#unexpected("a value");
		}
	}

	#startObject(): JsonValue | undefined {
		this.#at++;
		this.#skipSpace();
		const members: Record<string, JsonValue> = {};
		if (this.#bytes[this.#at] === 0x7d) {
			this.#at++;
			return members;
		}
		const open: OpenObject = { items: undefined, members, count: 0, name: "" };
		this.#open.push(open);
		this.#readName(open);
		return undefined;
	}

	#startArray(): JsonValue | undefined {
		this.#at++;
		this.#skipSpace();
		if (this.#bytes[this.#at] === 0x5d) {
			this.#at++;
			return [];
		}
		this.#open.push({ items: [] });
		return undefined;
	}

	/** After a child: a comma leads to the next one (undefined), a closing bracket completes the parent. */
	#afterChild(parent: OpenArray | OpenObject): JsonValue | undefined {
		this.#skipSpace();
		const byte = this.#bytes[this.#at];
		const isArray = parent.items !== undefined;
		if (byte === 0x2c) {
			this.#at++;
			this.#skipSpace();
			if (!isArray) this.#readName(parent);
			return undefined;
		}
		if (byte !== (isArray ? 0x5d : 0x7d)) return this.#unexpected(isArray ? '"," or "]"' : '"," or "}"');
		this.#at++;
		this.#open.pop();
		return isArray ? parent.items : parent.members;
	}

	/** Reads a member's name and colon, and stops before its value. */
	#readName(parent: OpenObject): void {
		if (this.#bytes[this.#at] !== 0x22) this.#unexpected("a member name");
		if (parent.count >= JSON_LIMITS.members) this.#exceed("members");
		const start = this.#at;
		const name = this.#token(readString(this.#bytes, start, "nameBytes"));
		if (Object.hasOwn(parent.members, name)) {
			this.#fail("JSON_DUPLICATE_MEMBER", "A member name for the second time in one object", start);
		}
		parent.name = name;
		parent.count++;
		this.#skipSpace();
		if (this.#bytes[this.#at] !== 0x3a) this.#unexpected('":"');
		this.#at++;
		this.#skipSpace();
	}

	/** Counts the value that starts here against the limits that its place crosses. */
	#countValue(): void {
		const parent = this.#open.at(-1);
		if (parent?.items !== undefined && parent.items.length >= JSON_LIMITS.items) this.#exceed("items");
		if (this.#open.length >= JSON_LIMITS.depth) this.#exceed("depth");
		this.#nodes++;
		if (this.#nodes > JSON_LIMITS.nodes) this.#exceed("nodes");
	}

	#literal<T extends JsonValue>(word: string, value: T): T {
		for (let i = 1; i < word.length; i++) {
			if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) {
				this.#at += i;
				return this.#unexpected(`the rest of "${word}"`);
			}
		}
		this.#countValue();
		this.#at += word.length;
		return value;
	}

	#token<T>(token: Token<T>): T {
		if (token.kind === "fault") this.#fail(token.code, token.message, token.at);
		if (token.kind === "limit") this.#exceed(token.limit);
		this.#at = token.end;
		return token.value;
	}

	#skipSpace(): void {
		for (;;) {
			const byte = this.#bytes[this.#at];
			if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
			this.#at++;
		}
	}

	#unexpected(wanted: string): never {
		return this.#fail("JSON_SYNTAX", `Expected ${wanted}, found ${describeByte(this.#bytes[this.#at])}`);
	}

	#exceed(limit: JsonLimitName): never {
		throw limitError(limit, placeAt(this.#bytes, this.#at));
	}

	#fail(code: JsonErrorCode, message: string, at: number = this.#at): never {
		throw new JsonError(code, message, placeAt(this.#bytes, at));
	}
}

function describeByte(byte: number | undefined): string {
	if (byte === undefined) return "the end of the text";
	if (byte === 0x22) return "a string";
	return byte > 0x20 && byte < 0x7f
		? `"${String.fromCharCode(byte)}"`
		: `the byte 0x${byte.toString(16).padStart(2, "0")}`;
}
