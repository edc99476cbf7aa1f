/**
 * JSON-RPC envelopes as Run/1 narrows them (sections 1 and 7): what a parsed frame is, before anyone asks whether its method
 * or its correlation fit. Which faults are answered, and with which id, is decided here; by whom and when, in the core.
 */

import { quoteForDisplay } from "../display.ts";
import { isToken } from "../grammar/names.ts";
import { formatPointer, isJsonObject, type JsonObject, type JsonValue, ownMember } from "../json/index.ts";
import { isWireCode, OPERATIONAL_ERROR, STANDARD_ERRORS, WIRE_CODES } from "./codes.ts";
import { RUN_LIMITS } from "./limits.ts";
import { CANCEL_PARAMS, METHODS } from "./methods.ts";
import type { Failure } from "./ports.ts";
import { anything, type Check, closed, type Fault, literal, text } from "./shapes.ts";

/** A response's payload: a result still to be checked for its method, an operational failure, or a standard error. */
export type Reply =
	| { readonly result: JsonValue }
	| { readonly failure: Failure }
	| { readonly standard: number; readonly message: string };

export type Message =
	| { readonly kind: "request"; readonly id: string; readonly method: string; readonly params: JsonValue | undefined }
	| { readonly kind: "notification"; readonly method: string; readonly params: JsonValue | undefined }
	/** `id` is null only for `-32700` and `-32600`, which answer a frame that could not be correlated. */
	| { readonly kind: "response"; readonly id: string | null; readonly reply: Reply }
	/** `answer`: whether a best-effort `-32600` is due, with `id` (sections 1 and 8). */
	| { readonly kind: "invalid"; readonly message: string; readonly answer: boolean; readonly id: string | null };

const REQUEST_MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const RESPONSE_MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"]);
const STANDARD: ReadonlySet<unknown> = new Set(Object.values(STANDARD_ERRORS));
/** The standard errors that may come without a correlated id. */
const UNCORRELATED: ReadonlySet<unknown> = new Set([STANDARD_ERRORS.parse, STANDARD_ERRORS.invalidRequest]);

const message: Check = text(1, RUN_LIMITS.messageScalars);

const OPERATIONAL: Check = closed({
	code: literal(OPERATIONAL_ERROR),
	message,
	data: closed({ code: literal(...WIRE_CODES) }, { details: anything }),
});
const STANDARD_ERROR: Check = closed({ code: literal(...Object.values(STANDARD_ERRORS)), message }, { data: anything });

/** Classifies one parsed frame. */
export function classify(value: JsonValue): Message {
	if (!isJsonObject(value)) {
		return invalid(Array.isArray(value) ? "a batch; Run/1 has none" : "no JSON object", null);
	}
	if (ownMember(value, "jsonrpc") !== "2.0") return invalid('a message whose jsonrpc is not "2.0"', null);
	if (Object.hasOwn(value, "method")) return classifyCall(value);
	if (Object.hasOwn(value, "result") || Object.hasOwn(value, "error")) return classifyResponse(value);
	return invalid("a message with neither method, result nor error", null);
}

function classifyCall(value: JsonObject): Message {
	const { method } = value;
	const isRequest = Object.hasOwn(value, "id");
	const id = ownMember(value, "id");
	// The id is unambiguous when nothing else makes this a response.
	const requestId = isToken(id) && !Object.hasOwn(value, "result") && !Object.hasOwn(value, "error") ? id : null;
	if (typeof method !== "string") return invalid("a message whose method is not a string", requestId);
	if (isRequest && !isToken(id)) return invalid("a request whose id is not a token of 1 to 128 characters", null);
	const params = ownMember(value, "params");
	if (params !== undefined && (typeof params !== "object" || params === null)) {
		return invalid("a message whose params are neither an object nor an array", requestId);
	}
	if (hasStranger(value, REQUEST_MEMBERS)) {
		// The whole notification is closed, and a malformed cancellation is fatal without an answer.
		const answer = isRequest || method !== "request/cancel";
		return { kind: "invalid", message: "a message with an unknown member", answer, id: requestId };
	}
	return isRequest ? { kind: "request", id: id as string, method, params } : { kind: "notification", method, params };
}

function classifyResponse(value: JsonObject): Message {
	const id = ownMember(value, "id");
	if (id !== null && !isToken(id)) return invalid("a response whose id is not a token of 1 to 128 characters", null);
	if (hasStranger(value, RESPONSE_MEMBERS)) return invalid("a response with an unknown member", null);
	const error = ownMember(value, "error");
	if (error === undefined) {
		if (id === null) return invalid("a result whose id is null", null);
		return { kind: "response", id, reply: { result: value.result! } };
	}
	if (Object.hasOwn(value, "result")) return invalid("a response with both result and error", null);
	const code = isJsonObject(error) ? ownMember(error, "code") : undefined;
	// From here on the frame is a response: answering one with an error would answer an answer.
	if (id === null && !UNCORRELATED.has(code)) return silent("an error whose id is null");
	const fault = code === OPERATIONAL_ERROR ? OPERATIONAL(error) : STANDARD_ERROR(error);
	if (fault !== undefined) return silent(`a response whose error${describe(fault)}`);
	if (code === STANDARD_ERRORS.parse && id !== null) return silent("a -32700 error whose id is not null");
	return { kind: "response", id, reply: readError(error as JsonObject) };
}

function readError(error: JsonObject): Reply {
	const text = error.message as string;
	if (STANDARD.has(error.code)) return { standard: error.code as number, message: text };
	const data = error.data as JsonObject;
	const failure = { code: data.code as Failure["code"], message: text };
	const details = ownMember(data, "details");
	return { failure: details === undefined ? failure : { ...failure, details } };
}

function hasStranger(value: JsonObject, members: ReadonlySet<string>): boolean {
	return Object.keys(value).some((name) => !members.has(name));
}

function invalid(message: string, id: string | null): Message {
	return { kind: "invalid", message, answer: true, id };
}

function silent(message: string): Message {
	return { kind: "invalid", message, answer: false, id: null };
}

/** A fault as the end of a sentence: ` at "/pointer" must be …`. */
export function describe(fault: Fault): string {
	return fault.path.length === 0 ? ` ${fault.message}` : ` at ${JSON.stringify(pointerOf(fault))} ${fault.message}`;
}

export function pointerOf(fault: Fault): string {
	return formatPointer(fault.path);
}

/** Whether a value is an operational failure that may cross the wire; `details` are JSON/1 already. */
export function isFailure(value: unknown): value is Failure {
	if (typeof value !== "object" || value === null) return false;
	const { code, message: text } = value as { code?: unknown; message?: unknown };
	return isWireCode(code) && typeof text === "string" && text.isWellFormed() && message(text) === undefined;
}

/**
 * The first context-free fault of one message, or undefined: what the published machine schema (section 10) decides. Direction
 * and correlation are the session's. A result is accepted when any method could have it.
 */
export function checkMessage(value: JsonValue): Fault | undefined {
	const found = classify(value);
	switch (found.kind) {
		case "invalid":
			return { path: [], message: found.message };
		case "request":
			return checkCall(METHODS.get(found.method)?.params, found.method, found.params);
		case "notification":
			return checkCall(found.method === "request/cancel" ? CANCEL_PARAMS : undefined, found.method, found.params);
		case "response":
			return "result" in found.reply ? checkAnyResult(found.reply.result) : undefined;
	}
}

function checkCall(check: Check | undefined, method: string, params: JsonValue | undefined): Fault | undefined {
	if (check === undefined)
		return { path: ["method"], message: `${quoteForDisplay(method, 64)} is not sent in this form` };
	if (params === undefined) return { path: [], message: 'lacks the member "params"' };
	const fault = check(params);
	if (fault === undefined) return undefined;
	return { path: ["params", ...fault.path], message: fault.message };
}

function checkAnyResult(result: JsonValue): Fault | undefined {
	for (const rule of METHODS.values()) if (rule.result(result) === undefined) return undefined;
	return { path: ["result"], message: "is the result of no method" };
}
