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

/** A call for the session, which still checks its values, and the endpoint objects that the author mapped, by port. */
export interface ReadCall {
	/** Without channels. */
	readonly call: ChildCall | CapabilityCall;
	readonly endpoints: ReadonlyMap<string, object>;
}

const NO_ENDPOINTS: ReadonlyMap<string, object> = new Map();
const NO_CHANNELS: Readonly<Record<string, string>> = Object.freeze({});

const CHILD = ["operationId", "slot", "input", "channels", "intent"];
const CAPABILITY = ["operationId", "slot", "input", "channels", "method"];

/** Reads a `ChildFlowRequest`. Throws `TypeError`. */
export function readChildRequest(given: unknown): ReadCall {
	const members = readMembers(given, "The child request", CHILD);
	const [operationId, slot, input, mapped, intent] = members;
	const call = { kind: "child", operationId, slot, input, channels: NO_CHANNELS };
	return {
		call: (intent === undefined ? call : { ...call, intent }) as ChildCall,
		endpoints: readEndpoints(mapped),
	};
}

/** Reads a `CapabilityCall`. Throws `TypeError`. */
export function readCapabilityCall(given: unknown): ReadCall {
	const members = readMembers(given, "The capability call", CAPABILITY);
	const [operationId, slot, input, mapped, method] = members;
	const call = { kind: "capability", operationId, slot, input, channels: NO_CHANNELS, method };
	return { call: call as CapabilityCall, endpoints: readEndpoints(mapped) };
}

/** Reads `CallOptions`. Throws `TypeError`. Any environment's `AbortSignal` will do, another realm's too. */
export function readCallOptions(options: unknown): AbortSignal | undefined {
	if (options === undefined) return undefined;
	const [signal] = readMembers(options, "The call options", ["signal"]);
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
	const [delivery, schema, contract] = members;
	if (delivery !== undefined && delivery !== "direct" && delivery !== "broadcast") {
		throw new TypeError('delivery must be "direct" or "broadcast".');
	}
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

/** The mapped endpoints; which of them are this Run's is the caller's question. */
function readEndpoints(map: unknown): ReadonlyMap<string, object> {
	if (map === undefined) return NO_ENDPOINTS;
	checkObject(map, "channels");
	const endpoints = new Map<string, object>();
	for (const name of Reflect.ownKeys(map)) {
		if (typeof name !== "string") throw unknownMember(name, "channels");
		const endpoint = readMember(map, name, "channels");
		if (endpoint === undefined) continue;
		if (typeof endpoint !== "object" || endpoint === null) throw new TypeError("channels must hold channel endpoints.");
		endpoints.set(name, endpoint);
	}
	return endpoints;
}

/** The own data members of an argument object, in the order of `known`: no others may stand there. */
function readMembers(value: unknown, what: string, known: readonly string[]): readonly unknown[] {
	checkObject(value, what);
	const members: unknown[] = [];
	for (let place = 0; place < known.length; place++) members.push(undefined);
	for (const name of Reflect.ownKeys(value)) {
		const place = known.indexOf(name as string);
		if (place < 0) throw unknownMember(name, what);
		members[place] = readMember(value, name as string, what);
	}
	return members;
}

function checkObject(value: unknown, what: string): asserts value is object {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new TypeError(`${what} must be an object.`);
	}
}

/** Read from its descriptor, so that no accessor runs. */
function readMember(value: object, name: string, what: string): unknown {
	const member = Object.getOwnPropertyDescriptor(value, name);
	if (member !== undefined && Object.hasOwn(member, "value")) return member.value;
	throw new TypeError(`${what} must hold plain values; ${quoteForDisplay(name, 64)} is an accessor.`);
}

function unknownMember(name: string | symbol, what: string): TypeError {
	return new TypeError(`${what} has a member that is not known: ${quoteForDisplay(String(name), 64)}.`);
}
