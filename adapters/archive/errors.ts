import { quoteForDisplay } from "../../src/display.ts";
import { PackageError, type PackageErrorCode } from "../../src/package/index.ts";
import type { ArchiveLimits } from "./types.ts";

/** A malformed archive, or one that two readers could read in two ways. `path` is the member it is about, as the archive names it. */
export function invalid(message: string, path?: string, cause?: unknown): PackageError {
	return refuse("PACKAGE_ARCHIVE_INVALID", message, path, cause);
}

/** A kind of archive, member or compression that isn't read here. */
export function unsupported(message: string, path?: string): PackageError {
	return refuse("PACKAGE_ARCHIVE_UNSUPPORTED", message, path);
}

/** A bound of {@link ArchiveLimits} that was crossed. */
export function beyond(name: keyof ArchiveLimits, max: number, message: string, path?: string): PackageError {
	const place = path === undefined ? {} : { path };
	return new PackageError("PACKAGE_ARCHIVE_LIMIT", message, { ...place, limit: { name, max } });
}

/** A refused member: `"path" what`. */
export function refuseMember(code: PackageErrorCode, path: string, what: string): PackageError {
	return refuse(code, `${quoteForDisplay(path)} ${what}`, path);
}

/** The name of a member as far as it is ASCII, for the error of one that can't be decoded. */
export function asciiName(bytes: Uint8Array): string {
	return Array.from(bytes.subarray(0, 255), (byte) => (byte < 0x80 ? String.fromCharCode(byte) : "\ufffd")).join("");
}

function refuse(code: PackageErrorCode, message: string, path?: string, cause?: unknown): PackageError {
	return new PackageError(code, message, {
		...(path === undefined ? {} : { path }),
		...(cause === undefined ? {} : { cause }),
	});
}
