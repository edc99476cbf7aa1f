import { quoteForDisplay } from "../../../src/display.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import { checkOutput } from "../bounds.ts";
import { Window } from "../bytes.ts";
import { crc32 } from "../crc32.ts";
import { asciiName, invalid, refuseMember, unsupported } from "../errors.ts";
import type { Members } from "../members.ts";
import type { ArchiveLimits, Bytes } from "../types.ts";
import { type Entry, readDirectory } from "./directory.ts";
import { readExtra } from "./extra.ts";
import { readLocal, sameBytes } from "./local.ts";

const [STORED, DEFLATED] = [0, 8];

/** Flags: encrypted (three ways), names in UTF-8, data that patches other data. */
const ENCRYPTED = 0x2041;
const UTF8 = 0x0800;
const PATCH = 0x0020;

/** The kind of a file in a Unix mode. */
const KIND = 0xf000;
const [REGULAR, DIRECTORY, SYMLINK] = [0x8000, 0x4000, 0xa000];
const DOS_DIRECTORY = 0x10;

/** All ones: what Maven's archiver writes for a mode that nobody set. */
const NO_MODE = 0xffff;

/** An entry of the directory whose local header is still to be read. */
interface Pending {
	readonly entry: Entry;
	readonly name: string;
	/** Where its data lies, once that is known. */
	readonly place: { start: number; end: number };
}

/**
 * Reads the directory of a zip and every local header, and takes the members in (PKWARE APPNOTE 6.3, zip64 included). Both
 * have to agree, and the entries have to fill the archive up to its directory without a gap or an overlap: then whoever
 * reads from the start and whoever reads from the end see one archive.
 *
 * Members are stored or deflated; names are ASCII, or UTF-8 where the flag or a Unicode Path field of the same name says so.
 * `tick` is called now and then with the place.
 *
 * Throws `PackageError`: `PACKAGE_ARCHIVE_*`, `PACKAGE_SYMLINK`, `PACKAGE_SPECIAL_FILE`, `PACKAGE_PATH_INVALID`, and what
 * `members` throws.
 */
export async function walkZip(
	bytes: Bytes,
	members: Members,
	limits: ArchiveLimits,
	tick: (at: number) => void,
): Promise<void> {
	const pending: Pending[] = [];
	let unpacked = 0;
	const directory = await readDirectory(bytes, limits, (entry) => {
		const name = admit(entry);
		const place = { start: 0, end: 0 };
		if (name.endsWith("/")) members.addDirectory(name);
		else {
			const { uncompressedSize: size, crc32, compressionMethod } = entry;
			members.addFile(name, { size, place, zip: { crc32, deflated: compressionMethod === DEFLATED } });
			unpacked += size;
			checkOutput(unpacked, bytes.size, limits);
		}
		pending.push({ entry, name, place });
	});
	pending.sort((a, b) => a.entry.offset - b.entry.offset);
	const before = pending[0]?.entry.offset ?? directory;
	if (before !== 0)
		throw invalid(
			`The zip has ${before} bytes before its first entry: a program that unpacks itself, or something hidden.`,
		);
	const window = new Window(bytes);
	for (const [index, { entry, name, place }] of pending.entries()) {
		const next = pending[index + 1]?.entry.offset ?? directory;
		Object.assign(place, await readLocal(window, entry, name, next));
		tick(next);
	}
}

/** Gives the name of an entry of a kind that is read. */
function admit(entry: Entry): string {
	const name = nameOf(entry);
	const shown = quoteForDisplay(name);
	const { compressionMethod: method, rawBitFlag: flags, compressedSize, uncompressedSize } = entry;
	if (flags & ENCRYPTED) throw unsupported(`${shown} is encrypted.`, name);
	if (flags & PATCH) throw unsupported(`${shown} is a patch for another file.`, name);
	if (method !== STORED && method !== DEFLATED)
		throw unsupported(`${shown} is compressed with method ${method}; stored and deflated entries are read.`, name);
	if (method === STORED && compressedSize !== uncompressedSize)
		throw invalid(`${shown} is stored as it is, and has ${uncompressedSize} bytes in ${compressedSize}.`, name);
	checkKind(entry, name);
	return name;
}

function nameOf({ rawFilename, rawExtraField, rawBitFlag }: Entry): string {
	const shown = asciiName(rawFilename);
	if (rawFilename.length === 0) throw invalid("The zip has an entry without a name.");
	const { unicodePath } = readExtra(rawExtraField, shown);
	if (
		unicodePath !== undefined &&
		(!sameBytes(unicodePath.name, rawFilename) || unicodePath.crc32 !== crc32(rawFilename, 0))
	)
		throw invalid(`${quoteForDisplay(shown)} has a second, other name in the zip, for readers that know of it.`, shown);
	// Info-ZIP tells by a field of its own what others tell by the flag: that the name is UTF-8.
	const told = (rawBitFlag & UTF8) !== 0 || unicodePath !== undefined;
	if (!told && rawFilename.some((byte) => byte >= 0x80))
		throw refuseMember(
			"PACKAGE_PATH_INVALID",
			shown,
			"has a name in an encoding that the zip doesn't tell, so that readers differ; pack it again with UTF-8 names, or as a tar.",
		);
	try {
		return decodeUtf8(rawFilename);
	} catch {
		throw refuseMember(
			"PACKAGE_PATH_INVALID",
			shown,
			"is no UTF-8, as the zip says it is; rename the file and pack it again.",
		);
	}
}

/** Whether name, mode and attributes say one kind, a file or a directory. */
function checkKind({ externalFileAttributes, rawExtraField, uncompressedSize }: Entry, name: string): void {
	const directory = name.endsWith("/");
	const { mode } = readExtra(rawExtraField, name);
	for (const each of [externalFileAttributes >>> 16, mode ?? 0]) {
		const kind = each === NO_MODE ? 0 : each & KIND;
		if (kind === SYMLINK)
			throw refuseMember(
				"PACKAGE_SYMLINK",
				name,
				"is a symbolic link; only regular files and directories are admitted.",
			);
		if (kind !== 0 && kind !== REGULAR && kind !== DIRECTORY)
			throw refuseMember(
				"PACKAGE_SPECIAL_FILE",
				name,
				"is a device, a pipe or a socket; only regular files and directories are admitted.",
			);
		if (kind !== 0 && (kind === DIRECTORY) !== directory)
			throw invalid(
				`${quoteForDisplay(name)} is a file by one thing that the zip says and a directory by another.`,
				name,
			);
	}
	if (!directory && externalFileAttributes & DOS_DIRECTORY)
		throw invalid(`${quoteForDisplay(name)} is a directory by its attributes and a file by its name.`, name);
	if (directory && uncompressedSize > 0)
		throw invalid(`${quoteForDisplay(name)} is a directory with a content of ${uncompressedSize} bytes.`, name);
}
