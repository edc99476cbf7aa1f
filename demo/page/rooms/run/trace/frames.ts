/** Frames of Run/1 in a few words. */
import { parseJson } from "millrace";
import { elidedLength, type Fields, isFields, member, plainWord, word } from "./fields.ts";
import { CALLS, CANCELLATION, CHANNELS, type Saying } from "./groups.ts";

/** A frame as far as a row needs it. */
export interface Frame extends Saying {
	/** The request id, where it has one: of a request, or of what is answered. */
	readonly id?: string | undefined;
	readonly role: "request" | "notification" | "answer";
}

/** What is remembered of a request until it is answered. */
export interface Asked {
	readonly method: string;
	readonly operationId?: string | undefined;
}

/**
 * Reads a frame. `asked` finds the request that an answer belongs to, by its id. Whatever stands in the frame gets words: a
 * component can send what it likes.
 */
export function readFrame(frame: unknown, asked: (id: string) => Asked | undefined): Frame {
	const elided = elidedLength(frame);
	if (elided !== undefined) return nameless(`${elided} bytes, not recorded`, "request");
	const message = parse(frame);
	if (message === undefined) return nameless("what is no JSON object", "failure");
	const id = plainWord(message, "id");
	const method = plainWord(message, "method");
	if (method !== undefined) return request(method, id, member(message, "params"));
	const origin = id === undefined ? undefined : asked(id);
	const groups = groupsOf(origin?.method ?? "");
	const of = origin?.operationId === undefined ? "" : ` (${origin.operationId})`;
	const answered = { id, role: "answer", operationId: origin?.operationId } as const;
	if (isFields(message.error)) {
		const code = failureCode(message.error);
		const cancelled = code === "CANCELLED" || code === "DEADLINE_EXCEEDED" ? CANCELLATION : 0;
		return { ...answered, kind: "failure", groups: groups | cancelled, label: `${code}${of}` };
	}
	if (!Object.hasOwn(message, "result")) return { ...nameless("no message of Run/1", "failure"), id };
	return { ...answered, kind: "response", groups, label: `${result(origin?.method ?? "", message.result)}${of}` };
}

function nameless(label: string, kind: "request" | "failure"): Frame {
	return { kind, groups: CALLS, label, role: "notification" };
}

function parse(frame: unknown): Fields | undefined {
	if (!(frame instanceof Uint8Array)) return undefined;
	try {
		const value: unknown = parseJson(frame);
		return isFields(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function groupsOf(method: string): number {
	if (method === "request/cancel") return CANCELLATION;
	return method.startsWith("channel/") ? CHANNELS : CALLS;
}

function request(method: string, id: string | undefined, params: Fields): Frame {
	return {
		kind: "request",
		role: id === undefined ? "notification" : "request",
		id,
		groups: groupsOf(method),
		operationId: plainWord(params, "operationId"),
		label: `${method}${about(method, params)}`,
	};
}

/** What a request is about, after its method. */
function about(method: string, params: Fields): string {
	switch (method) {
		case "flow/run":
			return ports(params);
		case "flow/run-child":
			return ` ${word(params, "slot")} (${word(params, "operationId")})${ports(params)}`;
		case "capability/call":
			return ` ${word(params, "slot")}.${word(params, "method")} (${word(params, "operationId")})${ports(params)}`;
		case "request/cancel":
			return ` ${word(params, "requestId")}`;
		case "channel/create": {
			const contract = plainWord(params, "contract");
			return ` ${plainWord(params, "delivery") ?? "direct"}${contract === undefined ? "" : ` ${contract}`}`;
		}
		case "channel/subscribe":
			return ` ${word(params, "source")}`;
		default:
			return Object.hasOwn(params, "endpoint") ? ` ${word(params, "endpoint")}` : "";
	}
}

function ports(params: Fields): string {
	const names = Object.keys(member(params, "channels"));
	if (names.length === 0) return "";
	const shown = names.slice(0, 4).map((name) => word({ name }, "name"));
	return ` with ${shown.join(", ")}${names.length > 4 ? ` and ${names.length - 4} more` : ""}`;
}

function result(method: string, value: unknown): string {
	const given = isFields(value) ? value : {};
	if (Object.hasOwn(given, "outcome")) return word(given, "outcome");
	switch (method) {
		case "capability/call":
			return Object.hasOwn(given, "error") ? `error ${word(member(given, "error"), "name")}` : "value";
		case "channel/create": {
			const other = Object.hasOwn(given, "receive")
				? word(member(given, "receive"), "endpoint")
				: word(given, "source");
			return `${word(member(given, "send"), "endpoint")}, ${other}`;
		}
		case "channel/subscribe":
			return `${word(given, "endpoint")} from ${word(given, "startSequence")}`;
		case "channel/next":
			return Object.hasOwn(given, "item")
				? `item ${word(member(given, "item"), "sequence")}`
				: `end after ${word(member(given, "end"), "lastSequence")}`;
		case "channel/send":
			return "accepted";
		case "channel/close":
			return "sealed";
		case "channel/release":
			return given.status === "failed" ? `failed ${word(given, "code")}` : word(given, "status");
		default:
			return "result";
	}
}

/** The operational code, or the number of the standard error. */
function failureCode(error: Fields): string {
	return plainWord(member(error, "data"), "code") ?? word(error, "code");
}
