/** Two transports in one memory, for a component that runs beside its host. */

import type { Transport, TransportSink } from "./transport.ts";

/**
 * Connects two transports: what one writes, the other reads, in order, each chunk in a microtask of its own. A write is done
 * when its reader took it, and stays open while nobody listens: the back-pressure of a pipe that holds one write. After the
 * reader's `stop()`, writes succeed and go nowhere. Chunks are handed over, not copied: whoever wrote them leaves them alone.
 */
export function memoryPipe(): readonly [Transport, Transport] {
	const there = new Direction();
	const back = new Direction();
	return [endOf(back, there), endOf(there, back)];
}

function endOf(incoming: Direction, outgoing: Direction): Transport {
	return {
		listen: (sink) => incoming.listen(sink),
		write: (bytes, done) => outgoing.write(bytes, done),
		end: () => outgoing.end(),
		stop: () => incoming.stop(),
	};
}

interface Write {
	readonly bytes: Uint8Array;
	readonly done: (error?: unknown) => void;
}

class Direction {
	#sink: TransportSink | undefined;
	#waiting: Write | undefined;
	#ending = false;
	#ended = false;
	#stopped = false;
	#scheduled = false;

	listen(sink: TransportSink): void {
		this.#sink = sink;
		this.#schedule();
	}

	write(bytes: Uint8Array, done: (error?: unknown) => void): void {
		if (this.#ending || this.#waiting !== undefined) {
			const why = this.#ending ? "A write after the end." : "A write before the last one was done.";
			void Promise.resolve().then(() => done(new Error(why)));
			return;
		}
		this.#waiting = { bytes, done };
		this.#schedule();
	}

	end(): void {
		this.#ending = true;
		this.#schedule();
	}

	stop(): void {
		this.#stopped = true;
		this.#schedule();
	}

	#schedule(): void {
		if (this.#scheduled || (this.#sink === undefined && !this.#stopped)) return;
		this.#scheduled = true;
		void Promise.resolve().then(() => {
			this.#scheduled = false;
			this.#deliver();
		});
	}

	#deliver(): void {
		const write = this.#waiting;
		if (write !== undefined) {
			this.#waiting = undefined;
			if (!this.#stopped) this.#sink?.chunk(write.bytes);
			write.done();
			if (this.#ending) this.#schedule();
		} else if (this.#ending && !this.#ended && !this.#stopped) {
			this.#ended = true;
			this.#sink?.ended();
		}
	}
}
