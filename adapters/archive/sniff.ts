import { invalid, unsupported } from "./errors.ts";
import { BLOCK, hasMagic, isZero } from "./tar/header.ts";

/** The formats that are read. */
export type Format = "tar" | "gzip" | "zip";

/** Bytes that tell a format. */
export const HEAD_BYTES: number = BLOCK;

/** First bytes of zips: an entry, the end of one without any, and the mark of one that was split or was to be. */
const ZIP = ["504b0304", "504b0506", "504b0606", "504b0708", "504b3030"];

const OTHERS: readonly (readonly [magic: string, name: string])[] = [
	["fd377a585a00", "xz"],
	["425a68", "bzip2"],
	["28b52ffd", "zstd"],
	["1f9d", "compress"],
	["377abcaf271c", "7z"],
	["526172211a07", "RAR"],
];

/**
 * Tells an archive's format by its first bytes; its name says nothing. Throws `PACKAGE_ARCHIVE_UNSUPPORTED` for an archive of
 * another kind, `PACKAGE_ARCHIVE_INVALID` for what is none or empty.
 */
export function sniff(head: Uint8Array): Format {
	if (head.length === 0) throw invalid("The archive is empty: it has no bytes at all.");
	const start = Array.from(head.subarray(0, 6), (byte) => byte.toString(16).padStart(2, "0")).join("");
	if (start.startsWith("1f8b")) return "gzip";
	if (ZIP.some((magic) => start.startsWith(magic))) return "zip";
	if (head.length === BLOCK && (hasMagic(head) || isZero(head))) return "tar";
	const other = OTHERS.find(([magic]) => start.startsWith(magic));
	if (other !== undefined)
		throw unsupported(`The archive is compressed with ${other[1]}; tar, tar.gz and zip are read.`);
	throw invalid(
		"This is no archive that can be read: its first bytes are neither those of a tar (ustar or GNU), nor of gzip, nor of a zip.",
	);
}
