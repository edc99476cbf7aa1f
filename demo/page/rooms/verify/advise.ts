/** What a reviewer should look at: never a verdict, so it may ask the engine about characters. */

/** One thing worth a look. */
export interface Notice {
	readonly kind: "invisible" | "bidirectional" | "control" | "mixed-script" | "collision" | "surprising" | "line-ends";
	readonly path: string;
	/** 1-based, in a text file. */
	readonly line?: number;
	/** 1-based, in characters. */
	readonly column?: number;
	readonly message: string;
}

/** Bytes of one file that are looked at; beyond them a text is too long to be reviewed anyway. */
export const LOOKED_AT_BYTES = 1_048_576;

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
	"\u180e": "MONGOLIAN VOWEL SEPARATOR",
	"\u200b": "ZERO WIDTH SPACE",
	"\u200c": "ZERO WIDTH NON-JOINER",
	"\u200d": "ZERO WIDTH JOINER",
	"\u2060": "WORD JOINER",
	"\u2061": "FUNCTION APPLICATION",
	"\u2062": "INVISIBLE TIMES",
	"\u2063": "INVISIBLE SEPARATOR",
	"\u2064": "INVISIBLE PLUS",
	"\u3164": "HANGUL FILLER",
	"\ufeff": "ZERO WIDTH NO-BREAK SPACE",
	"\uffa0": "HALFWIDTH HANGUL FILLER",
};

/** Format characters, tags, fillers, and controls that no text needs. */
const SUSPECT = /\p{Cf}|[\u034f\u115f\u1160\u3164\uffa0]|(?![\t\n\r])\p{Cc}/gu;

/** A zero width joiner between two pictures makes one of them; a joiner after an Indic letter spells. */
const EMOJI_JOINER = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;

/** Letters of one script that look like another's. */
const SCRIPTS: readonly (readonly [name: string, of: RegExp])[] = [
	["Latin", /\p{Script=Latin}/u],
	["Cyrillic", /\p{Script=Cyrillic}/u],
	["Greek", /\p{Script=Greek}/u],
	["Armenian", /\p{Script=Armenian}/u],
];

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const BEYOND_LATIN = /[^\u0000-\u024f]/;

/** The notices of a text: invisible, bidirectional and control characters, and words of mixed scripts. */
export function adviseText(path: string, text: string): Notice[] {
	const notices: Notice[] = [];
	const counts = new Map<Notice["kind"], number>();
	const add = (kind: Notice["kind"], index: number, message: string): void => {
		const count = (counts.get(kind) ?? 0) + 1;
		counts.set(kind, count);
		if (count <= PER_KIND) notices.push({ kind, path, ...placeAt(text, index), message });
	};
	for (const { 0: found, index } of text.matchAll(SUSPECT)) {
		if (found === "\ufeff" && index === 0) continue;
		if (found === "\u200d" && EMOJI_JOINER.test(text.slice(Math.max(0, index - 8), index))) continue;
		const [kind, name] = nameOf(found);
		add(kind, index, `${codePoint(found)} ${name}`);
	}
	if (BEYOND_LATIN.test(text)) {
		for (const { 0: word, index } of text.matchAll(WORD)) {
			const scripts = BEYOND_LATIN.test(word) ? scriptsOf(word) : [];
			if (scripts.length > 1)
				add("mixed-script", index, `“${word.slice(0, 40)}” mixes ${scripts.join(" and ")} letters`);
		}
	}
	for (const [kind, count] of counts) {
		if (count > PER_KIND) notices.push({ kind, path, message: `… and ${count - PER_KIND} more of this kind` });
	}
	return notices;
}

function nameOf(character: string): [Notice["kind"], string] {
	const direction = BIDIRECTIONAL[character];
	if (direction !== undefined) return ["bidirectional", `${direction}: it changes the order in which text is shown`];
	const invisible = INVISIBLE[character];
	if (invisible !== undefined) return ["invisible", `${invisible}: nobody sees it`];
	const code = character.codePointAt(0) ?? 0;
	if (code >= 0xe0000 && code <= 0xe007f)
		return ["invisible", "a tag character: nobody sees it, and it can spell text"];
	return /\p{Cc}/u.test(character)
		? ["control", "a control character"]
		: ["invisible", "a format character: nobody sees it"];
}

function codePoint(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

export function scriptsOf(word: string): string[] {
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

/** What a file's first bytes say it is, where that is nothing a reviewer can read. */
const MAGIC: readonly (readonly [bytes: readonly number[], what: string])[] = [
	[[0x7f, 0x45, 0x4c, 0x46], "a program for Linux (ELF)"],
	[[0x4d, 0x5a], "a program for Windows (PE)"],
	[[0xcf, 0xfa, 0xed, 0xfe], "a program for macOS (Mach-O)"],
	[[0xca, 0xfe, 0xba, 0xbe], "a program for macOS or Java"],
	[[0x00, 0x61, 0x73, 0x6d], "a WebAssembly module"],
	[[0x50, 0x4b, 0x03, 0x04], "an archive inside the package (zip)"],
	[[0x1f, 0x8b], "an archive inside the package (gzip)"],
];

/** The notices of a file's bytes, as many of them as are looked at. */
export function adviseBytes(path: string, bytes: Uint8Array): Notice[] {
	const magic = MAGIC.find(([start]) => start.every((byte, index) => bytes[index] === byte));
	if (magic !== undefined) return [{ kind: "surprising", path, message: magic[1] }];
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
	} catch {
		return [];
	}
	if (text.includes("\0")) return [];
	const notices = adviseText(path, text);
	if (/\.(?:[cm]?[jt]s|py|json|sh)$/.test(path) && text.split("\n").some((line) => line.length > 5_000)) {
		notices.push({ kind: "surprising", path, message: "a line of more than 5,000 characters: minified or generated" });
	}
	return notices;
}

/** The notices of a path itself. */
export function advisePath(path: string): Notice[] {
	return adviseText(path, path).map(({ kind, message }) => ({ kind, path, message: `in its name: ${message}` }));
}

/** Letters of other scripts that can't be told from Latin ones, and what they look like. */
const LOOKALIKES: Readonly<Record<string, string>> = {
	а: "a",
	е: "e",
	о: "o",
	р: "p",
	с: "c",
	у: "y",
	х: "x",
	і: "i",
	ј: "j",
	ѕ: "s",
	һ: "h",
	ԁ: "d",
	ԛ: "q",
	ԝ: "w",
	А: "A",
	В: "B",
	Е: "E",
	К: "K",
	М: "M",
	Н: "H",
	О: "O",
	Р: "P",
	С: "C",
	Т: "T",
	Х: "X",
	І: "I",
	Ј: "J",
	Ѕ: "S",
	α: "a",
	ο: "o",
	ν: "v",
	ρ: "p",
	ι: "i",
	Α: "A",
	Β: "B",
	Ε: "E",
	Ζ: "Z",
	Η: "H",
	Ι: "I",
	Κ: "K",
	Μ: "M",
	Ν: "N",
	Ο: "O",
	Ρ: "P",
	Τ: "T",
	Υ: "Y",
	Χ: "X",
	ı: "i",
	"０": "0",
	"１": "1",
};

/** Pairs of paths that are different bytes and look alike. */
export function adviseLookalikes(paths: readonly string[]): Notice[] {
	const seen = new Map<string, string>();
	const notices: Notice[] = [];
	for (const path of paths) {
		const skeleton = Array.from(path.normalize("NFKC"), (letter) => LOOKALIKES[letter] ?? letter)
			.join("")
			.replace(SUSPECT, "");
		const other = seen.get(skeleton);
		if (other === undefined) seen.set(skeleton, path);
		else notices.push({ kind: "collision", path, message: `it looks like ${other}, and is another file` });
	}
	return notices;
}
