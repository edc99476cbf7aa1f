/** Characters that nobody sees, that change how others are shown, or that look like others. */
import type { Notice, NoticeKind } from "./advise.ts";

/** Notices of one kind in one file: what repeats is said once. */
const PER_KIND = 3;

const BIDIRECTIONAL: Readonly<Record<string, string>> = {
	"\u061c": "ARABIC LETTER MARK",
	"\u200e": "LEFT-TO-RIGHT MARK",
	"\u200f": "RIGHT-TO-LEFT MARK",
	"\u202a": "LEFT-TO-RIGHT EMBEDDING",
	"\u202b": "RIGHT-TO-LEFT EMBEDDING",
	"\u202c": "POP DIRECTIONAL FORMATTING",
	"\u202d": "LEFT-TO-RIGHT OVERRIDE",
	"\u202e": "RIGHT-TO-LEFT OVERRIDE",
	"\u2066": "LEFT-TO-RIGHT ISOLATE",
	"\u2067": "RIGHT-TO-LEFT ISOLATE",
	"\u2068": "FIRST STRONG ISOLATE",
	"\u2069": "POP DIRECTIONAL ISOLATE",
};

const INVISIBLE: Readonly<Record<string, string>> = {
	"\u00ad": "SOFT HYPHEN",
	"\u034f": "COMBINING GRAPHEME JOINER",
	"\u115f": "HANGUL CHOSEONG FILLER",
	"\u1160": "HANGUL JUNGSEONG FILLER",
	"\u17b4": "KHMER VOWEL INHERENT AQ",
	"\u17b5": "KHMER VOWEL INHERENT AA",
	"\u180e": "MONGOLIAN VOWEL SEPARATOR",
	"\u200b": "ZERO WIDTH SPACE",
	"\u200c": "ZERO WIDTH NON-JOINER",
	"\u200d": "ZERO WIDTH JOINER",
	"\u2028": "LINE SEPARATOR",
	"\u2029": "PARAGRAPH SEPARATOR",
	"\u2060": "WORD JOINER",
	"\u2061": "FUNCTION APPLICATION",
	"\u2062": "INVISIBLE TIMES",
	"\u2063": "INVISIBLE SEPARATOR",
	"\u2064": "INVISIBLE PLUS",
	"\u2800": "BRAILLE PATTERN BLANK",
	"\u3164": "HANGUL FILLER",
	"\ufeff": "ZERO WIDTH NO-BREAK SPACE",
	"\uffa0": "HALFWIDTH HANGUL FILLER",
};

/** The names of U+0000 to U+001F. */
const CONTROLS: readonly string[] = (
	"NULL,START OF HEADING,START OF TEXT,END OF TEXT,END OF TRANSMISSION,ENQUIRY,ACKNOWLEDGE,BELL,BACKSPACE," +
	"CHARACTER TABULATION,LINE FEED,LINE TABULATION,FORM FEED,CARRIAGE RETURN,SHIFT OUT,SHIFT IN,DATA LINK ESCAPE," +
	"DEVICE CONTROL ONE,DEVICE CONTROL TWO,DEVICE CONTROL THREE,DEVICE CONTROL FOUR,NEGATIVE ACKNOWLEDGE,SYNCHRONOUS IDLE," +
	"END OF TRANSMISSION BLOCK,CANCEL,END OF MEDIUM,SUBSTITUTE,ESCAPE,INFORMATION SEPARATOR FOUR," +
	"INFORMATION SEPARATOR THREE,INFORMATION SEPARATOR TWO,INFORMATION SEPARATOR ONE"
).split(",");

/** Format characters, tags, fillers, separators, selectors of variants, and controls that no text needs. */
const SUSPECT =
	/\p{Cf}|[\u034f\u115f\u1160\u17b4\u17b5\u2028\u2029\u2800\u3164\uffa0]|\p{Variation_Selector}|\r(?!\n)|(?![\t\n\r])\p{Cc}/gu;

/** A zero width joiner between two pictures makes one of them. */
const AFTER_PICTURE = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;

/** In these scripts a joiner or non-joiner spells. */
const JOINING =
	/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** What one of the two ordinary selectors of a variant may follow: pictures, signs that have one, and Han letters. */
const HAS_VARIANTS = /(?:[\p{Emoji}\p{Extended_Pictographic}\p{S}\p{Script=Han}\p{Script=Mongolian}\u200d])$/u;

/** Scripts that have letters which look like another's. */
const SCRIPTS: readonly (readonly [name: string, of: RegExp])[] = [
	["Latin", /\p{Script=Latin}/u],
	["Cyrillic", /\p{Script=Cyrillic}/u],
	["Greek", /\p{Script=Greek}/u],
	["Armenian", /\p{Script=Armenian}/u],
	["Cherokee", /\p{Script=Cherokee}/u],
];

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const BEYOND_LATIN = /[^\u0000-\u024f]/;

/** The notices of a text: invisible, bidirectional and control characters, and words of mixed scripts. Linear in its length. */
export function adviseText(path: string, text: string): Notice[] {
	const notices: Notice[] = [];
	const counts = new Map<NoticeKind, number>();
	const add = (kind: NoticeKind, index: number, message: string): void => {
		const count = (counts.get(kind) ?? 0) + 1;
		counts.set(kind, count);
		if (count <= PER_KIND) notices.push({ kind, path, ...placeAt(text, index), message });
	};
	for (const { 0: found, index } of text.matchAll(SUSPECT)) {
		if (belongs(found, text, index)) continue;
		const [kind, name] = nameOf(found);
		add(kind, index, `${codePoint(found)} ${name}`);
	}
	if (BEYOND_LATIN.test(text)) {
		for (const { 0: word, index } of text.matchAll(WORD)) {
			const scripts = BEYOND_LATIN.test(word) ? scriptsOf(word) : [];
			if (scripts.length > 1) add("mixed-script", index, `“${cut(word)}” mixes ${scripts.join(" and ")} letters`);
		}
	}
	for (const [kind, count] of counts) {
		if (count > PER_KIND) notices.push({ kind, path, message: `and ${count - PER_KIND} more of them in this file` });
	}
	return notices;
}

/** Whether a suspect character stands where it is ordinary. */
function belongs(found: string, text: string, index: number): boolean {
	const before = (): string => text.slice(Math.max(0, index - 8), index);
	if (found === "\ufeff") return index === 0;
	if (found === "\u200d") return AFTER_PICTURE.test(before()) || JOINING.test(before());
	if (found === "\u200c") return JOINING.test(before());
	if (found === "\ufe0e" || found === "\ufe0f") return HAS_VARIANTS.test(before());
	// The flags of England, Scotland and Wales are a black flag and tags.
	if (isTag(found)) return /\u{1f3f4}[\u{e0020}-\u{e007f}]*$/u.test(text.slice(Math.max(0, index - 16), index));
	return false;
}

function isTag(character: string): boolean {
	const code = character.codePointAt(0) ?? 0;
	return code >= 0xe0000 && code <= 0xe007f;
}

function nameOf(character: string): [NoticeKind, string] {
	const code = character.codePointAt(0) ?? 0;
	const direction = BIDIRECTIONAL[character];
	if (direction !== undefined) return ["bidirectional", direction];
	const invisible = INVISIBLE[character];
	if (invisible !== undefined) return ["invisible", invisible];
	if (isTag(character)) return ["invisible", `a tag, spelling “${String.fromCharCode(code - 0xe0000)}” unseen`];
	if (/\p{Variation_Selector}/u.test(character)) return ["invisible", "a variation selector with nothing to vary"];
	if (/\p{Cc}/u.test(character)) return ["control", CONTROLS[code] ?? (code === 0x7f ? "DELETE" : "a C1 control")];
	return ["invisible", "a format character"];
}

function codePoint(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function cut(word: string): string {
	return word.length > 40 ? `${word.slice(0, 40)}…` : word;
}

function scriptsOf(word: string): string[] {
	return SCRIPTS.filter(([, of]) => of.test(word)).map(([name]) => name);
}

function placeAt(text: string, index: number): { readonly line: number; readonly column: number } {
	let line = 1;
	let start = 0;
	for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
		line += 1;
		start = at + 1;
	}
	return { line, column: Array.from(text.slice(start, index)).length + 1 };
}

/** The text without what nobody sees. */
export function withoutInvisible(text: string): string {
	return text.replace(SUSPECT, "");
}
