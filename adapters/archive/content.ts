import { quoteForDisplay } from "../../src/display.ts";
import { PackageError } from "../../src/package/index.ts";
import { crc32 } from "./crc32.ts";
import { invalid } from "./errors.ts";
import type { Inflate } from "./inflate.ts";
import type { Member } from "./members.ts";

/**
 * The content of a member, from the bytes of the archive that hold it. That of a zip is unpacked, and has to be as long as the
 * zip says, with its CRC-32: `PACKAGE_ARCHIVE_INVALID` otherwise, at the first byte too many.
 */
export async function* checkedContent(
	member: Member,
	stored: AsyncIterable<Uint8Array>,
	inflate: Inflate,
): AsyncGenerator<Uint8Array, void, void> {
	const { zip, path, size } = member;
	if (zip === undefined) {
		yield* stored;
		return;
	}
	let left = size;
	let crc = 0;
	try {
		for await (const chunk of zip.deflated ? inflate("deflate-raw", stored) : stored) {
			left -= chunk.length;
			if (left < 0)
				throw invalid(`${quoteForDisplay(path)} unpacks to more than the ${size} bytes that the zip says.`, path);
			crc = crc32(chunk, crc);
			yield chunk;
		}
	} catch (error) {
		if (error instanceof PackageError) throw error;
		throw invalid(
			`The compressed data of ${quoteForDisplay(path)} is damaged or truncated, or something follows it.`,
			path,
			error,
		);
	}
	if (left > 0)
		throw invalid(
			`${quoteForDisplay(path)} unpacks to ${size - left} bytes, not to the ${size} that the zip says.`,
			path,
		);
	if (crc !== zip.crc32)
		throw invalid(`The content of ${quoteForDisplay(path)} has another CRC-32 than the zip says: it is damaged.`, path);
}
