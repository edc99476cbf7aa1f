/** The door for JSON/1 text. */

import { exceedsUtf8, findLoneSurrogate } from "../text.ts";
import { decodeUtf8, encodeUtf8 } from "../web.ts";
import { JsonError, limitError } from "./error.ts";
import { parseExact } from "./exact.ts";
import { JSON_LIMITS } from "./limits.ts";
import { parseNative } from "./native.ts";
import { placeAt } from "./utf8.ts";
import type { JsonValue } from "./value.ts";

/**
 * Parses one JSON/1 document from UTF-8 bytes or from a string.
 *
 * The value has ordinary prototypes; `__proto__` and the like are own members. Objects, arrays and strings are fresh.
 * Throws `JsonError` with `offset` (UTF-8 bytes, for a string source too), `line` and `column`. The order of the checks:
 * size, UTF-8 (of a string: lone surrogates), BOM, then document order. A duplicate is placed at the second name, a crossed
 * bound at the start of the value, item or name that crosses it. Anything but a `Uint8Array` or a string is a `TypeError`.
 */
export function parseJson(source: Uint8Array | string): JsonValue {
	if (typeof source === "string") {
		checkText(source);
		return parseNative(source) ?? parseExact(encodeUtf8(source));
	}
	const bytes = checkBytes(source);
	return parseDecoded(bytes) ?? parseExact(bytes);
}

function parseDecoded(bytes: Uint8Array): JsonValue | undefined {
	if (bytes.length > JSON_LIMITS.bytes) return undefined;
	let text: string;
	try {
		text = decodeUtf8(bytes);
	} catch {
		return undefined;
	}
	// A byte order mark is still in the text, and the engine's grammar has no place for it.
	return parseNative(text);
}

/** Refuses a string source that would be too many bytes, or that has no UTF-8. */
function checkText(text: string): void {
	if (exceedsUtf8(text, JSON_LIMITS.bytes)) {
		throw limitError("bytes", placeAt(encodeUtf8(text.slice(0, JSON_LIMITS.bytes)), JSON_LIMITS.bytes));
	}
	const lone = findLoneSurrogate(text);
	if (lone >= 0) {
		const before = encodeUtf8(text.slice(0, lone));
		throw new JsonError("JSON_LONE_SURROGATE", "A surrogate without its pair", placeAt(before, before.length));
	}
}

/** The bytes to read: of any realm, and a private copy when another thread could change them meanwhile. */
function checkBytes(source: unknown): Uint8Array {
	if (!ArrayBuffer.isView(source) || Object.prototype.toString.call(source) !== "[object Uint8Array]") {
		throw new TypeError("JSON is read from a Uint8Array or a string.");
	}
	const bytes = source as Uint8Array;
	return Object.prototype.toString.call(bytes.buffer) === "[object SharedArrayBuffer]" ? new Uint8Array(bytes) : bytes;
}
