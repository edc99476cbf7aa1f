/** One holder of endpoints (see {@link ChannelParticipant}). */

import type { JsonValue } from "../../json/index.ts";
import type { ChannelGrant, ChannelOutcome, Failure } from "../ports.ts";
import { BroadcastSource } from "./broadcast.ts";
import { DirectSource } from "./direct.ts";
import { failure, notHeld, OWNER_OVER, READ_DROPPED, SOURCE_SEALED } from "./failures.ts";
import { findAbandoned, settleHeld } from "./finalise.ts";
import type { ChannelParticipant, ChannelWait, PortTerms, Settle, SourceTerms } from "./ports.ts";
import type { Reader } from "./reader.ts";
import { grantOf, type Right, type Sender, Subscriptions } from "./rights.ts";
import { DECIDED, type Shared } from "./source.ts";
import { planTransfer } from "./transfer.ts";

/** What a participant may be given; allowances absent here are the broker's limits of the same name. */
export interface ParticipantOptions {
	/** What observers call it. */
	readonly name?: string;
	readonly sources?: number;
	readonly receivers?: number;
	readonly endpoints?: number;
}

/** What all participants of one broker share. */
export interface Room extends Shared {
	/** The next number of this broker: names and references are made of them, so that none is ever made twice. */
	number(): number;
}

export class Participant implements ChannelParticipant {
	readonly #room: Room;
	readonly #name: string;
	readonly #allowance: { sources: number; receivers: number; endpoints: number };
	/** By reference. What isn't in here is nobody's right: a reference means something only to its holder. */
	readonly #rights = new Map<string, Right>();
	readonly #sources: (DirectSource | BroadcastSource)[] = [];
	/** Since its result was accepted or refused, or its end: no new work. */
	#closed = false;
	#over = false;
	#verdict: { readonly failure: Failure | undefined } | undefined;

	constructor(room: Room, options: ParticipantOptions) {
		const { sources, receivers, endpoints } = room.limits;
		this.#room = room;
		this.#name = options.name ?? `participant:${room.number()}`;
		this.#allowance = {
			sources: options.sources ?? sources,
			receivers: options.receivers ?? receivers,
			endpoints: options.endpoints ?? endpoints,
		};
	}

	get reserve(): number {
		let unsettled = 0;
		for (const right of this.#rights.values()) {
			if (right.direction === "receive" ? !right.exposed : right.direction === "send" && isClosable(right))
				unsettled += 1;
		}
		return unsettled;
	}

	create(terms: SourceTerms): ChannelOutcome {
		if (this.#closed) return { failure: OWNER_OVER };
		const direct = terms.delivery === "direct";
		const refused = this.#exhausted({ sources: 1, receivers: direct ? 1 : 0, endpoints: direct ? 2 : 1 });
		if (refused !== undefined) return { failure: refused };
		const number = this.#room.number();
		const name = `source:${number}`;
		const send = `send:${number}`;
		const event = { type: "created", source: name, participant: this.#name, send } as const;
		if (direct) {
			const source = new DirectSource(name, terms, this.#room, send, `receive:${number}`);
			this.#sources.push(source);
			this.#hold(source.sender, source.receiver);
			this.#room.outbox.note({ ...event, delivery: "direct", receive: source.receiver.endpoint });
			this.#room.outbox.flush();
			return { result: { send: asJson(grantOf(source.sender)), receive: asJson(grantOf(source.receiver)) } };
		}
		const source = new BroadcastSource(name, terms, this.#room, send);
		this.#sources.push(source);
		this.#hold(source.sender);
		this.#rights.set(name, new Subscriptions(source));
		this.#room.outbox.note({ ...event, delivery: "broadcast" });
		this.#room.outbox.flush();
		return { result: { send: asJson(grantOf(source.sender)), source: name } };
	}

	subscribe(reference: string): ChannelOutcome {
		const right = this.#rights.get(reference);
		if (!(right instanceof Subscriptions)) return { failure: notHeld("source") };
		if (this.#closed) return { failure: OWNER_OVER };
		const { source } = right;
		if (source.state.kind === "failed") return { failure: source.state.failure };
		if (source.state.kind === "sealed") return { failure: SOURCE_SEALED };
		const refused = this.#exhausted({ sources: 0, receivers: 1, endpoints: 1 });
		if (refused !== undefined) return { failure: refused };
		const reader = source.subscribe(`receive:${this.#room.number()}`);
		this.#hold(reader);
		this.#room.outbox.flush();
		return { result: asJson(grantOf(reader)) };
	}

	send(endpoint: string, value: JsonValue, settle: Settle): ChannelWait {
		const sender = this.#sender(endpoint);
		if (sender === undefined) return this.#refuse(settle, notHeld("sender"));
		const wait = sender.source.send(value, settle, !this.#closed);
		this.#room.outbox.flush();
		return wait;
	}

	next(endpoint: string, settle: Settle): ChannelWait {
		const reader = this.#receiver(endpoint);
		if (reader === undefined) return this.#refuse(settle, notHeld("receiver"));
		const wait = reader.read(settle, !this.#closed);
		this.#room.outbox.flush();
		return wait;
	}

	close(endpoint: string): ChannelOutcome {
		const sender = this.#sender(endpoint);
		if (sender === undefined) return { failure: notHeld("sender") };
		const outcome = sender.source.close();
		this.#room.outbox.flush();
		return outcome;
	}

	release(endpoint: string): ChannelOutcome {
		const reader = this.#receiver(endpoint);
		if (reader === undefined) return { failure: notHeld("receiver") };
		if (reader.isOpen) reader.source.dispose(reader, READ_DROPPED);
		const outcome = reader.released();
		this.#room.outbox.flush();
		return outcome;
	}

	transfer(
		map: Readonly<Record<string, string>>,
		ports: ReadonlyMap<string, PortTerms> | undefined,
		callee: ChannelParticipant,
	): { readonly grants: Readonly<Record<string, ChannelGrant>> } | { readonly failure: Failure } {
		if (!(#rights in callee) || callee.#room !== this.#room) {
			throw new TypeError("Endpoints move between participants of one broker only.");
		}
		if (this.#closed || callee.#closed) return { failure: OWNER_OVER };
		const plan = planTransfer(map, ports, this.#rights);
		if ("failure" in plan) return plan;
		const { moves } = plan;
		const refused = callee.#exhausted({ sources: 0, receivers: 0, endpoints: moves.length });
		if (refused !== undefined) return { failure: refused };
		const grants: Record<string, ChannelGrant> = {};
		for (const { port, endpoint, schema } of moves) {
			this.#rights.delete(endpoint.endpoint);
			endpoint.moved = true;
			if (schema !== undefined) endpoint.source.bind(endpoint, schema);
			callee.#hold(endpoint);
			const moved = { type: "moved", source: endpoint.source.name, endpoint: endpoint.endpoint } as const;
			this.#room.outbox.note({ ...moved, from: this.#name, to: callee.#name });
			grants[port] = grantOf(endpoint);
		}
		this.#room.outbox.flush();
		return { grants };
	}

	finalise(): Failure | undefined {
		if (this.#verdict !== undefined) return this.#verdict.failure;
		const refused = this.#over ? OWNER_OVER : findAbandoned(this.#rights.values());
		this.#verdict = { failure: refused };
		this.#closed = true;
		if (refused === undefined) settleHeld(this.#rights.values());
		else this.#abort();
		const event = { type: "finalised", participant: this.#name } as const;
		this.#room.outbox.note(refused === undefined ? event : { ...event, code: refused.code });
		this.#room.outbox.flush();
		return refused;
	}

	end(): void {
		if (this.#over) return;
		this.#over = true;
		this.#closed = true;
		for (const source of this.#sources) source.revoke((reader) => this.#rights.get(reader.endpoint) === reader);
		this.#abort();
		for (const right of this.#rights.values()) {
			if (right.direction === "receive" && right.isOpen) right.source.dispose(right, OWNER_OVER);
		}
		this.#room.outbox.note({ type: "over", participant: this.#name });
		this.#room.outbox.flush();
	}

	#abort(): void {
		for (const right of this.#rights.values()) if (right.direction === "send") right.source.abort();
	}

	#hold(...endpoints: (Sender | Reader)[]): void {
		for (const endpoint of endpoints) this.#rights.set(endpoint.endpoint, endpoint);
	}

	/** Takes from the allowances, all of them or none. */
	#exhausted(wanted: Readonly<Record<"sources" | "receivers" | "endpoints", number>>): Failure | undefined {
		const allowance = this.#allowance;
		for (const name of ["sources", "receivers", "endpoints"] as const) {
			if (wanted[name] <= allowance[name]) continue;
			return failure("RESOURCE_EXHAUSTED", `This invocation has had all the channel ${name} it may allocate.`);
		}
		for (const name of ["sources", "receivers", "endpoints"] as const) allowance[name] -= wanted[name];
		return undefined;
	}

	/** A sender that is held here; using it claims it. */
	#sender(endpoint: string): Sender | undefined {
		const right = this.#rights.get(endpoint);
		if (right?.direction !== "send") return undefined;
		right.used = true;
		return right;
	}

	/** A receiver that is held here; using it claims it. */
	#receiver(endpoint: string): Reader | undefined {
		const right = this.#rights.get(endpoint);
		if (right?.direction !== "receive") return undefined;
		right.used = true;
		return right;
	}

	#refuse(settle: Settle, cause: Failure): ChannelWait {
		this.#room.outbox.settle(settle, { failure: cause });
		this.#room.outbox.flush();
		return DECIDED;
	}
}

/** Whether closing the sender would still do something. */
function isClosable({ source }: Sender): boolean {
	return source.state.kind === "open" && source.disconnected === undefined;
}

/** A grant is plain JSON, which its interface can't say. */
function asJson(grant: ChannelGrant): JsonValue {
	return grant as unknown as JsonValue;
}
