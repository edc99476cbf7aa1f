/** What waits to be written, in the order it will be. */

/** A frame that is made when its write begins. */
export interface Outgoing {
	/** The frame's text without LF, or undefined when there is nothing left to say. */
	take(): string | undefined;
	/** Set by {@link Outbox.drop}. */
	dropped?: boolean;
}

/**
 * Three lanes: control (cancellations and the settlements of channel endpoints) overtakes ordinary frames, a root terminal comes after all
 * of them. Dropped entries cost nothing once they are as many as the live ones, so that calling and cancelling against
 * a blocked pipe can't grow the queue.
 */
export class Outbox {
	#control = new Lane();
	#ordinary = new Lane();
	#last: Outgoing | undefined;

	push(entry: Outgoing, lane: "control" | "ordinary" = "ordinary"): void {
		(lane === "control" ? this.#control : this.#ordinary).push(entry);
	}

	/** The terminal: taken when nothing else is left. */
	setLast(entry: Outgoing): void {
		this.#last = entry;
	}

	/** Takes an ordinary entry back before its write began; true the first time. */
	drop(entry: Outgoing): boolean {
		if (entry.dropped) return false;
		entry.dropped = true;
		this.#ordinary.noteDropped();
		return true;
	}

	take(): string | undefined {
		for (;;) {
			const entry = this.#control.shift() ?? this.#ordinary.shift() ?? this.#takeLast();
			if (entry === undefined) return undefined;
			const text = entry.take();
			if (text !== undefined) return text;
		}
	}

	clear(): void {
		this.#control = new Lane();
		this.#ordinary = new Lane();
		this.#last = undefined;
	}

	/** Entries that wait, dropped ones included: a test holds its bound. */
	get size(): number {
		return this.#control.size + this.#ordinary.size + (this.#last === undefined ? 0 : 1);
	}

	#takeLast(): Outgoing | undefined {
		const last = this.#last;
		this.#last = undefined;
		return last;
	}
}

class Lane {
	#entries: Outgoing[] = [];
	#head = 0;
	#dropped = 0;

	get size(): number {
		return this.#entries.length - this.#head;
	}

	push(entry: Outgoing): void {
		this.#entries.push(entry);
	}

	shift(): Outgoing | undefined {
		while (this.#head < this.#entries.length) {
			const entry = this.#entries[this.#head++]!;
			if (this.#head >= 64 && this.#head * 2 >= this.#entries.length) this.#compact();
			if (!entry.dropped) return entry;
		}
		return undefined;
	}

	noteDropped(): void {
		this.#dropped += 1;
		if (this.#dropped >= 64 && this.#dropped * 2 >= this.size) this.#compact();
	}

	#compact(): void {
		this.#entries = this.#entries.slice(this.#head).filter((entry) => !entry.dropped);
		this.#head = 0;
		this.#dropped = 0;
	}
}
