/** Messages of Run/1 in a few words: methods, names and references, never a value. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/index.ts";

/** A request or notification: its method, with what it is about. */
export function describeRequest(method: string, params: JsonValue | undefined): string {
	const given = params !== undefined && isJsonObject(params) ? params : {};
	switch (method) {
		case "flow/run":
			return withPorts(method, given);
		case "flow/run-child":
			return withPorts(`${method} ${word(given.slot)} (${word(given.operationId)})`, given);
		case "capability/call":
			return withPorts(`${method} ${word(given.slot)}.${word(given.method)} (${word(given.operationId)})`, given);
		case "request/cancel":
			return `${method} ${word(given.requestId)}`;
		case "channel/create": {
			const contract = typeof given.contract === "string" ? ` ${given.contract}` : "";
			return `${method} ${typeof given.delivery === "string" ? given.delivery : "direct"}${contract}`;
		}
		case "channel/subscribe":
			return `${method} ${word(given.source)}`;
		default:
			return Object.hasOwn(given, "endpoint") ? `${method} ${word(given.endpoint)}` : method;
	}
}

/** What a request of `method` was answered with. */
export function describeResult(method: string, result: JsonValue | undefined): string {
	const given = result !== undefined && isJsonObject(result) ? result : {};
	if (Object.hasOwn(given, "outcome")) return word(given.outcome);
	switch (method) {
		case "capability/call":
			return Object.hasOwn(given, "error") ? `error ${word(member(given, "error").name)}` : "value";
		case "channel/create": {
			const other = Object.hasOwn(given, "receive") ? member(given, "receive").endpoint : given.source;
			return `${word(member(given, "send").endpoint)}, ${word(other)}`;
		}
		case "channel/subscribe":
			return `${word(given.endpoint)} from ${word(given.startSequence)}`;
		case "channel/next":
			return Object.hasOwn(given, "item")
				? `item ${word(member(given, "item").sequence)}`
				: `end after ${word(member(given, "end").lastSequence)}`;
		case "channel/send":
			return "accepted";
		case "channel/close":
			return "sealed";
		case "channel/release":
			return given.status === "failed" ? `failed ${word(given.code)}` : word(given.status);
		default:
			return "result";
	}
}

function withPorts(text: string, params: JsonObject): string {
	const ports = Object.keys(member(params, "channels"));
	return ports.length === 0 ? text : `${text} with ${ports.join(", ")}`;
}

function member(value: JsonObject, name: string): JsonObject {
	const found = Object.hasOwn(value, name) ? value[name]! : {};
	return isJsonObject(found) ? found : {};
}

function word(value: JsonValue | undefined): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "?";
}
