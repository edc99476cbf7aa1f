import type {
	CapabilityCall,
	ChannelParticipant,
	ChildCall,
	Failure,
	OperationOutcome,
	PortTerms,
} from "../run/index.ts";
import { type ChannelEndpoint, createEndpoints } from "../sdk/index.ts";
import type { InvocationChannels } from "./invocation-channels.ts";
import { localWire } from "./local-wire.ts";

/** What a call handed to a function or provider of the host's program: its endpoints, until its work is over. */
export interface HandedOver {
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	/** The work has this outcome: one that leaves a receiver unfinished is refused, and what was left open is sealed. */
	conclude(outcome: OperationOutcome): OperationOutcome;
	/** The work is over or given up: nothing that it still does with its endpoints counts. */
	end(): void;
}

const NOTHING: HandedOver = {
	channels: Object.freeze(Object.create(null) as Record<string, never>),
	conclude: (outcome) => outcome,
	end: () => undefined,
};

/** Whether a call's map or the ports of what it calls have to be looked at. */
export function connects(call: ChildCall | CapabilityCall, ports: ReadonlyMap<string, PortTerms> | undefined): boolean {
	for (const name in call.channels) if (Object.hasOwn(call.channels, name)) return true;
	return ports !== undefined && ports.size > 0;
}

/**
 * Moves the endpoints of a call's map to a function or provider. Without `ports` they come as they are: a function of the
 * host's program declares none, nor does a slot without a contract.
 */
export function handOver(
	call: ChildCall | CapabilityCall,
	ports: ReadonlyMap<string, PortTerms> | undefined,
	caller: InvocationChannels,
	makeCallee: () => ChannelParticipant,
): HandedOver | { readonly failure: Failure } {
	if (!connects(call, ports)) return NOTHING;
	const callee = makeCallee();
	const moved = caller.participant.transfer(call.channels, ports, callee);
	if ("failure" in moved) return moved;
	return {
		channels: createEndpoints(localWire(callee)).grants(moved.grants),
		conclude(outcome) {
			const refused = "failure" in outcome ? undefined : callee.finalise();
			return refused === undefined ? outcome : { failure: refused };
		},
		end: () => callee.end(),
	};
}
