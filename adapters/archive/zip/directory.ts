import { ZipReader } from "@zip.js/zip.js/lib/zip-core-reader.js";
import { PackageError } from "../../../src/package/index.ts";
import { readBytes } from "../bytes.ts";
import { beyond, invalid, unsupported } from "../errors.ts";
import type { ArchiveLimits, Bytes } from "../types.ts";

/** One entry of the central directory, with what zip64 says of it applied. */
export interface Entry {
	readonly rawFilename: Uint8Array;
	readonly rawExtraField: Uint8Array;
	readonly rawBitFlag: number;
	readonly compressionMethod: number;
	readonly crc32: number;
	readonly compressedSize: number;
	readonly uncompressedSize: number;
	/** Where its local header begins. */
	readonly offset: number;
	/** The upper half is the Unix mode, the lower the attributes of DOS. */
	readonly externalFileAttributes: number;
}

/** What the reader says of archives that are whole, and of a kind that isn't read here. */
const UNREAD = /split zip|encrypted|encryption/i;

/**
 * Reads the central directory of a zip with zip.js, in its strict way: one end of central directory that reaches the end of
 * the archive, nothing before or behind, and nothing that a record says twice in two ways. It is handed bytes and gives
 * entries; contents are read by ourselves. `take` is called with each entry. Gives the place where the directory begins.
 *
 * Throws `PACKAGE_ARCHIVE_INVALID`, `PACKAGE_ARCHIVE_UNSUPPORTED` (split or encrypted archives), `PACKAGE_ARCHIVE_LIMIT` for a
 * directory beyond `metadataBytes`, and what `take` throws.
 */
export async function readDirectory(
	bytes: Bytes,
	limits: ArchiveLimits,
	take: (entry: Entry) => void,
): Promise<number> {
	const { metadataBytes } = limits;
	await checkEnd(bytes);
	let thrown: PackageError | undefined;
	const refuse = (error: PackageError): PackageError => {
		thrown = error;
		return error;
	};
	const source = {
		size: bytes.size,
		async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
			if (length > metadataBytes)
				throw refuse(
					beyond(
						"metadataBytes",
						metadataBytes,
						`The zip's directory has more than ${metadataBytes} bytes (limit "metadataBytes").`,
					),
				);
			const end = Math.min(bytes.size, offset + length);
			try {
				return await readBytes(bytes, Math.min(Math.max(0, offset), end), end);
			} catch (error) {
				if (error instanceof PackageError) thrown = error;
				throw error;
			}
		},
	};
	const reader = new ZipReader(source as unknown as ReadableStream, {
		strictness: "strict",
		filenameValidation: "tolerant",
		useWebWorkers: false,
	});
	try {
		for await (const entry of reader.getEntriesGenerator()) take(entry as unknown as Entry);
	} catch (error) {
		throw thrown ?? (error instanceof PackageError ? error : readerError(error));
	}
	return (reader as unknown as { readonly directoryOffset: number }).directoryOffset;
}

/** Bytes of the end record without its comment, which has up to 65,535 more. */
const END = 22;

/**
 * Refuses a zip that has two end records which both reach its last byte, the second one in the comment of the first: the one
 * that is found depends on where a reader begins to look, and the other may name other entries, or none.
 */
async function checkEnd(bytes: Bytes): Promise<void> {
	const { size } = bytes;
	const tail = await readBytes(bytes, Math.max(0, size - END - 0xffff), size);
	let ends = 0;
	for (let at = tail.indexOf(0x50); at >= 0 && at + END <= tail.length; at = tail.indexOf(0x50, at + 1)) {
		if (tail[at + 1] !== 0x4b || tail[at + 2] !== 5 || tail[at + 3] !== 6) continue;
		if (at + END + tail[at + 20]! + 256 * tail[at + 21]! === tail.length) ends += 1;
	}
	if (ends > 1)
		throw invalid("The zip has two ends, one in the comment of the other; readers differ in which one they find.");
}

function readerError(error: unknown): PackageError {
	const why = error instanceof Error ? error.message : String(error);
	const message = `The zip's directory can't be read in one way only: ${why}.`;
	return UNREAD.test(why) ? unsupported(message) : invalid(message, undefined, error);
}
