/** A transport over Web Streams. */

import type { ReadableStreamLike } from "../web.ts";
import type { Transport, TransportSink } from "./transport.ts";

/** The part of `WritableStream` that is used. */
export interface WritableStreamLike<T> {
	getWriter(): { write(chunk: T): Promise<void>; close(): Promise<void> };
}

/**
 * Joins a readable and a writable stream of bytes to one {@link Transport}, and locks both. A write is done when the sink took
 * it; `stop()` cancels the readable side. Readers are looped over with `read()`: async iteration of streams is missing in
 * some engines.
 */
export function streamTransport(
	readable: ReadableStreamLike<Uint8Array>,
	writable: WritableStreamLike<Uint8Array>,
): Transport {
	const reader = readable.getReader();
	const writer = writable.getWriter();
	let stopped = false;

	async function read(sink: TransportSink): Promise<void> {
		for (;;) {
			let step: Awaited<ReturnType<typeof reader.read>>;
			try {
				step = await reader.read();
			} catch (error) {
				if (!stopped) sink.failed(error);
				return;
			}
			if (stopped) return;
			if (step.done) {
				sink.ended();
				return;
			}
			sink.chunk(step.value);
		}
	}

	return {
		listen: (sink) => void read(sink),
		write: (bytes, done) => {
			writer.write(bytes).then(
				() => done(),
				(error: unknown) => done(error ?? new Error("The stream refused a write.")),
			);
		},
		// A stream that failed has told its writer already; closing it again has nothing to add.
		end: () => void writer.close().catch(() => undefined),
		stop: () => {
			stopped = true;
			void reader.cancel().catch(() => undefined);
		},
	};
}
