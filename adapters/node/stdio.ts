/**
 * The protocol streams of a component process as a Run/1 transport. Built from what Node, Deno and Bun have in common, so
 * that one module serves all three.
 *
 * Bytes come in through `data` events, never paused inside a frame (a paused stdin stalls on Bun); a write is done when its
 * callback says that the runtime's buffers took it. Both streams keep an `error` listener for good: a broken pipe is then
 * `CHANNEL_LOST` and not a crash.
 */
import type { Transport } from "../../src/run/index.ts";
import { encodeUtf8 } from "../../src/web.ts";

/** The part of a Node readable stream that is used; `unref` is missing where stdin is a file. */
export interface InputStream {
	on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
	on(event: "end" | "close", listener: () => void): unknown;
	on(event: "error", listener: (error: unknown) => void): unknown;
	removeListener(event: "data", listener: (chunk: Uint8Array) => void): unknown;
	pause(): unknown;
	unref?(): unknown;
}

/** The part of a Node writable stream that is used. */
export interface OutputStream {
	on(event: "error", listener: (error: unknown) => void): unknown;
	/** Of a text its UTF-8. */
	write(bytes: Uint8Array | string, done: (error?: unknown) => void): unknown;
	end(): unknown;
}

/** Where a text is cheaper as bytes: a stream that queues text guesses its size, and guesses thrice as much as it mostly is. */
const TEXT_UNITS = 65_536;

/** What a stream is best handed for a text. */
export function streamable(text: string): Uint8Array | string {
	return text.length > TEXT_UNITS ? encodeUtf8(text) : text;
}

/**
 * Joins an input and an output stream to one transport. `stop()` pauses and unrefs the input: the only way of the ones
 * tried (cancel, destroy, releasing a lock) that lets a process exit on all three runtimes while the host keeps its end open.
 */
export function stdioTransport(input: InputStream, output: OutputStream): Transport {
	let stopped = false;
	let broken: { readonly error: unknown } | undefined;
	let pending: ((error?: unknown) => void) | undefined;

	output.on("error", (error) => {
		broken = { error };
		const done = pending;
		pending = undefined;
		done?.(error);
	});

	function write(bytes: Uint8Array | string, done: (error?: unknown) => void): void {
		if (broken !== undefined) {
			const { error } = broken;
			void Promise.resolve().then(() => done(error));
			return;
		}
		const once = (error?: unknown): void => {
			if (pending !== once) return;
			pending = undefined;
			done(error ?? undefined);
		};
		pending = once;
		output.write(bytes, once);
	}

	return {
		listen(sink) {
			let last = false;
			const data = (chunk: Uint8Array): void => {
				if (!stopped) sink.chunk(chunk);
			};
			const finish = (tell: () => void): void => {
				if (last || stopped) return;
				last = true;
				input.removeListener("data", data);
				tell();
			};
			input.on("error", (error) => finish(() => sink.failed(error)));
			input.on("end", () => finish(() => sink.ended()));
			input.on("close", () => finish(() => sink.ended()));
			input.on("data", data);
		},
		write,
		writeText: (text, done) => write(streamable(text), done),
		end() {
			output.end();
		},
		stop() {
			stopped = true;
			input.pause();
			input.unref?.();
		},
	};
}
