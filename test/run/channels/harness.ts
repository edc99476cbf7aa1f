/** A broker and its participants for tests: outcomes as plain data, one line per step. */
import { expect } from "vitest";
import type { JsonValue } from "../../../src/json/index.ts";
import {
	ChannelBroker,
	type ChannelEvent,
	type ChannelGrant,
	type ChannelLimits,
	type ChannelOutcome,
	type ChannelParticipant,
	type Failure,
	type ParticipantOptions,
	type PortTerms,
	type SourceTerms,
} from "../../../src/run/index.ts";
import { compileInlineSchema, type Schema } from "../../../src/schema/index.ts";

/** A request under way: what it came to, once. */
export class Wait {
	outcomes: ChannelOutcome[] = [];
	cancel: () => void = () => undefined;

	/** The value, the code of the failure, or `waiting`. */
	get answer(): JsonValue {
		expect(this.outcomes.length).toBeLessThan(2);
		const [outcome] = this.outcomes;
		return outcome === undefined ? "waiting" : short(outcome);
	}

	get failure(): Failure | undefined {
		const [outcome] = this.outcomes;
		return outcome !== undefined && "failure" in outcome ? outcome.failure : undefined;
	}
}

/** The result, or the code of the failure. */
export function short(outcome: ChannelOutcome): JsonValue {
	return "failure" in outcome ? outcome.failure.code : outcome.result;
}

export class Holder {
	readonly participant: ChannelParticipant;

	constructor(participant: ChannelParticipant) {
		this.participant = participant;
	}

	get reserve(): number {
		return this.participant.reserve;
	}

	create(terms: Partial<SourceTerms> = {}): JsonValue {
		return short(this.participant.create({ delivery: "direct", ...terms }));
	}

	direct(terms: Omit<SourceTerms, "delivery"> = {}): { send: string; receive: string } {
		const made = this.create(terms) as unknown as { send: ChannelGrant; receive: ChannelGrant };
		return { send: made.send.endpoint, receive: made.receive.endpoint };
	}

	broadcast(terms: Omit<SourceTerms, "delivery"> = {}): { send: string; source: string } {
		const made = this.create({ ...terms, delivery: "broadcast" }) as unknown as { send: ChannelGrant; source: string };
		return { send: made.send.endpoint, source: made.source };
	}

	subscribe(source: string): JsonValue {
		return short(this.participant.subscribe(source));
	}

	/** A subscription that must succeed: its reference. */
	reader(source: string): string {
		return (this.subscribe(source) as unknown as ChannelGrant).endpoint;
	}

	send(endpoint: string, value: JsonValue = null): Wait {
		const wait = new Wait();
		const { cancel } = this.participant.send(endpoint, value, (outcome) => wait.outcomes.push(outcome));
		wait.cancel = cancel;
		return wait;
	}

	/** Sends `count` items, 1 and so on, and gives their answers. */
	sendMany(endpoint: string, count: number): JsonValue[] {
		return Array.from({ length: count }, (_, i) => this.send(endpoint, i + 1).answer);
	}

	next(endpoint: string): Wait {
		const wait = new Wait();
		const { cancel } = this.participant.next(endpoint, (outcome) => wait.outcomes.push(outcome));
		wait.cancel = cancel;
		return wait;
	}

	close(endpoint: string): JsonValue {
		return short(this.participant.close(endpoint));
	}

	release(endpoint: string): JsonValue {
		return short(this.participant.release(endpoint));
	}

	/** Moves endpoints; the grants, or the code of the refusal. */
	give(callee: Holder, map: Record<string, string>, ports: Record<string, Partial<PortTerms>>): JsonValue {
		const moved = this.participant.transfer(map, portsOf(ports), callee.participant);
		return "failure" in moved ? moved.failure.code : (moved.grants as unknown as JsonValue);
	}

	/** Moves one endpoint that must go; its reference. */
	hand(callee: Holder, endpoint: string, port: Partial<PortTerms>): string {
		const grants = this.give(callee, { port: endpoint }, { port });
		return (grants as unknown as Record<string, ChannelGrant>).port!.endpoint;
	}

	finalise(): string {
		return this.participant.finalise()?.code ?? "sealed";
	}

	end(): void {
		this.participant.end();
	}
}

export function portsOf(ports: Record<string, Partial<PortTerms>>): ReadonlyMap<string, PortTerms> {
	return new Map(
		Object.entries(ports).map(([name, terms]) => [
			name,
			{ direction: "send", required: true, start: "beginning", ...terms },
		]),
	);
}

/** A broker with its events, and a maker of holders. */
export class Tree {
	readonly events: ChannelEvent[] = [];
	readonly broker: ChannelBroker;

	constructor(limits: Partial<ChannelLimits> = {}) {
		this.broker = new ChannelBroker(limits, (event) => this.events.push(event));
	}

	holder(options?: ParticipantOptions): Holder {
		return new Holder(this.broker.participant(options));
	}
}

export function holders(limits: Partial<ChannelLimits> = {}): { tree: Tree; parent: Holder; child: Holder } {
	const tree = new Tree(limits);
	return { tree, parent: tree.holder({ name: "parent" }), child: tree.holder({ name: "child" }) };
}

export const SEND: Partial<PortTerms> = { direction: "send" };
export const RECEIVE: Partial<PortTerms> = { direction: "receive" };

export function schema(value: JsonValue): Schema {
	return compileInlineSchema(value, "");
}

export function item(sequence: number, value: JsonValue): JsonValue {
	return { item: { sequence, value } };
}

export function end(lastSequence: number): JsonValue {
	return { end: { lastSequence } };
}
