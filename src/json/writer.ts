/** A growing buffer that JSON tokens are written into as UTF-8, in the spelling of RFC 8785 section 3.2.2. */

import { utf8Encoder } from "../web.ts";
import { JsonError } from "./error.ts";
import { formatNumber, isNumberInDomain } from "./number.ts";

/** From this length on it is cheaper to hand a string to the engine's encoder than to write it unit by unit. */
const LONG = 64;
/** The same for ASCII text. */
const LONG_ASCII = 24;
const INITIAL_SIZE = 4_096;
/** A buffer up to this size is kept for the next document. */
const KEPT_SIZE = 1_048_576;

const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;
const HEX = "0123456789abcdef";
/** The letter of each two-character escape by control character; 0 where only `\u00xx` is left (section 3.2.2.2). */
const ESCAPES = new Uint8Array(32);
for (const [unit, letter] of ["\bb", "\tt", "\nn", "\ff", "\rr"]) ESCAPES[unit!.charCodeAt(0)] = letter!.charCodeAt(0);

/** Writes one document after the other. Take the bytes of each with `finish`. */
export class ByteWriter {
	#buffer = new Uint8Array(INITIAL_SIZE);
	#at = 0;

	/** The bytes so far, in an array of their own; starts over. */
	finish(): Uint8Array {
		const bytes = this.#buffer.slice(0, this.#at);
		this.clear();
		return bytes;
	}

	/** Forgets what was written. */
	clear(): void {
		this.#at = 0;
		if (this.#buffer.length > KEPT_SIZE) this.#buffer = new Uint8Array(INITIAL_SIZE);
	}

	/** One ASCII character. */
	mark(unit: number): void {
		if (this.#at === this.#buffer.length) this.#reserve(1);
		this.#buffer[this.#at++] = unit;
	}

	/** ASCII text as it is. */
	ascii(text: string): void {
		const { length } = text;
		this.#reserve(length);
		if (length >= LONG_ASCII) this.#encode(text);
		else for (let i = 0; i < length; i++) this.#buffer[this.#at++] = text.charCodeAt(i);
	}

	/** A number of the JSON/1 domain. */
	number(x: number): void {
		if (!isNumberInDomain(x)) throw new JsonError("JSON_NUMBER_RANGE", "A number outside of the JSON/1 domain");
		if (x < 0 || x >= 1e9 || !Number.isInteger(x)) {
			this.ascii(formatNumber(x));
			return;
		}
		let digits = 1;
		for (let power = 10; x >= power; power *= 10) digits++;
		this.#reserve(digits);
		// 32 bits hold it, which makes the divisions cheap.
		let rest = x | 0;
		for (let at = this.#at + digits - 1; at >= this.#at; at--) {
			const tens = (rest / 10) | 0;
			this.#buffer[at] = 0x30 + rest - tens * 10;
			rest = tens;
		}
		this.#at += digits;
	}

	/** A bracket or a comma, a member name in quotes, and its colon. */
	name(lead: number, text: string): void {
		const { length } = text;
		if (length < LONG) {
			this.#reserve(length + 4);
			const buffer = this.#buffer;
			let at = this.#at;
			buffer[at++] = lead;
			buffer[at++] = 0x22;
			let i = 0;
			for (; i < length; i++) {
				const unit = text.charCodeAt(i);
				if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) break;
				buffer[at++] = unit;
			}
			if (i === length) {
				buffer[at++] = 0x22;
				buffer[at++] = 0x3a;
				this.#at = at;
				return;
			}
		}
		this.mark(lead);
		this.string(text);
		this.mark(0x3a);
	}

	/** A string in quotes. */
	string(text: string): void {
		if (text.length < LONG) {
			this.#shortString(text);
			return;
		}
		if (!text.isWellFormed()) refuseSurrogate();
		// The engine's own escapes are those of section 3.2.2.2.
		const escaped = NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : undefined;
		if (escaped === undefined) this.mark(0x22);
		const plain = escaped ?? text;
		this.#reserve(plain.length * 3);
		this.#encode(plain);
		if (escaped === undefined) this.mark(0x22);
	}

	#encode(text: string): void {
		this.#at += utf8Encoder.encodeInto(text, this.#buffer.subarray(this.#at)).written;
	}

	#shortString(text: string): void {
		this.#reserve(text.length * 6 + 2);
		const buffer = this.#buffer;
		let at = this.#at;
		buffer[at++] = 0x22;
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			if (unit < 0x20) {
				buffer[at++] = 0x5c;
				const letter = ESCAPES[unit]!;
				if (letter !== 0) {
					buffer[at++] = letter;
				} else {
					buffer[at++] = 0x75;
					buffer[at++] = 0x30;
					buffer[at++] = 0x30;
					buffer[at++] = 0x30 + (unit >> 4);
					buffer[at++] = HEX.charCodeAt(unit & 0xf);
				}
			} else if (unit < 0x80) {
				if (unit === 0x22 || unit === 0x5c) buffer[at++] = 0x5c;
				buffer[at++] = unit;
			} else if (unit < 0x800) {
				buffer[at++] = 0xc0 | (unit >> 6);
				buffer[at++] = 0x80 | (unit & 0x3f);
			} else if (unit < 0xd800 || unit > 0xdfff) {
				buffer[at++] = 0xe0 | (unit >> 12);
				buffer[at++] = 0x80 | ((unit >> 6) & 0x3f);
				buffer[at++] = 0x80 | (unit & 0x3f);
			} else {
				const low = text.charCodeAt(++i);
				if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) refuseSurrogate();
				const scalar = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
				buffer[at++] = 0xf0 | (scalar >> 18);
				buffer[at++] = 0x80 | ((scalar >> 12) & 0x3f);
				buffer[at++] = 0x80 | ((scalar >> 6) & 0x3f);
				buffer[at++] = 0x80 | (scalar & 0x3f);
			}
		}
		buffer[at++] = 0x22;
		this.#at = at;
	}

	#reserve(count: number): void {
		const needed = this.#at + count;
		if (needed <= this.#buffer.length) return;
		const bigger = new Uint8Array(Math.max(this.#buffer.length * 2, needed));
		bigger.set(this.#buffer.subarray(0, this.#at));
		this.#buffer = bigger;
	}
}

function refuseSurrogate(): never {
	throw new JsonError("JSON_LONE_SURROGATE", "A string with a surrogate without its pair");
}
