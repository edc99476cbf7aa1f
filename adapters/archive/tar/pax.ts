import { quoteForDisplay } from "../../../src/display.ts";
import { PackageError } from "../../../src/package/index.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import { invalid, unsupported } from "../errors.ts";

/** What the PAX records before a member say of it. */
export interface PaxRecords {
	readonly path?: string;
	readonly linkpath?: string;
	readonly size?: number;
}

/** Keys of POSIX that say nothing of a file's path or content. */
const HARMLESS = new Set(["atime", "ctime", "mtime", "uid", "gid", "uname", "gname", "comment"]);

/** Vendors' keys that change what the body means, and so how others read the archive. */
const SPARSE = /^(?:GNU\.sparse\.|SCHILY\.realsize$|SUN\.holesdata$)/;
const RETYPED = /^(?:SCHILY\.(?:filetype|tarfiletype|offset)|GNU\.(?:volume|dumpdir))/;

/** The one spelling of UTF-8 that POSIX knows. */
const UTF8 = "ISO-IR 10646 2000 UTF-8";

/**
 * Parses the records of a PAX header (POSIX.1 pax, "pax Header Block"): `LENGTH KEY=VALUE\n`, each exactly as long as it
 * says, no key twice. `path`, `linkpath` and `size` apply; in a header for all that follows (`global`) they are refused,
 * since readers differ in what overrides what. Keys of people and tools that say nothing of names and content are skipped.
 *
 * Throws `PACKAGE_ARCHIVE_INVALID`, `PACKAGE_ARCHIVE_UNSUPPORTED` (sparse files, other encodings), `PACKAGE_PATH_INVALID`.
 */
export function parsePax(body: Uint8Array, global: boolean): PaxRecords {
	const records: { path?: string; linkpath?: string; size?: number } = {};
	const seen = new Set<string>();
	for (let at = 0; at < body.length; ) {
		const { key, value, end } = readRecord(body, at);
		at = end;
		if (seen.has(key)) throw invalid(`A PAX header has the key ${quoteForDisplay(key)} twice.`);
		seen.add(key);
		if (key === "path" || key === "linkpath" || key === "size") {
			if (global)
				throw invalid(
					`A PAX header for the whole archive sets ${quoteForDisplay(key)}, which readers apply each in their own way.`,
				);
			if (key === "size") records.size = readNumber(value);
			else records[key] = readName(value, key);
		} else checkIgnorable(key, value);
	}
	return records;
}

interface PaxRecord {
	readonly key: string;
	readonly value: Uint8Array;
	readonly end: number;
}

const [NEWLINE, EQUALS, SPACE] = [0x0a, 0x3d, 0x20];

function readRecord(body: Uint8Array, at: number): PaxRecord {
	let length = 0;
	let start = at;
	// Ten digits reach beyond any header that fits its bound.
	for (; start < at + 10 && body[start]! >= 0x30 && body[start]! <= 0x39; start++)
		length = length * 10 + body[start]! - 0x30;
	const end = at + length;
	const equals = body.indexOf(EQUALS, start);
	if (
		start === at ||
		body[at] === 0x30 ||
		body[start] !== SPACE ||
		end > body.length ||
		body[end - 1] !== NEWLINE ||
		equals <= start + 1 ||
		equals >= end - 1
	)
		throw invalid(
			`A PAX record at byte ${at} of its header is malformed: it isn't "LENGTH KEY=VALUE" and a line end of that length.`,
		);
	return { key: decodeText(body.subarray(start + 1, equals), "key"), value: body.subarray(equals + 1, end - 1), end };
}

function readNumber(value: Uint8Array): number {
	const text = decodeText(value, "size");
	const size = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
	if (!Number.isSafeInteger(size))
		throw invalid(`A PAX header says the size ${quoteForDisplay(text)}, which is no number of bytes.`);
	return size;
}

function readName(value: Uint8Array, key: string): string {
	if (value.length === 0)
		throw invalid(`A PAX header sets ${quoteForDisplay(key)} to nothing, which takes a name away or empties it.`);
	const name = decodeText(value, key);
	if (!name.includes("\0")) return name;
	throw new PackageError(
		"PACKAGE_PATH_INVALID",
		`A PAX header names ${quoteForDisplay(name)}, which has a NUL in it.`,
		{ path: name },
	);
}

function decodeText(bytes: Uint8Array, what: string): string {
	try {
		return decodeUtf8(bytes);
	} catch {
		if (what !== "path" && what !== "linkpath") throw invalid(`A PAX header has a ${what} that is no UTF-8.`);
		throw new PackageError(
			"PACKAGE_PATH_INVALID",
			`A PAX header has a ${what} that is no UTF-8; rename the file and pack it again.`,
		);
	}
}

function checkIgnorable(key: string, value: Uint8Array): void {
	if (SPARSE.test(key))
		throw unsupported(`A PAX header (${quoteForDisplay(key)}) says that a file is sparse; pack it without --sparse.`);
	if (RETYPED.test(key))
		throw unsupported(`A PAX header has the key ${quoteForDisplay(key)}, which changes what a member is.`);
	if (key === "hdrcharset" || key === "charset") {
		const charset = decodeText(value, key);
		if (charset !== UTF8)
			throw unsupported(`A PAX header has names or contents in ${quoteForDisplay(charset)}; only UTF-8 is read.`);
		return;
	}
	// POSIX keeps lower-case keys for itself; vendors begin theirs with their name in capitals.
	if (!HARMLESS.has(key) && !/^[A-Z][A-Za-z0-9_-]*\./.test(key))
		throw unsupported(
			`A PAX header has the key ${quoteForDisplay(key)}, which isn't known here and could change what follows.`,
		);
}
