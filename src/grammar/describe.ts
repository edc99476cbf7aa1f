/** The sentences of a `PathError`; built on the throw path only. */
import { quoteForDisplay } from "../display.ts";
import { PATH_LIMITS, type PathFault } from "./errors.ts";

/** A file's name in a tree, or what an author wrote in `FLOW.md` or a descriptor. */
export type Subject = "path" | "reference";

/** Says what was found, where, and what to do. Texts are escaped and cut, so any path is safe to pass. */
export function describeFault(fault: PathFault, subject: Subject, text: string): string {
	return `${subject} ${quoteForDisplay(text)} ${explain(fault, subject, text)}`;
}

function explain({ code, offset, segment, limit, nfc }: PathFault, subject: Subject, text: string): string {
	const where = segment === undefined ? `at offset ${offset}` : `as segment ${segment + 1}, at offset ${offset}`;
	switch (code) {
		case "PATH_EMPTY":
			return `names nothing: write one or more segments joined by "/"`;
		case "PATH_ABSOLUTE":
			return `begins with "/": paths are relative to the package root`;
		case "PATH_BACKSLASH":
			return `has a backslash ${where}: the only separator is "/", and no name may contain a backslash`;
		case "PATH_NUL":
			return `has a NUL character ${where}: rename it without`;
		case "PATH_INVALID_UTF8":
			return "is not valid UTF-8: rename the file to a UTF-8 name";
		case "PATH_LONE_SURROGATE":
			return `has a surrogate without its partner ${where}, which no UTF-8 spells: rename it without`;
		case "PATH_TOO_LONG":
			return `is longer than ${limit?.max} UTF-8 bytes: shorten it`;
		case "PATH_NOT_NFC":
			return nfc === undefined ? explainSingleton(text, offset ?? 0) : explainNfc(text, nfc, subject);
		case "PATH_TOO_MANY_SEGMENTS":
			return `has more than ${limit?.max} segments: flatten the directories`;
		case "PATH_EMPTY_SEGMENT":
			return `has an empty segment ${where}: write single slashes between names and none at the end`;
		case "PATH_DOT_SEGMENT":
			return `has "." or ".." ${where}: spell the path from the package root without them`;
		case "PATH_SEGMENT_TOO_LONG":
			return `has more than ${limit?.max} UTF-8 bytes in one name, ${where}: shorten the name`;
		case "PATH_REFERENCE_PREFIX":
			return `does not begin with "./": write "./" and the path from the package root`;
		case "PATH_REFERENCE_ENCODED":
			return `has a percent-encoded character ${where}: write the character itself`;
	}
}

/** The two spellings mostly look the same, so it also names the code points where they part. */
function explainNfc(text: string, nfc: string, subject: Subject): string {
	const [found, expected] = parted(Array.from(text), Array.from(nfc));
	const remedy = subject === "path" ? "rename it to" : "write";
	return `is not in Unicode 15.1 NFC: it spells ${spell(found)} where NFC has ${spell(expected)}; ${remedy} ${quoteForDisplay(nfc, PATH_LIMITS.bytes)}`;
}

function explainSingleton(text: string, offset: number): string {
	return `is not in Unicode 15.1 NFC: it has ${spell([String.fromCodePoint(text.codePointAt(offset)!)])} at offset ${offset}, which NFC replaces by another character: write that one`;
}

/** Both texts without what they begin and end with in common. */
function parted(a: readonly string[], b: readonly string[]): [string[], string[]] {
	let start = 0;
	while (start < a.length && start < b.length && a[start] === b[start]) start++;
	let end = 0;
	while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function spell(characters: readonly string[]): string {
	if (characters.length === 0) return "nothing";
	const shown = characters.slice(0, 8).map((character) => `U+${hexadecimal(character.codePointAt(0)!)}`);
	return shown.join(" ") + (characters.length > shown.length ? " …" : "");
}

/** At least four digits in capitals, as code points are written. */
function hexadecimal(codePoint: number): string {
	return codePoint.toString(16).toUpperCase().padStart(4, "0");
}
