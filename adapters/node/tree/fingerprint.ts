import type { BigIntStats } from "node:fs";

/**
 * Everything about an inode that moves when its content, its name count or its kind does. Two equal fingerprints around a
 * read are evidence, not proof: a write within one tick of the filesystem's clock that keeps the size leaves no trace.
 */
export function fingerprintOf(stats: BigIntStats): string {
	return `${identityOf(stats)}:${stats.mode}:${stats.nlink}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/** The inode itself: equal for two names exactly when they are aliases. */
export function identityOf(stats: BigIntStats): string {
	return `${stats.dev}:${stats.ino}`;
}

/** What stands where a regular file or a directory should, in words. */
export function kindOf(stats: BigIntStats): string {
	if (stats.isFile()) return "a regular file";
	if (stats.isDirectory()) return "a directory";
	if (stats.isSymbolicLink()) return "a symbolic link";
	if (stats.isFIFO()) return "a named pipe";
	if (stats.isSocket()) return "a socket";
	if (stats.isBlockDevice()) return "a block device";
	if (stats.isCharacterDevice()) return "a character device";
	return "neither a regular file nor a directory";
}
