/**
 * Argument objects of component code, read before anything is admitted (Run SDK/1 section 4). The session checks the names
 * and values in them; what is checked here is that they are plain arguments at all.
 *
 * They are read as own data members: accessors are not run, and a member that is not known is refused, because a misspelt
 * optional one would silently change the call. A member that is `undefined` counts as absent. Everything wrong here is a
 * `TypeError` that names the argument.
 */
import { quoteForDisplay } from "../display.ts";
import { admitJson, type JsonValue } from "../json/index.ts";
import type { CapabilityCall, ChildCall } from "../run/index.ts";
import type { AbortSignal } from "../web.ts";

type Members = ReadonlyMap<string, unknown>;

/** A call for the session, which still checks its values, and the endpoint objects that the author mapped, by port. */
export interface ReadCall {
	readonly call: ChildCall | CapabilityCall;
	readonly endpoints: ReadonlyMap<string, object>;
}

/** Reads a `ChildFlowRequest`. Throws `TypeError`. */
export function readChildRequest(call: unknown): ReadCall {
	const members = readMembers(call, "The child request", ["operationId", "slot", "intent", "input", "channels"]);
	const intent = members.has("intent") ? { intent: members.get("intent") } : {};
	return { call: { kind: "child", ...shared(members), ...intent } as ChildCall, endpoints: readEndpoints(members) };
}

/** Reads a `CapabilityCall`. Throws `TypeError`. */
export function readCapabilityCall(call: unknown): ReadCall {
	const members = readMembers(call, "The capability call", ["operationId", "slot", "method", "input", "channels"]);
	const method = members.get("method");
	return {
		call: { kind: "capability", ...shared(members), method } as CapabilityCall,
		endpoints: readEndpoints(members),
	};
}

/** Reads `CallOptions`. Throws `TypeError`. Any environment's `AbortSignal` will do, another realm's too. */
export function readCallOptions(options: unknown): AbortSignal | undefined {
	if (options === undefined) return undefined;
	const signal = readMembers(options, "The call options", ["signal"]).get("signal");
	if (signal === undefined) return undefined;
	const candidate = signal as Partial<AbortSignal> | null;
	if (
		typeof candidate !== "object" ||
		candidate === null ||
		typeof candidate.aborted !== "boolean" ||
		typeof candidate.addEventListener !== "function" ||
		typeof candidate.removeEventListener !== "function"
	) {
		throw new TypeError("signal must be an AbortSignal.");
	}
	return candidate as AbortSignal;
}

/** What a channel is created with. */
export interface ReadChannelOptions {
	readonly delivery?: "direct" | "broadcast";
	readonly schema?: JsonValue;
	readonly contract?: string;
}

/**
 * Reads `ChannelOptions`, with a snapshot of the schema. Throws `TypeError`, or `JsonError` for a schema that is no JSON/1
 * value. Whether it is a Schema/1 schema, and what the contract reference names, is the host's to say.
 */
export function readChannelOptions(options: unknown): ReadChannelOptions {
	if (options === undefined) return {};
	const members = readMembers(options, "The channel options", ["delivery", "schema", "contract"]);
	const delivery = members.get("delivery");
	if (delivery !== undefined && delivery !== "direct" && delivery !== "broadcast") {
		throw new TypeError('delivery must be "direct" or "broadcast".');
	}
	const schema = members.get("schema");
	const contract = members.get("contract");
	if (schema !== undefined && contract !== undefined) {
		throw new TypeError("A channel has a schema or a contract, not both.");
	}
	if (contract !== undefined && typeof contract !== "string") throw new TypeError("contract must be a string.");
	if (schema !== undefined && typeof schema !== "boolean" && (typeof schema !== "object" || schema === null)) {
		throw new TypeError("schema must be an object or a boolean.");
	}
	return {
		...(delivery === undefined ? {} : { delivery }),
		...(schema === undefined ? {} : { schema: admitJson(schema) }),
		...(contract === undefined ? {} : { contract }),
	};
}

function shared(members: Members): Record<"operationId" | "slot" | "input" | "channels", unknown> {
	return {
		operationId: members.get("operationId"),
		slot: members.get("slot"),
		input: members.get("input"),
		channels: {},
	};
}

/** The mapped endpoints; which of them are this Run's is the caller's question. */
function readEndpoints(members: Members): ReadonlyMap<string, object> {
	const map = members.get("channels");
	if (map === undefined) return new Map();
	const endpoints = readMembers(map, "channels", undefined);
	for (const endpoint of endpoints.values()) {
		if (typeof endpoint !== "object" || endpoint === null) throw new TypeError("channels must hold channel endpoints.");
	}
	return endpoints as ReadonlyMap<string, object>;
}

/** The own data members of an argument object that aren't `undefined`; with `known`, no others may stand there. */
function readMembers(value: unknown, what: string, known: readonly string[] | undefined): Members {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new TypeError(`${what} must be an object.`);
	}
	const members = new Map<string, unknown>();
	for (const key of Reflect.ownKeys(value)) {
		if (typeof key !== "string" || (known !== undefined && !known.includes(key))) {
			throw new TypeError(`${what} has a member that is not known: ${quoteForDisplay(String(key), 64)}.`);
		}
		const member = Object.getOwnPropertyDescriptor(value, key);
		if (member === undefined || !("value" in member)) {
			throw new TypeError(`${what} must hold plain values; ${quoteForDisplay(key, 64)} is an accessor.`);
		}
		if (member.value !== undefined) members.set(key, member.value);
	}
	return members;
}
