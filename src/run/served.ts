/** The channel requests of a component at its host, from admission to answer (Run/1 sections 1 and 5.1). */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { channelTerminal } from "./admission.ts";
import { readChannelRequest } from "./calls.ts";
import type { Inbound, SessionCore } from "./core.ts";
import { RUN_LIMITS } from "./limits.ts";
import type { ChannelExchange, ChannelOutcome, HostPort } from "./ports.ts";

/** Requests that give a right back: they may use what ordinary admission leaves, and work while a Run is ending. */
export function isSettlement(method: string): boolean {
	return method === "channel/close" || method === "channel/release";
}

/** Endpoints that a request may allocate, each of which will have to be settled. */
function allocates(method: string, params: JsonValue): number {
	if (method === "channel/subscribe") return 1;
	if (method !== "channel/create") return 0;
	return (params as JsonObject).delivery === "broadcast" ? 1 : 2;
}

/** Between a session and the channels of its layer. */
export class ServedChannels {
	readonly #core: SessionCore;
	readonly #port: HostPort;
	/** Under way, by the id of the request. */
	readonly #exchanges = new Map<string, ChannelExchange>();
	#reserved = 0;

	constructor(core: SessionCore, port: HostPort) {
		this.#core = core;
		this.#port = port;
	}

	/** Whether the layer has channels at all. */
	get served(): boolean {
		return this.#port.channel !== undefined;
	}

	/** Request ids, and one slot where that is above 0, that ordinary admission leaves from now on. */
	reserve(ids: number): void {
		if (ids === this.#reserved) return;
		this.#reserved = ids;
		this.#core.note({ type: "reserve", ids });
	}

	/**
	 * Why an ordinary request can't be admitted beside the settlements that are due, or undefined. A request that allocates
	 * needs place for the settlement of what it will get as well.
	 */
	refusal(method: string, params: JsonValue): string | undefined {
		const due = this.#reserved + (this.served ? allocates(method, params) : 0);
		if (due === 0) return undefined;
		if (this.#core.pendingInbound >= RUN_LIMITS.pendingRequests) {
			return "The last pending request is kept for closing and releasing channels.";
		}
		if (this.#core.requests > RUN_LIMITS.lifetimeRequests - due) {
			return `The last ${due} requests of this channel are kept for closing and releasing channels.`;
		}
		return undefined;
	}

	/** Hands an admitted request to the layer. */
	request(request: Inbound, params: JsonObject): void {
		const { id, method } = request;
		const exchange: ChannelExchange = {
			request: readChannelRequest(method, params),
			settle: (outcome) => this.#settle(request, outcome),
		};
		this.#exchanges.set(id, exchange);
		this.#core.note({ type: "exchange", requestId: id, method });
		try {
			this.#core.recorder.nested(() => this.#port.channel?.(exchange));
		} catch {
			this.#settle(request, {
				failure: { code: "EXECUTION_FAILED", message: "The host could not serve the request." },
			});
		}
	}

	#settle(request: Inbound, outcome: ChannelOutcome): void {
		if (!this.#exchanges.delete(request.id)) return;
		const { end, payload } = channelTerminal(request.method, outcome, request.id);
		this.#core.note({ type: "channel-settle", requestId: request.id, outcome: end });
		this.#core.answer(request, payload);
	}

	/** `request/cancel` for one of these; false when it is none. What it comes to is the layer's decision. */
	cancel(requestId: string): boolean {
		const exchange = this.#exchanges.get(requestId);
		if (exchange === undefined) return false;
		this.#core.note({ type: "exchange-cancelled", requestId });
		this.#core.recorder.nested(() => this.#port.cancelChannel?.(exchange));
		return true;
	}

	/** The Run is ending: nothing that waits for somebody else may keep the component from its answer. */
	cancelAll(): void {
		for (const id of [...this.#exchanges.keys()]) this.cancel(id);
	}

	/** Nothing is answered any more. */
	close(): void {
		this.#exchanges.clear();
	}
}
