import { signals } from "../signals.ts";
import { type AbortSignal, createAbortController } from "../web.ts";
import type { HostRuntime } from "./ports.ts";

export type StopReason = "cancel" | "deadline";

/** When a Run must have ended: fixed once, on both clocks, and the same for its whole subtree. */
export interface Deadline {
	readonly unixMs: number;
	readonly monotonicMs: number;
}

/**
 * The one place where a Run's cancellation and deadline meet: the first recorded reason stays (Run/1 section 7).
 * Before the component runs it aborts the activation; afterwards the supervisor listens.
 */
export class Stop {
	readonly #controller = createAbortController();
	readonly #cancelTimer: () => void;
	#reason: StopReason | undefined;
	#cause: unknown;
	#listener: ((reason: StopReason) => void) | undefined;
	#release: (() => void) | undefined;

	constructor(runtime: HostRuntime, deadline: Deadline) {
		const left = Math.max(0, Math.ceil(deadline.monotonicMs - runtime.monotonic()));
		this.#cancelTimer = runtime.schedule(left, () => this.request("deadline"));
	}

	get reason(): StopReason | undefined {
		return this.#reason;
	}

	/** What whoever cancelled gave as the reason. */
	get cause(): unknown {
		return this.#cause;
	}

	/** For the runtime's activation work. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	request(reason: StopReason, cause?: unknown): void {
		if (this.#reason !== undefined) return;
		this.#reason = reason;
		this.#cause = cause;
		this.#controller.abort();
		this.#listener?.(reason);
	}

	/** Hears of a stop from now on, at once if it was recorded before. */
	listen(listener: (reason: StopReason) => void): void {
		this.#listener = listener;
		if (this.#reason !== undefined) listener(this.#reason);
	}

	/** Follows the user's signal until `close`. */
	follow(signal: AbortSignal | undefined): void {
		if (signal === undefined) return;
		if (signal.aborted) this.request("cancel", signal.reason);
		else this.#release = signals.watch(signal, () => this.request("cancel", signal.reason));
	}

	/** Leaves no timer and no listener. */
	close(): void {
		this.#cancelTimer();
		this.#release?.();
		this.#release = undefined;
		this.#listener = undefined;
	}
}
