import { escapeForDisplay } from "../../../src/display.ts";
import { PackageError, type PackageErrorCode } from "../../../src/package/index.ts";

/** The code of a system error, or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
	const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
	return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) && !code.startsWith("ERR_") ? code : undefined;
}

/** Out of descriptors, memory or room: the host's capacity, never a fault of the tree. */
const CAPACITY = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EDQUOT", "EFBIG", "ENOBUFS"]);

/** What a name that was there a moment ago answers once someone replaced or removed it. */
const REPLACED = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE", "ENXIO"]);

/** Whether a system error says that this machine ran out of something. */
export function isCapacityErrno(error: unknown): boolean {
	const errno = errnoOf(error);
	return errno !== undefined && CAPACITY.has(errno);
}

/** A refused entry of a tree. `path` is its logical path as far as it can be spelled. */
export function refuse(code: PackageErrorCode, path: string, message: string): PackageError {
	return new PackageError(code, message, path === "" ? {} : { path });
}

/** The error for a tree that was different a moment ago: `PACKAGE_SOURCE_CHANGED`. */
export function changed(path: string, what: string): PackageError {
	const where = path === "" ? "The root of the tree" : `"${escapeForDisplay(path)}"`;
	return refuse("PACKAGE_SOURCE_CHANGED", path, `${where} ${what}`);
}

/** A system error met below a tree's root, as the package room's error: changed, out of capacity, or failed. */
export function treeError(error: unknown, path: string): unknown {
	const errno = errnoOf(error);
	if (errno === undefined) return error;
	const where = path === "" ? "the root of the tree" : `"${escapeForDisplay(path)}"`;
	const place = path === "" ? { cause: error } : { path, cause: error };
	if (REPLACED.has(errno))
		return new PackageError("PACKAGE_SOURCE_CHANGED", `${where} was replaced or removed meanwhile (${errno}).`, place);
	if (CAPACITY.has(errno))
		return new PackageError("PACKAGE_CAPACITY", `This machine ran out of capacity at ${where} (${errno}).`, place);
	return new PackageError("PACKAGE_SOURCE_FAILED", `Reading ${where} failed (${errno}).`, place);
}
