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
	return (hasLongTokens(bytes) ? undefined : parseDecoded(bytes)) ?? parseExact(bytes);
}

function parseDecoded(bytes: Uint8Array): JsonValue | undefined {
	if (bytes.length > JSON_LIMITS.bytes) return undefined;
	let text: string;
	try {
		text = bytes.length > SHORT ? decodePieces(bytes) : decodeUtf8(bytes);
	} catch {
		return undefined;
	}
	// A byte order mark is still in the text, and the engine's grammar has no place for it.
	return parseNative(text);
}

/** From this length on, one large string costs the engines much more than pieces of it (measured: 1.1 to 1.3 times the whole reading). */
const SHORT = 65_536;
const PIECE = 4_096;
/** Bytes of a long document that speak for the rest. */
const SAMPLE = 1_024;

function decodePieces(bytes: Uint8Array): string {
	let text = "";
	for (let start = 0; start < bytes.length; ) {
		let end = Math.min(start + PIECE, bytes.length);
		// A piece ends before a character, or is refused by the decoder.
		while (end > start + 1 && (bytes[end]! & 0xc0) === 0x80) end--;
		text += decodeUtf8(bytes.subarray(start, end));
		start = end;
	}
	return text;
}

/**
 * Whether a long document seems to have few and long tokens, texts or fractions: a sample from its middle has. What the exact reader needs is
 * time for each token, what the engine needs is time for each byte; and the exact reader makes no copy of the whole.
 */
function hasLongTokens(bytes: Uint8Array): boolean {
	if (bytes.length <= SHORT) return false;
	const middle = bytes.length >> 1;
	let quotes = 0;
	let commas = 0;
	for (let at = middle; at < middle + SAMPLE; at++) {
		if (bytes[at] === 0x22) quotes++;
		else if (bytes[at] === 0x2c) commas++;
	}
	return quotes < SAMPLE / 64 && commas < SAMPLE / 8;
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
	if (!ArrayBuffer.isView(source) || !isOf(source, Uint8Array, "Uint8Array"))
		throw new TypeError("JSON is read from a Uint8Array or a string.");
	const bytes = source as Uint8Array;
	return isOf(bytes.buffer, ArrayBuffer, "ArrayBuffer") ? bytes : new Uint8Array(bytes);
}

/** Whether an object is of a class of this realm, which is quickly seen, or of the same class of another realm. */
function isOf(value: object, ours: new () => object, name: string): boolean {
	return value instanceof ours || Object.prototype.toString.call(value) === `[object ${name}]`;
}
