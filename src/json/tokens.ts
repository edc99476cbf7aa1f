/** Tokens of JSON text (RFC 8259 sections 2, 3, 6 and 7) for the exact reader: read one by one, or refused at their place. */

import { exceedsUtf8 } from "../text.ts";
import { decodeUtf8 } from "../web.ts";
import { JsonError, type JsonErrorCode, limitError } from "./error.ts";
import { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { isNumberUnit } from "./scan.ts";
import { placeAt } from "./utf8.ts";

/** What looks like a number: sign, integer, fraction, exponent; some of them perhaps without their digits. */
const NUMBER = /^(-?)(\d*)(\.\d*)?([eE][+-]?\d*)?/;

/** Those that binary64 has. */
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Bytes and how far they are read. Only what a string holds is decoded. */
export class Tokens {
	readonly #bytes: Uint8Array;
	/** The offset of the next byte. */
	at = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	/** The next byte; undefined at the end. */
	get next(): number | undefined {
		return this.#bytes[this.at];
	}

	/** Goes past white space. */
	passSpace(): void {
		const bytes = this.#bytes;
		let at = this.at;
		for (;;) {
			const byte = bytes[at];
			if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
			at++;
		}
		this.at = at;
	}

	/** Goes past a bracket, a comma or a colon, and the white space behind it. */
	pass(): void {
		this.at++;
		this.passSpace();
	}

	/** Refuses what only begins like the word that starts here, where it goes on in another way. */
	expectWord(word: string): void {
		for (let i = 1; i < word.length; i++) {
			if (this.#bytes[this.at + i] === word.charCodeAt(i)) continue;
			this.at += i;
			this.unexpected(`the rest of "${word}"`);
		}
	}

	/** Reads the string that starts here with its quote; `limit` names the bound of its decoded UTF-8 bytes. */
	string(limit: "stringBytes" | "nameBytes"): string {
		const bytes = this.#bytes;
		const start = this.at;
		let end = start + 1;
		let escaped = false;
		for (;;) {
			const byte = bytes[end];
			if (byte === 0x22) break;
			if (byte === undefined) this.fail("JSON_SYNTAX", "The text ends inside a string", end);
			if (byte < 0x20) this.fail("JSON_SYNTAX", "A control character in a string; escape it", end);
			if (byte === 0x5c) {
				escaped = true;
				end += this.#escapeSize(end);
			} else end++;
		}
		// The engine's own reader replaces escapes, all of which were checked.
		const value = escaped
			? (JSON.parse(decodeUtf8(bytes.subarray(start, end + 1))) as string)
			: decodeUtf8(bytes.subarray(start + 1, end));
		if (exceedsUtf8(value, JSON_LIMITS[limit])) this.exceed(limit);
		this.at = end + 1;
		return value;
	}

	/** The bytes of the escape at `at`: 2, 6, or 12 for a surrogate pair. */
	#escapeSize(at: number): number {
		const kind = this.#bytes[at + 1];
		if (kind !== 0x75) {
			if (kind === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(kind)))
				this.fail("JSON_SYNTAX", "An escape that JSON doesn't have", at);
			return 2;
		}
		const unit = this.#unit(at);
		if (Number.isNaN(unit)) this.fail("JSON_SYNTAX", 'Four hexadecimal digits have to follow "\\u"', at);
		if (unit < 0xd800 || unit > 0xdfff) return 6;
		const low = this.#unit(at + 6);
		if (!(unit <= 0xdbff && low >= 0xdc00 && low <= 0xdfff))
			this.fail("JSON_LONE_SURROGATE", "An escaped surrogate without its pair", at);
		return 12;
	}

	/** The code unit of `\uXXXX`, or NaN where there is none. */
	#unit(at: number): number {
		const bytes = this.#bytes;
		let unit = bytes[at] === 0x5c && bytes[at + 1] === 0x75 ? 0 : Number.NaN;
		for (let i = at + 2; i < at + 6; i++) {
			const byte = bytes[i]!;
			const letter = byte | 0x20;
			if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30;
			else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57;
			else return Number.NaN;
		}
		return unit;
	}

	/** Reads the number that starts here with `-` or a digit. Its rounded value is what the range is about. */
	number(): number {
		const bytes = this.#bytes;
		const start = this.at;
		const short = this.#shortNumber();
		if (short !== undefined) return short;
		let end = start + 1;
		while (end < bytes.length && isNumberUnit(bytes[end]!)) end++;
		const text = decodeUtf8(bytes.subarray(start, end));
		const [token, sign, integer, fraction, exponent] = NUMBER.exec(text) as unknown as [string, ...string[]];
		const first = start + sign!.length;
		const digit = "A digit has to follow";
		if (integer === "") this.fail("JSON_SYNTAX", `${digit} "-"`, first);
		if (/^0\d/.test(integer!)) this.fail("JSON_SYNTAX", "A number with a leading zero", first + 1);
		if (fraction === ".") this.fail("JSON_SYNTAX", `${digit} the decimal point`, first + integer!.length + 1);
		if (exponent && !/\d/.test(exponent)) this.fail("JSON_SYNTAX", `${digit} the exponent`, start + token.length);
		if (token.length > JSON_LIMITS.numberBytes) this.exceed("numberBytes");
		const value = Number(token);
		if (!isNumberInDomain(value)) {
			const message = "A number that is not finite, or integral beyond 9007199254740991; write it as a string";
			this.fail("JSON_NUMBER_RANGE", message);
		}
		this.at = start + token.length;
		return value;
	}

	/**
	 * Reads a number without an exponent whose digits are an integer that binary64 has: that divided by a power of ten that it has too
	 * is the nearest value, in one rounding. Undefined, and nothing read, when it is another one, or none.
	 */
	#shortNumber(): number | undefined {
		const bytes = this.#bytes;
		const isNegative = this.next === 0x2d;
		const first = isNegative ? this.at + 1 : this.at;
		let end = first;
		let digits = 0;
		let point = 0;
		for (;;) {
			const byte = bytes[end]!;
			if (byte >= 0x30 && byte <= 0x39) digits = digits * 10 + (byte - 0x30);
			else if (byte === 0x2e && point === 0 && end > first) point = end + 1;
			else break;
			end++;
		}
		const decimals = point === 0 ? 0 : end - point;
		const hasZero = bytes[first] === 0x30 && end > first + 1 && point !== first + 2;
		const isWhole = end > first && end !== point && (bytes[end]! | 0x20) !== 0x65 && !hasZero;
		if (!isWhole || digits > Number.MAX_SAFE_INTEGER || decimals >= POWERS_OF_TEN.length) return undefined;
		this.at = end;
		const value = digits / POWERS_OF_TEN[decimals]!;
		return isNegative ? -value : value;
	}

	/** Refuses the next byte. */
	unexpected(wanted: string): never {
		const byte = this.next;
		let found = "the end of the text";
		if (byte === 0x22) found = "a string";
		else if (byte! > 0x20 && byte! < 0x7f) found = `"${String.fromCharCode(byte!)}"`;
		else if (byte !== undefined) found = `the byte 0x${byte.toString(16).padStart(2, "0")}`;
		this.fail("JSON_SYNTAX", `Expected ${wanted}, found ${found}`);
	}

	/** Refuses what starts here: it crosses a bound. */
	exceed(limit: JsonLimitName): never {
		throw limitError(limit, placeAt(this.#bytes, this.at));
	}

	/** Refuses, at the next byte or where it is said. */
	fail(code: JsonErrorCode, message: string, at: number = this.at): never {
		throw new JsonError(code, message, placeAt(this.#bytes, at));
	}
}
