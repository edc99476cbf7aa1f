/**
 * The way from a request to the author's promise: which refusal wins, how a signal cancels the wait, and which error class a
 * settlement becomes (Run SDK/1 sections 2, 4 and 5).
 *
 * Refusals are rejected promises, never synchronous throws, and none of them makes an unhandled rejection when nobody looks.
 */
// Not through the room's door: a component process loads neither the host's half of the machine nor a hash.
import { admitChannel } from "../run/admission.ts";
import { CallRefused, InvalidMessage } from "../run/errors.ts";
import type { ChannelRequest, Failure, LocalFailure, Settlement } from "../run/index.ts";
import { RUN_LIMITS } from "../run/limits.ts";
import { signals } from "../signals.ts";
import type { AbortSignal } from "../web.ts";
import { OperationError } from "./errors.ts";

export type Resolve<T> = (value: T) => void;
export type Reject = (error: unknown) => void;

/**
 * One promise, rejected when `start` throws, and marked as looked at so that an ignored failure stays silent. `start` tells
 * `watched` which signal the author gave as soon as it has read it: where that is aborted, it wins over a refusal.
 */
export function observed<T>(
	start: (resolve: Resolve<T>, reject: Reject, watched: (signal: AbortSignal | undefined) => void) => void,
): Promise<T> {
	const promise = new Promise<T>((resolve, reject) => {
		let signal: AbortSignal | undefined;
		try {
			start(resolve, reject, (given) => {
				signal = given;
			});
		} catch (error) {
			reject(refusal(error, signal));
		}
	});
	promise.catch(ignore);
	return promise;
}

function ignore(): void {}

/**
 * Makes a request with `begin` and waits for its settlement, which an abort of `signal` cancels. It is admitted first, so
 * that bad arguments win over a signal that was aborted before.
 */
export function wait(
	begin: (settle: (settlement: Settlement) => void) => { cancel(): void },
	signal: AbortSignal | undefined,
	settled: (settlement: Settlement) => void,
): void {
	let over = false;
	let unwatch: (() => void) | undefined;
	const { cancel } = begin((settlement) => {
		over = true;
		unwatch?.();
		settled(settlement);
	});
	if (over || signal === undefined) return;
	if (signal.aborted) cancel();
	else unwatch = signals.watch(signal, cancel);
}

export function errorOf(failure: Failure | LocalFailure): OperationError {
	return new OperationError(failure.code, failure.message, "details" in failure ? failure.details : undefined);
}

/** Refuses a channel request whose signal was aborted before, unless its arguments were wrong in the first place. Always throws. */
export function refuseAborted(request: ChannelRequest): never {
	admitChannel(request, `component:${RUN_LIMITS.lifetimeRequests}`);
	throw cancelled();
}

function cancelled(): OperationError {
	return new OperationError("CANCELLED", "The signal was already aborted when the call was made.");
}

/** The author's error for a request that was not admitted. An aborted signal wins (section 2: exactly `CANCELLED`). */
function refusal(error: unknown, signal: AbortSignal | undefined): unknown {
	if (error instanceof CallRefused) {
		return signal?.aborted ? cancelled() : new OperationError(error.code, error.message);
	}
	// The session's own error class is no part of the author's surface.
	if (error instanceof InvalidMessage) return new TypeError(error.message, { cause: error });
	if (error instanceof OperationError || error instanceof TypeError) return error;
	return new TypeError("The arguments of the call could not be read.", { cause: error });
}
