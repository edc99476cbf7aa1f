import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CLASS_MASK, normalizationTables } from "../../src/unicode/tables.ts";
import { assignedBy, characterEntries, everyCodePoint, hex } from "./data.ts";

interface UnicodeProperties {
	/** A property value alias of its own kind: `CCC10` for classes without a name. */
	getCombiningClass(codePoint: number): string;
}

const properties = (await import("unicode-properties" as string)) as UnicodeProperties;

const here = (path: string) => fileURLToPath(new URL(`../../src/unicode/${path}`, import.meta.url));

function classOf(codePoint: number): number {
	const { blocks, traits } = normalizationTables();
	return traits[blocks[codePoint >> 7]! + (codePoint & 127)]! & CLASS_MASK;
}

it.each([
	["tables.generated.ts", []],
	["replacements.generated.ts", ["replacements"]],
])("%s is what generate.mjs prints", (file, words) => {
	const printed = execFileSync(process.execPath, [here("generate.mjs"), ...words], { encoding: "utf8" });
	expect(readFileSync(here(file), "utf8")).toBe(printed);
});

describe("canonical combining classes", () => {
	it("are those of UnicodeData 15.1, and 0 everywhere else", () => {
		const expected = new Map(
			characterEntries().map(({ codepoint, canonicalCombiningClass }) => [
				hex(codepoint),
				Number(canonicalCombiningClass),
			]),
		);
		const wrong: number[] = [];
		everyCodePoint((codePoint) => {
			if (classOf(codePoint) !== (expected.get(codePoint) ?? 0)) wrong.push(codePoint);
		});
		expect(wrong).toEqual([]);
	});

	it("agree with a second source, of Unicode 12.0, on everything that it assigns", () => {
		// PropertyValueAliases.txt; the second source names classes, `CCCnn` where they have no name.
		const named: Record<string, number> = {
			Not_Reordered: 0,
			Overlay: 1,
			Nukta: 7,
			Kana_Voicing: 8,
			Virama: 9,
			Attached_Below: 202,
			Attached_Above: 214,
			Attached_Above_Right: 216,
			Below_Left: 218,
			Below: 220,
			Below_Right: 222,
			Left: 224,
			Right: 226,
			Above_Left: 228,
			Above: 230,
			Above_Right: 232,
			Double_Below: 233,
			Double_Above: 234,
			Iota_Subscript: 240,
		};
		const wrong: string[] = [];
		let compared = 0;
		for (const codePoint of assignedBy(12)) {
			const name = properties.getCombiningClass(codePoint);
			const expected = named[name] ?? Number(/^CCC(\d+)$/.exec(name)?.[1]);
			compared++;
			if (classOf(codePoint) !== expected) wrong.push(`${codePoint.toString(16)} ${name} ${classOf(codePoint)}`);
		}
		expect(wrong).toEqual([]);
		expect(compared).toBeGreaterThan(137_000);
	});
});

describe("memory and time", () => {
	it("the decoded traits share the empty block: under 64 KiB for all of Unicode", () => {
		const { blocks, traits } = normalizationTables();
		expect(blocks.byteLength + traits.byteLength).toBeLessThan(65_536);
	});
});
