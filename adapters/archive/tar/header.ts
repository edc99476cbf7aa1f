import { quoteForDisplay } from "../../../src/display.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import { asciiName, invalid, refuseMember } from "../errors.ts";

/** Bytes of a tar block: a header is one, and every body is filled up to whole ones. */
export const BLOCK = 512;

/** One header as it stands, before PAX records and GNU names are applied to it (POSIX ustar, GNU). */
export interface Header {
	readonly name: string;
	readonly linkName: string;
	/** The type flag as one character; NUL is `0`, a regular file of old. */
	readonly type: string;
	/** Bytes of the body; undefined where the field is blank. */
	readonly size: number | undefined;
}

/** Where the fields of a header begin and end. */
const FIELDS = {
	name: [0, 100],
	size: [124, 136],
	checksum: [148, 156],
	linkName: [157, 257],
	magic: [257, 265],
	prefix: [345, 500],
	/** Of a header by star, or by npm's packer of old: times stand behind it, and a NUL between. */
	shortPrefix: [345, 475],
} as const;

const TYPE = 156;

/** The two magics and versions that are written today; an older header has none, and its fields mean what its writer meant. */
const USTAR = "ustar\u000000";
const GNU = "ustar  \u0000";

/** Whether a block begins like a header that {@link readHeader} reads. */
export function hasMagic(block: Uint8Array): boolean {
	const magic = magicOf(block);
	return magic === USTAR || magic === GNU;
}

function magicOf(block: Uint8Array): string {
	return ascii(block.subarray(...FIELDS.magic));
}

export function isZero(bytes: Uint8Array): boolean {
	for (const byte of bytes) if (byte !== 0) return false;
	return true;
}

/**
 * Reads a header block: checksum, magic, names as UTF-8, size in octal or base 256. `at` is its offset, for messages.
 * Throws `PACKAGE_ARCHIVE_INVALID`, and `PACKAGE_PATH_INVALID` for a name that isn't UTF-8.
 */
export function readHeader(block: Uint8Array, at: number): Header {
	checkSum(block, at);
	if (!hasMagic(block))
		throw invalid(
			`The header at byte ${at} has neither the ustar nor the GNU magic; what else its fields say is unsure.`,
		);
	const short = field(block, FIELDS.name, at);
	// In a GNU header the place of the prefix holds times.
	const where = block[FIELDS.shortPrefix[1]] === 0 ? FIELDS.shortPrefix : FIELDS.prefix;
	const prefix = magicOf(block) === USTAR ? field(block, where, at) : "";
	const name = prefix === "" ? short : `${prefix}/${short}`;
	return {
		name,
		linkName: field(block, FIELDS.linkName, at),
		type: block[TYPE] === 0 ? "0" : String.fromCharCode(block[TYPE]!),
		size: readSize(block.subarray(...FIELDS.size), name),
	};
}

/** The sum of all bytes, those of the checksum itself taken as spaces; some ancient readers summed signed bytes, which is not accepted. */
function checkSum(block: Uint8Array, at: number): void {
	const [start, end] = FIELDS.checksum;
	let sum = 0x20 * (end - start);
	for (let index = 0; index < BLOCK; index++) sum += block[index]!;
	for (let index = start; index < end; index++) sum -= block[index]!;
	const declared = octal(block.subarray(start, end));
	if (declared === sum) return;
	throw invalid(
		`The tar header at byte ${at} has the wrong checksum: the archive is damaged, or something that is no header stands there.`,
	);
}

/** A text field: up to its first NUL, which only NULs may follow. */
function field(block: Uint8Array, [start, end]: readonly [number, number], at: number): string {
	const bytes = block.subarray(start, end);
	const nul = bytes.indexOf(0);
	const text = nul < 0 ? bytes : bytes.subarray(0, nul);
	const name = decodeName(text, at);
	if (nul >= 0 && !isZero(bytes.subarray(nul)))
		throw invalid(`A name in the header at byte ${at} goes on after its NUL, where some readers would read on.`, name);
	return name;
}

/** Decodes a name of a member. Throws `PACKAGE_PATH_INVALID` where it isn't UTF-8. */
export function decodeName(bytes: Uint8Array, at: number): string {
	try {
		return decodeUtf8(bytes);
	} catch {
		throw refuseMember(
			"PACKAGE_PATH_INVALID",
			asciiName(bytes),
			`is no UTF-8 (the header at byte ${at}); rename the file and pack it again.`,
		);
	}
}

function readSize(bytes: Uint8Array, name: string): number | undefined {
	if (bytes[0]! < 0x80) {
		if (bytes.every((byte) => byte === 0 || byte === 0x20)) return undefined;
		const size = octal(bytes);
		if (size === undefined) throw invalid(`${quoteForDisplay(name)} has a size that is no octal number.`, name);
		return size;
	}
	// GNU base 256: a first byte of 0x80 for what isn't negative, then a big-endian number.
	if (bytes[0] === 0xff) throw invalid(`${quoteForDisplay(name)} has a negative size.`, name);
	let size = bytes[0]! & 0x7f;
	for (const byte of bytes.subarray(1)) size = size * 256 + byte;
	if (!Number.isSafeInteger(size)) throw invalid(`${quoteForDisplay(name)} has a size beyond 2^53 - 1 bytes.`, name);
	return size;
}

/** Octal digits after spaces, ended by spaces and NULs or the field's end; undefined for anything else. */
function octal(bytes: Uint8Array): number | undefined {
	const match = /^ *([0-7]+)[ \0]*$/.exec(ascii(bytes));
	return match === null ? undefined : Number.parseInt(match[1]!, 8);
}

function ascii(bytes: Uint8Array): string {
	return String.fromCharCode(...bytes);
}
