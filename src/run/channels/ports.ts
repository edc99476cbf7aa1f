/**
 * The ports of the channel broker: what a host says to it for one participant, and what a channel demands (Run/1 section
 * 5.1, Channel Contract/1 section 3).
 */

import type { ContractIdentity } from "../../contract/index.ts";
import type { JsonValue } from "../../json/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { ChannelGrant, ChannelOutcome, Failure } from "../ports.ts";

/** What a source is created with. `contract` names it, and `schema` is then that contract's item schema. */
export interface SourceTerms {
	readonly delivery: "direct" | "broadcast";
	/** Absent: generic JSON/1. */
	readonly schema?: Schema | undefined;
	readonly contract?: ContractIdentity | undefined;
}

/** What a declared port demands, its contract resolved: `schema` is then that contract's item schema. */
export interface PortTerms {
	readonly direction: "send" | "receive";
	readonly required: boolean;
	/** Absent: either. */
	readonly delivery?: "direct" | "broadcast" | undefined;
	/** Of a receiver. */
	readonly start: "beginning" | "suffix";
	readonly schema?: Schema | undefined;
	readonly contract?: ContractIdentity | undefined;
}

/** A send or a read under way. Cancelling decides at once: it settles with `CANCELLED`, unless it has settled. */
export interface ChannelWait {
	cancel(): void;
}

export type Settle = (outcome: ChannelOutcome) => void;

/**
 * One holder of endpoints: an invocation, a function of the host's program, or the host's program itself at the root. Every
 * method may be called at any time, after `end` too; a `settle` is called exactly once, also from inside the call that hands
 * it over, and from inside calls of other participants. Outcomes are exactly what the method gives on the wire.
 */
export interface ChannelParticipant {
	/** Request ids (and, where not 0, one pending slot) to keep for settling the endpoints held: Run/1 section 1. */
	readonly reserve: number;
	create(terms: SourceTerms): ChannelOutcome;
	subscribe(source: string): ChannelOutcome;
	/** Takes `value` as it is: it must be an admitted JSON/1 value that nobody changes any more. */
	send(endpoint: string, value: JsonValue, settle: Settle): ChannelWait;
	next(endpoint: string, settle: Settle): ChannelWait;
	close(endpoint: string): ChannelOutcome;
	release(endpoint: string): ChannelOutcome;
	/**
	 * Moves the endpoints of a call's map (port name to reference) to `callee`, all or none (section 5.1). A failure has
	 * changed nothing. Without `ports` the callee declares none, and takes every endpoint as it is.
	 */
	transfer(
		map: Readonly<Record<string, string>>,
		ports: ReadonlyMap<string, PortTerms> | undefined,
		callee: ChannelParticipant,
	): { readonly grants: Readonly<Record<string, ChannelGrant>> } | { readonly failure: Failure };
	/**
	 * The holder has a valid result: checks its duties, then seals the healthy writers it holds. A failure (abandonment:
	 * `EXECUTION_FAILED`) refuses the result, and its unsealed writers are aborted. A source that failed was settled with whoever
	 * used it, and is no reason by itself. Once: later calls give the same answer.
	 */
	finalise(): Failure | undefined;
	/**
	 * The holder is over, however that came: unsealed writers abort, receivers are disposed, its sources are revoked, what
	 * is pending settles. Once; later calls change nothing.
	 */
	end(): void;
}
