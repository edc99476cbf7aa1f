/** The channels of one tree of Runs: the host's side of Run/1 section 5.1. */

import type { ObserveChannels } from "./events.ts";
import { type ChannelLimits, resolveChannelLimits } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import { Participant, type ParticipantOptions, type Room } from "./participant.ts";
import type { ChannelParticipant } from "./ports.ts";

/**
 * The authority over channels: who holds what, what is accepted, in which order it ends. Pure and synchronous: every decision
 * is made whole before anybody is told, and what a callback throws changes nothing.
 *
 * It keeps no table of its own: rights live with their participants and sources with their endpoints, so that what the host
 * lets go of is gone. References are unique in the broker and bound to their holder; anybody else's use is
 * `PERMISSION_DENIED`, which is why they needn't be unguessable.
 */
export class ChannelBroker {
	readonly #room: Room;

	/** Throws a `RangeError` for a limit out of its domain. `observe` is told every decision. */
	constructor(limits: Partial<ChannelLimits> = {}, observe?: ObserveChannels) {
		let last = 0;
		this.#room = {
			limits: resolveChannelLimits(limits),
			outbox: new Outbox(observe),
			number: () => ++last,
		};
	}

	/** A new holder of endpoints, with nothing to begin with. */
	participant(options: ParticipantOptions = {}): ChannelParticipant {
		return new Participant(this.#room, options);
	}
}
