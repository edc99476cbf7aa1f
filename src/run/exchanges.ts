/** The channel requests of a component, from admission to answer, and what it must settle by itself (Run/1 sections 1, 5.1, 9). */

import type { JsonValue } from "../json/index.ts";
import { admitChannel } from "./admission.ts";
import type { Answer, SessionCore } from "./core.ts";
import type { Call } from "./encode.ts";
import {
	type Endpoint,
	EndpointTable,
	type ReadResult,
	type ReleaseResult,
	type Settling,
	type Source,
} from "./endpoints.ts";
import { CallRefused, InvalidMessage } from "./errors.ts";
import type { ChannelGrant, ChannelRequest, Failure, LocalFailure, Settlement } from "./ports.ts";
import type { Outbound } from "./sender.ts";
import { CANCELLED, type Wait, type Waits } from "./waits.ts";

/** Ordinary work on its way. A cancelled one stays until its answer. */
type Work =
	| { readonly kind: "create"; readonly delivery: "direct" | "broadcast"; readonly wait: Wait }
	| { readonly kind: "subscribe"; readonly source: Source; readonly wait: Wait }
	| { readonly kind: "send" | "next"; readonly endpoint: Endpoint; readonly wait: Wait };

/** A close or a release on its way; its waits are with its endpoint. */
type Exchange = Work | { readonly kind: "settle"; readonly endpoint: Endpoint };

/** What the session around the exchanges knows. */
export interface ExchangeOwner {
	/** The root admits owned work. */
	admits(): boolean;
	/** The root's terminal is not decided yet: endpoints may be settled. */
	settles(): boolean;
	/** Something was taken back, or answered. */
	changed(): void;
}

export class Exchanges {
	readonly table: EndpointTable = new EndpointTable();
	readonly #core: SessionCore;
	readonly #waits: Waits;
	readonly #owner: ExchangeOwner;
	readonly #open = new Map<Outbound, Exchange>();
	#uncertain = false;

	constructor(core: SessionCore, waits: Waits, owner: ExchangeOwner) {
		this.#core = core;
		this.#waits = waits;
		this.#owner = owner;
		core.out.reserve = () => this.table.reserve();
	}

	/** Requests whose answer hasn't come. */
	get pending(): number {
		return this.#open.size;
	}

	/** Requests that somebody still waits for. Those that settle an endpoint are no work to abandon. */
	get live(): number {
		let count = 0;
		for (const exchange of this.#open.values()) {
			if (exchange.kind !== "settle" && exchange.wait.settle !== undefined) count += 1;
		}
		return count;
	}

	/** A late grant could not be disposed. */
	get uncertain(): boolean {
		return this.#uncertain;
	}

	// Requests ---------------------------------------------------------------------------------------------------------

	/** As `ComponentSession.channel`. */
	begin(request: ChannelRequest, settle: (settlement: Settlement) => void): { cancel(): void } {
		const { request: call, snapshot } = admitChannel(request, this.#core.out.nextId);
		const admit = (make: (wait: Wait) => Work, allocates = 0): { cancel(): void } =>
			this.#admit(call, snapshot, settle, make, allocates);
		switch (snapshot.method) {
			case "channel/create": {
				const { delivery = "direct" } = snapshot;
				return admit((wait) => ({ kind: "create", delivery, wait }), delivery === "direct" ? 2 : 1);
			}
			case "channel/subscribe": {
				const source = this.table.source(snapshot.source);
				if (source === undefined) throw new InvalidMessage("/source", "The source is none that this Run created.");
				return admit((wait) => ({ kind: "subscribe", source, wait }), 1);
			}
			case "channel/send": {
				const endpoint = this.#endpoint(snapshot.endpoint, "send");
				return admit((wait) => ({ kind: "send", endpoint, wait }));
			}
			case "channel/next": {
				const endpoint = this.#endpoint(snapshot.endpoint, "receive");
				if (endpoint.reading) throw new InvalidMessage("/endpoint", "The receiver has one pending read.");
				if (endpoint.settling !== undefined || endpoint.outcome !== undefined) {
					throw new InvalidMessage("/endpoint", "The receiver has ended or was disposed.");
				}
				return admit((wait) => ({ kind: "next", endpoint, wait }));
			}
			case "channel/close":
				return this.#settlement(call, snapshot, this.#endpoint(snapshot.endpoint, "send"), settle);
			case "channel/release":
				return this.#settlement(call, snapshot, this.#endpoint(snapshot.endpoint, "receive"), settle);
		}
	}

	#endpoint(token: string, direction: "send" | "receive"): Endpoint {
		const endpoint = this.table.endpoint(token, direction);
		if (endpoint !== undefined) return endpoint;
		throw new InvalidMessage("/endpoint", `The endpoint is none of this Run's that can ${direction}.`);
	}

	/** Ordinary admission. */
	#admit(
		call: Call,
		request: ChannelRequest,
		settle: (settlement: Settlement) => void,
		make: (wait: Wait) => Work,
		allocates: number,
	): { cancel(): void } {
		this.#demand(allocates);
		const wait = this.#waits.open(settle);
		this.#core.note({ type: "channel", serial: wait.serial, request });
		const exchange = make(wait);
		this.table.allocating += allocates;
		if ("endpoint" in exchange) exchange.endpoint.used = true;
		if (exchange.kind === "next") exchange.endpoint.reading = true;
		const outbound = this.#core.out.request(call);
		this.#open.set(outbound, exchange);
		const cancel = (): void => {
			if (wait.settle === undefined) return;
			this.#core.note({ type: "cancel-call", serial: wait.serial });
			this.#cancel(outbound, exchange);
			this.#owner.changed();
		};
		return { cancel };
	}

	/** Throws {@link CallRefused} where ordinary work is not admitted now. */
	#demand(allocates = 0): void {
		if (!this.#owner.admits()) throw closed();
		const refusal = this.#core.out.refusal(this.table.reserve(allocates));
		if (refusal !== undefined) throw new CallRefused("RESOURCE_EXHAUSTED", refusal);
	}

	// Cancellation -----------------------------------------------------------------------------------------------------

	/** The wait ends at once; on the wire the request is dropped, or cancelled and awaited. */
	#cancel(outbound: Outbound, exchange: Work): void {
		if (this.#core.out.cancel(outbound)) {
			this.#open.delete(outbound);
			this.table.allocating -= allocated(exchange);
			if (exchange.kind === "next") exchange.endpoint.reading = false;
		}
		// An item may have been skipped: reading can't go on (section 5.1).
		if (exchange.kind === "next") this.#dispose(exchange.endpoint);
		this.#waits.settle(exchange.wait, CANCELLED);
	}

	/** The Run ends. `settlements`: who waits for a close or a release is told as well; the settlement goes on. */
	cancelAll(settlements: boolean): void {
		for (const [outbound, exchange] of [...this.#open]) {
			if (settlements) this.#settleWaits(settlingOf(exchange), CANCELLED);
			if (exchange.kind !== "settle" && exchange.wait.settle !== undefined) this.#cancel(outbound, exchange);
		}
	}

	/** The channel died. */
	fail(failure: LocalFailure): void {
		const open = [...this.#open.values()];
		this.#open.clear();
		for (const exchange of open) {
			if (exchange.kind !== "settle") this.#waits.settle(exchange.wait, { failure });
			this.#settleWaits(settlingOf(exchange), { failure });
		}
	}

	#settleWaits(settling: Settling | undefined, settlement: Settlement): void {
		if (settling === undefined) return;
		const waits = [...settling.waits];
		settling.waits.clear();
		for (const wait of waits) this.#waits.settle(wait, settlement);
	}

	// Settlement of endpoints ------------------------------------------------------------------------------------------

	/** A close or a release: joins the one under way, repeats the outcome of the last, or begins. */
	#settlement(
		call: Call,
		request: ChannelRequest,
		endpoint: Endpoint,
		settle: (settlement: Settlement) => void,
	): { cancel(): void } {
		if (!this.#owner.settles()) throw closed();
		const { settling, outcome } = endpoint;
		// Only the first attempt has its place reserved.
		if (settling === undefined && outcome === undefined && endpoint.attempted) this.#demand();
		const wait = this.#waits.open(settle);
		this.#core.note({ type: "channel", serial: wait.serial, request });
		if (settling !== undefined) settling.waits.add(wait);
		else if (outcome !== undefined) this.#waits.settle(wait, { value: outcome as JsonValue });
		else this.#settle(endpoint, call, { waits: new Set([wait]), late: false });
		const cancel = (): void => {
			if (wait.settle === undefined) return;
			this.#core.note({ type: "cancel-call", serial: wait.serial });
			endpoint.settling?.waits.delete(wait);
			this.#waits.settle(wait, CANCELLED);
		};
		return { cancel };
	}

	#settle(endpoint: Endpoint, call: Call, settling: Settling): void {
		const privileged = this.table.settle(endpoint, settling);
		const { out } = this.#core;
		this.#open.set(privileged ? out.settlement(call) : out.request(call), { kind: "settle", endpoint });
		if (endpoint.reading) this.#dropRead(endpoint);
	}

	/** A release goes before ordinary frames: a read that waits to be written would come to a receiver that is gone. */
	#dropRead(endpoint: Endpoint): void {
		for (const [outbound, exchange] of this.#open) {
			if (exchange.kind !== "next" || exchange.endpoint !== endpoint || outbound.id !== undefined) continue;
			this.#cancel(outbound, exchange);
			return;
		}
	}

	/** Settles an endpoint that nobody asked to. Where even that isn't admitted, it stays unfinished. */
	#dispose(endpoint: Endpoint, late = false): void {
		if (endpoint.settling !== undefined || endpoint.outcome !== undefined) return;
		const method = endpoint.direction === "send" ? "channel/close" : "channel/release";
		const { request } = admitChannel({ method, endpoint: endpoint.token }, this.#core.out.nextId);
		if (endpoint.attempted && (!this.#owner.admits() || this.#core.out.refusal() !== undefined)) return;
		this.#settle(endpoint, request, { waits: new Set(), late });
	}

	// Answers ----------------------------------------------------------------------------------------------------------

	/** Takes the answer to one of these requests; false when it is none of them. */
	answer(outbound: Outbound, answer: Answer): boolean {
		const exchange = this.#open.get(outbound);
		if (exchange === undefined) return false;
		const violation = "failure" in answer ? undefined : this.#check(exchange, answer.result);
		if (violation !== undefined) {
			this.#core.fail("PROTOCOL_ERROR", `${violation}.`);
			return true;
		}
		this.#open.delete(outbound);
		this.table.allocating -= allocated(exchange);
		const settlement: Settlement = "failure" in answer ? { failure: answer.failure } : { value: answer.result };
		switch (exchange.kind) {
			case "create":
			case "subscribe":
				if (exchange.wait.settle !== undefined) this.#waits.settle(exchange.wait, settlement);
				else if ("value" in settlement) this.#disposeLate(settlement.value);
				break;
			case "send":
				this.#waits.settle(exchange.wait, settlement);
				break;
			case "next":
				this.#read(exchange.endpoint, exchange.wait, settlement);
				break;
			case "settle":
				this.#settled(exchange.endpoint, settlement);
		}
		return true;
	}

	/** What a result says about its endpoints: the violation of the protocol in it, or undefined. */
	#check(exchange: Exchange, result: JsonValue): string | undefined {
		switch (exchange.kind) {
			case "create":
				return this.table.created(exchange.delivery, result);
			case "subscribe":
				return this.table.subscribed(exchange.source, result as unknown as ChannelGrant);
			case "send":
				return undefined;
			case "next":
				return this.table.read(exchange.endpoint, result as unknown as ReadResult);
			case "settle":
				if (result === null) return undefined;
				return this.table.released(exchange.endpoint, result as unknown as ReleaseResult);
		}
	}

	/** Grants for a wait that was cancelled: nobody holds them, so they are given back (section 5.1). */
	#disposeLate(result: JsonValue): void {
		const { send, receive, endpoint } = result as unknown as {
			readonly send?: ChannelGrant;
			readonly receive?: ChannelGrant;
			readonly endpoint?: string;
		};
		const receiver = endpoint ?? receive?.endpoint;
		if (receiver !== undefined) this.#dispose(this.table.endpoint(receiver, "receive")!, true);
		if (send === undefined) return;
		const writer = this.table.endpoint(send.endpoint, "send")!;
		// A direct writer without its reader, never used, is nothing to seal.
		if (receive === undefined) this.#dispose(writer, true);
		else this.table.forget(writer);
	}

	#read(endpoint: Endpoint, wait: Wait, settlement: Settlement): void {
		if ("failure" in settlement) {
			this.table.readFailed(endpoint, settlement.failure as Failure, wait.settle === undefined);
		}
		this.#waits.settle(wait, settlement);
		this.#disposed(endpoint);
	}

	#settled(endpoint: Endpoint, settlement: Settlement): void {
		const { settling } = endpoint;
		if ("failure" in settlement) {
			endpoint.settling = undefined;
			if (settling?.late) this.#uncertain = true;
			this.#settleWaits(settling, settlement);
		} else if (endpoint.direction === "send") {
			this.table.sealed(endpoint);
			this.#settleWaits(settling, settlement);
		} else this.#disposed(endpoint);
	}

	/** A release is over when it and every read before it are answered. */
	#disposed(endpoint: Endpoint): void {
		const { settling } = endpoint;
		if (settling?.result === undefined || endpoint.reading) return;
		const value = this.table.disposed(endpoint, settling.result) as unknown as JsonValue;
		this.#settleWaits(settling, { value });
	}
}

function settlingOf(exchange: Exchange): Settling | undefined {
	return exchange.kind === "settle" || exchange.kind === "next" ? exchange.endpoint.settling : undefined;
}

/** Endpoints that a creation or a subscription may allocate. */
function allocated(exchange: Exchange): number {
	if (exchange.kind === "create") return exchange.delivery === "direct" ? 2 : 1;
	return exchange.kind === "subscribe" ? 1 : 0;
}

function closed(): CallRefused {
	return new CallRefused("OWNER_CLOSED", "The Run no longer admits calls.");
}
