/** String and number tokens (RFC 8259 sections 6 and 7) of the exact reader, over bytes that are known to be UTF-8. */

import { decodeUtf8 } from "../web.ts";
import type { JsonErrorCode } from "./error.ts";
import { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";

/** A token read whole, a fault at a byte, or a bound that the token as a whole crosses. */
export type Token<T> =
	| { readonly kind: "read"; readonly value: T; readonly end: number }
	| Fault
	| { readonly kind: "limit"; readonly limit: JsonLimitName };

interface Fault {
	readonly kind: "fault";
	readonly code: JsonErrorCode;
	readonly message: string;
	readonly at: number;
}

function fault(code: JsonErrorCode, message: string, at: number): Fault {
	return { kind: "fault", code, message, at };
}

/** Reads the string whose opening quote is at `start`; `limit` names the bound of its decoded UTF-8 bytes. */
export function readString(bytes: Uint8Array, start: number, limit: "stringBytes" | "nameBytes"): Token<string> {
	let at = start + 1;
	let escaped = false;
	for (;;) {
		const byte = bytes[at];
		if (byte === 0x22) break;
		if (byte === undefined) return fault("JSON_SYNTAX", "The text ends inside a string", at);
		if (byte < 0x20) return fault("JSON_SYNTAX", "A control character in a string; escape it", at);
		if (byte !== 0x5c) {
			at++;
			continue;
		}
		escaped = true;
		const size = escapeSize(bytes, at);
		if (typeof size !== "number") return size;
		at += size;
	}
	let text = bytes.subarray(start + 1, at);
	if (escaped) text = replaceEscapes(text);
	if (text.length > JSON_LIMITS[limit]) return { kind: "limit", limit };
	return { kind: "read", value: decodeUtf8(text), end: at + 1 };
}

/** The bytes of the escape at `at`: 2, 6, or 12 for a surrogate pair; or what is wrong with it. */
function escapeSize(bytes: Uint8Array, at: number): number | Fault {
	const kind = bytes[at + 1];
	if (kind !== 0x75) {
		if (kind !== undefined && shortEscape(kind) >= 0) return 2;
		return fault("JSON_SYNTAX", "An escape that JSON doesn't have", at);
	}
	const unit = hexUnit(bytes, at + 2);
	if (unit < 0) return fault("JSON_SYNTAX", 'Four hexadecimal digits have to follow "\\u"', at);
	if (unit < 0xd800 || unit > 0xdfff) return 6;
	const paired = unit <= 0xdbff && bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75;
	const low = paired ? hexUnit(bytes, at + 8) : -1;
	if (low < 0xdc00 || low > 0xdfff) {
		return fault("JSON_LONE_SURROGATE", "An escaped surrogate without its pair", at);
	}
	return 12;
}

/** Replaces checked escapes; no escape is shorter than what it stands for. */
function replaceEscapes(bytes: Uint8Array): Uint8Array {
	const out = new Uint8Array(bytes.length);
	let to = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at]!;
		if (byte !== 0x5c) {
			out[to++] = byte;
			continue;
		}
		at++;
		const kind = bytes[at]!;
		if (kind !== 0x75) {
			out[to++] = shortEscape(kind);
			continue;
		}
		let scalar = hexUnit(bytes, at + 1);
		at += 4;
		if (scalar >= 0xd800 && scalar <= 0xdbff) {
			scalar = 0x10000 + ((scalar - 0xd800) << 10) + (hexUnit(bytes, at + 3) - 0xdc00);
			at += 6;
		}
		if (scalar < 0x80) {
			out[to++] = scalar;
		} else if (scalar < 0x800) {
			out[to++] = 0xc0 | (scalar >> 6);
			out[to++] = 0x80 | (scalar & 0x3f);
		} else if (scalar < 0x10000) {
			out[to++] = 0xe0 | (scalar >> 12);
			out[to++] = 0x80 | ((scalar >> 6) & 0x3f);
			out[to++] = 0x80 | (scalar & 0x3f);
		} else {
			out[to++] = 0xf0 | (scalar >> 18);
			out[to++] = 0x80 | ((scalar >> 12) & 0x3f);
			out[to++] = 0x80 | ((scalar >> 6) & 0x3f);
			out[to++] = 0x80 | (scalar & 0x3f);
		}
	}
	return out.subarray(0, to);
}

/** What `\b \f \n \r \t \" \\ \/` stand for, or -1. */
function shortEscape(kind: number): number {
	switch (kind) {
		case 0x22:
		case 0x5c:
		case 0x2f:
			return kind;
		case 0x62:
			return 0x08;
		case 0x66:
			return 0x0c;
		case 0x6e:
			return 0x0a;
		case 0x72:
			return 0x0d;
		case 0x74:
			return 0x09;
		default:
			return -1;
	}
}

/** The code unit of four hexadecimal digits, or -1. */
function hexUnit(bytes: Uint8Array, at: number): number {
	let unit = 0;
	for (let i = 0; i < 4; i++) {
		const byte = bytes[at + i]!;
		const lower = byte | 0x20;
		if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
		else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57;
		else return -1;
	}
	return unit;
}

/** Reads the number that starts at `start` with `-` or a digit. Its rounded value is what the range is about. */
export function readNumber(bytes: Uint8Array, start: number): Token<number> {
	let at = bytes[start] === 0x2d ? start + 1 : start;
	const integer = at;
	at = skipDigits(bytes, at);
	if (at === integer) return fault("JSON_SYNTAX", 'A digit has to follow "-"', at);
	if (bytes[integer] === 0x30 && at > integer + 1) {
		return fault("JSON_SYNTAX", "A number with a leading zero", integer + 1);
	}
	if (bytes[at] === 0x2e) {
		const fraction = at + 1;
		at = skipDigits(bytes, fraction);
		if (at === fraction) return fault("JSON_SYNTAX", "A digit has to follow the decimal point", at);
	}
	if (bytes[at] === 0x65 || bytes[at] === 0x45) {
		const sign = bytes[at + 1];
		const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
		at = skipDigits(bytes, exponent);
		if (at === exponent) return fault("JSON_SYNTAX", "A digit has to follow the exponent", at);
	}
	if (at - start > JSON_LIMITS.numberBytes) return { kind: "limit", limit: "numberBytes" };
	const value = Number(decodeUtf8(bytes.subarray(start, at)));
	if (!isNumberInDomain(value)) {
		const message = "A number that is not finite, or integral beyond 9007199254740991; write it as a string";
		return fault("JSON_NUMBER_RANGE", message, start);
	}
	return { kind: "read", value, end: at };
}

function skipDigits(bytes: Uint8Array, from: number): number {
	let at = from;
	while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
	return at;
}
