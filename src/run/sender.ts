/** The sending half of a channel: what waits to be written, our request ids and their budgets, answers (Run/1 section 1). */

import { encodeUtf8 } from "../web.ts";
import { type Call, cancelFrame, type Payload, requestFrame, responseFrame } from "./encode.ts";
import { RUN_LIMITS } from "./limits.ts";
import type { RoleName } from "./methods.ts";
import { Outbox, type Outgoing } from "./outbox.ts";
import type { Recorder } from "./recorder.ts";

/** A request of ours. `id` is set when its write begins; a cancelled one waits on for its response (a tombstone). */
export interface Outbound {
	readonly call: Call;
	readonly id: string | undefined;
}

/** What waits in the outbox for its write to begin: one object for each, since thousands of them come and go. */
class Request implements Outbound, Outgoing {
	readonly call: Call;
	readonly #begin: (request: Request) => string | undefined;
	id: string | undefined = undefined;
	dropped = false;

	constructor(call: Call, begin: (request: Request) => string | undefined) {
		this.call = call;
		this.#begin = begin;
	}

	take(): string | undefined {
		return this.#begin(this);
	}
}

/** A request of the peer that is being answered. */
interface Answered {
	readonly id: string;
}

class Answer<T extends Answered> implements Outgoing {
	readonly #request: T;
	readonly #payload: Payload;
	readonly #taken: (request: T) => void;
	dropped = false;

	constructor(request: T, payload: Payload, taken: (request: T) => void) {
		this.#request = request;
		this.#payload = payload;
		this.#taken = taken;
	}

	take(): string {
		this.#taken(this.#request);
		return responseFrame(this.#request.id, this.#payload);
	}
}

/** What ordinary admission leaves for the settlement of channel endpoints (section 1). */
export interface Reserve {
	readonly slots: number;
	readonly ids: number;
}

const NO_RESERVE: Reserve = { slots: 0, ids: 0 };

export class Sender {
	readonly #name: RoleName;
	readonly #recorder: Recorder;
	readonly #wake: () => void;
	readonly #outbox = new Outbox();
	/** Requests that are written and not answered. */
	readonly #pending = new Map<string, Outbound>();
	/** How many admitted requests there are whose write has not begun. */
	#unsent = 0;
	/** How many admitted settlements there are whose write has not begun, and those among them that wait for a slot. */
	#settling = 0;
	#blocked: Outgoing[] = [];
	#sent = 0;
	#open = true;
	/** Asked at every ordinary admission. */
	reserve: () => Reserve = () => NO_RESERVE;

	constructor(name: RoleName, recorder: Recorder, wake: () => void) {
		this.#name = name;
		this.#recorder = recorder;
		this.#wake = wake;
	}

	/** Requests that are queued or await their response, cancelled ones included. */
	get pending(): number {
		return this.#pending.size + this.#unsent + this.#settling;
	}

	/** Frames that wait to be taken. */
	get queued(): number {
		return this.#outbox.size;
	}

	/** Why one more ordinary request can't be admitted, or undefined. */
	refusal(reserve: Reserve = this.reserve()): string | undefined {
		if (this.pending >= RUN_LIMITS.pendingRequests - reserve.slots) {
			return `${this.pending} calls are pending; await some of them first.`;
		}
		if (this.#used >= RUN_LIMITS.lifetimeRequests - reserve.ids) {
			return `This channel has used its ${RUN_LIMITS.lifetimeRequests} requests.`;
		}
		return undefined;
	}

	/** The longest id that a request admitted now can get: only settlements, which have reserved theirs, may overtake it. */
	get nextId(): string {
		return this.#idAt(this.#used + this.reserve().ids + 1);
	}

	/** Ids that are used, or will be. */
	get #used(): number {
		return this.#sent + this.#unsent + this.#settling;
	}

	#idAt(count: number): string {
		return `${this.#name}:${count}`;
	}

	/** Queues an admitted request. Its id is made when its write begins, so that one that is dropped uses none. */
	request(call: Call, sent?: () => void): Outbound {
		const request = new Request(call, sent === undefined ? this.#begin : (one) => this.#begin(one, sent));
		if (this.#open) this.#unsent += 1;
		this.#push(request);
		return request;
	}

	readonly #begin = (request: Request, sent?: () => void): string => {
		this.#unsent -= 1;
		const text = this.#send(request);
		sent?.();
		return text;
	};

	/**
	 * Queues the settlement of an endpoint, which has its reserve: before ordinary frames, but never as one pending request too
	 * many. It then waits for a slot; ordinary requests leave one (section 1).
	 */
	settlement(call: Call): Outbound {
		const request = new Request(call, this.#beginSettlement);
		if (this.#open) this.#settling += 1;
		this.#push(request, "control");
		return request;
	}

	readonly #beginSettlement = (request: Request): string | undefined => {
		if (this.#pending.size + this.#unsent >= RUN_LIMITS.pendingRequests) {
			this.#blocked.push(request);
			return undefined;
		}
		this.#settling -= 1;
		return this.#send(request);
	};

	#send(request: Request): string {
		this.#sent += 1;
		const id = this.#idAt(this.#sent);
		request.id = id;
		this.#pending.set(id, request);
		return requestFrame(id, request.call.method, request.call.text);
	}

	#freed(): void {
		const blocked = this.#blocked;
		if (blocked.length === 0) return;
		this.#blocked = [];
		for (const entry of blocked) this.#push(entry, "control");
	}

	/** Asks the peer to stop a request, or drops it when its write has not begun; true when it was dropped. */
	cancel(outbound: Outbound): boolean {
		const { id } = outbound;
		if (id === undefined) {
			// Of a closed outbox nothing is counted any more.
			if (this.#outbox.drop(outbound as Request) && this.#open) this.#unsent -= 1;
			this.#freed();
			return true;
		}
		// Looked up when the write begins: a response that came meanwhile leaves nothing to cancel.
		const take = (): string | undefined => (this.#pending.has(id) ? cancelFrame(id) : undefined);
		this.#push({ take }, "control");
		return false;
	}

	/** The pending request that a response with this id answers. */
	find(id: string): Outbound | undefined {
		return this.#pending.get(id);
	}

	/** A valid response came: the request no longer takes a slot. */
	settle(outbound: Outbound): void {
		if (outbound.id !== undefined) this.#pending.delete(outbound.id);
		this.#freed();
	}

	/** Queues an answer; `taken` runs when its write begins. */
	respond<T extends Answered>(request: T, payload: Payload, taken: (request: T) => void): void {
		if (this.#open) this.#push(new Answer(request, payload, taken));
	}

	/** Queues the root's terminal, behind everything else; its text is decided when its write begins. */
	terminal(take: () => string): void {
		if (!this.#open) return;
		this.#outbox.setLast({ take });
		this.#wake();
	}

	#push(entry: Outgoing, lane: "control" | "ordinary" = "ordinary"): void {
		if (!this.#open) return;
		this.#outbox.push(entry, lane);
		this.#wake();
	}

	/** The next frame with its LF. Several are cheaper to take as text and to encode together. */
	take(): Uint8Array | undefined {
		const text = this.takeText();
		return text === undefined ? undefined : encodeUtf8(text);
	}

	takeText(): string | undefined {
		const text = this.#outbox.take();
		if (text === undefined) return undefined;
		if (this.#recorder.observed) this.#recorder.note({ type: "sent", frame: encodeUtf8(text) });
		return `${text}\n`;
	}

	/**
	 * Suppresses everything that is queued. Where the channel still takes writes, `last` may leave; true when it is queued. What
	 * was sent stays pending: the peer may still answer it.
	 */
	close(last?: string): boolean {
		const leaves = last !== undefined && this.#open;
		this.#open = false;
		this.#outbox.clear();
		this.#unsent = 0;
		this.#settling = 0;
		this.#blocked = [];
		if (leaves) {
			this.#outbox.push({ take: () => last });
			this.#wake();
		}
		return leaves;
	}
}
