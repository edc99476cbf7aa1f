/**
 * The channel endpoints of one component: what it was granted, what it may still do with it, and what a host can't say about
 * it without breaking the protocol (Run/1 section 5.1). Pure state; the requests are in `exchanges.ts`.
 */

import { sameIdentity } from "../contract/identity.ts";
import type { JsonValue } from "../json/index.ts";
import type { RunCode } from "./codes.ts";
import type { ChannelGrant } from "./ports.ts";
import type { Fault } from "./shapes.ts";
import type { Wait } from "./waits.ts";

/** Endpoints that one channel incarnation may grant in all. */
const MAX_ENDPOINTS = 512;

export type ReadResult =
	| { readonly item: { readonly sequence: number; readonly value: JsonValue } }
	| { readonly end: { readonly lastSequence: number } };

export type ReleaseResult =
	| { readonly status: "released" }
	| { readonly status: "ended"; readonly lastSequence: number }
	| ({ readonly status: "failed" } & Cause);

/** Why a receiver came to no end. */
export interface Cause {
	readonly code: RunCode;
	readonly details?: JsonValue;
}

/** A close or a release under way, and who waits for it. */
export interface Settling {
	readonly waits: Set<Wait>;
	/** Disposes a late grant: its failure can't be recovered. */
	readonly late: boolean;
	/** The release was answered; the read before it was not yet. */
	result?: ReleaseResult;
}

export interface Endpoint {
	readonly token: string;
	readonly direction: "send" | "receive";
	readonly contract: ChannelGrant["contract"];
	readonly origin: "granted" | "created" | "subscribed";
	/** The other end of a direct source that was created here. */
	peer: Endpoint | undefined;
	/** Used here: it can't be handed on any more. */
	used: boolean;
	/** Calls that offer it, or offered it. */
	offers: number;
	/** Its one privileged settlement was begun. */
	attempted: boolean;
	settling: Settling | undefined;
	/** A read whose answer hasn't come, cancelled or not. */
	reading: boolean;
	/** The next sequence number. */
	expected: number;
	/** What a close or a release came to: answers a repetition. */
	outcome: null | ReleaseResult | undefined;
	/** A read failed in a way that doesn't prove the end, and was not cancelled. */
	stopped: boolean;
}

/** A broadcast source that was created here. */
export interface Source {
	readonly writer: Endpoint;
}

const INCONCLUSIVE: ReadonlySet<RunCode> = new Set<RunCode>([
	"CANCELLED",
	"PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED",
	"UNAVAILABLE",
]);

/**
 * Whether a failed read proves that its receiver has ended. A refusal may also be about this one request: the receiver may
 * have moved, or the host may have no room. Where the cause is sticky, the next read or the release says so again.
 */
export function provesEnd(code: RunCode): boolean {
	return !INCONCLUSIVE.has(code);
}

/** Everything that checks what a host said returns the violation as a sentence, or undefined; then it has taken effect. */
export class EndpointTable {
	readonly #endpoints = new Map<string, Endpoint>();
	readonly #sources = new Map<string, Source>();
	/** Endpoints whose privileged settlement may still come. */
	readonly #owed = new Set<Endpoint>();
	/** Endpoints that pending requests may allocate. */
	allocating = 0;

	endpoint(token: string, direction: "send" | "receive"): Endpoint | undefined {
		const endpoint = this.#endpoints.get(token);
		return endpoint?.direction === direction ? endpoint : undefined;
	}

	source(token: string): Source | undefined {
		return this.#sources.get(token);
	}

	/** What ordinary admission leaves for settlements, with `more` endpoints that an admitted request would allocate (section 1). */
	reserve(more = 0): { readonly slots: number; readonly ids: number } {
		const ids = this.#owed.size + this.allocating + more;
		return { slots: ids > 0 ? 1 : 0, ids };
	}

	// Grants -----------------------------------------------------------------------------------------------------------

	/** The channels of the root, whose references are distinct already. */
	granted(channels: Readonly<Record<string, ChannelGrant>>): void {
		for (const grant of Object.values(channels)) this.#add(grant, "granted");
	}

	/** The result of a creation. */
	created(delivery: "direct" | "broadcast", result: JsonValue): string | undefined {
		const { send, receive, source } = result as unknown as {
			readonly send: ChannelGrant;
			readonly receive?: ChannelGrant;
			readonly source?: string;
		};
		if (send.delivery !== delivery) return `A ${delivery} channel was created as ${send.delivery}`;
		const tokens = receive === undefined ? [send.endpoint, source!] : [send.endpoint, receive.endpoint];
		const fault = this.#tokensFault(tokens, receive === undefined ? 1 : 2);
		if (fault !== undefined) return fault;
		if (receive !== undefined && !isSameContract(send.contract, receive.contract)) {
			return "The ends of a channel have different contracts";
		}
		const writer = this.#add(send, "created");
		if (receive === undefined) this.#sources.set(source!, { writer });
		else {
			writer.peer = this.#add(receive, "created");
			writer.peer.peer = writer;
		}
		return undefined;
	}

	/** The result of a subscription. */
	subscribed(source: Source, grant: ChannelGrant): string | undefined {
		const fault = this.#tokensFault([grant.endpoint], 1);
		if (fault !== undefined) return fault;
		if (!isSameContract(source.writer.contract, grant.contract)) {
			return "A subscription has another contract than its writer";
		}
		this.#add(grant, "subscribed");
		return undefined;
	}

	/** References are one name space and never come twice. */
	#tokensFault(tokens: readonly string[], endpoints: number): string | undefined {
		if (this.#endpoints.size + endpoints > MAX_ENDPOINTS) return `More than ${MAX_ENDPOINTS} endpoints were granted`;
		for (const [index, token] of tokens.entries()) {
			if (this.#endpoints.has(token) || this.#sources.has(token) || tokens.indexOf(token) !== index) {
				return `The channel reference ${JSON.stringify(token)} was granted before`;
			}
		}
		return undefined;
	}

	#add(grant: ChannelGrant, origin: Endpoint["origin"]): Endpoint {
		const endpoint: Endpoint = {
			token: grant.endpoint,
			direction: grant.direction,
			contract: grant.contract,
			origin,
			peer: undefined,
			used: false,
			offers: 0,
			attempted: false,
			settling: undefined,
			reading: false,
			expected: grant.startSequence ?? 1,
			outcome: undefined,
			stopped: false,
		};
		this.#endpoints.set(endpoint.token, endpoint);
		this.#owed.add(endpoint);
		return endpoint;
	}

	// Offers -----------------------------------------------------------------------------------------------------------

	/** Why a call can't map these references, with a path into its params. A right is claimed by its first use (section 5.1). */
	offerFault(channels: Readonly<Record<string, string>>): Fault | undefined {
		const seen = new Set<string>();
		for (const [name, token] of Object.entries(channels)) {
			const path = ["channels", name];
			const endpoint = this.#endpoints.get(token);
			if (endpoint === undefined) return { path, message: "is no endpoint of this Run" };
			if (endpoint.used) return { path, message: "is an endpoint that was used here; it can't be handed on" };
			if (seen.has(token)) return { path, message: "is mapped twice" };
			seen.add(token);
		}
		return undefined;
	}

	/** A call with this map was admitted (+1), or taken back before it was written (-1). */
	offer(channels: Readonly<Record<string, string>>, by: 1 | -1): void {
		for (const token of Object.values(channels)) this.#endpoints.get(token)!.offers += by;
	}

	// Reads ------------------------------------------------------------------------------------------------------------

	/** A read was answered: its sequence is contiguous, its end the last item's. */
	read(endpoint: Endpoint, result: ReadResult): string | undefined {
		const { expected, settling } = endpoint;
		if ("item" in result) {
			const { sequence } = result.item;
			if (sequence !== expected) return `A channel delivered item ${sequence} where ${expected} was due`;
			endpoint.expected += 1;
		} else {
			const { lastSequence } = result.end;
			if (lastSequence !== expected - 1) {
				return `A channel ended at ${lastSequence} after item ${expected - 1}`;
			}
			this.#decide(endpoint, { status: "ended", lastSequence });
		}
		endpoint.reading = false;
		return settling?.result === undefined ? undefined : contradiction(endpoint, settling.result);
	}

	/** A read failed. `cancelled`: nobody waits for it any more. */
	readFailed(endpoint: Endpoint, cause: Cause, cancelled: boolean): void {
		endpoint.reading = false;
		if (provesEnd(cause.code)) this.#decide(endpoint, failedBy(cause));
		else if (!cancelled) endpoint.stopped = true;
	}

	// Settlement -------------------------------------------------------------------------------------------------------

	/** A close or a release begins: true when it is the privileged one. */
	settle(endpoint: Endpoint, settling: Settling): boolean {
		const privileged = !endpoint.attempted;
		endpoint.attempted = true;
		endpoint.used = true;
		endpoint.settling = settling;
		this.#owed.delete(endpoint);
		return privileged;
	}

	/** A close was answered. */
	sealed(endpoint: Endpoint): void {
		endpoint.settling = undefined;
		endpoint.outcome = null;
	}

	/** A release was answered; it is over when no read before it is open. */
	released(endpoint: Endpoint, result: ReleaseResult): string | undefined {
		if (endpoint.settling !== undefined) endpoint.settling.result = result;
		return contradiction(endpoint, result);
	}

	/** Ends a release that was answered. What a read found first stays the receiver's outcome. */
	disposed(endpoint: Endpoint, result: ReleaseResult): ReleaseResult {
		endpoint.settling = undefined;
		this.#decide(endpoint, result);
		return endpoint.outcome as ReleaseResult;
	}

	/** Nobody holds this endpoint, and nothing will be asked of it. */
	forget(endpoint: Endpoint): void {
		this.#owed.delete(endpoint);
	}

	#decide(endpoint: Endpoint, outcome: ReleaseResult): void {
		endpoint.outcome ??= outcome;
		this.#owed.delete(endpoint);
	}

	/**
	 * Receivers that are active and unfinished (section 9): inherited, subscribed, used, or connected through their sender. Those
	 * that a call was offered are the host's to judge, which knows whether they moved.
	 */
	get abandoned(): number {
		let count = 0;
		for (const endpoint of this.#endpoints.values()) if (isAbandoned(endpoint)) count += 1;
		return count;
	}
}

function isAbandoned(endpoint: Endpoint): boolean {
	const { direction, origin, peer, offers, used, settling, outcome, stopped } = endpoint;
	if (direction === "send" || offers > 0 || settling !== undefined || outcome !== undefined || stopped) return false;
	return origin !== "created" || used || (peer !== undefined && (peer.used || peer.offers > 0));
}

function contradiction(endpoint: Endpoint, result: ReleaseResult): string | undefined {
	const { outcome, expected } = endpoint;
	if (outcome?.status === "ended") {
		if (result.status === "ended" && result.lastSequence === outcome.lastSequence) return undefined;
		return `A receiver that ended at ${outcome.lastSequence} was released as ${result.status}`;
	}
	if (result.status === "ended" && result.lastSequence < expected - 1) {
		return `A receiver was released as ended at ${result.lastSequence} after item ${expected - 1}`;
	}
	return undefined;
}

function failedBy({ code, details }: Cause): ReleaseResult {
	return details === undefined ? { status: "failed", code } : { status: "failed", code, details };
}

function isSameContract(a: ChannelGrant["contract"], b: ChannelGrant["contract"]): boolean {
	if (a === undefined || b === undefined) return a === b;
	return sameIdentity(a as Parameters<typeof sameIdentity>[0], b as Parameters<typeof sameIdentity>[0]);
}
