import { ChannelBroker, type ChannelEvent, type ChannelParticipant, type ParticipantOptions } from "../run/index.ts";
import { channelLimits, type HostLimits } from "./limits.ts";

/** Decisions that leave every holder with as much to settle as before. */
const STEADY: ReadonlySet<ChannelEvent["type"]> = new Set<ChannelEvent["type"]>([
	"created",
	"subscribed",
	"accepted",
	"delivered",
	"finalised",
]);

/**
 * The channels of one root Run and everything below it: one authority, and a participant for every invocation, for every
 * function or provider that is handed endpoints, and for each end that the host's program holds at the root.
 */
export class ChannelRoom {
	readonly #broker: ChannelBroker;
	readonly #watchers = new Set<() => void>();

	/** `observe` is told every decision from the first channel on; values never appear. */
	constructor(limits: HostLimits, observe: (event: ChannelEvent) => void) {
		let used = false;
		this.#broker = new ChannelBroker(channelLimits(limits), (event) => {
			used ||= event.type === "created";
			if (used) observe(event);
			if (!STEADY.has(event.type)) for (const watcher of this.#watchers) watcher();
		});
	}

	/** The holder for an invocation, or for a function or provider, at the end of this path of operation ids. */
	invocation(path: readonly string[]): ChannelParticipant {
		return this.#broker.participant({ name: ["root", ...path].join(" ") });
	}

	/** The host's program at one port of the root: it makes one channel for it, and nothing else. */
	program(port: string): ChannelParticipant {
		const options: ParticipantOptions = { name: `host ${port}`, sources: 1, receivers: 1, endpoints: 2 };
		return this.#broker.participant(options);
	}

	/** Calls `watcher` when somebody may have more or less to settle through what others did; the answer ends that. */
	watch(watcher: () => void): () => void {
		this.#watchers.add(watcher);
		return () => this.#watchers.delete(watcher);
	}
}
