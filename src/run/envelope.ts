/**
 * The envelopes that conforming peers write most, read without building them: `{"jsonrpc":"2.0","id":"…",` and then
 * `"method":"…","params":…}` of a known method, or `"result":…}`, without white space and in this order. What is certain to
 * be such a frame is given as {@link classify} would give it; `undefined` means "ask the exact way", never "invalid".
 *
 * A frame so composed is valid where its parts are: the id is a token, so it has no escape; params or result is one whole
 * JSON value, which leaves exactly the members named here, each once.
 */

import { NAME_LIMITS } from "../grammar/names.ts";
import { parsePart } from "../json/index.ts";
import type { Message } from "./messages.ts";
import { METHODS } from "./methods.ts";

const HEAD = '{"jsonrpc":"2.0","id":"';
const RESULT = '","result":';
const METHOD = '","method":"';
/** What follows METHOD, by the method's own name: the usual first. */
const TAILS: readonly (readonly [tail: string, method: string])[] = [
	"capability/call",
	"channel/next",
	"channel/send",
	...METHODS.keys(),
].map((method) => [`${method}","params":`, method]);

/** 1 for the units of a token, 2 for those that may also begin one (Run/1 section 1). */
const TOKEN_UNITS = new Uint8Array(128);
for (const unit of "._:/-") TOKEN_UNITS[unit.charCodeAt(0)] = 1;
for (const unit of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	TOKEN_UNITS[unit.charCodeAt(0)] = 2;

/** The members beside params or result: `jsonrpc`, `id` and perhaps `method` stand above, at depth 1. */
const DEPTH_ABOVE = 1;

/** Reads frames out of a decoded text of many. One for each channel, since a peer's ids mostly begin alike. */
export class EnvelopeReader {
	/** How the last id began: everything before the digits at its end. */
	#prefix = "";

	/** Reads the frame that is `text` from `start` to `end`. */
	read(text: string, start: number, end: number): Exclude<Message, { readonly kind: "invalid" }> | undefined {
		if (!text.startsWith(HEAD, start) || text.charCodeAt(end - 1) !== 0x7d) return undefined;
		const idStart = start + HEAD.length;
		if (TOKEN_UNITS[text.charCodeAt(idStart)] !== 2) return undefined;
		let idEnd = idStart;
		let digits = idStart;
		for (; ; idEnd++) {
			const unit = text.charCodeAt(idEnd);
			if (unit >= 0x30 && unit <= 0x39) continue;
			if (!(unit < 0x80) || TOKEN_UNITS[unit] === 0) break;
			digits = idEnd + 1;
		}
		if (idEnd - idStart > NAME_LIMITS.token) return undefined;
		if (text.startsWith(RESULT, idEnd)) {
			const result = parsePart(text.slice(idEnd + RESULT.length, end - 1), DEPTH_ABOVE);
			if (result === undefined) return undefined;
			return { kind: "response", id: this.#id(text, idStart, digits, idEnd), reply: { result } };
		}
		if (!text.startsWith(METHOD, idEnd)) return undefined;
		const methodStart = idEnd + METHOD.length;
		for (const [tail, method] of TAILS) {
			if (!text.startsWith(tail, methodStart)) continue;
			const params = parsePart(text.slice(methodStart + tail.length, end - 1), DEPTH_ABOVE);
			if (typeof params !== "object" || params === null) return undefined;
			return { kind: "request", id: this.#id(text, idStart, digits, idEnd), method, params };
		}
		return undefined;
	}

	/** The id, in memory of its own: a slice would keep the whole text alive as long as anybody keeps the id. */
	#id(text: string, start: number, digits: number, end: number): string {
		const prefix = this.#prefix;
		if (digits - start !== prefix.length || !text.startsWith(prefix, start)) this.#prefix = copy(text, start, digits);
		return end - digits < 13 ? this.#prefix + text.slice(digits, end) : copy(text, start, end);
	}
}

/** Engines copy short slices only; a token needs no escape, so reading it as JSON copies it. */
function copy(text: string, start: number, end: number): string {
	return JSON.parse(`"${text.slice(start, end)}"`) as string;
}
