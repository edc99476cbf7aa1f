import { RUN_LIMITS } from "./limits.ts";

/**
 * Every id that a peer has used: ids are never reused, also not after they settled (Run/1 section 1). Peers mostly count, so
 * `prefix` and a number one above the last costs no entry: what was used is then the numbers from `#first` to before `#next`.
 */
export class UsedIds {
	#prefix = "";
	#first = 0;
	#next = 0;
	readonly #others = new Set<string>();

	/** How many there are. */
	get size(): number {
		return this.#next - this.#first + this.#others.size;
	}

	has(id: string): boolean {
		if (id.startsWith(this.#prefix)) {
			const number = countOf(id, this.#prefix.length);
			if (number >= this.#first && number < this.#next) return true;
		}
		return this.#others.has(id);
	}

	/** Adds an id that is not there yet. */
	add(id: string): void {
		if (this.#next === this.#first && this.#others.size === 0) {
			let digits = id.length;
			while (digits > 0 && isDigit(id.charCodeAt(digits - 1))) digits -= 1;
			this.#prefix = id.slice(0, digits);
			this.#first = Math.max(0, countOf(id, digits));
			this.#next = this.#first;
		}
		if (id.startsWith(this.#prefix) && countOf(id, this.#prefix.length) === this.#next) this.#next += 1;
		else this.#others.add(id);
	}
}

/** Longer numbers are no counts. */
const DIGITS = String(RUN_LIMITS.lifetimeRequests).length + 5;

/** The number that `id` has from `start` to its end in its one decimal spelling, or -1. */
function countOf(id: string, start: number): number {
	const length = id.length - start;
	if (length < 1 || length > DIGITS || (length > 1 && id.charCodeAt(start) === 0x30)) return -1;
	let number = 0;
	for (let at = start; at < id.length; at++) {
		const unit = id.charCodeAt(at);
		if (!isDigit(unit)) return -1;
		number = number * 10 + unit - 0x30;
	}
	return number;
}

function isDigit(unit: number): boolean {
	return unit >= 0x30 && unit <= 0x39;
}
