/** Logical paths of a package (Package/1 section 5): checked, decoded, ordered, and compared without case. */
import { toCasefold, toNfc, toNfd } from "../unicode/index.ts";
import { decodeUtf8 } from "../web.ts";
import { describeFault } from "./describe.ts";
import { PATH_LIMITS, PathError } from "./errors.ts";
import { findPathFault } from "./fault.ts";

/**
 * Returns `path` if it is a canonical logical path (Package/1 section 5): NFC under Unicode 15.1, relative, 1 to 64 nonempty
 * segments joined by `/`, none of them `.` or `..`, no NUL and no backslash, at most 1,024 UTF-8 bytes in all and 255 in a
 * segment. Control characters, drive letters and trailing dots are ordinary text. Throws {@link PathError}, for a path that
 * isn't NFC with its NFC spelling; never repairs.
 */
export function checkPath(path: string): string {
	const fault = findPathFault(path);
	if (fault) throw new PathError(fault, path, describeFault(fault, "path", path));
	return path;
}

/**
 * Decodes the bytes of a name, as an archive or a file system stores them, and checks the path. A byte order mark is text
 * like any other. Throws {@link PathError}, with code `PATH_INVALID_UTF8` where the bytes are no UTF-8.
 */
export function decodePath(bytes: Uint8Array): string {
	let path: string;
	try {
		path = decodeUtf8(bytes);
	} catch {
		const shown = showBytes(bytes);
		const fault = { code: "PATH_INVALID_UTF8" } as const;
		throw new PathError(fault, shown, describeFault(fault, "path", shown));
	}
	return checkPath(path);
}

/** Printable ASCII as it is, all else (the backslash too) as `\xHH`; no further than a path may be long. */
function showBytes(bytes: Uint8Array): string {
	let shown = "";
	for (const byte of bytes.subarray(0, PATH_LIMITS.bytes))
		shown +=
			byte >= 0x20 && byte < 0x7f && byte !== 0x5c
				? String.fromCharCode(byte)
				: `\\x${byte.toString(16).padStart(2, "0")}`;
	return bytes.length > PATH_LIMITS.bytes ? `${shown}…` : shown;
}

/**
 * What two paths of one tree must not share: the path under full default case folding of Unicode 15.1, not normalized again
 * (D144 of the core specification, on a path that is NFC). Whole paths collide, not the spellings of directories.
 */
export function pathCollisionKey(path: string): string {
	return toCasefold(path);
}

/**
 * The key of canonical caseless matching (D145). It also joins a few paths that {@link pathCollisionKey} keeps apart, and that a
 * case-insensitive file system may join: worth an advisory, not a reason to reject.
 */
export function pathAdvisoryKey(path: string): string {
	return toNfc(toCasefold(toNfd(path)));
}

/**
 * Orders well-formed paths by their unsigned UTF-8 bytes (Package/1 section 5), without encoding them: negative, 0 or positive.
 * Not the order of `<` or `sort()`, which put characters above U+FFFF before U+E000 to U+FFFF.
 */
export function comparePaths(a: string, b: string): number {
	const shared = Math.min(a.length, b.length);
	for (let index = 0; index < shared; index++) {
		const left = a.charCodeAt(index);
		const right = b.charCodeAt(index);
		if (left !== right) return codePointRank(left) - codePointRank(right);
	}
	return a.length - b.length;
}

/** Moves surrogates above the rest of the BMP, where the code points that they spell belong. */
function codePointRank(unit: number): number {
	return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
