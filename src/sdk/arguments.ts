/**
 * What component code hands to the SDK, checked before anything is admitted (Run SDK/1 section 4).
 *
 * Argument objects are read as own data members: accessors are not run, unknown members are refused because a misspelt
 * optional one would silently change the call. A member that is `undefined` counts as absent. Everything wrong here is a
 * `TypeError` that names the argument.
 */
import { isLocalName, isToken } from "../grammar/index.ts";
import { admitJson, JsonError, type JsonValue, scalarLength } from "../json/index.ts";
import { RUN_LIMITS } from "../run/index.ts";
import type { AbortSignal } from "../web.ts";
import type { ChannelEndpoint } from "./types.ts";

type Members = ReadonlyMap<string, unknown>;

/** The checked, isolated parts that child and capability calls share. */
export interface OperationArguments {
	readonly operationId: string;
	readonly slot: string;
	readonly input: JsonValue;
	readonly channels: ReadonlyMap<string, ChannelEndpoint>;
}

/** Checks a `ChildFlowRequest`; throws `TypeError`. The input is a snapshot: later mutation by the caller changes nothing. */
export function checkChildRequest(call: unknown): OperationArguments & { readonly intent?: string } {
	const members = readMembers(call, "The child request", ["operationId", "slot", "intent", "input", "channels"]);
	const shared = checkShared(members);
	const intent = members.get("intent");
	if (intent === undefined) return shared;
	if (typeof intent !== "string" || !intent.isWellFormed()) throw new TypeError("intent must be a well-formed string.");
	const length = scalarLength(intent);
	if (length < 1 || length > RUN_LIMITS.intentScalars) {
		throw new TypeError(`intent must have 1 to ${RUN_LIMITS.intentScalars} Unicode characters; it has ${length}.`);
	}
	return { ...shared, intent };
}

/** Checks a `CapabilityCall`; throws `TypeError`. The input is a snapshot. */
export function checkCapabilityCall(call: unknown): OperationArguments & { readonly method: string } {
	const members = readMembers(call, "The capability call", ["operationId", "slot", "method", "input", "channels"]);
	const shared = checkShared(members);
	return { ...shared, method: checkName(members.get("method"), "method") };
}

/** Checks `CallOptions`; throws `TypeError`. Any environment's `AbortSignal` will do, another realm's too. */
export function checkCallOptions(options: unknown): AbortSignal | undefined {
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

/** Checks `ChannelOptions`; throws `TypeError`. */
export function checkChannelOptions(options: unknown): { delivery: "direct" | "broadcast" } {
	if (options === undefined) return { delivery: "direct" };
	const members = readMembers(options, "The channel options", ["delivery", "schema", "contract"]);
	const delivery = members.get("delivery") ?? "direct";
	if (delivery !== "direct" && delivery !== "broadcast") {
		throw new TypeError('delivery must be "direct" or "broadcast".');
	}
	const schema = members.get("schema");
	const contract = members.get("contract");
	if (schema !== undefined && contract !== undefined) {
		throw new TypeError("A channel has a schema or a contract, not both.");
	}
	if (schema !== undefined) admit(schema, "schema");
	if (contract !== undefined && typeof contract !== "string") throw new TypeError("contract must be a string.");
	return { delivery };
}

function checkShared(members: Members): OperationArguments {
	const operationId = members.get("operationId");
	if (!isToken(operationId)) {
		throw new TypeError(
			"operationId must be 1 to 128 of the characters A-Z a-z 0-9 . _ : / - and start with a letter or digit.",
		);
	}
	return {
		operationId,
		slot: checkName(members.get("slot"), "slot"),
		channels: checkChannelMap(members.get("channels")),
		input: admit(members.get("input"), "input"),
	};
}

function checkName(value: unknown, what: string): string {
	if (isLocalName(value)) return value;
	throw new TypeError(`${what} must be 1 to 64 characters: lower-case words a-z 0-9 joined by single hyphens.`);
}

/** Endpoints are objects; which of them are ours and still held is the caller's question. */
function checkChannelMap(value: unknown): ReadonlyMap<string, ChannelEndpoint> {
	const channels = new Map<string, ChannelEndpoint>();
	if (value === undefined) return channels;
	const members = readMembers(value, "channels", undefined);
	if (members.size > RUN_LIMITS.channels)
		throw new TypeError(`channels has ${members.size} entries, ${RUN_LIMITS.channels} at most.`);
	for (const [name, endpoint] of members) {
		checkName(name, "A channel name");
		if (typeof endpoint !== "object" || endpoint === null) throw new TypeError("channels must hold channel endpoints.");
		channels.set(name, endpoint as ChannelEndpoint);
	}
	return channels;
}

/** A JSON/1 snapshot of `value`, or a `TypeError` that says where it isn't one. */
function admit(value: unknown, what: string): JsonValue {
	if (value === undefined) throw new TypeError(`${what} is required; use null where there is nothing to say.`);
	try {
		return admitJson(value);
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		throw new TypeError(`${what} is no JSON/1 value: ${error.message}`, { cause: error });
	}
}

/** The own data members of an argument object that aren't `undefined`; with `known`, no others may stand there. */
function readMembers(value: unknown, what: string, known: readonly string[] | undefined): Members {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new TypeError(`${what} must be an object.`);
	}
	const members = new Map<string, unknown>();
	for (const key of Reflect.ownKeys(value)) {
		if (typeof key !== "string" || (known !== undefined && !known.includes(key))) {
			throw new TypeError(`${what} has a member that is not known: ${JSON.stringify(String(key).slice(0, 64))}.`);
		}
		const member = Object.getOwnPropertyDescriptor(value, key);
		if (member === undefined || !("value" in member)) {
			throw new TypeError(`${what} must hold plain values; "${key.slice(0, 64)}" is an accessor.`);
		}
		if (member.value !== undefined) members.set(key, member.value);
	}
	return members;
}
