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
	readonly entry: Outgoing;
	id?: string;
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
	/** Admitted requests whose write has not begun. */
	readonly #unsent = new Set<Outbound>();
	/** Admitted settlements whose write has not begun, and those among them that wait for a slot. */
	readonly #settling = new Set<Outbound>();
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
		return this.#pending.size + this.#unsent.size + this.#settling.size;
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
		return this.#sent + this.#unsent.size + this.#settling.size;
	}

	#idAt(count: number): string {
		return `${this.#name}:${count}`;
	}

	/** Queues an admitted request. Its id is made when its write begins, so that one that is dropped uses none. */
	request(call: Call, sent?: () => void): Outbound {
		const take = (): string => {
			this.#unsent.delete(outbound);
			const text = this.#send(outbound);
			sent?.();
			return text;
		};
		const outbound: Outbound = { call, entry: { take } };
		this.#unsent.add(outbound);
		this.#push(outbound.entry);
		return outbound;
	}

	/**
	 * Queues the settlement of an endpoint, which has its reserve: before ordinary frames, but never as one pending request too
	 * many. It then waits for a slot; ordinary requests leave one (section 1).
	 */
	settlement(call: Call): Outbound {
		const take = (): string | undefined => {
			if (this.#pending.size + this.#unsent.size >= RUN_LIMITS.pendingRequests) {
				this.#blocked.push(outbound.entry);
				return undefined;
			}
			this.#settling.delete(outbound);
			return this.#send(outbound);
		};
		const outbound: Outbound = { call, entry: { take } };
		this.#settling.add(outbound);
		this.#push(outbound.entry, "control");
		return outbound;
	}

	#send(outbound: Outbound): string {
		this.#sent += 1;
		outbound.id = this.#idAt(this.#sent);
		this.#pending.set(outbound.id, outbound);
		return requestFrame(outbound.id, outbound.call.method, outbound.call.text);
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
			this.#outbox.drop(outbound.entry);
			this.#unsent.delete(outbound);
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
	respond(id: string, payload: Payload, taken: () => void): void {
		const take = (): string => {
			taken();
			return responseFrame(id, payload);
		};
		this.#push({ take });
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
		this.#unsent.clear();
		this.#settling.clear();
		this.#blocked = [];
		if (leaves) {
			this.#outbox.push({ take: () => last });
			this.#wake();
		}
		return leaves;
	}
}
