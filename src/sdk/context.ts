/**
 * The author's `RunContext` over one component session: argument checks, the order in which refusals win, and the way from
 * a settlement to a value or an error class.
 *
 * Order (Run SDK/1 section 4; the first that applies decides): invalid arguments `TypeError`, no longer admitting
 * `OWNER_CLOSED`, aborted signal `CANCELLED`, then the session's capacities `RESOURCE_EXHAUSTED`. All of them are rejected
 * promises, never synchronous throws, and none of them makes an unhandled rejection when nobody looks.
 */
import type { JsonValue } from "../json/index.ts";
import {
	CallRefused,
	type CapabilityCall,
	type ChildCall,
	type ComponentSession,
	type RootInvocation,
	type Settlement,
} from "../run/index.ts";
import type { AbortSignal } from "../web.ts";
import {
	checkCallOptions,
	checkCapabilityCall,
	checkChannelOptions,
	checkChildRequest,
	type OperationArguments,
} from "./arguments.ts";
import { channelsUnavailable, grantedEndpoints } from "./channels.ts";
import { CapabilityError, OperationError } from "./errors.ts";
import { SignalWatch } from "./signals.ts";
import type { RunContext, RunResult } from "./types.ts";

/** What the context needs of the Run around it. */
export interface ContextOwner {
	readonly session: Pick<ComponentSession, "call">;
	/** Aborted by root cancellation and by the loss of the connection. */
	readonly signal: AbortSignal;
	/** False once the handler settled, the root was cancelled or the connection ended. */
	admits(): boolean;
}

/** Builds the context handed to the handler. Its functions need no `this`, so they can be taken apart. */
export function createContext(invocation: RootInvocation, owner: ContextOwner): RunContext {
	const signals = new SignalWatch();
	const { channels, isHeld } = grantedEndpoints(invocation.channels);

	function dispatch<T>(check: () => Prepared, wanted: (value: JsonValue) => T, options: unknown): Promise<T> {
		return observed<T>((resolve, reject) => {
			const { call, mapped } = check();
			const signal = checkCallOptions(options);
			for (const endpoint of mapped) {
				if (!isHeld(endpoint)) throw new TypeError("channels must hold endpoints of this Run.");
			}
			refuseUnlessAdmitting(owner, signal);
			if (mapped.length > 0) throw channelsUnavailable();
			let unwatch: (() => void) | undefined;
			let settled = false;
			const handle = admitted(() =>
				owner.session.call(call, (settlement) => {
					settled = true;
					unwatch?.();
					settle(settlement, (value) => resolve(wanted(value)), reject);
				}),
			);
			if (signal !== undefined && !settled) unwatch = signals.watch(signal, () => handle.cancel());
		});
	}

	return {
		input: invocation.input,
		settings: invocation.settings,
		attachments: invocation.attachments,
		channels,
		scratch: invocation.scratch,
		deadlineUnixMs: invocation.deadlineUnixMs,
		signal: owner.signal,
		runChildFlow: (call, options) =>
			dispatch(
				() => prepareChild(checkChildRequest(call)),
				(value) => value as unknown as RunResult,
				options,
			),
		callCapability: (call, options) =>
			dispatch(
				() => prepareCapability(checkCapabilityCall(call)),
				(value) => value,
				options,
			),
		channel: (options?: unknown, callOptions?: unknown): Promise<never> =>
			observed<never>(() => {
				checkChannelOptions(options);
				refuseUnlessAdmitting(owner, checkCallOptions(callOptions));
				throw channelsUnavailable();
			}),
	};
}

interface Prepared {
	readonly call: ChildCall | CapabilityCall;
	readonly mapped: readonly object[];
}

function prepareChild(checked: OperationArguments & { readonly intent?: string }): Prepared {
	const { channels, ...parts } = checked;
	return { call: { kind: "child", ...parts, channels: {} }, mapped: [...channels.values()] };
}

function prepareCapability(checked: OperationArguments & { readonly method: string }): Prepared {
	const { channels, ...parts } = checked;
	return { call: { kind: "capability", ...parts, channels: {} }, mapped: [...channels.values()] };
}

function refuseUnlessAdmitting(owner: ContextOwner, signal: AbortSignal | undefined): void {
	if (!owner.admits()) throw new OperationError("OWNER_CLOSED", "This Run no longer admits calls.");
	if (signal?.aborted) throw new OperationError("CANCELLED", "The signal was already aborted when the call was made.");
}

function settle(settlement: Settlement, resolve: (value: JsonValue) => void, reject: (error: Error) => void): void {
	if ("value" in settlement) resolve(settlement.value);
	else if ("declared" in settlement) reject(new CapabilityError(settlement.declared.name, settlement.declared.data));
	else {
		const { failure } = settlement;
		reject(new OperationError(failure.code, failure.message, "details" in failure ? failure.details : undefined));
	}
}

/** One promise, rejected when `start` throws, and marked as looked at so that an ignored failure stays silent. */
function observed<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => void): Promise<T> {
	const promise = new Promise<T>(start);
	promise.catch(() => {});
	return promise;
}

/** Gives a refused admission of the session the author's error class. */
function admitted<T>(admit: () => T): T {
	try {
		return admit();
	} catch (error) {
		if (error instanceof CallRefused) throw new OperationError(error.code, error.message);
		throw error;
	}
}
