/** A queue with amortised constant cost at both ends. */
export class Fifo<T> {
	#items: (T | undefined)[] = [];
	#head = 0;

	get length(): number {
		return this.#items.length - this.#head;
	}

	push(item: T): void {
		this.#items.push(item);
	}

	shift(): T | undefined {
		if (this.#head === this.#items.length) return undefined;
		const item = this.#items[this.#head];
		this.#items[this.#head++] = undefined;
		// Half of it is gone: what moves now moved as often as items were taken.
		if (this.#head * 2 > this.#items.length) {
			this.#items = this.#items.slice(this.#head);
			this.#head = 0;
		}
		return item;
	}

	clear(): void {
		this.#items = [];
		this.#head = 0;
	}

	*[Symbol.iterator](): Generator<T> {
		for (let i = this.#head; i < this.#items.length; i++) yield this.#items[i]!;
	}
}
