/**
 * Per-call cancellation. Each signal gets one listener while any call waits on it, however many calls share it: 64 live
 * calls on one signal stay under every runtime's listener warning, and a settled call leaves nothing behind.
 */
import type { AbortSignal } from "../web.ts";

interface Watch {
	readonly cancels: Set<() => void>;
	readonly listener: () => void;
}

/** Which calls wait on which signal. */
export class SignalWatch {
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
