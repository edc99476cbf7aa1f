/** Reading a source: whole or not at all, in the size it declared, stopped at once when the caller gives up. */

import { quoteForDisplay } from "../display.ts";
import { signals } from "../signals.ts";
import type { AbortSignal, ReadableStreamLike, StreamReaderLike } from "../web.ts";
import { PackageError } from "./error.ts";
import type { PackageEntry, PackageSource } from "./source.ts";

/**
 * A caller's wish to stop, as something to wait under. One watch serves a whole pass: racing every chunk against one
 * long-lived promise would keep a reaction for each of them.
 */
export class Stop {
	readonly #signal: AbortSignal | undefined;
	#waiting: ((error: PackageError) => void) | undefined;
	readonly #unwatch: (() => void) | undefined;

	constructor(signal: AbortSignal | undefined) {
		this.#signal = signal;
		this.#unwatch = signal && signals.watch(signal, () => this.#waiting?.(this.#error()));
	}

	/** Waits for `work`, or throws `PACKAGE_ABORTED` as soon as the signal fires; `late` gets what still arrives then. */
	wait<T>(work: Promise<T>, late?: (value: T) => void): Promise<T> {
		if (this.#signal === undefined) return work;
		return new Promise((resolve, reject) => {
			let stopped = false;
			const stop = (error: PackageError): void => {
				stopped = true;
				reject(error);
			};
			work.then((value) => {
				if (stopped) late?.(value);
				else resolve(value);
			}, reject);
			this.#waiting = stop;
			if (this.#signal?.aborted) stop(this.#error());
		});
	}

	check(): void {
		if (this.#signal?.aborted) throw this.#error();
	}

	release(): void {
		this.#waiting = undefined;
		this.#unwatch?.();
	}

	#error(): PackageError {
		return new PackageError("PACKAGE_ABORTED", "Reading the package was stopped.", { cause: this.#signal?.reason });
	}
}

/** Lists a source. Throws `PACKAGE_SOURCE_FAILED`, `PACKAGE_ABORTED`, or the source's own `PackageError`. */
export async function listSource(source: PackageSource, stop: Stop): Promise<readonly PackageEntry[]> {
	stop.check();
	try {
		const entries = await stop.wait(Promise.resolve(source.list()));
		if (!Array.isArray(entries)) throw new TypeError("list() gave no array of entries");
		return entries;
	} catch (error) {
		throw sourceError(error, "The package source could not be listed");
	}
}

/**
 * Reads one file to its end and hands every nonempty chunk to `take`, which uses it before the next is asked for. The
 * stream must yield exactly the declared size: the first byte too many stops it, an early end is a fault as well.
 * Whatever goes wrong, the stream is cancelled and its reader released.
 *
 * Throws `PACKAGE_SOURCE_CHANGED`, `PACKAGE_SOURCE_FAILED`, `PACKAGE_ABORTED`, or the source's own `PackageError`.
 */
export async function readEntry(
	source: PackageSource,
	entry: PackageEntry,
	stop: Stop,
	take: (chunk: Uint8Array) => void,
): Promise<void> {
	stop.check();
	const { path, size } = entry;
	let reader: StreamReaderLike<Uint8Array> | undefined;
	try {
		const stream = await stop.wait(Promise.resolve(source.open(path)), cancelStream);
		reader = stream.getReader();
		let left = size;
		for (;;) {
			const result = await stop.wait(reader.read());
			if (result.done) {
				if (left > 0) throw changed(path, size, `ended after ${size - left}`);
				releaseQuietly(reader);
				return;
			}
			const chunk = result.value;
			if (!isBytes(chunk)) throw new TypeError("the stream yielded something other than a Uint8Array");
			if (chunk.length > left) throw changed(path, size, "went on");
			left -= chunk.length;
			if (chunk.length > 0) take(chunk);
			stop.check();
		}
	} catch (error) {
		if (reader !== undefined) cancelQuietly(reader, error);
		throw sourceError(error, `${quoteForDisplay(path)} could not be read`, path);
	}
}

/** Reads one file whole. The caller has bounded its size. */
export async function collectEntry(source: PackageSource, entry: PackageEntry, stop: Stop): Promise<Uint8Array> {
	const bytes = new Uint8Array(entry.size);
	let at = 0;
	await readEntry(source, entry, stop, (chunk) => {
		bytes.set(chunk, at);
		at += chunk.length;
	});
	return bytes;
}

/** Bytes of any realm: a worker's or a frame's arrays are no instances of this one's class. A tag alone has no bytes behind it. */
function isBytes(value: unknown): value is Uint8Array {
	return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function changed(path: string, size: number, what: string): PackageError {
	const message = `${quoteForDisplay(path)} was listed with ${size} bytes, but ${what}: the source changed.`;
	return new PackageError("PACKAGE_SOURCE_CHANGED", message, { path });
}

function sourceError(error: unknown, what: string, path?: string): PackageError {
	if (error instanceof PackageError) return error;
	const why = error instanceof Error ? error.message : "the source rejected";
	return new PackageError("PACKAGE_SOURCE_FAILED", `${what}: ${why}.`, {
		...(path === undefined ? {} : { path }),
		cause: error,
	});
}

function cancelStream(stream: ReadableStreamLike<Uint8Array>): void {
	try {
		cancelQuietly(stream.getReader(), undefined);
	} catch {
		// Locked or broken: nobody else waits for it.
	}
}

/** Cancelling is not waited for, a source that never answers must not hold the caller; what it throws changes nothing. */
function cancelQuietly(reader: StreamReaderLike<Uint8Array>, reason: unknown): void {
	try {
		reader.cancel(reason).then(undefined, () => {});
	} catch {
		// The first error is the one that counts.
	}
	releaseQuietly(reader);
}

function releaseQuietly(reader: StreamReaderLike<Uint8Array>): void {
	try {
		reader.releaseLock();
	} catch {
		// Older streams refuse while a read is pending; the cancelled stream is of no more use anyway.
	}
}
