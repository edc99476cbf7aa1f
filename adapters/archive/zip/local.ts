import { quoteForDisplay } from "../../../src/display.ts";
import type { Window } from "../bytes.ts";
import { invalid } from "../errors.ts";
import type { Range } from "../read-ahead.ts";
import type { Entry } from "./directory.ts";
import { readExtra } from "./extra.ts";

/** Bytes of a local header before its name. */
const LOCAL = 30;

const SIGNATURE = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const FULL = 0xffffffff;

/** A flag says that sizes follow the data; two tell how well it was compressed, and differ between headers. */
const FOLLOWS = 0x0008;
const COMPARED = 0xfff9;

/**
 * Reads the local header of an entry and gives where its data lies. The header has to say what the central directory says:
 * name, flags, compression, CRC-32 and sizes. The entry with its data and descriptor fills exactly the bytes up to `next`, where another one or the directory
 * begins: so that no two share bytes, and a reader that goes through the file from its start sees the same members.
 *
 * Throws `PACKAGE_ARCHIVE_INVALID`.
 */
export async function readLocal(window: Window, entry: Entry, path: string, next: number): Promise<Range> {
	const shown = quoteForDisplay(path);
	const { offset } = entry;
	const fixed = view(await window.read(offset, offset + LOCAL, `the local header of ${shown}`));
	if (fixed.getUint32(0, true) !== SIGNATURE)
		throw invalid(`There is no local header of ${shown} where the zip's directory says.`, path);
	const [flags, method] = [fixed.getUint16(6, true), fixed.getUint16(8, true)];
	const said = [fixed.getUint32(14, true), fixed.getUint32(18, true), fixed.getUint32(22, true)] as const;
	const names = offset + LOCAL;
	const extras = names + fixed.getUint16(26, true);
	const start = extras + fixed.getUint16(28, true);
	const end = start + entry.compressedSize;
	if (end > next)
		throw invalid(
			`The data of ${shown} reaches into what follows it in the zip: its entries overlap, or are in another order than they say.`,
			path,
		);
	const name = await window.read(names, extras, `the local header of ${shown}`);
	if (!sameBytes(name, entry.rawFilename)) throw differs(shown, path, "name");
	if (((flags ^ entry.rawBitFlag) & COMPARED) !== 0) throw differs(shown, path, "flags");
	if (method !== entry.compressionMethod) throw differs(shown, path, "compression");
	const extra = readExtra(await window.read(extras, start, `the local header of ${shown}`), path);
	if (extra.unicodePath !== undefined && !sameBytes(extra.unicodePath.name, entry.rawFilename))
		throw differs(shown, path, "Unicode name");
	checkSizes(entry, said, extra.zip64, (flags & FOLLOWS) !== 0, () => differs(shown, path, "CRC-32 or size"));
	if (flags & FOLLOWS) {
		const length = next - end;
		if (length !== 12 && length !== 16 && length !== 20 && length !== 24) throw hidden(shown, path, length);
		checkDescriptor(view(await window.read(end, next, `the data descriptor of ${shown}`)), entry, () =>
			differs(shown, path, "data descriptor"),
		);
	} else if (end !== next) throw hidden(shown, path, next - end);
	return { start, end };
}

function view(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
	return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** CRC-32 and sizes: those of the directory, or zeros where they follow the data. */
function checkSizes(
	entry: Entry,
	[crc, packed, size]: readonly [number, number, number],
	zip64: readonly number[],
	follow: boolean,
	differ: () => Error,
): void {
	// The local header has both 64-bit sizes where it has one, the size of the content first.
	const [longSize, longPacked] = zip64;
	const fits = (said: number, long: number | undefined, is: number): boolean => {
		const value = said === FULL && long !== undefined ? long : said;
		return value === is || (follow && value === 0);
	};
	const sizes = fits(packed, longPacked, entry.compressedSize) && fits(size, longSize, entry.uncompressedSize);
	if (!sizes || !(crc === entry.crc32 || (follow && crc === 0))) throw differ();
}

/** 12 or 20 bytes, the latter with 64-bit sizes; 4 more with a signature. */
function checkDescriptor(bytes: DataView, entry: Entry, differ: () => Error): void {
	const signed = bytes.byteLength === 16 || bytes.byteLength === 24;
	const at = signed ? 4 : 0;
	const long = bytes.byteLength >= 20;
	const number = (offset: number): number =>
		long ? Number(bytes.getBigUint64(offset, true)) : bytes.getUint32(offset, true);
	if (signed && bytes.getUint32(0, true) !== DESCRIPTOR) throw differ();
	const packed = number(at + 4);
	const size = number(at + (long ? 12 : 8));
	if (bytes.getUint32(at, true) !== entry.crc32 || packed !== entry.compressedSize || size !== entry.uncompressedSize)
		throw differ();
}

function differs(shown: string, path: string, what: string): Error {
	return invalid(
		`The zip has two readings: the ${what} of ${shown} is another one before its data than in the directory at the end.`,
		path,
	);
}

function hidden(shown: string, path: string, bytes: number): Error {
	return invalid(
		`After ${shown}, the zip has ${bytes} bytes that belong to no entry of its directory; a reader that goes through the file would see them.`,
		path,
	);
}
