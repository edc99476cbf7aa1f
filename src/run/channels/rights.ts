/** What a participant may hold: one of these for every reference that means something to it (Run/1 section 5.1). */

import type { ChannelGrant } from "../ports.ts";
import type { BroadcastSource } from "./broadcast.ts";
import type { DirectSource } from "./direct.ts";
import type { Reader } from "./reader.ts";

export type ChannelSource = DirectSource | BroadcastSource;

/** The right to send to a source and to close it. One per source, for its whole life, whoever holds it. */
export class Sender {
	readonly direction = "send" as const;
	readonly endpoint: string;
	readonly source: ChannelSource;
	/** First local use claims the right: it can't be moved any more. */
	used = false;
	moved = false;

	constructor(endpoint: string, source: ChannelSource) {
		this.endpoint = endpoint;
		this.source = source;
	}
}

/** The right to subscribe to a broadcast source. No endpoint: it never moves. */
export class Subscriptions {
	readonly direction = undefined;
	readonly source: BroadcastSource;

	constructor(source: BroadcastSource) {
		this.source = source;
	}
}

export type Endpoint = Sender | Reader;
export type Right = Endpoint | Subscriptions;

/** The endpoint grant, as every holder of the endpoint sees it. */
export function grantOf(endpoint: Endpoint): ChannelGrant {
	const { delivery, contract } = endpoint.source;
	return {
		endpoint: endpoint.endpoint,
		direction: endpoint.direction,
		delivery,
		...(contract === undefined
			? {}
			: { contract: { id: contract.id, version: contract.version, digest: contract.digest } }),
		...(endpoint.direction === "receive" ? { startSequence: endpoint.startSequence } : {}),
	};
}
