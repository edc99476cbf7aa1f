/** What a reviewer should look at: never a verdict, so it may ask the engine about characters. */
import type { Advisory } from "millrace";
import { adviseText, withoutInvisible } from "./characters.ts";
import { passesForLatin, skeletonOf } from "./lookalikes.ts";

/** Kinds of notices, what misleads a reader first. */
export const NOTICE_KINDS = [
	"bidirectional",
	"invisible",
	"mixed-script",
	"control",
	"collision",
	"secret",
	"opaque",
	"surprising",
	"line-ends",
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One thing worth a look. */
export interface Notice {
	readonly kind: NoticeKind;
	readonly path: string;
	/** 1-based, in a text file. */
	readonly line?: number;
	/** 1-based, in characters. */
	readonly column?: number;
	readonly message: string;
}

/** Bytes of one file that are looked at; beyond them a text is too long to be reviewed anyway. */
export const LOOKED_AT_BYTES = 1_048_576;

/** Bytes from which on a file is too large to be read by a person. */
const LARGE_BYTES = 16_777_216;

/** Characters of a line that somebody may have written. */
const LINE = 5_000;

/** What a file's first bytes say it is, where that is nothing a reviewer can read. */
const MAGIC: readonly (readonly [bytes: readonly number[], what: string, at?: number])[] = [
	[[0x7f, 0x45, 0x4c, 0x46], "a program for Linux (ELF)"],
	[[0x4d, 0x5a], "a program for Windows (PE)"],
	[[0xcf, 0xfa, 0xed, 0xfe], "a program for macOS (Mach-O)"],
	[[0xce, 0xfa, 0xed, 0xfe], "a program for macOS (Mach-O)"],
	[[0xca, 0xfe, 0xba, 0xbe], "a program for macOS (Mach-O) or Java"],
	[[0x00, 0x61, 0x73, 0x6d], "a WebAssembly module"],
	[[0x50, 0x4b, 0x03, 0x04], "an archive inside the package (zip)"],
	[[0x1f, 0x8b], "an archive inside the package (gzip)"],
	[[0x42, 0x5a, 0x68], "an archive inside the package (bzip2)"],
	[[0xfd, 0x37, 0x7a, 0x58, 0x5a], "an archive inside the package (xz)"],
	[[0x28, 0xb5, 0x2f, 0xfd], "an archive inside the package (zstd)"],
	[[0x37, 0x7a, 0xbc, 0xaf], "an archive inside the package (7z)"],
	[[0x75, 0x73, 0x74, 0x61, 0x72], "an archive inside the package (tar)", 257],
];

const CODE = /\.(?:[cm]?[jt]sx?|py|json|sh|rb|lua|md)$/i;
const SECRET_NAME =
	/^(?:\.env(?:\..*)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|id_[a-z0-9]+|.*\.(?:key|pem|p12|pfx|jks))$/i;
const SECRET_TEXT = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** The notices of a file's bytes, as many of them as are looked at. */
export function adviseBytes(path: string, bytes: Uint8Array): Notice[] {
	const magic = MAGIC.find(([start, , at = 0]) => start.every((byte, index) => bytes[at + index] === byte));
	if (magic !== undefined) return [{ kind: "opaque", path, message: magic[1] }];
	const plain = isPlain(bytes);
	let text: string;
	try {
		// What was cut off in the middle of a character is no fault of the file.
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
	} catch {
		return CODE.test(path)
			? [{ kind: "opaque", path, message: "its bytes are no UTF-8 text, as its name promises" }]
			: [];
	}
	if (!CODE.test(path) && text.includes("\0")) return [];
	const notices = plain ? [] : adviseText(path, text);
	if (SECRET_TEXT.test(text)) notices.push({ kind: "secret", path, message: "has a private key in it" });
	if (CODE.test(path) && hasLongLine(text)) {
		const message = `has a line of more than ${LINE} characters: minified, or made by a program`;
		notices.push({ kind: "opaque", path, message });
	}
	return notices;
}

/** Whether bytes are what every text is made of: printable ASCII, tabs and line ends. Most files are, and need no closer look. */
function isPlain(bytes: Uint8Array): boolean {
	for (let index = 0; index < bytes.length; index += 1) {
		const byte = bytes[index]!;
		if (byte >= 0x7f || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)) {
			if (byte !== 0x0d || bytes[index + 1] !== 0x0a) return false;
		}
	}
	return true;
}

function hasLongLine(text: string): boolean {
	let start = 0;
	for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
		if (end - start > LINE) return true;
		start = end + 1;
	}
	return text.length - start > LINE;
}

/** The notices of a path and a size. What tools leave behind, the library says itself. */
export function adviseEntry(path: string, size: number): Notice[] {
	const notices: Notice[] = adviseText(path, path).map(({ kind, message }) => ({
		kind,
		path,
		message: `in its name: ${message}`,
	}));
	const segments = path.split("/");
	const name = segments.at(-1) ?? "";
	for (const segment of segments) {
		if (!passesForLatin(segment)) continue;
		const looks = skeletonOf(withoutInvisible(segment));
		notices.push({
			kind: "mixed-script",
			path,
			message: `“${segment}” has no Latin letter, and looks like “${looks}”`,
		});
	}
	if (SECRET_NAME.test(name)) notices.push({ kind: "secret", path, message: "by its name, this is somebody's secret" });
	else if (segments.some((segment) => segment.startsWith(".") && !NOTED_BY_LIBRARY.test(segment)))
		notices.push({ kind: "surprising", path, message: "is hidden from most listings" });
	if (size > LARGE_BYTES) notices.push({ kind: "opaque", path, message: "is too large to be read by a person" });
	return notices;
}

/** Hidden names that the library has its own words for. */
const NOTED_BY_LIBRARY = /^\.(?:git|hg|svn|idea|vscode|venv|DS_Store|_.*|#.*|.*\.sw[a-p])$/;

/** An advisory of the library as a notice; undefined for one that is told by the file's name already. */
export function noticeOf({ code, path, otherPath, message }: Advisory): Notice | undefined {
	if (code === "surprising-file" && SECRET_NAME.test(path.split("/").at(-1) ?? "")) return undefined;
	const kind = code === "crlf" ? "line-ends" : code === "surprising-file" ? "surprising" : "collision";
	return { kind, path, message: otherPath === undefined ? message : `and ${otherPath}: ${message}` };
}
