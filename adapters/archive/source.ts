import { quoteForDisplay } from "../../src/display.ts";
import { comparePaths } from "../../src/grammar/index.ts";
import { type PackageEntry, PackageError } from "../../src/package/index.ts";
import type { ReadableStreamLike, StreamReaderLike } from "../../src/web.ts";
import { isBytes, isStream } from "./bytes.ts";
import { checkedContent } from "./content.ts";
import { type Inflate, nativeInflate } from "./inflate.ts";
import { checkPrefix, type Member } from "./members.ts";
import { type Opened, openArchive } from "./open.ts";
import { ReadAhead } from "./read-ahead.ts";
import { ARCHIVE_LIMITS, type ArchiveInput, type ArchiveOptions, type ArchiveSource } from "./types.ts";

/**
 * The package tree in an archive: tar, tar.gz (a gzip of exactly one member) or zip, told apart by their first bytes.
 *
 * Bytes that can be read at any place (a `Blob`) are never copied: a tar is walked from header to header, and files are read
 * from where they lie. A tar.gz is unpacked and a stream is kept, in memory up to `spoolBytes` and in the given spool beyond.
 * `list` reads the archive, once, however often it is called; until then nothing happens.
 *
 * What it refuses is said at {@link ArchiveSource}.
 *
 * Throws `TypeError` for a prefix that names no directory, and for an input of another kind.
 */
export function archiveSource(input: ArchiveInput, options: ArchiveOptions = {}): ArchiveSource {
	if (!isBytes(input) && !isStream(input))
		throw new TypeError("An archive is a Blob, or a stream of bytes; put bytes into a Blob.");
	return makeArchiveSource(() => Promise.resolve(input), options, nativeInflate);
}

/** As {@link archiveSource}, for an adapter with an input to be opened first and a decompressor of its own. */
export function makeArchiveSource(
	input: () => Promise<ArchiveInput>,
	options: ArchiveOptions,
	inflate: Inflate,
): ArchiveSource {
	const prefix = options.prefix === undefined ? undefined : checkPrefix(options.prefix);
	const limits = { ...ARCHIVE_LIMITS, ...options.limits };
	let opening: Promise<Listing> | undefined;
	let listing: Listing | undefined;
	let commonPrefix: string | undefined;
	let disposed = false;

	const read = async (): Promise<Listing> => {
		const opened = await openArchive(await input(), { ...options, limits }, inflate);
		try {
			return listingOf(
				opened,
				opened.members.finish(prefix, (offered) => {
					commonPrefix = offered;
				}),
			);
		} catch (error) {
			await opened.dispose().catch(() => {});
			throw error;
		}
	};
	return {
		get commonPrefix() {
			return commonPrefix;
		},
		async list(): Promise<readonly PackageEntry[]> {
			if (disposed) throw gone();
			opening ??= read();
			listing = await opening;
			return listing.entries;
		},
		open(path): ReadableStreamLike<Uint8Array> {
			if (disposed) throw gone();
			const member = listing?.members.get(path);
			if (listing === undefined || member === undefined)
				throw new TypeError(`${quoteForDisplay(path)} is not among the files that this archive listed.`);
			return streamOf(checkedContent(member, listing.ahead.pieces(member.place), inflate));
		},
		async dispose() {
			if (disposed) return;
			disposed = true;
			const opened = await opening?.catch(() => undefined);
			opened?.ahead.clear();
			await opened?.dispose();
		},
	};
}

interface Listing {
	readonly entries: readonly PackageEntry[];
	readonly members: ReadonlyMap<string, Member>;
	readonly ahead: ReadAhead;
	dispose(): Promise<void>;
}

function listingOf(opened: Opened, members: readonly Member[]): Listing {
	const sorted = [...members].sort((a, b) => comparePaths(a.path, b.path));
	return {
		entries: sorted.map(({ path, size }) => ({ path, size })),
		members: new Map(sorted.map((member) => [member.path, member])),
		ahead: new ReadAhead(
			opened.bytes,
			sorted.map(({ place }) => place),
		),
		dispose: () => opened.dispose(),
	};
}

function gone(): PackageError {
	return new PackageError("PACKAGE_SOURCE_FAILED", "The archive was disposed; make a new source of it.");
}

/** Chunks as a stream that one reader reads; cancelling it ends them. */
function streamOf(chunks: AsyncGenerator<Uint8Array, void, void>): ReadableStreamLike<Uint8Array> {
	const reader: StreamReaderLike<Uint8Array> = {
		async read() {
			const { done, value } = await chunks.next();
			return done ? { done: true } : { done: false, value: value as Uint8Array };
		},
		async cancel() {
			await chunks.return();
		},
		releaseLock() {},
	};
	return { getReader: () => reader };
}
