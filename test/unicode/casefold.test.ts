import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCasefold } from "../../src/unicode/index.ts";
import { everyCodePoint, foldingEntries, fromHex, spell } from "./data.ts";

describe("CaseFolding 15.1", () => {
	const expected = new Map(
		foldingEntries()
			.filter(({ status }) => status === "C" || status === "F")
			.map(({ codepoint, mapping }) => [fromHex([codepoint]), fromHex(mapping.split(" "))]),
	);

	it("folds every C and F entry, and no other code point", () => {
		expect(expected.size).toBe(1_530);
		const wrong: string[] = [];
		everyCodePoint((_, text) => {
			if (toCasefold(text) !== (expected.get(text) ?? text)) wrong.push(spell(text));
		});
		expect(wrong).toEqual([]);
	});

	it("leaves every folding alone: each is folded already", () => {
		for (const folded of expected.values()) expect(spell(toCasefold(folded))).toBe(spell(folded));
	});

	it.each([
		["FLOW.md", "flow.md"],
		["Straße/ẞ", "strasse/ss"],
		["İstanbul", "i\u0307stanbul"],
		["ΣΑΣ/ς", "σασ/σ"],
		["\u{10400}/\u{1e921}", "\u{10428}/\u{1e943}"],
		["\ufb03 \u1fb7 \u0390", "ffi \u03b1\u0342\u03b9 \u03b9\u0308\u0301"],
		["\u13a0\uab70", "\u13a0\u13a0"],
		["K\u212a", "kk"],
		["ıI", "ıi"],
		["\ud800A\udc00", "\ud800a\udc00"],
	])("%j folds to %j", (text, folded) => expect(toCasefold(text)).toBe(folded));

	it("does not normalize again: U+0345 and its decomposed neighbours keep their order", () => {
		expect(spell(toCasefold("\u1f80\u0345"))).toBe("U+1F00 U+03B9 U+03B9");
	});

	it("a cased pair that 16.0 added is inert", () => {
		expect(toCasefold("\u{10d50}\ua7cb\ua7da")).toBe("\u{10d50}\ua7cb\ua7da");
	});
});

describe("properties", () => {
	const text = fc.string({ unit: "binary" });

	it("folds piece by piece and is idempotent", () => {
		fc.assert(
			fc.property(text, text, (a, b) => {
				expect(toCasefold(`${a}/${b}`)).toBe(`${toCasefold(a)}/${toCasefold(b)}`);
				expect(toCasefold(toCasefold(a))).toBe(toCasefold(a));
			}),
		);
	});

	it("common foldings are what the engine's case-insensitive match takes for equal", () => {
		for (const { codepoint, status } of foldingEntries()) {
			const from = fromHex([codepoint]);
			if (status === "C") expect(new RegExp(`^${toCasefold(from)}$`, "iu").test(from), spell(from)).toBe(true);
		}
	});
});
