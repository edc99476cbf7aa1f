import type { Readable, Writable } from "node:stream";
import type { StderrSink } from "../../src/host/index.ts";
import type { Transport, TransportSink } from "../../src/run/index.ts";
import { streamable } from "./stdio.ts";

/** Bytes of a pipe kept before anybody listens; then reading pauses until somebody does. */
const EARLY_BYTES = 1_048_576;

/**
 * The reading end of a component's pipe. Reading starts at once: a process that ends before anyone listens would
 * otherwise have its last bytes thrown away. Once told to stop, it discards what still comes.
 */
export class PipeReader {
	readonly #stream: Readable;
	#sink: TransportSink | undefined;
	#early: Uint8Array[] = [];
	#earlyBytes = 0;
	#end: ((sink: TransportSink) => void) | undefined;
	#told = false;
	/** Settles when the pipe has ended, failed or was closed: nobody holds its other end for us any more. */
	readonly closed: Promise<void>;
	isClosed = false;

	constructor(stream: Readable) {
		this.#stream = stream;
		stream.on("data", (chunk: Uint8Array) => {
			if (this.#told) return;
			if (this.#sink !== undefined) {
				this.#sink.chunk(chunk);
				return;
			}
			this.#early.push(chunk);
			this.#earlyBytes += chunk.length;
			if (this.#earlyBytes >= EARLY_BYTES) stream.pause();
		});
		stream.on("error", (error) => this.#ended((sink) => sink.failed(error)));
		stream.on("end", () => this.#ended((sink) => sink.ended()));
		this.closed = new Promise((resolve) => {
			stream.on("close", () => {
				this.isClosed = true;
				this.#ended((sink) => sink.failed(new Error("the pipe was closed")));
				resolve();
			});
		});
	}

	listen(sink: TransportSink): void {
		this.#sink = sink;
		const early = this.#early;
		this.#early = [];
		for (const chunk of early) if (!this.#told) sink.chunk(chunk);
		if (this.#end === undefined) this.#stream.resume();
		else this.#tell();
	}

	/** No callback comes any more; bytes that still arrive are discarded, so that the peer isn't held up by a full pipe. */
	stop(): void {
		this.#told = true;
		this.#early = [];
		this.#stream.resume();
	}

	/** Closes our end. A listener that has not heard of an end yet hears `failed`. */
	destroy(): void {
		this.#stream.destroy();
	}

	#ended(how: (sink: TransportSink) => void): void {
		this.#end ??= how;
		if (this.#sink !== undefined) this.#tell();
	}

	#tell(): void {
		if (this.#told) return;
		this.#told = true;
		this.#end!(this.#sink!);
	}
}

/** The writing end of a component's stdin: one write at a time, each answered exactly once, a broken pipe as an answer. */
export class PipeWriter {
	readonly #stream: Writable;
	#pending: ((error?: unknown) => void) | undefined;

	constructor(stream: Writable) {
		this.#stream = stream;
		// EPIPE also comes as an event, which would end the program if nobody listened.
		stream.on("error", (error) => this.#settle(error));
		stream.on("close", () => this.#settle(new Error("the pipe was closed")));
	}

	/** Of a text its UTF-8. */
	write(bytes: Uint8Array | string, done: (error?: unknown) => void): void {
		this.#pending = done;
		this.#stream.write(bytes, (error) => {
			if (this.#pending === done) this.#settle(error ?? undefined);
		});
	}

	end(): void {
		if (!this.#stream.destroyed) this.#stream.end();
	}

	destroy(): void {
		this.#stream.destroy();
	}

	#settle(error: unknown): void {
		const done = this.#pending;
		this.#pending = undefined;
		done?.(error);
	}
}

/** A component's stdin and stdout as a Run/1 transport, seen from the host. */
export function pipeTransport(output: PipeReader, input: PipeWriter): Transport {
	return {
		listen: (sink) => output.listen(sink),
		write: (bytes, done) => input.write(bytes, done),
		writeText: (text, done) => input.write(streamable(text), done),
		end: () => input.end(),
		stop: () => output.stop(),
	};
}

/** A component's stderr: its failing is its end. */
export function listenStderr(errors: PipeReader, sink: StderrSink): void {
	errors.listen({ chunk: (bytes) => sink.chunk(bytes), ended: () => sink.ended(), failed: () => sink.ended() });
}
