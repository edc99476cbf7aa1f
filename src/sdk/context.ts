/**
 * The author's `RunContext` over one component session: argument checks, the order in which refusals win, and the way from
 * a settlement to a value or an error class.
 *
 * Order (Run SDK/1 sections 2 and 4; the first that applies decides): invalid arguments `TypeError`, aborted signal exactly
 * `CANCELLED`, no longer admitting `OWNER_CLOSED`, then the session's capacities `RESOURCE_EXHAUSTED`. All of them are rejected
 * promises, never synchronous throws, and none of them makes an unhandled rejection when nobody looks.
 */
import type { JsonValue } from "../json/index.ts";
import { CallRefused, InvalidMessage } from "../run/errors.ts";
import type { ComponentSession, RootInvocation, Settlement } from "../run/index.ts";
import { signals } from "../signals.ts";
import type { AbortSignal } from "../web.ts";
import {
	checkChannelOptions,
	type ReadCall,
	readCallOptions,
	readCapabilityCall,
	readChildRequest,
} from "./arguments.ts";
import { channelsUnavailable, grantedEndpoints } from "./channels.ts";
import { CapabilityError, OperationError } from "./errors.ts";
import type { RunContext, RunResult } from "./types.ts";

/** What the context needs of the Run around it. */
export interface ContextOwner {
	readonly session: Pick<ComponentSession, "call">;
	/** Aborted by root cancellation and by the loss of the connection. */
	readonly signal: AbortSignal;
	/** False once the handler settled, the root was cancelled or the connection ended. */
	admits(): boolean;
}

type Resolve<T> = (value: T) => void;
type Reject = (error: unknown) => void;

/** Builds the context handed to the handler. Its functions need no `this`, so they can be taken apart. */
export function createContext(invocation: RootInvocation, owner: ContextOwner): RunContext {
	const { channels, isHeld } = grantedEndpoints(invocation.channels);

	function dispatch(
		{ call, endpoints }: ReadCall,
		options: unknown,
		resolve: Resolve<JsonValue>,
		reject: Reject,
	): void {
		const signal = readCallOptions(options);
		if (!endpoints.every(isHeld)) throw new TypeError("channels must hold endpoints of this Run.");
		let unwatch: (() => void) | undefined;
		const { cancel } = owner.session.call(call, (settlement) => {
			unwatch?.();
			settle(settlement, resolve, reject);
		});
		// Admitted first, so that bad arguments win; what is cancelled before the next microtask was
		// never taken for the wire, and leaves no trace there.
		if (signal?.aborted) cancel();
		else if (endpoints.length > 0) {
			reject(channelsUnavailable());
			cancel();
		} else if (signal !== undefined) unwatch = signals.watch(signal, cancel);
	}

	function callable<T extends JsonValue>(read: (call: unknown) => ReadCall) {
		return (call: unknown, options: unknown): Promise<T> =>
			observed<T>(options, (resolve, reject) => {
				dispatch(read(call), options, resolve as Resolve<JsonValue>, reject);
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
		runChildFlow: callable<RunResult>(readChildRequest),
		callCapability: callable<JsonValue>(readCapabilityCall),
		channel: (options?: unknown, callOptions?: unknown): Promise<never> =>
			observed<never>(callOptions, () => {
				checkChannelOptions(options);
				const signal = readCallOptions(callOptions);
				if (signal?.aborted) throw cancelled();
				if (!owner.admits()) throw new OperationError("OWNER_CLOSED", "The Run no longer admits calls.");
				throw channelsUnavailable();
			}),
	};
}

function settle(settlement: Settlement, resolve: Resolve<JsonValue>, reject: Reject): void {
	if ("value" in settlement) resolve(settlement.value);
	else if ("declared" in settlement) reject(new CapabilityError(settlement.declared.name, settlement.declared.data));
	else {
		const { failure } = settlement;
		reject(new OperationError(failure.code, failure.message, "details" in failure ? failure.details : undefined));
	}
}

/** The author's error for a call that was not admitted. An aborted signal wins (Run SDK/1 section 2: exactly `CANCELLED`). */
function refusal(error: unknown, options: unknown): unknown {
	if (error instanceof CallRefused) {
		if (readCallOptions(options)?.aborted) return cancelled();
		return new OperationError(error.code, error.message);
	}
	// The session's own error class is no part of the author's surface.
	if (error instanceof InvalidMessage) return new TypeError(error.message, { cause: error });
	if (error instanceof OperationError || error instanceof TypeError) return error;
	return new TypeError("The arguments of the call could not be read.", { cause: error });
}

function cancelled(): OperationError {
	return new OperationError("CANCELLED", "The signal was already aborted when the call was made.");
}

/** One promise, rejected when `start` throws, and marked as looked at so that an ignored failure stays silent. */
function observed<T>(options: unknown, start: (resolve: Resolve<T>, reject: Reject) => void): Promise<T> {
	const promise = new Promise<T>((resolve, reject) => {
		try {
			start(resolve, reject);
		} catch (error) {
			reject(refusal(error, options));
		}
	});
	promise.catch(() => {});
	return promise;
}
