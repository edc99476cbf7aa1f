/**
 * The reading end of a channel (Run SDK/1 section 9): one iterator, one pending read, no prefetch.
 *
 * A terminal cause is what ended the channel here without an end. `next` repeats it; `close` rejects with it once, and only
 * when no other operation has rejected with it before. A read whose wait was cancelled leaves the receiver disposed, and the
 * cause that it still came to, if any, to the next `close`.
 */
import type { JsonValue } from "../json/index.ts";
// Not through the room's door: a component process loads neither the host's half of the machine nor a hash.
import { provesEnd } from "../run/endpoints.ts";
import type { ChannelGrant, Failure, LocalFailure, RunCode, Settlement } from "../run/index.ts";
import type { AbortSignal } from "../web.ts";
import { readCallOptions } from "./arguments.ts";
import { OperationError } from "./errors.ts";
import type { ChannelReceiver } from "./types.ts";
import { errorOf, observed, type Reject, type Resolve, refuseAborted, wait } from "./waiting.ts";
import type { ChannelWire } from "./wire.ts";

type Step = IteratorResult<JsonValue>;
type ReadResult =
	| { readonly item: { readonly sequence: number; readonly value: JsonValue } }
	| { readonly end: { readonly lastSequence: number } };
type ReleaseResult =
	| { readonly status: "released" }
	| { readonly status: "ended"; readonly lastSequence: number }
	| { readonly status: "failed"; readonly code: Failure["code"]; readonly details?: JsonValue };

/** Makes the receiver of a grant. Its functions need no `this`. */
export function createReceiver(grant: ChannelGrant, wire: ChannelWire): ChannelReceiver {
	const { endpoint, delivery } = grant;
	let iterating = false;
	let reading = false;
	/** It ended, or was closed or disposed: nothing more comes. */
	let over = false;
	let cause: OperationError | undefined;
	/** The code that a public operation rejected with last. */
	let exposed: RunCode | undefined;

	function next(options?: unknown): Promise<Step> {
		return observed<Step>((resolve, reject, watched) => {
			const signal = readCallOptions(options);
			watched(signal);
			if (reading) throw new TypeError("A receiver has one pending read; await it before the next.");
			if (signal?.aborted) refuseAborted({ method: "channel/next", endpoint });
			if (cause !== undefined) throw cause;
			if (over) return resolve(done());
			read(signal, resolve, reject);
		});
	}

	function read(signal: AbortSignal | undefined, resolve: Resolve<Step>, reject: Reject): void {
		reading = true;
		const begin = (settle: (settlement: Settlement) => void): { cancel(): void } => {
			const request = wire.channel({ method: "channel/next", endpoint }, settle);
			return {
				cancel: () => {
					// Before anybody hears of it: what is asked of the receiver meanwhile finds it disposed.
					if (reading) over = true;
					request.cancel();
				},
			};
		};
		try {
			wait(begin, signal, (settlement) => {
				reading = false;
				if ("failure" in settlement) failed(settlement.failure, signal, resolve, reject);
				else if ("value" in settlement) delivered(settlement.value as ReadResult, resolve);
			});
		} catch (error) {
			// It did not start, which says nothing about the receiver.
			reading = false;
			throw error;
		}
	}

	function delivered(result: ReadResult, resolve: Resolve<Step>): void {
		over ||= "end" in result;
		resolve("item" in result ? { done: false, value: result.item.value } : done());
	}

	function failed(
		failure: Failure | LocalFailure,
		signal: AbortSignal | undefined,
		resolve: Resolve<Step>,
		reject: Reject,
	): void {
		if (failure.code === "CANCELLED") {
			// Our own close drops the read that waits: that is no failure of this read.
			if (over && !signal?.aborted) resolve(done());
			else reject(errorOf(failure));
			return;
		}
		const error = errorOf(failure);
		exposed = error.code;
		if (provesEnd(failure.code)) cause = error;
		reject(error);
	}

	function close(options?: unknown): Promise<void> {
		return observed<void>((resolve, reject, watched) => {
			const signal = readCallOptions(options);
			watched(signal);
			wait(
				(settle) => release(settle),
				signal,
				(settlement) => {
					if ("failure" in settlement) reject(errorOf(settlement.failure));
					else if ("value" in settlement) released(settlement.value as ReleaseResult, resolve, reject);
				},
			);
		});
	}

	function release(settle: (settlement: Settlement) => void): { cancel(): void } {
		// Set first: a read that waits may be dropped before the request returns.
		const before = over;
		over = true;
		try {
			return wire.channel({ method: "channel/release", endpoint }, settle);
		} catch (error) {
			over = before;
			throw error;
		}
	}

	function released(result: ReleaseResult, resolve: Resolve<void>, reject: Reject): void {
		if (result.status === "failed") {
			const { code, details } = result;
			cause ??= new OperationError(code, "The channel had failed before its receiver was released.", details);
		}
		if (result.status !== "failed" || exposed === cause?.code) resolve();
		else {
			exposed = cause?.code;
			reject(cause);
		}
	}

	/** The early exit of a loop. */
	function giveUp(value?: unknown): Promise<Step> {
		const returned = close().then((): Step => ({ done: true, value }));
		returned.catch(() => {});
		return returned;
	}

	const contract = grant.contract === undefined ? {} : { contract: grant.contract };
	const receiver: ChannelReceiver = {
		direction: "receive",
		delivery,
		...contract,
		startSequence: grant.startSequence ?? 1,
		next,
		close,
		return: giveUp,
		[Symbol.asyncIterator]: () => {
			if (iterating) throw new TypeError("A receiver has one iterator.");
			iterating = true;
			return receiver;
		},
	};
	return receiver;
}

function done(): Step {
	return { done: true, value: undefined };
}
