import { closeSync, fstatSync, readSync } from "node:fs";
import type { ReadableStreamLike, StreamReaderLike } from "../../../src/web.ts";
import type { Pace } from "../pace.ts";
import { changed, treeError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** Bytes of one chunk, and of the buffer that all files of a source share. */
export const CHUNK_BYTES = 262_144;

/** What a file stream needs from the source it belongs to. */
export interface FileLender {
	/** Opens the file; called once, at the first read. */
	openFile(): number;
	/** What the file was when it was listed. */
	readonly fingerprint: string;
	readonly size: number;
	readonly path: string;
	readonly pace: Pace;
	lend(): Buffer;
	giveBack(buffer: Buffer): void;
}

/**
 * One listed file as a stream: opened at the first read without following links or waiting for a pipe, looked at on the
 * handle before and after, closed at its end, on failure and on cancel. Chunks are views of a shared buffer, valid until
 * the next read. A file of up to one chunk is opened, read and closed within its first read.
 *
 * Reads reject with `PackageError`: `PACKAGE_SOURCE_CHANGED` when it is not the file that was listed, or grew, shrank or
 * was touched while it was read; `PACKAGE_CAPACITY`, `PACKAGE_SOURCE_FAILED`.
 */
export function fileStream(lender: FileLender): ReadableStreamLike<Uint8Array> {
	return { getReader: () => new FileReader(lender) };
}

class FileReader implements StreamReaderLike<Uint8Array> {
	readonly #lender: FileLender;
	#fd: number | undefined;
	#buffer: Buffer | undefined;
	#read = 0;
	#state: "fresh" | "open" | "ended" = "fresh";

	constructor(lender: FileLender) {
		this.#lender = lender;
	}

	async read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }> {
		const { pace } = this.#lender;
		if (pace.due()) await pace.rest();
		if (this.#state === "ended") {
			this.#end();
			return { done: true };
		}
		try {
			const value = this.#next();
			if (value.length > 0) return { done: false, value };
			this.#end();
			return { done: true };
		} catch (error) {
			this.#end();
			throw treeError(error, this.#lender.path);
		}
	}

	async cancel(): Promise<void> {
		this.#end();
	}

	releaseLock(): void {}

	#next(): Uint8Array {
		const { path, size } = this.#lender;
		if (this.#state === "fresh") {
			this.#fd = this.#lender.openFile();
			this.#look("is not the file that was listed.");
			this.#buffer = this.#lender.lend();
			this.#state = "open";
		}
		const fd = this.#fd!;
		const buffer = this.#buffer!;
		// One byte more than there should be, so that a full last chunk and the end are one system call.
		const wanted = Math.min(buffer.length, size - this.#read + 1);
		let filled = 0;
		while (filled < wanted) {
			const count = readSync(fd, buffer, filled, wanted - filled, null);
			if (count === 0) break;
			filled += count;
			// A short read on a regular file is its end; the handle's own size proves it below.
			if (this.#read + filled === size && wanted === filled + 1) break;
		}
		this.#read += filled;
		if (this.#read > size) throw changed(path, "grew while it was read.");
		if (filled < wanted) {
			if (this.#read < size) throw changed(path, "shrank while it was read.");
			this.#look("changed while it was read.");
			this.#close();
			this.#state = "ended";
		}
		return buffer.subarray(0, filled);
	}

	#look(what: string): void {
		const now = fingerprintOf(fstatSync(this.#fd!, { bigint: true }));
		if (now !== this.#lender.fingerprint) throw changed(this.#lender.path, what);
	}

	#close(): void {
		const fd = this.#fd;
		this.#fd = undefined;
		if (fd !== undefined) closeSync(fd);
	}

	#end(): void {
		this.#state = "ended";
		this.#close();
		if (this.#buffer === undefined) return;
		this.#lender.giveBack(this.#buffer);
		this.#buffer = undefined;
	}
}
