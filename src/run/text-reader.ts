import { NAME_LIMITS } from "../grammar/names.ts";
import { type JsonValue, parsePart } from "../json/index.ts";

/** What a unit may be part of: 1 a token, 2 also its beginning, 6 also a word of a name (Run/1 sections 1 and 2). */
const UNITS = new Uint8Array(128);
for (const unit of "._:/-") UNITS[unit.charCodeAt(0)] = 1;
for (const unit of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") UNITS[unit.charCodeAt(0)] = 2;
for (const unit of "0123456789abcdefghijklmnopqrstuvwxyz") UNITS[unit.charCodeAt(0)] = 6;
const FIRST = 2;
const WORD = 4;
const HYPHEN = 0x2d;
const QUOTE = 0x22;

/** Engines copy slices that are shorter; a longer one keeps the text alive that it was cut from. */
const SHORT = 13;

/**
 * Reads pieces of a text in their usual spelling. Each moves behind what it read, or answers false or undefined, and where it
 * stands then says nothing. Strings that are given have memory of their own.
 */
export class TextReader {
	text = "";
	at = 0;
	/** How the last id began: everything before the digits at its end. */
	#prefix = "";
	/** The last name at each place. */
	readonly #names: string[] = [];

	/** Skips `literal`. */
	skip(literal: string): boolean {
		if (!this.text.startsWith(literal, this.at)) return false;
		this.at += literal.length;
		return true;
	}

	/** A token, up to the unit that is none of its own. */
	token(): string | undefined {
		const start = this.at;
		const end = this.#tokenEnd();
		if (end < 0) return undefined;
		this.at = end;
		return copy(this.text, start, end);
	}

	/** A token that mostly differs from the last in the number at its end. */
	counted(): string | undefined {
		const { text, at: start } = this;
		const end = this.#tokenEnd();
		if (end < 0) return undefined;
		this.at = end;
		let digits = end;
		while (digits > start && isDigit(text.charCodeAt(digits - 1))) digits -= 1;
		if (end - digits >= SHORT) return copy(text, start, end);
		const prefix = this.#prefix;
		if (digits - start !== prefix.length || !text.startsWith(prefix, start)) this.#prefix = copy(text, start, digits);
		return this.#prefix + text.slice(digits, end);
	}

	#tokenEnd(): number {
		const { text, at: start } = this;
		if (!((UNITS[text.charCodeAt(start)] ?? 0) >= FIRST)) return -1;
		let end = start + 1;
		while ((UNITS[text.charCodeAt(end)] ?? 0) > 0) end += 1;
		return end - start > NAME_LIMITS.token ? -1 : end;
	}

	/** A `LocalName` in front of a quote. At one `place` in a frame it is mostly the same again. */
	name(place: number): string | undefined {
		const { text, at: start } = this;
		const last = this.#names[place];
		if (last !== undefined && text.startsWith(last, start) && text.charCodeAt(start + last.length) === QUOTE) {
			this.at = start + last.length;
			return last;
		}
		let end = start;
		for (let unit = 0, before = HYPHEN; ; end += 1, before = unit) {
			unit = text.charCodeAt(end);
			// A hyphen joins two words.
			if ((UNITS[unit] ?? 0) >= WORD || (unit === HYPHEN && before !== HYPHEN)) continue;
			if (unit !== QUOTE || before === HYPHEN || end - start > NAME_LIMITS.localName) return undefined;
			break;
		}
		this.at = end;
		const name = copy(text, start, end);
		this.#names[place] = name;
		return name;
	}

	/** One JSON value that takes exactly what is left before `end`, below `depth` levels. */
	value(end: number, depth: number): JsonValue | undefined {
		return parsePart(this.text.slice(this.at, end), depth);
	}
}

/** Nothing in it needs an escape, so reading it as JSON copies it. */
function copy(text: string, start: number, end: number): string {
	const piece = text.slice(start, end);
	return piece.length < SHORT ? piece : (JSON.parse(`"${piece}"`) as string);
}

function isDigit(unit: number): boolean {
	return unit >= 0x30 && unit <= 0x39;
}
