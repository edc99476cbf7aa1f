import { TRACE_VERSION, type TraceDecision, type TraceEvent, type TraceInput } from "./trace.ts";

/**
 * Numbers the events of one session and pushes them to its observer. Without an observer it costs one comparison an event;
 * with one that throws, it changes nothing.
 */
export class Recorder {
	readonly #observe: ((event: TraceEvent) => void) | undefined;
	#sequence = 0;
	/** Callbacks made so far, and the one that runs. */
	#callbacks = 0;
	#during = 0;

	constructor(port: { trace?(event: TraceEvent): void }) {
		this.#observe = port.trace === undefined ? undefined : (event) => port.trace?.(event);
	}

	/** Whether anybody looks: an event that is dear to make is made only then. */
	get observed(): boolean {
		return this.#observe !== undefined;
	}

	note(event: TraceInput | TraceDecision): void {
		if (this.#observe === undefined) return;
		const stamped: TraceEvent = { version: TRACE_VERSION, sequence: this.#sequence, during: this.#during, ...event };
		this.#sequence += 1;
		try {
			this.#observe(stamped);
		} catch {
			// Observers are harmless.
		}
	}

	/** Runs a callback of the session's port: what the layer does meanwhile is recorded as happening inside it. */
	nested<T>(callback: () => T): T {
		const outer = this.#during;
		this.#callbacks += 1;
		this.#during = this.#callbacks;
		try {
			return callback();
		} finally {
			this.#during = outer;
		}
	}
}
