import { quoteForDisplay } from "../../../src/display.ts";
import { PACKAGE_LIMITS, type PackageError } from "../../../src/package/index.ts";
import { Window } from "../bytes.ts";
import { beyond, invalid, refuseMember, unsupported } from "../errors.ts";
import { type Members, plainName, tooLarge } from "../members.ts";
import type { ArchiveLimits, Bytes } from "../types.ts";
import { BLOCK, decodeName, type Header, isZero, readHeader } from "./header.ts";
import { type PaxRecords, parsePax } from "./pax.ts";

/** Bytes of zeros that may follow the end; writers fill up to a record, of 10 KiB mostly. */
const MAX_PADDING = 1_048_576;

/** What members other than files and directories are, by their type flag. */
const REFUSED: Readonly<Record<string, string>> = {
	"3": "a character device",
	"4": "a block device",
	"6": "a named pipe",
};

const UNREAD: Readonly<Record<string, string>> = {
	"7": "a contiguous file",
	A: "an access control list",
	D: "a directory listing of an incremental dump",
	M: "the rest of a file from another volume",
	N: "an old GNU long name",
	S: "a sparse file; pack it without --sparse",
	V: "the label of a volume",
	X: "an extended header of old Solaris",
};

/** What headers before a member say of it. */
interface Announced {
	pax?: PaxRecords;
	name?: string;
	linkName?: string;
}

/**
 * Walks a tar archive from header to header, over the bodies, and takes its members in (POSIX.1 ustar and pax; GNU long
 * names and base-256 sizes). `tick` is called now and then with the place.
 *
 * What is read: regular files (`0`, NUL), directories (`5`), hard links (`1`) to an earlier regular file, which become files
 * of their own with the same bytes, PAX headers (`x`, `g`) and GNU long names (`L`, `K`). All else is refused by its type.
 * The archive ends with two zero blocks, and nothing but zeros follows: what else stands there, some reader would read.
 *
 * Throws `PackageError`: `PACKAGE_ARCHIVE_*`, `PACKAGE_SYMLINK`, `PACKAGE_SPECIAL_FILE`, `PACKAGE_HARD_LINK`, and what
 * `members` throws. Memory: a window, and one PAX header of up to `metadataBytes`.
 */
export async function walkTar(
	bytes: Bytes,
	members: Members,
	limits: ArchiveLimits,
	tick: (at: number) => void,
): Promise<void> {
	const window = new Window(bytes);
	const hardLinks = new Set<string>();
	let announced: Announced | undefined;
	let metadata = 0;
	let at = 0;
	for (;;) {
		const block = await window.read(
			at,
			at + BLOCK,
			`a header at byte ${at}, before the two zero blocks that end a tar`,
		);
		if (isZero(block)) break;
		const header = readHeader(block, at);
		const body = at + BLOCK;
		const { type } = header;
		if (type === "x" || type === "g" || type === "L" || type === "K") {
			const size = header.size ?? 0;
			metadata += size;
			if (metadata > limits.metadataBytes)
				throw beyond(
					"metadataBytes",
					limits.metadataBytes,
					`PAX headers and long names have more than ${limits.metadataBytes} bytes (limit "metadataBytes").`,
				);
			const content = await window.read(body, body + size, "a PAX header or a long name");
			announced = announce(announced ?? {}, type, content, at);
			at = body + padded(size);
		} else {
			const size = admit(applied(header, announced), body, bytes, members, hardLinks);
			announced = undefined;
			at = body + padded(size);
		}
		tick(at);
	}
	if (announced !== undefined)
		throw invalid("The archive ends after a PAX header or a long name whose member is missing.");
	await checkEnd(window, at, bytes.size);
}

function padded(size: number): number {
	return Math.ceil(size / BLOCK) * BLOCK;
}

/** Takes in one header that speaks of the member after it, or with `g` of all; gives what is known of the next member now. */
function announce(
	announced: Announced,
	type: "x" | "g" | "L" | "K",
	content: Uint8Array,
	at: number,
): Announced | undefined {
	const nothing = announced.pax === undefined && announced.name === undefined && announced.linkName === undefined;
	if (type === "g") {
		if (!nothing)
			throw invalid(`A PAX header for the whole archive, at byte ${at}, stands between a header and its member.`);
		parsePax(content, true);
		return undefined;
	}
	const again =
		type === "x"
			? !nothing
			: announced.pax !== undefined || announced[type === "L" ? "name" : "linkName"] !== undefined;
	if (again)
		throw invalid(
			`At byte ${at}, one member gets its name or its PAX header twice; readers differ in which one counts.`,
		);
	if (type === "x") return { pax: parsePax(content, false) };
	const name = longName(content, at);
	return type === "L" ? { ...announced, name } : { ...announced, linkName: name };
}

/** A GNU long name: text with one NUL at its end. */
function longName(content: Uint8Array, at: number): string {
	const nul = content.indexOf(0);
	if (nul <= 0 || nul !== content.length - 1)
		throw invalid(`The GNU long name at byte ${at} is empty, or doesn't end with the one NUL it has.`);
	return decodeName(content.subarray(0, nul), at);
}

/** The header of a member with what was said before it. */
function applied(header: Header, announced: Announced | undefined): Header {
	if (announced === undefined) return header;
	const { pax = {} } = announced;
	const name = pax.path ?? announced.name ?? header.name;
	const linkName = pax.linkpath ?? announced.linkName;
	if (linkName !== undefined && header.type !== "1" && header.type !== "2")
		throw invalid(`${quoteForDisplay(name)} is no link, and has the target of one.`, name);
	if (pax.size !== undefined && pax.size !== header.size) {
		if (pax.size > PACKAGE_LIMITS.fileBytes) throw tooLarge(name, pax.size);
		// Below 8 GiB the header has room for the size, and a reader without PAX would go on at another place.
		throw invalid(
			`${quoteForDisplay(name)} has ${header.size ?? "no"} bytes by its header and ${pax.size} by its PAX header.`,
			name,
		);
	}
	return { ...header, name, linkName: linkName ?? header.linkName };
}

/** Takes one member in, and gives the bytes of its body. */
function admit(header: Header, body: number, bytes: Bytes, members: Members, hardLinks: Set<string>): number {
	const { name, type } = header;
	if (name === "") throw invalid(`The member at byte ${body - BLOCK} has no name.`);
	switch (type) {
		case "0": {
			const { size } = header;
			if (size === undefined) throw invalid(`${quoteForDisplay(name)} has no size.`, name);
			if (name.endsWith("/"))
				throw invalid(`${quoteForDisplay(name)} is a file by its type and a directory by its name.`, name);
			if (size > PACKAGE_LIMITS.fileBytes) throw tooLarge(name, size);
			if (body + size > bytes.size)
				throw invalid(
					`${quoteForDisplay(name)} has ${size} bytes, and the archive only ${Math.max(0, bytes.size - body)} more: it is truncated.`,
					name,
				);
			members.addFile(name, { size, place: { start: body, end: body + size } });
			return size;
		}
		case "5":
			noBody(header);
			members.addDirectory(name);
			return 0;
		case "1":
			noBody(header);
			addHardLink(header, members, hardLinks);
			return 0;
		default:
			throw refusedType(type, name);
	}
}

function noBody({ name, size = 0, type }: Header): void {
	if (size === 0) return;
	const what = type === "5" ? "a directory" : "a hard link";
	throw invalid(
		`${quoteForDisplay(name)} is ${what} with a content of ${size} bytes; some readers skip it, others don't.`,
		name,
	);
}

/** A hard link becomes a file of its own (Package/1 section 1); `hardLinks` are those before it, which are no targets. */
function addHardLink({ name, linkName }: Header, members: Members, hardLinks: Set<string>): void {
	const target = members.file(linkName);
	if (target === undefined || hardLinks.has(plainName(linkName)))
		throw refuseMember(
			"PACKAGE_HARD_LINK",
			name,
			`is a hard link to ${quoteForDisplay(linkName)}, which is no regular file earlier in the archive.`,
		);
	members.addFile(name, target);
	hardLinks.add(plainName(name));
}

function refusedType(type: string, name: string): PackageError {
	const only = "only regular files and directories are admitted.";
	if (type === "2") return refuseMember("PACKAGE_SYMLINK", name, `is a symbolic link; ${only}`);
	const special = REFUSED[type];
	if (special !== undefined) return refuseMember("PACKAGE_SPECIAL_FILE", name, `is ${special}; ${only}`);
	const what = UNREAD[type] ?? "of a type that isn't known here";
	return unsupported(`${quoteForDisplay(name)} is ${what} (tar type ${quoteForDisplay(type)}); ${only}`, name);
}

/** The second zero block, and then zeros to the end of the archive. */
async function checkEnd(window: Window, at: number, size: number): Promise<void> {
	const second = at + BLOCK;
	if (!isZero(await window.read(second, second + BLOCK, "the two zero blocks that end a tar")))
		throw invalid(`After the one zero block at byte ${at} the archive goes on; some readers stop there, others don't.`);
	const rest = second + BLOCK;
	if (size - rest > MAX_PADDING)
		throw invalid(
			`After the end of the archive at byte ${rest}, ${size - rest} bytes follow; at most ${MAX_PADDING} zeros may.`,
		);
	if (!isZero(await window.read(rest, size, "its end")))
		throw invalid(
			`Something follows the end of the archive at byte ${rest}: another archive, perhaps, that some readers would read too.`,
		);
}
