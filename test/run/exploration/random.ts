/** Numbers that look random and depend on their seed alone. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
	}

	/** 32 bits (mulberry32). */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let bits = this.#state;
		bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
		bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
		return (bits ^ (bits >>> 14)) >>> 0;
	}

	below(count: number): number {
		return this.next() % count;
	}

	chance(percent: number): boolean {
		return this.below(100) < percent;
	}

	pick<T>(choices: readonly T[]): T {
		return choices[this.below(choices.length)]!;
	}
}
