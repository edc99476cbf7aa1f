/** A transport over a message port: between threads, workers and frames. */

import { encodeUtf8 } from "../web.ts";
import type { Transport, TransportSink } from "./transport.ts";

/** The part of `MessagePort` that is used; a `Worker`, its own side of itself, or Node's `parentPort` fit as well. */
export interface MessagePortLike {
	postMessage(message: unknown, transfer: ArrayBuffer[]): void;
	addEventListener(type: string, listener: (event: object) => void): void;
	/** Where messages wait for it. */
	start?(): void;
	close?(): void;
	/** Where a port keeps its program alive. */
	unref?(): void;
}

/** Bytes that are under way before a write has to wait for its reader; a longer write waits alone. */
const WINDOW_BYTES = 262_144;
/** Bytes that are taken before their writer is told. */
const TOLD_BYTES = WINDOW_BYTES / 4;
/** From here on moving a buffer is cheaper than copying it. */
const MOVED_BYTES = 4_096;

/** What goes over the port. Anything else that comes over it is none of ours, and ignored. */
type Message = { readonly chunk: Uint8Array } | { readonly taken: number } | { readonly end: true };

/**
 * Joins one end of a message channel to a {@link Transport}; the other end needs one, too. Writes are acknowledged as their
 * reader takes them: at most 256 KiB are under way, or one longer write, whatever the reader does. After the reader's `stop()`
 * writes succeed and go nowhere. A port that closes before its peer has ended is a failure for both directions, where the runtime tells
 * of it by the event "close", as Node and Bun do; in a page or in Deno, watch otherwise whether the other side is alive.
 *
 * Bytes that were written are copied, text is encoded into a buffer that moves over. The port is closed when neither side has
 * anything to say, and it keeps no program alive that has stopped reading.
 */
export function portTransport(port: MessagePortLike): Transport {
	const end = new PortEnd(port);
	return {
		listen: (sink) => end.listen(sink),
		write: (bytes, done) => end.write(bytes, done, false),
		writeText: (text, done) => end.write(encodeUtf8(text), done, true),
		end: () => end.end(),
		stop: () => end.stop(),
	};
}

class PortEnd {
	readonly #port: MessagePortLike;
	#sink: TransportSink | undefined;
	/** What came before anybody listened: no more than the window, since nothing is acknowledged. */
	#early: Message[] = [];
	#stopped = false;
	/** Bytes taken that the peer has not been told of. */
	#taken = 0;
	/** Bytes written that the peer has not taken. */
	#underWay = 0;
	#waiting: ((error?: unknown) => void) | undefined;
	/** The peer has ended, or is gone. */
	#inputOver = false;
	#outputOver = false;
	#broken: { readonly error: unknown } | undefined;

	constructor(port: MessagePortLike) {
		this.#port = port;
		port.addEventListener("message", (event) => this.#receive((event as { readonly data?: unknown }).data));
		port.addEventListener("messageerror", () => this.#fail("a message of the port could not be read"));
		port.addEventListener("close", () => this.#fail("the port was closed"));
		port.start?.();
	}

	listen(sink: TransportSink): void {
		this.#sink = sink;
		const early = this.#early;
		this.#early = [];
		for (const message of early) this.#deliver(message, sink);
		if (this.#broken !== undefined) this.#tellFailure(this.#broken.error);
	}

	write(bytes: Uint8Array, done: (error?: unknown) => void, owned: boolean): void {
		if (this.#outputOver || this.#broken !== undefined || this.#waiting !== undefined) {
			const error = this.#broken?.error ?? new Error(`A write ${this.#outputOver ? "after the end" : "too early"}.`);
			void Promise.resolve().then(() => done(error));
			return;
		}
		this.#underWay += bytes.length;
		const { buffer } = bytes;
		const moves = owned && bytes.length >= MOVED_BYTES && buffer.byteLength === bytes.length;
		this.#post({ chunk: bytes }, moves ? [buffer as ArrayBuffer] : []);
		if (this.#underWay > WINDOW_BYTES) this.#waiting = done;
		else void Promise.resolve().then(() => done());
	}

	end(): void {
		if (this.#outputOver) return;
		this.#outputOver = true;
		if (this.#broken === undefined) this.#post({ end: true });
		this.#closeWhenOver();
	}

	stop(): void {
		this.#stopped = true;
		this.#early = [];
		this.#port.unref?.();
		this.#closeWhenOver();
	}

	#post(message: Message, moved: ArrayBuffer[] = []): void {
		this.#port.postMessage(message, moved);
	}

	#receive(data: unknown): void {
		const message = readMessage(data);
		if (message === undefined) return;
		if ("taken" in message) this.#acknowledged(message.taken);
		else if (this.#inputOver) return;
		else if (this.#stopped) {
			if ("chunk" in message) this.#take(message.chunk.length);
			else this.#ended();
		} else if (this.#sink === undefined) this.#early.push(message);
		else this.#deliver(message, this.#sink);
	}

	#deliver(message: Message, sink: TransportSink): void {
		if ("chunk" in message) {
			if (!this.#stopped) sink.chunk(message.chunk);
			this.#take(message.chunk.length);
		} else if ("end" in message) {
			this.#ended();
			if (!this.#stopped) sink.ended();
		}
	}

	#take(count: number): void {
		this.#taken += count;
		if (this.#taken < TOLD_BYTES || this.#broken !== undefined) return;
		this.#post({ taken: this.#taken });
		this.#taken = 0;
	}

	#acknowledged(count: number): void {
		this.#underWay = Math.max(0, this.#underWay - count);
		if (this.#underWay > WINDOW_BYTES) return;
		const done = this.#waiting;
		this.#waiting = undefined;
		done?.();
	}

	#ended(): void {
		this.#inputOver = true;
		this.#closeWhenOver();
	}

	#closeWhenOver(): void {
		if (!this.#outputOver || !(this.#inputOver || this.#stopped)) return;
		this.#port.close?.();
		// Who closes a port isn't told of it everywhere, and nobody will take what waits.
		this.#fail("the port was closed");
	}

	#fail(message: string): void {
		if (this.#broken !== undefined) return;
		const error = new Error(message);
		this.#broken = { error };
		const done = this.#waiting;
		this.#waiting = undefined;
		done?.(error);
		if (this.#sink !== undefined) this.#tellFailure(error);
	}

	#tellFailure(error: unknown): void {
		if (this.#inputOver || this.#stopped) return;
		this.#inputOver = true;
		this.#sink?.failed(error);
	}
}

function readMessage(data: unknown): Message | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { chunk, taken, end } = data as { readonly chunk?: unknown; readonly taken?: unknown; readonly end?: unknown };
	if (ArrayBuffer.isView(chunk) && Object.prototype.toString.call(chunk) === "[object Uint8Array]") {
		return { chunk: chunk as Uint8Array };
	}
	if (typeof taken === "number" && taken > 0) return { taken };
	return end === true ? { end } : undefined;
}
