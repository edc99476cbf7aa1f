/** Calling functions of the host's program: what they are asked with, and the ways they answer. */

import type { StopRequest } from "../signals.ts";
import type { AbortSignal } from "../web.ts";

/** The `signal` of one call is an own, enumerable member, as in any plain object: it can be taken apart and spread. */
class Asked {
	readonly #stop: StopRequest;

	constructor(stop: StopRequest) {
		this.#stop = stop;
		Object.defineProperty(this, "signal", SIGNAL);
	}

	static stopOf(asked: Asked): StopRequest {
		return asked.#stop;
	}
}

/** One for all calls: an accessor of its own for each costs more than the signal it saves. */
const SIGNAL = {
	__proto__: null,
	get(this: Asked): AbortSignal {
		return Asked.stopOf(this).signal;
	},
	enumerable: true,
	configurable: true,
} as PropertyDescriptor;

/** A call with the signal of `stop`. */
export function asked<T extends object>(call: T, stop: StopRequest): T & { readonly signal: AbortSignal } {
	return Object.assign(new Asked(stop), call) as unknown as T & { readonly signal: AbortSignal };
}

/** Goes on with what `give` gives, at once where it is no promise; whatever throws or rejects on the way goes to `failed`. */
export function whenGiven<T, U>(
	give: () => T | PromiseLike<T>,
	then: (given: T) => U,
	failed: (error: unknown) => U,
): U | Promise<U> {
	let given: T | PromiseLike<T>;
	try {
		given = give();
		if (!isPromiseLike(given)) return then(given);
	} catch (error) {
		return failed(error);
	}
	return Promise.resolve(given).then(then).catch(failed);
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
	return (
		((typeof value === "object" && value !== null) || typeof value === "function") &&
		typeof (value as { readonly then?: unknown }).then === "function"
	);
}
