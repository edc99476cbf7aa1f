import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReadableStreamLike } from "../../src/web.ts";
import { isBytes, isStream } from "../archive/bytes.ts";
import type { ArchiveInput, ArchiveOptions, ArchiveSource } from "../archive/index.ts";
import { makeArchiveSource } from "../archive/source.ts";
import { fileBytes } from "./archive/file.ts";
import { zlibInflate } from "./archive/inflate.ts";
import { temporarySpool } from "./archive/spool.ts";

/** How an archive is read in Node. */
export interface NodeArchiveOptions extends ArchiveOptions {
	/** Where temporary files are made; default the system's temporary directory. Not used where a `spool` is given. */
	readonly temporary?: string | undefined;
}

/**
 * The package tree in a tar, tar.gz or zip: a file by its path or `file:` URL, a `Blob`, a web stream (a response's body) or
 * anything that gives chunks of bytes when it is iterated (a stream of Node). Whatever is wrong with the archive is a
 * `PackageError` when the source is listed or read, the same in every runtime: {@link ArchiveSource} says which.
 *
 * A file is read in place, and must not change meanwhile (`PACKAGE_SOURCE_CHANGED`); a tar or zip of any size is never copied.
 * What a tar.gz unpacks to, and a stream, is kept in memory up to `spoolBytes` (16 MiB) and in a temporary file beyond, which
 * `dispose` removes, or else the end of the program.
 *
 * Throws `TypeError` for an input of another kind, and for a prefix that names no directory.
 */
export function archive(
	input: string | URL | ArchiveInput | AsyncIterable<Uint8Array>,
	options: NodeArchiveOptions = {},
): ArchiveSource {
	const { temporary, spool = temporarySpool(temporary), ...rest } = options;
	return makeArchiveSource(opener(input), { ...rest, spool }, zlibInflate);
}

function opener(input: string | URL | ArchiveInput | AsyncIterable<Uint8Array>): () => Promise<ArchiveInput> {
	if (typeof input === "string" || input instanceof URL) {
		const path = resolve(typeof input === "string" ? input : fileURLToPath(input));
		return async () => fileBytes(path);
	}
	if (isBytes(input) || isStream(input)) return () => Promise.resolve(input);
	const iterable = (input ?? {}) as Partial<AsyncIterable<Uint8Array>>;
	if (typeof iterable[Symbol.asyncIterator] === "function") return () => Promise.resolve(streamOf(input));
	throw new TypeError("An archive is a file's path or URL, a Blob, or a stream of bytes; put bytes into a Blob.");
}

function streamOf(iterable: AsyncIterable<Uint8Array>): ReadableStreamLike<Uint8Array> {
	return {
		getReader() {
			const chunks = iterable[Symbol.asyncIterator]();
			return {
				async read() {
					const { done, value } = await chunks.next();
					return done === true ? { done } : { done: false, value };
				},
				async cancel() {
					await chunks.return?.();
				},
				releaseLock() {},
			};
		},
	};
}
