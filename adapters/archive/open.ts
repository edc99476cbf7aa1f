import { Stop } from "../../src/package/reading.ts";
import type { ReadableStreamLike } from "../../src/web.ts";
import { isBytes, joinChunks, readBytes } from "./bytes.ts";
import { beyond, invalid } from "./errors.ts";
import { gunzip } from "./gzip.ts";
import type { Inflate } from "./inflate.ts";
import { Members } from "./members.ts";
import { READ_BYTES } from "./read-ahead.ts";
import { type Format, HEAD_BYTES, sniff } from "./sniff.ts";
import { spoolAll } from "./spooling.ts";
import { walkTar } from "./tar/walk.ts";
import type { ArchiveInput, ArchiveLimits, ArchiveOptions, ArchiveProgress, Bytes } from "./types.ts";

/** An archive whose members are known, and the bytes they lie in. */
export interface Opened {
	readonly bytes: Bytes;
	readonly members: Members;
	dispose(): Promise<void>;
}

type Options = ArchiveOptions & { readonly limits: ArchiveLimits };

/**
 * Reads an archive until its members are known: sniffs its format, unpacks or keeps it where it can't be read in place,
 * and walks it. Throws `PackageError`; nothing is kept then.
 */
export async function openArchive(input: ArchiveInput, options: Options, inflate: Inflate): Promise<Opened> {
	const reading = new Reading(options);
	try {
		return await reading.open(input, inflate);
	} finally {
		reading.release();
	}
}

class Reading {
	readonly #options: Options;
	readonly #stop: Stop;
	#told: ArchiveProgress = { bytes: 0, entries: 0 };

	constructor(options: Options) {
		this.#options = options;
		this.#stop = new Stop(options.signal);
	}

	release(): void {
		this.#stop.release();
	}

	async open(input: ArchiveInput, inflate: Inflate): Promise<Opened> {
		const { limits, spool } = this.#options;
		this.#stop.check();
		if (isBytes(input)) {
			const format = sniff(await this.#stop.wait(readBytes(input, 0, Math.min(input.size, HEAD_BYTES))));
			if (format !== "gzip") return this.#index(input, format, () => Promise.resolve());
			return this.#unpacked(this.#from(input), inflate);
		}
		const chunks = new Chunks(this.#through(input), HEAD_BYTES);
		const format = await chunks
			.head()
			.then(sniff)
			.catch(async (error: unknown) => {
				await chunks.close();
				throw error;
			});
		if (format === "gzip") return this.#unpacked(chunks, inflate);
		const { bytes, dispose } = await spoolAll(bounded(chunks, limits), limits, spool);
		return this.#index(bytes, format, dispose);
	}

	/** A tar.gz: what it unpacks to is spooled, and has to be a tar. */
	async #unpacked(chunks: AsyncIterable<Uint8Array>, inflate: Inflate): Promise<Opened> {
		const { limits, spool } = this.#options;
		const { bytes, dispose } = await spoolAll(gunzip(chunks, inflate, limits), limits, spool);
		try {
			const head = await readBytes(bytes, 0, Math.min(bytes.size, HEAD_BYTES));
			if (head.length === 0 || sniff(head) !== "tar") throw invalid("What the gzip data unpacks to is no tar archive.");
		} catch (error) {
			await dispose().catch(() => {});
			throw error;
		}
		return this.#index(bytes, "tar", dispose);
	}

	async #index(bytes: Bytes, format: Exclude<Format, "gzip">, dispose: () => Promise<void>): Promise<Opened> {
		const { limits } = this.#options;
		const members = new Members(limits);
		const watched = this.#watched(bytes);
		try {
			if (format === "tar")
				await walkTar(watched, members, limits, (at) => this.#tell(at, bytes.size, members.entries));
			else {
				// Loaded on use: a page that only ever reads tar archives never loads the reader of the other.
				const { walkZip } = await this.#stop.wait(import("./zip/walk.ts"));
				await walkZip(watched, members, limits, (at) => this.#tell(at, bytes.size, members.entries));
			}
			return { bytes, members, dispose };
		} catch (error) {
			await dispose().catch(() => {});
			throw error;
		}
	}

	/** The same bytes, whose reads end with the caller's wish to stop. */
	#watched(bytes: Bytes): Bytes {
		return {
			size: bytes.size,
			slice: (start, end) => ({
				arrayBuffer: async () => {
					this.#stop.check();
					return this.#stop.wait(bytes.slice(start, end).arrayBuffer());
				},
			}),
		};
	}

	/** All bytes in order, one read ahead. */
	async *#from(bytes: Bytes): AsyncGenerator<Uint8Array, void, void> {
		const read = (at: number): Promise<Uint8Array> | undefined =>
			at >= bytes.size ? undefined : readBytes(bytes, at, Math.min(bytes.size, at + READ_BYTES));
		let next = read(0);
		for (let at = READ_BYTES; next !== undefined; at += READ_BYTES) {
			const held = await this.#stop.wait(next);
			this.#stop.check();
			next = read(at);
			next?.catch(() => {});
			yield held;
			this.#tell(Math.min(at, bytes.size), bytes.size, 0);
		}
	}

	/** The chunks of a stream, which is cancelled when they aren't all wanted. */
	async *#through(stream: ReadableStreamLike<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
		const reader = stream.getReader();
		let bytes = 0;
		let ended = false;
		try {
			for (;;) {
				const { done, value } = await this.#stop.wait(reader.read());
				ended = done;
				if (done) return;
				this.#stop.check();
				bytes += (value as Uint8Array).length;
				yield value as Uint8Array;
				this.#tell(bytes, undefined, 0);
			}
		} finally {
			if (!ended) reader.cancel().catch(() => {});
			try {
				reader.releaseLock();
			} catch {
				// Older streams refuse while a read is pending; the cancelled stream is of no more use anyway.
			}
		}
	}

	#tell(bytes: number, totalBytes: number | undefined, entries: number): void {
		const { onProgress } = this.#options;
		if (onProgress === undefined) return;
		// A walk passes thousands of headers in the time in which one can be shown.
		if (bytes - this.#told.bytes < READ_BYTES && entries - this.#told.entries < 1_024 && bytes !== totalBytes) return;
		this.#told = { bytes, entries, ...(totalBytes === undefined ? {} : { totalBytes }) };
		try {
			onProgress(this.#told);
		} catch {
			// Observers change nothing.
		}
	}
}

/** Chunks of a stream whose first bytes can be looked at before they are taken. */
class Chunks implements AsyncIterable<Uint8Array> {
	readonly #from: AsyncGenerator<Uint8Array, void, void>;
	readonly #wanted: number;
	readonly #first: Uint8Array[] = [];

	constructor(from: AsyncGenerator<Uint8Array, void, void>, wanted: number) {
		this.#from = from;
		this.#wanted = wanted;
	}

	/** The first bytes, as many as were wanted or as there are. */
	async head(): Promise<Uint8Array> {
		let size = 0;
		while (size < this.#wanted) {
			const { done, value } = await this.#from.next();
			if (done) break;
			// A copy: the stream may reuse its buffer.
			this.#first.push(new Uint8Array(value as Uint8Array));
			size += (value as Uint8Array).length;
		}
		return joinChunks(this.#first, size).subarray(0, this.#wanted);
	}

	/** Gives up what was not taken. */
	async close(): Promise<void> {
		await this.#from.return();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
		try {
			yield* this.#first;
			yield* this.#from;
		} finally {
			await this.close();
		}
	}
}

async function* bounded(
	chunks: AsyncIterable<Uint8Array>,
	{ outputBytes }: ArchiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
	let size = 0;
	for await (const chunk of chunks) {
		size += chunk.length;
		if (size > outputBytes)
			throw beyond("outputBytes", outputBytes, `The archive has more than ${outputBytes} bytes (limit "outputBytes").`);
		yield chunk;
	}
}
