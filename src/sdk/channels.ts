/**
 * Channel endpoints over a wire (Run SDK/1 section 9): from grants to the objects of the author, and back to the references
 * that a call maps. References stay in here; no object shows its own.
 */
import type { ChannelGrant, ChannelRequest, Settlement } from "../run/index.ts";
import { readCallOptions, readChannelOptions } from "./arguments.ts";
import { createReceiver } from "./channel-receiver.ts";
import { createSender } from "./channel-sender.ts";
import type { ChannelBroadcast, ChannelEndpoint, ChannelPair, ChannelReceiver, ChannelSender } from "./types.ts";
import { errorOf, observed, type Reject, refuseAborted, wait } from "./waiting.ts";
import type { ChannelWire } from "./wire.ts";

/** The endpoints of one holder. */
export interface ChannelEndpoints {
	/** The object of a grant; a new one each time, so ask once. */
	grant(grant: ChannelGrant): ChannelEndpoint;
	/** The objects of a channel map, in an object without a prototype. */
	grants(map: Readonly<Record<string, ChannelGrant>>): Readonly<Record<string, ChannelEndpoint>>;
	/** `RunContext.channel`: takes what an author gave. Rejects with `TypeError` and `OperationError`, never throws. */
	channel(options?: unknown, callOptions?: unknown): Promise<ChannelPair | ChannelBroadcast>;
	/** The reference behind an endpoint that was made here, else undefined. */
	referenceOf(endpoint: object): string | undefined;
}

/** Makes channel endpoints over `wire`, which holds the rights behind them. Nothing here needs `this`. */
export function createEndpoints(wire: ChannelWire): ChannelEndpoints {
	const references = new WeakMap<object, string>();

	function kept<T extends ChannelEndpoint>(endpoint: T, reference: string): T {
		references.set(endpoint, reference);
		return endpoint;
	}

	function sender(grant: ChannelGrant): ChannelSender {
		return kept(createSender(grant, wire), grant.endpoint);
	}

	function receiver(grant: ChannelGrant): ChannelReceiver {
		return kept(createReceiver(grant, wire), grant.endpoint);
	}

	function grant(given: ChannelGrant): ChannelEndpoint {
		return given.direction === "send" ? sender(given) : receiver(given);
	}

	function grants(map: Readonly<Record<string, ChannelGrant>>): Readonly<Record<string, ChannelEndpoint>> {
		const channels: Record<string, ChannelEndpoint> = Object.create(null);
		for (const name of Object.keys(map)) channels[name] = grant(map[name]!);
		return channels;
	}

	/** One allocation; what is granted for it after its wait was cancelled is the wire's to dispose. */
	function allocate<T>(read: () => ChannelRequest, callOptions: unknown, make: (value: unknown) => T): Promise<T> {
		return observed<T>((resolve, reject, watched) => {
			const request = read();
			const signal = readCallOptions(callOptions);
			watched(signal);
			if (signal?.aborted) refuseAborted(request);
			wait(
				(settle) => wire.channel(request, settle),
				signal,
				(settlement) => {
					granted(settlement, (value) => resolve(make(value)), reject);
				},
			);
		});
	}

	function channel(options?: unknown, callOptions?: unknown): Promise<ChannelPair | ChannelBroadcast> {
		return allocate(
			() => ({ method: "channel/create", ...readChannelOptions(options) }),
			callOptions,
			(value) => {
				const made = value as { readonly send: ChannelGrant } & (
					| { readonly receive: ChannelGrant }
					| { readonly source: string }
				);
				return "receive" in made
					? { send: sender(made.send), receive: receiver(made.receive) }
					: { send: sender(made.send), subscribe: subscription(made.source) };
			},
		);
	}

	function subscription(source: string): ChannelBroadcast["subscribe"] {
		return (callOptions?: unknown) =>
			allocate(
				() => ({ method: "channel/subscribe", source }),
				callOptions,
				(value) => receiver(value as ChannelGrant),
			);
	}

	return { grant, grants, channel, referenceOf: (endpoint) => references.get(endpoint) };
}

function granted(settlement: Settlement, give: (value: unknown) => void, reject: Reject): void {
	if ("failure" in settlement) reject(errorOf(settlement.failure));
	else if ("value" in settlement) give(settlement.value);
}
