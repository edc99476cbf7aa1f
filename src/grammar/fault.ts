/** Package/1 section 5: what makes a text a canonical logical path. */
import { exceedsUtf8, findLoneSurrogate } from "../text.ts";
import { composed, findSingleton, isNfc } from "../unicode/index.ts";
import { PATH_LIMITS, type PathErrorCode, type PathFault } from "./errors.ts";

const SLASH = 0x2f;

/**
 * The first fault of `path`, or undefined. Looks in this order, so that later checks may rely on earlier ones, and so that
 * nothing but linear scans runs over a text of unbounded length: empty, leading slash, backslash, NUL; lone surrogates;
 * length in bytes; NFC; number of segments; each segment from the left (empty, dots, length).
 *
 * Everything else is ordinary path text: control characters, drive letters, trailing dots and spaces, code points that
 * Unicode 15.1 leaves unassigned.
 */
export function findPathFault(path: string): PathFault | undefined {
	if (path === "") return { code: "PATH_EMPTY" };
	if (path.charCodeAt(0) === SLASH) return { code: "PATH_ABSOLUTE", offset: 0 };
	const fault = findCharacter(path, "\\", "PATH_BACKSLASH") ?? findCharacter(path, "\0", "PATH_NUL");
	if (fault) return fault;
	const lone = findLoneSurrogate(path);
	if (lone >= 0) return { code: "PATH_LONE_SURROGATE", offset: lone };
	if (exceedsUtf8(path, PATH_LIMITS.bytes))
		return { code: "PATH_TOO_LONG", limit: { name: "bytes", max: PATH_LIMITS.bytes } };
	return isNfc(path) ? findSegmentFault(path) : findNfcFault(path);
}

/** The NFC spelling is given where the tables of the check are enough for it: not where a singleton stands. */
function findNfcFault(path: string): PathFault {
	const nfc = composed(path);
	if (nfc !== undefined) return { code: "PATH_NOT_NFC", offset: firstDifference(path, nfc), nfc };
	return { code: "PATH_NOT_NFC", offset: findSingleton(path) };
}

function findSegmentFault(path: string): PathFault | undefined {
	const segments = path.split("/");
	if (segments.length > PATH_LIMITS.segments)
		return { code: "PATH_TOO_MANY_SEGMENTS", limit: { name: "segments", max: PATH_LIMITS.segments } };
	let offset = 0;
	for (const [segment, text] of segments.entries()) {
		if (text === "") return { code: "PATH_EMPTY_SEGMENT", offset, segment };
		if (text === "." || text === "..") return { code: "PATH_DOT_SEGMENT", offset, segment };
		if (exceedsUtf8(text, PATH_LIMITS.segmentBytes)) {
			const limit = { name: "segmentBytes", max: PATH_LIMITS.segmentBytes } as const;
			return { code: "PATH_SEGMENT_TOO_LONG", offset, segment, limit };
		}
		offset += text.length + 1;
	}
	return undefined;
}

function findCharacter(path: string, character: string, code: PathErrorCode): PathFault | undefined {
	const offset = path.indexOf(character);
	return offset < 0 ? undefined : { code, offset };
}

function firstDifference(a: string, b: string): number {
	let offset = 0;
	while (offset < a.length && a.charCodeAt(offset) === b.charCodeAt(offset)) offset++;
	// Never between the halves of one character.
	const before = a.charCodeAt(offset - 1);
	return before >= 0xd800 && before <= 0xdbff ? offset - 1 : offset;
}
