/**
 * Waiting for abort signals. Each signal gets one listener while anybody waits on it, however many share it: 64 live calls,
 * 20 loads or 15 hosts on one signal stay under every runtime's warning of a leak, and who is done leaves nothing behind.
 */
import { type AbortSignal, createAbortController } from "./web.ts";

interface Watch {
	readonly cancels: Set<() => void>;
	readonly listener: () => void;
}

/** Who waits on which signal. */
class SignalWatch {
	readonly #watches = new Map<AbortSignal, Watch>();

	/** Calls `cancel` once when `signal` aborts. The returned function stops waiting for that; repeating it is harmless. */
	watch(signal: AbortSignal, cancel: () => void): () => void {
		const watch = this.#watches.get(signal) ?? this.#open(signal);
		watch.cancels.add(cancel);
		return () => {
			if (!watch.cancels.delete(cancel) || watch.cancels.size > 0) return;
			if (this.#watches.get(signal) === watch) this.#close(signal, watch);
		};
	}

	#open(signal: AbortSignal): Watch {
		const cancels = new Set<() => void>();
		const watch: Watch = {
			cancels,
			listener: () => {
				this.#close(signal, watch);
				for (const cancel of [...cancels]) cancel();
			},
		};
		signal.addEventListener("abort", watch.listener);
		this.#watches.set(signal, watch);
		return watch;
	}

	#close(signal: AbortSignal, watch: Watch): void {
		this.#watches.delete(signal);
		signal.removeEventListener("abort", watch.listener);
	}
}

/** The one of the whole program. */
export const signals: SignalWatch = new SignalWatch();

/**
 * Asks work to stop that mostly is never asked: the controller, which costs more than a small call, is made when somebody looks
 * at the signal.
 */
export class StopRequest {
	#controller: ReturnType<typeof createAbortController> | undefined;
	#aborted: { readonly reason: unknown } | undefined;

	get aborted(): boolean {
		return this.#aborted !== undefined;
	}

	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = createAbortController();
			if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
		}
		return this.#controller.signal;
	}

	/** The first time counts, as with an `AbortController`. */
	abort(reason?: unknown): void {
		if (this.#aborted !== undefined) return;
		this.#aborted = { reason };
		this.#controller?.abort(reason);
	}
}
