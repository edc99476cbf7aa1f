/**
 * Outgoing frames. JSON/1 bounds hold for the whole frame (section 1), so a value is admitted inside its complete envelope,
 * with the longest id it can get, before anything is queued; what is kept is text, ready for any id.
 */

import { isToken, NAME_LIMITS } from "../grammar/names.ts";
import { type Around, admitJson, admitPart, canonicalText, type JsonObject, type JsonValue } from "../json/index.ts";
import { OPERATIONAL_ERROR } from "./codes.ts";
import { RUN_LIMITS } from "./limits.ts";
import type { Failure } from "./ports.ts";

const LONGEST_ID = "x".repeat(NAME_LIMITS.token);

/** A response without its id: `"result":…` or `"error":…`. */
export type Payload = string;

/** A request's method and admitted params. */
export interface Call {
	readonly method: string;
	readonly params: JsonObject;
	/** The params as JSON text. */
	readonly text: string;
}

/** Admits a request with an id no longer than `id`: throws what `admitJson` throws, with a pointer into the envelope. */
export function admitCall(method: string, params: unknown, id: string): Call {
	return admitPlainCall(method, params as Record<string, unknown>, id) ?? admitWholeCall(method, params, id);
}

/** The params whose values are tokens in every valid message (sections 1 and 2: names are tokens too), and need no escape. */
const TOKENS: ReadonlyMap<string, string> = new Map(
	["operationId", "slot", "method", "endpoint", "source"].map((name) => [name, `"${name}":"`]),
);
/** Params that are any value; always the last where there is one. */
const VALUES: ReadonlyMap<string, string> = new Map(["input", "value"].map((name) => [name, `"${name}":`]));
/** Of the frame around params. */
const FRAME_UNITS = requestFrame("", "", "").length;

/**
 * For params of tokens and at most one value, which is the usual call: only the value has to be looked at. Undefined, before any
 * value was read, where there is something else. `params` has data members of its own only and is the caller's to give away.
 */
export function admitPlainCall(method: string, params: Record<string, unknown>, id: string): Call | undefined {
	let text = "{";
	let count = 0;
	let part: string | undefined;
	for (const name in params) {
		// Behind the value, or not its own but lent by a prototype.
		if (part !== undefined || !Object.hasOwn(params, name)) return undefined;
		const value = params[name];
		const token = TOKENS.get(name);
		if (token === undefined) {
			if (!VALUES.has(name)) return undefined;
			part = name;
		} else {
			if (!isToken(value)) return undefined;
			text += (count === 0 ? token : `,${token}`) + value;
			text += '"';
			count += 1;
		}
	}
	if (part === undefined) return count === 0 ? undefined : { method, params: params as JsonObject, text: `${text}}` };
	text += count === 0 ? VALUES.get(part) : `,${VALUES.get(part)}`;
	// {"jsonrpc":"2.0","id":"…","method":"…","params":{…,"…":…}}: 8 of the separators are always there.
	const separators = 8 + 2 * count;
	const bytes = FRAME_UNITS + id.length + method.length + text.length + 1 - separators;
	const value = admitPart(params[part], { depth: 2, nodes: 5 + count, bytes, separators, pointer: `/params/${part}` });
	params[part] = value;
	return { method, params: params as JsonObject, text: `${text}${textOf(value)}}` };
}

/** For any params. */
export function admitWholeCall(method: string, params: unknown, id: string): Call {
	const envelope = admitJson({ jsonrpc: "2.0", id, method, params }) as JsonObject;
	const admitted = envelope.params as JsonObject;
	return { method, params: admitted, text: textOf(admitted) };
}

/** Admits a result for `id`, or for any id, and gives its snapshot and payload: throws what `admitJson` throws. */
export function admitResult(result: unknown, id: string = LONGEST_ID): AdmittedResult {
	return (id === LONGEST_ID ? admitPlainResult(result) : undefined) ?? admitWholeResult(result, id);
}

interface AdmittedResult {
	readonly value: JsonValue;
	readonly payload: Payload;
}

/** Around the value of `{"jsonrpc":"2.0","id":"…","result":{"value":…}}`, with the longest id. */
const VALUE_AROUND: Around = {
	depth: 2,
	nodes: 4,
	bytes: 39 + LONGEST_ID.length,
	separators: 6,
	pointer: "/result/value",
};

/**
 * For `{ value }`, which is the usual answer, and any id. Undefined, before the value was read, where there is another member.
 * What a symbol names is none.
 */
export function admitPlainResult(result: unknown): AdmittedResult | undefined {
	if (typeof result !== "object" || result === null || Object.getPrototypeOf(result) !== Object.prototype) {
		return undefined;
	}
	for (const name in result) if (name !== "value") return undefined;
	const property = Object.getOwnPropertyDescriptor(result, "value");
	if (property === undefined || !property.enumerable || !Object.hasOwn(property, "value")) return undefined;
	const value = admitPart(property.value, VALUE_AROUND);
	return { value: { value }, payload: `"result":{"value":${textOf(value)}}` };
}

/** For any result. */
export function admitWholeResult(result: unknown, id: string = LONGEST_ID): AdmittedResult {
	const envelope = admitJson({ jsonrpc: "2.0", id, result }) as JsonObject;
	const value = envelope.result!;
	return { value, payload: `"result":${textOf(value)}` };
}

/** Admits the details of a valid failure, as {@link admitResult} a result: throws what `admitJson` throws. */
export function admitFailure(
	failure: Failure,
	id: string = LONGEST_ID,
): { readonly failure: Failure; readonly payload: Payload } {
	const { code, message, details } = failure;
	const data = details === undefined ? { code } : { code, details };
	const error = { code: OPERATIONAL_ERROR, message, data };
	const envelope = admitJson({ jsonrpc: "2.0", id, error }) as JsonObject;
	const admitted = envelope.error as { readonly data: { readonly details?: JsonValue } };
	const snapshot = details === undefined ? { code, message } : { code, message, details: admitted.data.details! };
	return { failure: snapshot, payload: `"error":${textOf(admitted)}` };
}

/** An operational error of our own words: short, without details, so that it always fits. */
export function operationalError(code: Failure["code"], message: string): Payload {
	return `"error":${textOf({ code: OPERATIONAL_ERROR, message: ownWords(message), data: { code } })}`;
}

/** A standard JSON-RPC error of our own words. */
export function standardError(code: number, message: string): Payload {
	return `"error":${textOf({ code, message: ownWords(message) })}`;
}

/** What a string can't hold as it is; surrogates have their pairs here. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;

/**
 * The text of an admitted value. The engine asks every object and array for a `toJSON`, which some library may have put on
 * their prototypes; prototypes have no say in JSON/1, so it is then written without the engine.
 */
function textOf(value: JsonValue): string {
	if (typeof value === "string") return NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
	if (typeof value !== "object") return JSON.stringify(value);
	return "toJSON" in Object.prototype || "toJSON" in Array.prototype ? canonicalText(value) : JSON.stringify(value);
}

/** A sentence of ours may name a place that someone else chose: no more of it than a message holds (section 7). */
export function ownWords(message: string): string {
	const most = RUN_LIMITS.messageScalars;
	if (message.length <= most) return message;
	const points = Array.from(message);
	return points.length <= most ? message : `${points.slice(0, most - 1).join("")}…`;
}

export function requestFrame(id: string, method: string, paramsText: string): string {
	return `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${paramsText}}`;
}

export function cancelFrame(requestId: string): string {
	return `{"jsonrpc":"2.0","method":"request/cancel","params":{"requestId":"${requestId}"}}`;
}

/** Ids are tokens: they need no escape. */
export function responseFrame(id: string | null, payload: Payload): string {
	return `{"jsonrpc":"2.0","id":${id === null ? "null" : `"${id}"`},${payload}}`;
}
