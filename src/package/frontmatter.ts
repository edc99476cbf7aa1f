/** FLOW.md as bytes (Package/1 section 2): encoding, the two delimiter lines, the exact body. */

import { decodeUtf8 } from "../web.ts";
import { PackageError } from "./error.ts";
import { PACKAGE_LIMITS } from "./limits.ts";

/** The one required file of a package. */
export const FLOW_MD = "FLOW.md";

/** FLOW.md taken apart. */
export interface Frontmatter {
	/** What stands between the delimiter lines; it begins at line 2 of the file. */
	readonly yaml: string;
	/** Byte offset of the body: everything after the closing delimiter line. */
	readonly bodyOffset: number;
}

/**
 * Splits FLOW.md at its delimiter lines. The whole file must be UTF-8 without a byte order mark, to its last byte. Each
 * delimiter is exactly `---` and LF or CRLF, each with its own ending; the closing one may end the file. The bytes through
 * the closing line, its ending included, are at most 262,144.
 *
 * Throws `PackageError`: `PACKAGE_ENCODING_INVALID`, `PACKAGE_FRONTMATTER_INVALID`, `PACKAGE_LIMIT_EXCEEDED`.
 */
export function splitFrontmatter(bytes: Uint8Array): Frontmatter {
	if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
		throw new PackageError(
			"PACKAGE_ENCODING_INVALID",
			"FLOW.md begins with a byte order mark: save it as UTF-8 without one.",
			{ path: FLOW_MD, line: 1, column: 1 },
		);
	}
	const start = delimiterEnd(bytes, 0);
	if (start === undefined) {
		throw new PackageError("PACKAGE_FRONTMATTER_INVALID", 'FLOW.md must begin with a line that is exactly "---".', {
			path: FLOW_MD,
			line: 1,
			column: 1,
		});
	}
	const [end, bodyOffset] = findClosing(bytes, start);
	checkUtf8(bytes);
	return { yaml: decodeUtf8(bytes.subarray(start, end)), bodyOffset };
}

function findClosing(bytes: Uint8Array, start: number): [end: number, bodyOffset: number] {
	const max = PACKAGE_LIMITS.frontmatterBytes;
	let line = start;
	while (line < max) {
		const end = delimiterEnd(bytes, line);
		if (end !== undefined) {
			if (end > max) break;
			return [line, end];
		}
		const next = bytes.indexOf(LF, line);
		if (next < 0) break;
		line = next + 1;
	}
	if (bytes.length > max) {
		throw new PackageError(
			"PACKAGE_LIMIT_EXCEEDED",
			`FLOW.md has no closing "---" line within its first ${max} bytes.`,
			{ path: FLOW_MD, limit: { name: "frontmatterBytes", max } },
		);
	}
	throw new PackageError("PACKAGE_FRONTMATTER_INVALID", 'FLOW.md has no closing line that is exactly "---".', {
		path: FLOW_MD,
	});
}

const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;

/** The offset after a delimiter line that begins at `at`, or undefined when none does. */
function delimiterEnd(bytes: Uint8Array, at: number): number | undefined {
	if (bytes[at] !== HYPHEN || bytes[at + 1] !== HYPHEN || bytes[at + 2] !== HYPHEN) return undefined;
	const after = at + 3;
	if (after === bytes.length) return after;
	if (bytes[after] === LF) return after + 1;
	if (bytes[after] === CR && bytes[after + 1] === LF) return after + 2;
	return undefined;
}

/** A body may be long: it is decoded in windows, so that checking it never holds it as a string. */
const WINDOW = 1_048_576;

function checkUtf8(bytes: Uint8Array): void {
	for (let start = 0; start < bytes.length; ) {
		let end = Math.min(start + WINDOW, bytes.length);
		// Not inside a character: at most three continuation bytes follow a lead.
		for (let back = 0; back < 3 && end < bytes.length && isContinuation(bytes[end]!); back++) end--;
		if (!isUtf8(bytes.subarray(start, end))) throw encodingError(bytes, start);
		start = end;
	}
}

function isContinuation(byte: number): boolean {
	return (byte & 0xc0) === 0x80;
}

function isUtf8(bytes: Uint8Array): boolean {
	try {
		decodeUtf8(bytes);
		return true;
	} catch {
		return false;
	}
}

/** Names the first line that can't be decoded; all before `from` could. */
function encodingError(bytes: Uint8Array, from: number): PackageError {
	let line = 1;
	let start = 0;
	for (;;) {
		const end = bytes.indexOf(LF, start);
		const done = end < 0;
		if (done || (end >= from && !isUtf8(bytes.subarray(start, end)))) break;
		start = end + 1;
		line += 1;
	}
	return new PackageError("PACKAGE_ENCODING_INVALID", `FLOW.md is not valid UTF-8 in line ${line}.`, {
		path: FLOW_MD,
		line,
	});
}
