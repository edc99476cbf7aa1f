/**
 * The Unicode Character Database 15.1.0, as far as NFC and case folding need it, unpacked from `tables.generated.ts` at
 * first use (2 to 4 ms in a cold process) and kept. `generate.mjs` describes the encoding.
 */
import {
	COMBINING_CLASSES,
	EXCLUSIONS,
	FOLDING_RUNS,
	FOLDINGS,
	PAIRS,
	SECONDS,
	SINGLETONS,
} from "./tables.generated.ts";

/** Code points from here up may be something else than NFC_Quick_Check=Yes with combining class 0; none below is. */
export const FIRST_IN_TABLES = 0x300;

/** Low bits of a {@link NormalizationTables.traits} entry: the canonical combining class. */
export const CLASS_MASK = 0xff;
/** NFC_Quick_Check=No: never occurs in NFC text. */
export const NEVER_IN_NFC = 0x100;
/** NFC_Quick_Check=Maybe: composes with a code point before it. */
export const COMPOSES_BACKWARD = 0x200;

/** What normalization looks up. Hangul syllables are in none of these: `nfc.ts` has their arithmetic. */
export interface NormalizationTables {
	/** For each 128 code points, where their entries begin in `traits`. */
	readonly blocks: Uint16Array;
	/** {@link CLASS_MASK}, {@link NEVER_IN_NFC} and {@link COMPOSES_BACKWARD} of a code point. */
	readonly traits: Uint16Array;
	/** Canonical decompositions of one step to two code points, of which only the first decomposes again. Singletons are in `singletons.ts`. */
	readonly decompositions: ReadonlyMap<number, readonly [first: number, second: number]>;
	/** Primary composites by second, then by first code point: small integer keys, where one key for both would be a double. */
	readonly compositions: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

function decodeNumbers(text: string): number[] {
	const numbers: number[] = [];
	let number = 0;
	for (let index = 0; index < text.length; index++) {
		const digit = text.charCodeAt(index);
		if (digit < 93) number = number * 32 + digit - 48;
		else {
			numbers.push(number * 32 + digit - 93);
			number = 0;
		}
	}
	return numbers;
}

/** Splits a table into its columns and sums up the differences: a letter a column, `r`ising, `f`alling or `p`lain. */
export function decodeColumns(text: string, kinds: string): number[][] {
	const numbers = decodeNumbers(text);
	const rows = numbers.length / kinds.length;
	return Array.from(kinds, (kind, column) => {
		let sum = 0;
		return numbers.slice(column * rows, (column + 1) * rows).map((number) => {
			if (kind === "p") return number;
			sum += kind === "r" ? number : unzigzag(number);
			return sum;
		});
	});
}

function unzigzag(number: number): number {
	return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

let normalization: NormalizationTables | undefined;

/** The tables of normalization, decoded at the first call. */
export function normalizationTables(): NormalizationTables {
	normalization ??= decodeNormalization();
	return normalization;
}

function decodeNormalization(): NormalizationTables {
	const blocks = new Uint16Array(0x110000 / 128);
	let traits = new Uint16Array(128 * 256); // block 0 stays empty: every code point without traits shares it
	let used = 128;
	const mark = (codePoint: number, trait: number) => {
		const block = codePoint >> 7;
		if (blocks[block] === 0) {
			blocks[block] = used;
			used += 128;
		}
		traits[blocks[block]! + (codePoint & 127)]! |= trait;
	};
	const classOf = (codePoint: number) => traits[blocks[codePoint >> 7]! + (codePoint & 127)]! & CLASS_MASK;

	const [gaps, lengths, classes] = decodeColumns(COMBINING_CLASSES, "ppf") as [number[], number[], number[]];
	let next = 0;
	for (let run = 0; run < gaps.length; run++) {
		next += gaps[run]!;
		for (const end = next + lengths[run]! + 1; next < end; next++) mark(next, classes[run]!);
	}

	const decompositions = new Map<number, readonly [number, number]>();
	for (const codePoint of singletons()) mark(codePoint, NEVER_IN_NFC);
	const excluded = new Set(decodeColumns(EXCLUSIONS, "r")[0]);
	const [seconds] = decodeColumns(SECONDS, "r") as [number[]];
	const compositions = new Map<number, Map<number, number>>(seconds.map((second) => [second, new Map()]));
	const [composites, firsts, indices] = decodeColumns(PAIRS, "rfp") as [number[], number[], number[]];
	for (let row = 0; row < composites.length; row++) {
		const composite = composites[row]!;
		const first = firsts[row]!;
		const second = seconds[indices[row]!]!;
		decompositions.set(composite, [first, second]);
		// Full_Composition_Exclusion: listed, or a non-starter decomposition (UAX #15, D114 of the core specification).
		if (excluded.has(composite) || classOf(composite) !== 0 || classOf(first) !== 0) mark(composite, NEVER_IN_NFC);
		else {
			compositions.get(second)!.set(first, composite);
			mark(second, COMPOSES_BACKWARD);
		}
	}
	for (let vowel = 0x1161; vowel <= 0x1175; vowel++) mark(vowel, COMPOSES_BACKWARD);
	for (let trailing = 0x11a8; trailing <= 0x11c2; trailing++) mark(trailing, COMPOSES_BACKWARD);
	traits = traits.slice(0, used);
	return { blocks, traits, decompositions, compositions };
}

/** Every code point that canonically decomposes to one other, rising. */
export function singletons(): number[] {
	const [gaps, lengths] = decodeColumns(SINGLETONS, "pp") as [number[], number[]];
	const codePoints: number[] = [];
	let next = 0;
	for (let run = 0; run < gaps.length; run++) {
		next += gaps[run]!;
		for (const end = next + lengths[run]! + 1; next < end; next++) codePoints.push(next);
	}
	return codePoints;
}

let folding: ReadonlyMap<number, string> | undefined;

/** Full default case foldings (statuses C and F of CaseFolding.txt) of single code points, decoded at the first call. */
export function foldings(): ReadonlyMap<number, string> {
	folding ??= decodeFoldings();
	return folding;
}

function decodeFoldings(): ReadonlyMap<number, string> {
	const folded = new Map<number, string>();
	const [starts, shapes, distances] = decodeColumns(FOLDING_RUNS, "rpp") as [number[], number[], number[]];
	for (let run = 0; run < starts.length; run++) {
		const step = (shapes[run]! & 1) + 1;
		const end = starts[run]! + step * (shapes[run]! >> 1);
		for (let codePoint = starts[run]!; codePoint <= end; codePoint += step)
			folded.set(codePoint, String.fromCodePoint(codePoint + unzigzag(distances[run]!)));
	}
	const [codePoints, firsts, seconds, thirds] = decodeColumns(FOLDINGS, "rffp") as [
		number[],
		number[],
		number[],
		number[],
	];
	for (let row = 0; row < codePoints.length; row++)
		folded.set(
			codePoints[row]!,
			String.fromCodePoint(firsts[row]!, seconds[row]!) + (thirds[row] ? String.fromCodePoint(thirds[row]!) : ""),
		);
	return folded;
}
