/**
 * The frames that conforming peers write most, read where they stand in a decoded text, without building what is around their
 * values: members in the usual order, no white space between them. What is certain to be such a frame is given as `classify`
 * would give it; `undefined` means "ask the exact way", never "invalid".
 *
 * A frame so composed is valid where its parts are. Tokens and names have no escapes; a value is one whole JSON value; so the
 * members are exactly those that were matched, each once.
 */

import type { JsonValue } from "../json/index.ts";
import type { Reply } from "./messages.ts";
import { TextReader } from "./text-reader.ts";

/** A method and its params, already known to be valid for it where they are `checked`. */
export interface UsualRequest {
	readonly method: string;
	readonly params: JsonValue;
	readonly checked: boolean;
}

/** Reads on behind `"method":"`; the params go up to `end`. Undefined where it doesn't know them. */
export type RequestReader = (reader: TextReader, end: number) => UsualRequest | undefined;

export type Envelope =
	| ({ readonly kind: "request"; readonly id: string } & UsualRequest)
	/** `checked`: the method for which the result is known to be valid. */
	| { readonly kind: "response"; readonly id: string; readonly reply: Reply; readonly checked: string | undefined };

/** Levels above params and results, and above the values of their members. */
export const PARAMS_DEPTH = 1;
export const MEMBER_DEPTH = 2;

const CLOSING = 0x7d;

/** Reads the envelopes of one channel. */
export class EnvelopeReader {
	readonly #reader = new TextReader();
	readonly #request: RequestReader | undefined;

	constructor(request: RequestReader | undefined) {
		this.#request = request;
	}

	/** Reads the frame that is `text` from `start` to `end`. */
	read(text: string, start: number, end: number): Envelope | undefined {
		if (text.charCodeAt(end - 1) !== CLOSING) return undefined;
		const reader = this.#reader;
		reader.text = text;
		reader.at = start;
		if (!reader.skip('{"jsonrpc":"2.0","id":"')) return undefined;
		const id = reader.counted();
		if (id === undefined) return undefined;
		if (reader.skip('","result":')) return readResult(reader, id, end - 1);
		if (this.#request === undefined || !reader.skip('","method":"')) return undefined;
		const request = this.#request(reader, end - 1);
		if (request === undefined) return undefined;
		return { kind: "request", id, method: request.method, params: request.params, checked: request.checked };
	}
}

function readResult(reader: TextReader, id: string, end: number): Envelope | undefined {
	const start = reader.at;
	if (reader.text.charCodeAt(end - 1) === CLOSING && reader.skip('{"value":')) {
		const value = reader.value(end - 1, MEMBER_DEPTH);
		if (value !== undefined) return { kind: "response", id, reply: { result: { value } }, checked: "capability/call" };
		reader.at = start;
	}
	const result = reader.value(end, PARAMS_DEPTH);
	return result === undefined ? undefined : { kind: "response", id, reply: { result }, checked: undefined };
}
