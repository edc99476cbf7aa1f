/**
 * Packages in directories and archives, components as processes, and the core's digests with the native hash.
 *
 * @module millrace/node
 */

export {
	ARCHIVE_LIMITS,
	type ArchiveInput,
	type ArchiveLimits,
	type ArchiveOptions,
	type ArchiveProgress,
	type ArchiveSource,
	type Bytes,
	type Spool,
} from "../archive/index.ts";
export { archive, type NodeArchiveOptions } from "./archive.ts";
export { type DirectoryOptions, type DirectorySource, directory } from "./directory.ts";
export type { Launcher, LauncherOptions } from "./launchers.ts";
export { type SqliteOperationStore, type SqliteStoreOptions, sqliteOperationStore } from "./operation-store.ts";
export type { SqliteDriverName } from "./operation-store-driver.ts";
export { digestPackage, inspectPackage } from "./packages.ts";
export type { Command } from "./process.ts";
export { type NodeRuntime, type NodeRuntimeOptions, nodeRuntime, type Sandbox } from "./runtime.ts";
export { nodeSha256 } from "./sha256.ts";
export type { Reach } from "./tree/held.ts";
export { TREE_LIMITS, type TreeLimits } from "./tree/walk.ts";
export { type WorkerLauncherOptions, workerLauncher } from "./worker.ts";
