/**
 * What plugs millrace into a web page: packages that were dropped, picked or fetched.
 *
 * @module millrace/browser
 */
export {
	ARCHIVE_LIMITS,
	type ArchiveLimits,
	type ArchiveOptions,
	type ArchiveProgress,
	type ArchiveSource,
	type Bytes,
	type Spool,
} from "../archive/index.ts";
export { archive } from "./archive.ts";
export { type DroppedItems, directoryHandle, droppedItems, pickedFolder } from "./folders.ts";
export { blobSpool, pageSpool } from "./spool.ts";
export type { FolderOptions } from "./walk.ts";
export { type BrowserRuntimeOptions, browserRuntime, WORKER_LIMITS, type WorkerLimits } from "./worker/index.ts";
