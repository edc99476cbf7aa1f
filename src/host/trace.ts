import type { JsonValue } from "../json/index.ts";
import type { ChannelEvent, TraceEvent } from "../run/index.ts";
import type { Digest } from "../sha256.ts";
import type { FailureCode, Phase } from "./errors.ts";
import type { HostLimits } from "./limits.ts";

/** What the host itself does in one Run, beside what the session sees. */
export type HostEvent =
	| { readonly type: "activating"; readonly package: string; readonly deadlineUnixMs: number }
	| { readonly type: "launched"; readonly description: string }
	| { readonly type: "session"; readonly event: TraceEvent }
	| { readonly type: "stderr"; readonly bytes: Uint8Array }
	| {
			readonly type: "operation-started";
			readonly operationId: string;
			readonly slot: string;
			readonly target: "package" | "function" | "provider";
	  }
	/** A call of a slot to which the host's program bound nothing; its caller got `UNAVAILABLE`. */
	| {
			readonly type: "operation-unbound";
			readonly operationId: string;
			readonly slot: string;
			readonly target: "child" | "capability";
	  }
	/** `error` is what the function or provider threw: it stays on the host's side of the wire. */
	| { readonly type: "operation-failed"; readonly operationId: string; readonly slot: string; readonly error: unknown }
	/** The Run holds the key of its operations; `recorded`: how many were found under it. */
	| {
			readonly type: "operations-claimed";
			readonly key: string;
			readonly incarnation: number;
			readonly recorded: number;
	  }
	/**
	 * A call was answered by what an earlier Run recorded, not dispatched: `settled` with what it came to, `forgotten` where
	 * that isn't kept (`RESOURCE_EXHAUSTED`), `uncertain` where it may have been dispatched, `conflict` where its id belongs
	 * to another call.
	 */
	| {
			readonly type: "operation-recalled";
			readonly operationId: string;
			readonly slot: string;
			readonly status: "settled" | "forgotten" | "uncertain" | "conflict";
	  }
	/** The store failed: `begin` before the dispatch, `settle` after it, `recall` instead of it. */
	| {
			readonly type: "operation-unrecorded";
			readonly operationId: string;
			readonly slot: string;
			readonly step: "begin" | "settle" | "recall";
			readonly error: unknown;
	  }
	/** A decision about a channel of this tree of Runs, told with the root. */
	| { readonly type: "channel"; readonly event: ChannelEvent }
	/** The host's program failed at its end of a port of the root. */
	| { readonly type: "channel-failed"; readonly port: string; readonly error: unknown }
	| { readonly type: "cancelling"; readonly reason: "cancel" | "deadline" }
	| { readonly type: "stopping"; readonly step: "terminate" | "kill"; readonly reason: string }
	| { readonly type: "exited"; readonly exitCode: number | null; readonly signal: string | null }
	| { readonly type: "fenced"; readonly gone: boolean; readonly detail?: string | undefined }
	| { readonly type: "abandoned"; readonly operationId: string; readonly slot: string }
	| { readonly type: "cleanup-failed"; readonly what: string; readonly error: unknown }
	| { readonly type: "succeeded"; readonly outcome: string; readonly output: JsonValue }
	| { readonly type: "failed"; readonly code: FailureCode; readonly phase: Phase; readonly message: string };

/** One observation: when, in which Run of the tree, what. */
export interface RunEvent {
	/** Milliseconds since the root Run was asked for. */
	readonly atMs: number;
	/** The operation ids that lead from the root Run to the one observed; empty for the root. */
	readonly path: readonly string[];
	readonly digest: Digest;
	readonly event: HostEvent;
}

/** Says that the iterator fell behind: `count` of the oldest unread events were dropped here. */
export interface DroppedEvents {
	readonly dropped: number;
}

/** Pushes events to observers. Whatever an observer does, throwing and rejecting included, changes nothing. */
export class TraceHub {
	readonly #observers = new Set<(event: RunEvent) => void>();
	readonly #iterators = new Set<TraceIterator>();
	readonly #limits: HostLimits;
	#closed = false;

	constructor(limits: HostLimits, observer?: (event: RunEvent) => unknown) {
		this.#limits = limits;
		if (observer !== undefined) this.#observers.add((event) => harmless(observer, event));
	}

	get observed(): boolean {
		return this.#observers.size > 0 || this.#iterators.size > 0;
	}

	emit(event: RunEvent): void {
		for (const observer of this.#observers) observer(event);
		for (const iterator of this.#iterators) iterator.push(event);
	}

	/** No event comes any more: iterators end after what they hold. */
	close(): void {
		this.#closed = true;
		for (const iterator of this.#iterators) iterator.end();
		this.#iterators.clear();
		this.#observers.clear();
	}

	iterate(): AsyncIterableIterator<RunEvent | DroppedEvents> {
		const iterator = new TraceIterator(this.#limits, () => this.#iterators.delete(iterator));
		if (this.#closed) iterator.end();
		else this.#iterators.add(iterator);
		return iterator;
	}
}

/** Tells an observer, and lets nothing it does come back. */
export function harmless<T>(observer: (value: T) => unknown, value: T): void {
	try {
		const answer = observer(value);
		if (typeof answer === "object" && answer !== null && "then" in answer) {
			Promise.resolve(answer).then(undefined, () => undefined);
		}
	} catch {
		// An observer is harmless (it must not be able to fail a Run).
	}
}

type Item = RunEvent | DroppedEvents;
type Step = { done: false; value: Item } | { done: true; value: undefined };

/** A bounded queue read as an async iterator; the oldest events give way and their number is reported in their place. */
class TraceIterator implements AsyncIterableIterator<Item> {
	readonly #limits: HostLimits;
	readonly #left: () => void;
	#queue: (RunEvent | undefined)[] = [];
	#head = 0;
	#bytes = 0;
	#dropped = 0;
	#ended = false;
	#waiting: ((step: Step) => void)[] = [];

	constructor(limits: HostLimits, left: () => void) {
		this.#limits = limits;
		this.#left = left;
	}

	push(event: RunEvent): void {
		if (this.#ended) return;
		const waiter = this.#waiting.shift();
		if (waiter !== undefined) {
			waiter({ done: false, value: event });
			return;
		}
		this.#queue.push(event);
		this.#bytes += weight(event);
		while (
			this.#queue.length - this.#head > this.#limits.traceEvents ||
			(this.#bytes > this.#limits.traceBytes && this.#queue.length - this.#head > 1)
		) {
			this.#take();
			this.#dropped += 1;
		}
	}

	#take(): RunEvent | undefined {
		const event = this.#queue[this.#head];
		if (event === undefined) return undefined;
		this.#queue[this.#head] = undefined;
		this.#head += 1;
		this.#bytes -= weight(event);
		if (this.#head >= 1_024 && this.#head * 2 >= this.#queue.length) {
			this.#queue = this.#queue.slice(this.#head);
			this.#head = 0;
		}
		return event;
	}

	end(): void {
		this.#ended = true;
		for (const waiter of this.#waiting.splice(0)) waiter({ done: true, value: undefined });
	}

	next(): Promise<Step> {
		if (this.#dropped > 0) {
			const value = { dropped: this.#dropped };
			this.#dropped = 0;
			return Promise.resolve({ done: false, value });
		}
		const event = this.#take();
		if (event !== undefined) return Promise.resolve({ done: false, value: event });
		if (this.#ended) return Promise.resolve({ done: true, value: undefined });
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	return(): Promise<Step> {
		this.#queue = [];
		this.#head = 0;
		this.#dropped = 0;
		this.end();
		this.#left();
		return Promise.resolve({ done: true, value: undefined });
	}

	[Symbol.asyncIterator](): this {
		return this;
	}
}

/** Bytes that an event keeps alive. */
function weight({ event }: RunEvent): number {
	if (event.type === "stderr") return event.bytes.length;
	if (event.type !== "session") return 0;
	if ("frame" in event.event) return event.event.frame.length;
	return "bytes" in event.event ? event.event.bytes.length : 0;
}
