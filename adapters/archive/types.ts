import { PACKAGE_LIMITS, type PackageSource } from "../../src/package/index.ts";
import type { AbortSignal, ReadableStreamLike } from "../../src/web.ts";

/** Bytes that can be read at any place, without being held: a `Blob`, a `File`, or a file behind the same two members. */
export interface Bytes {
	/** Bytes in all. */
	readonly size: number;
	/** The bytes from `start` up to, without, `end`; read when they are asked for. */
	slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/**
 * A place for what doesn't fit into memory. It is written once from start to end, finished, and read at any place then.
 * Each of these calls is made after the one before it has settled; a chunk may be reused once its `write` has.
 */
export interface Spool {
	write(chunk: Uint8Array): Promise<void>;
	/** Ends writing and gives all bytes that were written. They are asked for until `dispose`. */
	finish(): Promise<Bytes>;
	/** Removes everything, written or finished; called once, however it went. */
	dispose(): Promise<void>;
}

/** What reading an archive bounds: capacities of ours, `PACKAGE_ARCHIVE_LIMIT`, not validity limits of Package/1. */
export interface ArchiveLimits {
	/** Bytes that a compressed archive may unpack to: of a tar its whole length, of a zip its members' sum. */
	readonly outputBytes: number;
	/** How many bytes one compressed byte may unpack to, once more than 16 MiB came out. */
	readonly ratio: number;
	/** Members, directories included. Of files Package/1 admits 65,536. */
	readonly entries: number;
	/** Bytes of what isn't content: PAX records and long names of a tar, the central directory of a zip. */
	readonly metadataBytes: number;
	/** Bytes that are kept in memory before the spool is made. */
	readonly spoolBytes: number;
}

/** The bounds unless told otherwise. */
export const ARCHIVE_LIMITS: ArchiveLimits = Object.freeze({
	outputBytes: PACKAGE_LIMITS.totalBytes,
	ratio: 200,
	entries: 262_144,
	metadataBytes: 67_108_864,
	spoolBytes: 16_777_216,
});

/** How far reading the archive itself has come, before its members can be read. */
export interface ArchiveProgress {
	/** Bytes of the archive that were read (of a tar that was not compressed: that were read or jumped over). */
	readonly bytes: number;
	/** Its size, where that is known. */
	readonly totalBytes?: number;
	/** Members found so far. */
	readonly entries: number;
}

/** How an archive is read. */
export interface ArchiveOptions {
	/**
	 * The directory in the archive that is the package, `package/` for an npm tarball. It is taken off every path; a file
	 * outside it is refused. Never assumed: without one, the root of the archive is the root of the package.
	 */
	readonly prefix?: string | undefined;
	/** Stops reading the archive; the result is `PACKAGE_ABORTED`. */
	readonly signal?: AbortSignal | undefined;
	/** Called while the archive is read; what it throws changes nothing. */
	readonly onProgress?: ((progress: ArchiveProgress) => void) | undefined;
	/** Bounds, each by its name; default {@link ARCHIVE_LIMITS}. */
	readonly limits?: Partial<ArchiveLimits> | undefined;
	/** Makes the place for what exceeds `spoolBytes`; without it that much is `PACKAGE_ARCHIVE_LIMIT`. Called at most once per archive. */
	readonly spool?: (() => Promise<Spool>) | undefined;
}

/**
 * The package tree in an archive. `list` rejects, and so does reading a content, with `PackageError`.
 *
 * One archive, one reading: refused are symbolic links (`PACKAGE_SYMLINK`), devices and pipes (`PACKAGE_SPECIAL_FILE`), a
 * hard link to anything but an earlier regular file (`PACKAGE_HARD_LINK`), names that aren't UTF-8, that have a backslash or
 * lead out of the tree or lie outside the prefix (`PACKAGE_PATH_INVALID`), a path that occurs twice
 * (`PACKAGE_PATH_COLLISION`), what is damaged, truncated, ambiguous or followed by something (`PACKAGE_ARCHIVE_INVALID`),
 * sparse files, encryption, other types and compressions (`PACKAGE_ARCHIVE_UNSUPPORTED`), and what crosses a bound
 * (`PACKAGE_ARCHIVE_LIMIT`; `PACKAGE_LIMIT_EXCEEDED` for those of Package/1). Without a prefix, an archive whose one top
 * directory is a package is `PACKAGE_FLOW_MISSING` and says which prefix to give.
 */
export interface ArchiveSource extends PackageSource {
	/**
	 * The prefix to offer: the one top directory that everything lies below and that has a `FLOW.md`, where the root has none.
	 * Known once `list` has settled, however it has.
	 */
	readonly commonPrefix: string | undefined;
	/** Gives up what was spooled. Files can't be opened any more then; disposing again does nothing. */
	dispose(): Promise<void>;
}

/** What an archive comes as: bytes at any place, or a stream, which is read once and spooled. */
export type ArchiveInput = Bytes | ReadableStreamLike<Uint8Array>;
