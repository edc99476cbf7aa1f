import type { JsonObject, JsonValue } from "../../../../src/json/index.ts";
import type { ChannelReceiver, ChannelSender } from "../../../../src/sdk/index.ts";
import type { Job, JobAnswer } from "./job.ts";

/** What came out of one channel, and how it ended: `ended`, or the code it failed with; null while it goes on. */
export interface Received {
	readonly items: JsonValue[];
	end: string | null;
}

/** The host's side of a job's root channels. */
export class RootChannels {
	/** What our host takes as `RunOptions.channels`. */
	readonly ports: Record<string, readonly JsonValue[] | ((receiver: ChannelReceiver) => Promise<void>)> = {};
	readonly #received = new Map<string, Received>();
	readonly #reading: Promise<void>[] = [];

	constructor(channels: Job["channels"] = {}) {
		for (const [name, given] of Object.entries(channels)) {
			if ("items" in given) {
				this.ports[name] = given.items;
				continue;
			}
			const received: Received = { items: [], end: null };
			this.#received.set(name, received);
			this.ports[name] = (receiver) => {
				const reading = collect(receiver, received);
				this.#reading.push(reading);
				return reading;
			};
		}
	}

	/** What was received, once every reader has come to its end. */
	async report(): Promise<JsonObject> {
		await Promise.all(this.#reading);
		return Object.fromEntries(
			[...this.#received].map(([name, { items, end }]): [string, JsonObject] => [name, { items, end }]),
		);
	}
}

/** Does with a provider's channels what its answer says; gives the items that were read, if it read any. */
export async function useChannels(
	{ receive, send }: JobAnswer,
	channels: Readonly<Record<string, unknown>>,
): Promise<readonly JsonValue[] | undefined> {
	if (send !== undefined) {
		const sender = channels[send.to] as ChannelSender;
		for (const item of send.items) await sender.send(item);
	}
	if (receive === undefined) return undefined;
	const received: Received = { items: [], end: null };
	await collect(channels[receive] as ChannelReceiver, received);
	return received.items;
}

async function collect(receiver: ChannelReceiver, received: Received): Promise<void> {
	try {
		for await (const item of receiver) received.items.push(item);
		received.end = "ended";
	} catch (error) {
		received.end = String((error as { code?: unknown }).code);
	}
}
