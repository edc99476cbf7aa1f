/** A growing buffer that JSON tokens are written into as UTF-8, in the spelling of RFC 8785 section 3.2.2. */

import { utf8Encoder } from "../web.ts";
import { JsonError } from "./error.ts";
import { formatNumber, isNumberInDomain } from "./number.ts";

/** Below this length a string is cheaper to write unit by unit than to hand to the engine's encoder. */
const SHORT = 64;
const INITIAL_SIZE = 4_096;
/** A buffer up to this size is kept for the next writer. */
const KEPT_SIZE = 1_048_576;

const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;
const HEX = "0123456789abcdef";
/** The letter of each two-character escape by control character; 0 where only `\u00xx` is left (section 3.2.2.2). */
const ESCAPES = new Uint8Array(32);
for (const [unit, letter] of ["\bb", "\tt", "\nn", "\ff", "\rr"]) ESCAPES[unit!.charCodeAt(0)] = letter!.charCodeAt(0);

let spare: Uint8Array | undefined = new Uint8Array(INITIAL_SIZE);

/** Writes one document. Take the bytes with `finish`, once. */
export class ByteWriter {
	#buffer: Uint8Array;
	#at = 0;

	constructor() {
		// Taken, not shared: a getter of a value that never was admitted might canonicalize another one meanwhile.
		this.#buffer = spare ?? new Uint8Array(INITIAL_SIZE);
		spare = undefined;
	}

	/** The bytes so far, in an array of their own. */
	finish(): Uint8Array {
		const bytes = this.#buffer.slice(0, this.#at);
		if (this.#buffer.length <= KEPT_SIZE) spare = this.#buffer;
		return bytes;
	}

	/** One ASCII character. */
	mark(unit: number): void {
		if (this.#at === this.#buffer.length) this.#reserve(1);
		this.#buffer[this.#at++] = unit;
	}

	/** ASCII text as it is. */
	word(text: string): void {
		this.#reserve(text.length);
		for (let i = 0; i < text.length; i++) this.#buffer[this.#at++] = text.charCodeAt(i);
	}

	/** A number of the JSON/1 domain. */
	number(x: number): void {
		if (!isNumberInDomain(x)) throw new JsonError("JSON_NUMBER_RANGE", "A number outside of the JSON/1 domain");
		if (x >= 0 && x <= 9 && Number.isInteger(x)) this.mark(0x30 + x);
		else this.word(formatNumber(x));
	}

	/** A string or a member name, in quotes. */
	string(text: string): void {
		if (text.length < SHORT) {
			this.#shortString(text);
			return;
		}
		if (!text.isWellFormed()) refuseSurrogate();
		// The engine's own escapes are those of section 3.2.2.2.
		const escaped = NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : undefined;
		if (escaped === undefined) this.mark(0x22);
		const plain = escaped ?? text;
		this.#reserve(plain.length * 3);
		this.#at += utf8Encoder.encodeInto(plain, this.#buffer.subarray(this.#at)).written;
		if (escaped === undefined) this.mark(0x22);
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
