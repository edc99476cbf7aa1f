/**
 * Normalization Forms C and D of Unicode 15.1 (UAX #15), from tables of our own: engines carry anything from 15.0 to 17.0, and
 * a package's identity can't depend on that. Code points that 15.1 leaves unassigned are inert (combining class 0, no
 * decomposition), and so are lone surrogates.
 */
import {
	CLASS_MASK,
	COMPOSES_BACKWARD,
	FIRST_IN_TABLES,
	NEVER_IN_NFC,
	type NormalizationTables,
	normalizationTables,
} from "./tables.ts";

// Hangul, from section 3.12 of the core specification.
const SYLLABLES = 0xac00;
const LEADING = 0x1100;
const VOWELS = 0x1161;
const TRAILING = 0x11a7;
const LEADING_COUNT = 19;
const VOWEL_COUNT = 21;
const TRAILING_COUNT = 28;
const SYLLABLE_COUNT = LEADING_COUNT * VOWEL_COUNT * TRAILING_COUNT;

export type QuickCheck = "yes" | "no" | "maybe";

/**
 * Whether `text` is in NFC under Unicode 15.1. Linear; normalizes only text that the quick check leaves undecided
 * (NFC_Quick_Check=Maybe: Hangul jamo, combining marks that no composite took up).
 */
export function isNfc(text: string): boolean {
	const answer = quickCheck(text);
	return answer === "maybe" ? normalize(text, NO_REPLACEMENTS) === text : answer === "yes";
}

/**
 * The NFC form of `text` where it can be said without knowing what singletons are replaced by; else undefined. Enough for what
 * file systems make of names: letters and their marks apart.
 */
export function composed(text: string): string | undefined {
	return findSingleton(text) < 0 ? normalize(text, NO_REPLACEMENTS) : undefined;
}

/** Where the first code point stands that decomposes to one other, or -1. */
export function findSingleton(text: string): number {
	const { decompositions, ...tables } = normalizationTables();
	for (let index = 0; index < text.length; index++) {
		const codePoint = text.codePointAt(index)!;
		const trait = traitOf(codePoint, tables);
		if ((trait & NEVER_IN_NFC) !== 0 && !decompositions.has(codePoint)) return index;
		if (codePoint > 0xffff) index++;
	}
	return -1;
}

/** No text that reaches normalization by a check has a singleton in it: the quick check refuses it, and no pair decomposes to one. */
const NO_REPLACEMENTS: ReadonlyMap<number, number> = new Map();

/** UAX #15 section 9, detecting normalization forms. */
export function quickCheck(text: string): QuickCheck {
	let index = 0;
	while (index < text.length && text.charCodeAt(index) < FIRST_IN_TABLES) index++;
	if (index === text.length) return "yes";
	const { blocks, traits } = normalizationTables();
	let answer: QuickCheck = "yes";
	let lastClass = 0;
	while (index < text.length) {
		const codePoint = text.codePointAt(index)!;
		index += codePoint > 0xffff ? 2 : 1;
		const trait = traits[blocks[codePoint >> 7]! + (codePoint & 127)]!;
		if (trait === 0) {
			lastClass = 0;
			continue;
		}
		const combiningClass = trait & CLASS_MASK;
		if ((trait & NEVER_IN_NFC) !== 0 || (combiningClass !== 0 && combiningClass < lastClass)) return "no";
		if ((trait & COMPOSES_BACKWARD) !== 0) answer = "maybe";
		lastClass = combiningClass;
	}
	return answer;
}

/** The NFC form of a text whose singletons are all in `replacements`. */
export function normalize(text: string, replacements: ReadonlyMap<number, number>): string {
	const tables = normalizationTables();
	const codePoints = decompose(text, replacements);
	codePoints.length = compose(codePoints, tables);
	return fromCodePoints(codePoints);
}

/** How many code points go into one call: a string grown one by one is a chain of pieces, thirty times as large. */
const AT_ONCE = 1_024;

export function fromCodePoints(codePoints: readonly number[]): string {
	let text = "";
	for (let from = 0; from < codePoints.length; from += AT_ONCE)
		text += String.fromCodePoint(...codePoints.slice(from, from + AT_ONCE));
	return text;
}

function traitOf(codePoint: number, { blocks, traits }: Pick<NormalizationTables, "blocks" | "traits">): number {
	return traits[blocks[codePoint >> 7]! + (codePoint & 127)]!;
}

/** Full canonical decomposition in canonical order. */
export function decompose(text: string, replacements: ReadonlyMap<number, number>): number[] {
	const tables = normalizationTables();
	const codePoints: number[] = [];
	const pending: number[] = [];
	let marks = 0; // code points at the end that aren't starters yet
	let ordered = true;
	let lastClass = 0;
	const endMarks = () => {
		if (!ordered) reorder(codePoints, codePoints.length - marks, tables);
		marks = 0;
		ordered = true;
		lastClass = 0;
	};
	const append = (codePoint: number) => {
		const combiningClass = traitOf(codePoint, tables) & CLASS_MASK;
		if (combiningClass === 0) endMarks();
		else {
			marks++;
			if (combiningClass < lastClass) ordered = false;
			lastClass = combiningClass;
		}
		codePoints.push(codePoint);
	};
	for (let index = 0; index < text.length; ) {
		let codePoint = text.codePointAt(index)!;
		index += codePoint > 0xffff ? 2 : 1;
		const syllable = codePoint - SYLLABLES;
		if (syllable >= 0 && syllable < SYLLABLE_COUNT) {
			const trailing = syllable % TRAILING_COUNT;
			const pair = (syllable - trailing) / TRAILING_COUNT;
			append(LEADING + Math.floor(pair / VOWEL_COUNT));
			append(VOWELS + (pair % VOWEL_COUNT));
			if (trailing !== 0) append(TRAILING + trailing);
			continue;
		}
		if (codePoint >= 0xc0) {
			codePoint = replacements.get(codePoint) ?? codePoint;
			let parts = tables.decompositions.get(codePoint);
			for (; parts !== undefined; parts = tables.decompositions.get(codePoint)) {
				codePoint = parts[0];
				pending.push(parts[1]);
			}
		}
		append(codePoint);
		while (pending.length > 0) append(pending.pop()!);
	}
	endMarks();
	return codePoints;
}

/** Canonical Ordering Algorithm (D109) on one run of marks at the end: a stable sort, so a long run isn't quadratic. */
function reorder(codePoints: number[], from: number, tables: NormalizationTables): void {
	const run = codePoints.slice(from);
	run.sort((a, b) => (traitOf(a, tables) & CLASS_MASK) - (traitOf(b, tables) & CLASS_MASK));
	for (let index = 0; index < run.length; index++) codePoints[from + index] = run[index]!;
}

/** Canonical Composition Algorithm (D117), in place; returns the new length. */
function compose(codePoints: number[], tables: NormalizationTables): number {
	let length = 0;
	let starter = -1; // where the last starter stands
	let lastClass = 0; // of the last code point kept after it
	for (let index = 0; index < codePoints.length; index++) {
		const codePoint = codePoints[index]!;
		const trait = traitOf(codePoint, tables);
		const combiningClass = trait & CLASS_MASK;
		const blocked = starter < 0 || (starter + 1 < length && lastClass >= combiningClass);
		if ((trait & COMPOSES_BACKWARD) !== 0 && !blocked) {
			const composite = composePair(codePoints[starter]!, codePoint, tables);
			if (composite !== undefined) {
				codePoints[starter] = composite;
				continue;
			}
		}
		if (combiningClass === 0) starter = length;
		lastClass = combiningClass;
		codePoints[length++] = codePoint;
	}
	return length;
}

function composePair(first: number, second: number, tables: NormalizationTables): number | undefined {
	const leading = first - LEADING;
	const vowel = second - VOWELS;
	if (leading >= 0 && leading < LEADING_COUNT && vowel >= 0 && vowel < VOWEL_COUNT)
		return SYLLABLES + (leading * VOWEL_COUNT + vowel) * TRAILING_COUNT;
	const syllable = first - SYLLABLES;
	const trailing = second - TRAILING;
	if (syllable >= 0 && syllable < SYLLABLE_COUNT && syllable % TRAILING_COUNT === 0)
		if (trailing > 0 && trailing < TRAILING_COUNT) return first + trailing;
	return tables.compositions.get(second)?.get(first);
}
