/**
 * Channels as far as this stage goes: endpoints that the host granted are shown with their metadata, and every operation
 * on a channel is refused with `UNAVAILABLE`, locally and before anything reaches the wire (Run SDK/1 section 9 names the
 * shapes; Run/1 section 5.1 lets an unsupported valid request fail operationally before allocation).
 */
import type { JsonValue } from "../json/index.ts";
import type { ChannelGrant } from "../run/index.ts";
import { readCallOptions } from "./arguments.ts";
import { OperationError } from "./errors.ts";
import type { CallOptions, ChannelEndpoint, ChannelReceiver, ChannelSender } from "./types.ts";

/** The failure of every channel operation. */
export function channelsUnavailable(): OperationError {
	return new OperationError("UNAVAILABLE", "Channels are not available in this version of the SDK.");
}

/** Endpoints for the grants of the root invocation, and the test whether an object is one of them. */
export function grantedEndpoints(grants: Readonly<Record<string, ChannelGrant>>): {
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	isHeld(endpoint: object): boolean;
} {
	const channels: Record<string, ChannelEndpoint> = Object.create(null);
	const held = new WeakSet<object>();
	for (const name of Object.keys(grants)) {
		const endpoint = endpointFor(grants[name]!);
		channels[name] = endpoint;
		held.add(endpoint);
	}
	return { channels, isHeld: (endpoint) => held.has(endpoint) };
}

function endpointFor(grant: ChannelGrant): ChannelEndpoint {
	const contract = grant.contract === undefined ? {} : { contract: grant.contract };
	if (grant.direction === "send") {
		const sender: ChannelSender = {
			direction: "send",
			delivery: grant.delivery,
			...contract,
			send: (_value: JsonValue, options?: CallOptions) => refuse(options),
			close: (options?: CallOptions) => refuse(options),
		};
		return sender;
	}
	const receiver: ChannelReceiver = {
		direction: "receive",
		delivery: grant.delivery,
		...contract,
		startSequence: grant.startSequence ?? 1,
		next: (options?: CallOptions) => refuse(options),
		close: (options?: CallOptions) => refuse(options),
		[Symbol.asyncIterator]: () => receiver,
	};
	return receiver;
}

/** Rejects: with `TypeError` for bad options, `CANCELLED` for an aborted signal, else `UNAVAILABLE`. Never throws. */
function refuse(options: unknown): Promise<never> {
	const refused = new Promise<never>((_, reject) => {
		const signal = readCallOptions(options);
		reject(
			signal?.aborted ? new OperationError("CANCELLED", "The signal was already aborted.") : channelsUnavailable(),
		);
	});
	refused.catch(() => {});
	return refused;
}
