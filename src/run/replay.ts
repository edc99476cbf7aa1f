/** Replays a recorded session: the same inputs into a fresh machine, event by event against the record. */

import { ComponentSession } from "./component.ts";
import { HostSession } from "./host.ts";
import type { ChannelExchange, Failure, HostPort, Operation } from "./ports.ts";
import { TRACE_VERSION, type TraceEvent, type TraceInput } from "./trace.ts";

/** Where a replay left the record: the first event that differs, as recorded (absent: one too many) and as replayed. */
export interface Divergence {
	readonly sequence: number;
	readonly recorded?: TraceEvent | undefined;
	readonly replayed?: TraceEvent | undefined;
}

export interface Replay {
	readonly events: readonly TraceEvent[];
	/** Absent when the replay decided exactly as the record says. */
	readonly divergence?: Divergence;
}

/**
 * Feeds the inputs among `events` (one session's, complete from `opened` on) to a fresh session of the recorded role and
 * compares everything it says. Inputs that were made inside a callback of the session are made inside the same callback
 * again. Stops at the first difference. Throws `TypeError` when the events don't start with `opened` of a known version.
 */
export function replay(events: readonly TraceEvent[]): Replay {
	return new Player(events).play();
}

const INPUTS: ReadonlySet<string> = new Set<TraceInput["type"]>([
	"chunk",
	"input-ended",
	"read-failed",
	"sent",
	"written",
	"write-failed",
	"call",
	"channel",
	"cancel-call",
	"finish",
	"start",
	"cancel",
	"expire",
	"exhaust",
	"settle",
	"channel-settle",
	"reserve",
	"conflict",
	"exited",
]);

type OpenedHost = Pick<Extract<TraceEvent, { type: "opened"; role: "host" }>, "root" | "limits" | "channels">;

class Player {
	readonly #record: readonly TraceEvent[];
	readonly #events: TraceEvent[] = [];
	readonly #calls = new Map<number, { cancel(): void }>();
	readonly #operations = new Map<string, Operation>();
	readonly #exchanges = new Map<string, ChannelExchange>();
	#session: ComponentSession | HostSession | undefined;
	#divergence: Divergence | undefined;
	#callbacks = 0;

	constructor(record: readonly TraceEvent[]) {
		this.#record = record;
	}

	play(): Replay {
		const opened = this.#record[0];
		if (opened === undefined || opened.type !== "opened" || opened.version !== TRACE_VERSION) {
			throw new TypeError(`A recorded session starts with an "opened" event of version ${TRACE_VERSION}.`);
		}
		this.#session = opened.role === "component" ? this.#component() : this.#host(opened);
		while (this.#divergence === undefined && this.#events.length < this.#record.length) {
			if (!this.#applyNext(0)) this.#diverge(this.#record[this.#events.length], undefined);
		}
		return this.#divergence === undefined
			? { events: this.#events }
			: { events: this.#events, divergence: this.#divergence };
	}

	#component(): ComponentSession {
		return new ComponentSession({
			wake: () => this.#nested(),
			start: () => this.#nested(),
			cancelled: () => this.#nested(),
			closed: () => this.#nested(),
			trace: (event) => this.#observe(event),
		});
	}

	#host({ root, limits, channels = false }: OpenedHost): HostSession {
		const port: HostPort = {
			wake: () => this.#nested(),
			dispatch: (operation: Operation) => {
				this.#operations.set(operation.call.operationId, operation);
				this.#nested();
			},
			abandon: () => this.#nested(),
			accept: () => this.#verdict(),
			responded: () => this.#nested(),
			failed: () => this.#nested(),
			trace: (event: TraceEvent) => this.#observe(event),
			...(channels ? this.#channels() : {}),
		};
		return new HostSession(root, port, limits);
	}

	#channels(): Pick<HostPort, "channel" | "cancelChannel"> {
		return {
			channel: (exchange) => {
				const announced = this.#events.at(-1);
				if (announced?.type === "exchange") this.#exchanges.set(announced.requestId, exchange);
				this.#nested();
			},
			cancelChannel: () => this.#nested(),
		};
	}

	#verdict(): Failure | undefined {
		this.#nested();
		const next = this.#record[this.#events.length];
		return next?.type === "verdict" ? next.failure : undefined;
	}

	/** Inside a callback: makes the inputs that were recorded inside the same one. */
	#nested(): void {
		this.#callbacks += 1;
		const during = this.#callbacks;
		while (this.#divergence === undefined && this.#applyNext(during));
	}

	#applyNext(during: number): boolean {
		const next = this.#record[this.#events.length];
		if (next === undefined || next.during !== during || !INPUTS.has(next.type)) return false;
		const before = this.#events.length;
		this.#apply(next);
		return this.#events.length > before;
	}

	#apply(event: TraceEvent): void {
		const session = this.#session;
		if (session === undefined) return;
		if (session instanceof ComponentSession) this.#applyToComponent(session, event);
		else this.#applyToHost(session, event);
		switch (event.type) {
			case "chunk":
				session.receive(event.bytes);
				break;
			case "input-ended":
				session.inputEnded();
				break;
			case "read-failed":
				session.readFailed(event.message);
				break;
			case "sent":
				session.takeFrame();
				break;
			case "written":
				session.written();
				break;
			case "write-failed":
				session.writeFailed(event.message);
		}
	}

	#applyToComponent(session: ComponentSession, event: TraceEvent): void {
		if (event.type === "call") {
			const settle = (): void => this.#nested();
			this.#calls.set(event.serial, session.call(event.call, settle));
		} else if (event.type === "channel") {
			const settle = (): void => this.#nested();
			this.#calls.set(event.serial, session.channel(event.request, settle));
		} else if (event.type === "cancel-call") this.#calls.get(event.serial)?.cancel();
		else if (event.type === "finish") session.finish(event.end);
	}

	#applyToHost(session: HostSession, event: TraceEvent): void {
		if (event.type === "settle") this.#operations.get(event.operationId)?.settle(event.outcome);
		else if (event.type === "channel-settle") this.#answerExchange(event);
		else if (event.type === "reserve") session.reserve(event.ids);
		else if (event.type === "conflict") this.#operations.get(event.operationId)?.conflict();
		else if (event.type === "exited") session.exited(event.evidence);
		else if (event.type === "exhaust") session.exhaust(event.message);
		else if (event.type === "start" || event.type === "cancel" || event.type === "expire") session[event.type]();
	}

	#answerExchange({ requestId, outcome }: Extract<TraceEvent, { type: "channel-settle" }>): void {
		const exchange = this.#exchanges.get(requestId);
		this.#exchanges.delete(requestId);
		exchange?.settle("value" in outcome ? { result: outcome.value } : outcome);
	}

	#observe(event: TraceEvent): void {
		if (this.#divergence !== undefined) return;
		const recorded = this.#record[this.#events.length];
		if (recorded === undefined || !isSame(recorded, event)) this.#diverge(recorded, event);
		else this.#events.push(event);
	}

	#diverge(recorded: TraceEvent | undefined, replayed: TraceEvent | undefined): void {
		this.#divergence = { sequence: this.#events.length, recorded, replayed };
	}
}

/** Structural equality of plain data with byte arrays, as events are; their depth is bounded by JSON/1. */
function isSame(a: unknown, b: unknown): boolean {
	if (Object.is(a, b) || (a === 0 && b === 0)) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (a instanceof Uint8Array || b instanceof Uint8Array) {
		return (
			a instanceof Uint8Array &&
			b instanceof Uint8Array &&
			a.length === b.length &&
			a.every((byte, index) => byte === b[index])
		);
	}
	const names = Object.keys(a).filter((name) => member(a, name) !== undefined);
	const others = Object.keys(b).filter((name) => member(b, name) !== undefined);
	return (
		Array.isArray(a) === Array.isArray(b) &&
		names.length === others.length &&
		names.every((name) => Object.hasOwn(b, name) && isSame(member(a, name), member(b, name)))
	);
}

function member(value: object, name: string): unknown {
	return (value as { readonly [name: string]: unknown })[name];
}
