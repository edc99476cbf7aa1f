import { quoteForDisplay } from "../display.ts";
import { encodeUtf8, type ReadableStreamLike } from "../web.ts";

/** One regular file of a tree: its logical path and its exact size in bytes. */
export interface PackageEntry {
	readonly path: string;
	readonly size: number;
}

/**
 * A package tree, wherever it lies: a directory, an archive, a dropped folder, memory.
 *
 * `list` names every regular file in any order. `open` gives the bytes of one listed file as a Web Stream, native or
 * foreign, in chunks of any size (empty ones too); a file is opened once per pass. A chunk is used up before the next one
 * is asked for, so a stream that reads nothing ahead may hand out views of one reused buffer. A source that finds out that a file changed rejects
 * with a `PackageError`; any other rejection is reported as `PACKAGE_SOURCE_FAILED` with the cause.
 */
export interface PackageSource {
	list(): Promise<readonly PackageEntry[]>;
	open(path: string): ReadableStreamLike<Uint8Array> | Promise<ReadableStreamLike<Uint8Array>>;
}

/**
 * A tree in memory. Text is encoded as UTF-8; bytes are copied, so that later changes to them change nothing.
 * Paths are not checked here: whoever reads the source checks them. Throws `TypeError` for a text with lone surrogates.
 */
export function memorySource(
	files: Readonly<Record<string, Uint8Array | string>> | Iterable<readonly [string, Uint8Array | string]>,
): PackageSource {
	const list: PackageEntry[] = [];
	const contents = new Map<string, Uint8Array>();
	const pairs = Symbol.iterator in files ? files : Object.entries(files);
	for (const [path, content] of pairs) {
		if (typeof content === "string" && !content.isWellFormed()) {
			throw new TypeError(`The text given for ${quoteForDisplay(path)} has a lone surrogate, so it has no UTF-8 form.`);
		}
		const bytes = typeof content === "string" ? encodeUtf8(content) : copyOf(content);
		list.push({ path, size: bytes.length });
		contents.set(path, bytes);
	}
	return {
		list: () => Promise.resolve(list),
		open(path) {
			const bytes = contents.get(path);
			if (bytes === undefined) throw new TypeError(`There is no file ${quoteForDisplay(path)} in this memory source.`);
			return streamOf(bytes);
		},
	};
}

/** Not `slice()`, which on Node's `Buffer` gives a view of the same memory. */
function copyOf(bytes: Uint8Array): Uint8Array {
	return new Uint8Array(bytes);
}

/** The smallest stream that satisfies a reader: one chunk, then the end. It needs no Web Streams from the environment. */
function streamOf(bytes: Uint8Array): ReadableStreamLike<Uint8Array> {
	let left: Uint8Array | undefined = copyOf(bytes);
	return {
		getReader: () => ({
			read() {
				const value = left;
				left = undefined;
				return Promise.resolve(value === undefined ? { done: true } : { done: false, value });
			},
			cancel() {
				left = undefined;
				return Promise.resolve();
			},
			releaseLock() {},
		}),
	};
}
