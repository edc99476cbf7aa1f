/**
 * Archives as package sources: tar, tar.gz and zip, in every runtime that has Web Streams and `DecompressionStream`.
 *
 * An archive can have two readings, and a package has one digest. So what two readers could take in two ways is refused,
 * and what isn't a plain file or a directory is refused by name.
 */

export { archiveSource } from "./source.ts";
export {
	ARCHIVE_LIMITS,
	type ArchiveInput,
	type ArchiveLimits,
	type ArchiveOptions,
	type ArchiveProgress,
	type ArchiveSource,
	type Bytes,
	type Spool,
} from "./types.ts";
