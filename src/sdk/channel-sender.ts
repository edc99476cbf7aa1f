/** The writing end of a channel (Run SDK/1 section 9). */
import type { JsonValue } from "../json/index.ts";
import type { ChannelGrant } from "../run/index.ts";
import { readCallOptions } from "./arguments.ts";
import { OperationError } from "./errors.ts";
import type { CallOptions, ChannelSender } from "./types.ts";
import { errorOf, observed, refuseAborted, wait } from "./waiting.ts";
import type { ChannelWire } from "./wire.ts";

/** Makes the sender of a grant. Its functions need no `this`. */
export function createSender(grant: ChannelGrant, wire: ChannelWire): ChannelSender {
	const { endpoint, delivery } = grant;
	/** Sends whose value is neither accepted nor refused, and whose wait nobody cancelled. */
	let sending = 0;

	function send(value: unknown, options?: unknown): Promise<void> {
		return observed<void>((resolve, reject, watched) => {
			const signal = readCallOptions(options);
			watched(signal);
			const request = { method: "channel/send", endpoint, value: value as JsonValue } as const;
			if (signal?.aborted) refuseAborted(request);
			// Counted first: over some wires the value is accepted before the request returns.
			sending += 1;
			try {
				wait(
					(settle) => wire.channel(request, settle),
					signal,
					(settlement) => {
						sending -= 1;
						if ("failure" in settlement) reject(errorOf(settlement.failure));
						else resolve();
					},
				);
			} catch (error) {
				sending -= 1;
				throw error;
			}
		});
	}

	function close(options?: unknown): Promise<void> {
		return observed<void>((resolve, reject, watched) => {
			const signal = readCallOptions(options);
			watched(signal);
			// A close goes before ordinary frames: it would overtake a value that waits to be written.
			if (sending > 0) {
				throw new OperationError("INVALID_INPUT", `The channel can't be closed while ${sending} sends are under way.`);
			}
			wait(
				(settle) => wire.channel({ method: "channel/close", endpoint }, settle),
				signal,
				(settlement) => {
					if ("failure" in settlement) reject(errorOf(settlement.failure));
					else resolve();
				},
			);
		});
	}

	const contract = grant.contract === undefined ? {} : { contract: grant.contract };
	return {
		direction: "send",
		delivery,
		...contract,
		send: send as (value: JsonValue, options?: CallOptions) => Promise<void>,
		close,
	};
}
