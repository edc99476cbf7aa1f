import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNfc, toNfc, toNfd } from "../../src/unicode/index.ts";
import { assignedBy, everyCodePoint, hex, normalizationParts, normalizationProperties, spell } from "./data.ts";

const parts = normalizationParts();

describe("NormalizationTest 15.1", () => {
	it("has its four parts and 19,074 rows", () => {
		expect([...parts.keys()]).toEqual(["Part0", "Part1", "Part2", "Part3"]);
		expect([...parts.values()].reduce((sum, rows) => sum + rows.length, 0)).toBe(19_074);
	});

	for (const [part, rows] of parts)
		it(`${part}: c2 = NFC(c1) = NFC(c2) = NFC(c3), c4 = NFC(c4) = NFC(c5), and isNfc says so`, () => {
			const wrong = rows.filter(
				({ source, nfc, nfd, nfkc, nfkd }) =>
					toNfc(source) !== nfc ||
					toNfc(nfc) !== nfc ||
					toNfc(nfd) !== nfc ||
					toNfc(nfkc) !== nfkc ||
					toNfc(nfkd) !== nfkc ||
					[source, nfc, nfd, nfkc, nfkd].some((text) => isNfc(text) !== (toNfc(text) === text)) ||
					!isNfc(nfc) ||
					!isNfc(nfkc) ||
					isNfc(source) !== (source === nfc) ||
					isNfc(nfd) !== (nfd === nfc) ||
					isNfc(nfkd) !== (nfkd === nfkc),
			);
			expect(wrong.map(({ source }) => spell(source))).toEqual([]);
		});

	for (const [part, rows] of parts)
		it(`${part}: c3 = NFD(c1) = NFD(c2) = NFD(c3), c5 = NFD(c4) = NFD(c5)`, () => {
			const wrong = rows.filter(
				({ source, nfc, nfd, nfkc, nfkd }) =>
					[source, nfc, nfd].some((text) => toNfd(text) !== nfd) || [nfkc, nfkd].some((text) => toNfd(text) !== nfkd),
			);
			expect(wrong.map(({ source }) => spell(source))).toEqual([]);
		});

	it("every code point that Part1 doesn't list is its own NFC and NFD", () => {
		const listed = new Set(parts.get("Part1")!.map(({ source }) => source));
		const wrong: string[] = [];
		everyCodePoint((_, text) => {
			if (!listed.has(text) && (toNfc(text) !== text || toNfd(text) !== text || !isNfc(text))) wrong.push(spell(text));
		});
		expect(wrong).toEqual([]);
	});
});

describe("NFC_Quick_Check 15.1", () => {
	it("No: exactly the listed code points are not NFC alone", () => {
		const no = new Set<number>();
		for (const { property, normalized, range } of normalizationProperties())
			if (property === "NFC_QC" && normalized === "N")
				for (let codePoint = hex(range[0]); codePoint <= hex(range[1] ?? range[0]); codePoint++) no.add(codePoint);
		const found = new Set<number>();
		everyCodePoint((codePoint, text) => {
			if (!isNfc(text)) found.add(codePoint);
		});
		expect(no.size).toBe(1_120);
		expect(found).toEqual(no);
	});
});

describe("the pinned version", () => {
	it("U+105D2 U+0307 is NFC under 15.1 (a composite since 16.0)", () => {
		expect(isNfc("\u{105d2}\u0307")).toBe(true);
		expect(toNfc("\u{105d2}\u0307")).toBe("\u{105d2}\u0307");
	});

	it("a mark that 16.0 added has class 0 here: it neither moves nor lets another pass it", () => {
		const added = "\u{10d69}"; // class 230 since 16.0
		expect(isNfc(`a${added}\u0323`)).toBe(true);
		expect(toNfc(`a${added}\u0301`)).toBe(`a${added}\u0301`);
	});
});

describe("composition", () => {
	it.each([
		["e\u0301", "\u00e9"],
		["a\u0323\u0302", "\u1ead"],
		["a\u0302\u0323", "\u1ead"],
		["\u1100\u1161\u11a8", "\uac01"],
		["\uac00\u11a8", "\uac01"],
		["\uac01\u11a8", "\uac01\u11a8"],
		["\uac00\u11a7", "\uac00\u11a7"],
		["\u1112\u1175\u11c2", "\ud7a3"],
		["\u0344", "\u0308\u0301"],
		["\u1113\u1161", "\u1113\u1161"], // leading and vowel jamo just outside the modern ones
		["\u1112\u1176", "\u1112\u1176"],
		["\uac00\u11c3", "\uac00\u11c3"],
		["\u00c0\u0323", "\u1ea0\u0300"],
		["\u212b", "\u00c5"],
		["\u2126", "\u03a9"],
		["\u0958", "\u0915\u093c"],
		["\ufb1d", "\u05d9\u05b4"],
		["\u{1d15e}", "\u{1d157}\u{1d165}"],
		["\u{2f800}", "\u4e3d"],
		["\u{110a5}\u{110ba}", "\u{110ab}"],
		["\u0301e", "\u0301e"],
		["a\u0315\u0300\u05ae\u0300b", "\u00e0\u05ae\u0300\u0315b"],
		["\u09c7\u0300\u09be", "\u09c7\u0300\u09be"],
	])("%j becomes %j", (text, expected) => {
		expect(spell(toNfc(text))).toBe(spell(expected));
		expect(isNfc(text)).toBe(text === expected);
		expect(isNfc(expected)).toBe(true);
	});
});

describe("lone surrogates", () => {
	it.each(["\ud800", "\udc00\ud800", "a\ud800\u0301", "e\u0301\udfff", "\ud800e\u0301\udc00"])("%j stays", (text) => {
		expect(toNfc(text)).toBe(text.replace("e\u0301", "\u00e9"));
		expect(isNfc(text)).toBe(!text.includes("e\u0301"));
	});
});

/** Text dense in what normalization does something with. */
const units = fc.oneof(
	fc.constantFrom(..."aeouAÅ가각뢴.é/"),
	fc.constantFrom("\u0300", "\u0301", "\u0302", "\u0323", "\u0327", "\u0344", "\u0315", "\u05b0", "\u3099"),
	fc.integer({ min: 0x1100, max: 0x11ff }).map((codePoint) => String.fromCodePoint(codePoint)),
	fc.constantFrom("\u0915", "\u093c", "\u09c7", "\u09be", "\u{110a5}", "\u{110ba}", "\u{1d157}", "\u{1d165}"),
	fc.integer({ min: 0, max: 0x10ffff }).map((codePoint) => String.fromCodePoint(codePoint)),
);
const texts = fc.array(units, { maxLength: 24 }).map((all) => all.join(""));

describe("properties", () => {
	it("NFC is idempotent, and isNfc is 'toNfc changes nothing'", () => {
		fc.assert(
			fc.property(texts, (text) => {
				const normalized = toNfc(text);
				expect(toNfc(normalized)).toBe(normalized);
				expect(isNfc(normalized)).toBe(true);
				expect(isNfc(text)).toBe(normalized === text);
			}),
			{ numRuns: 3_000 },
		);
	});

	it("agrees with the engine on what both versions assign (the normalization stability policy)", () => {
		const assigned = assignedBy(15.1);
		// Firefox puts U+FFFD for a lone surrogate.
		const known = units.filter(
			(text) => text.isWellFormed() && !/\p{Cn}/u.test(text) && assigned.has(text.codePointAt(0)!),
		);
		fc.assert(
			fc.property(fc.array(known, { maxLength: 24 }), (all) => {
				const text = all.join("");
				expect(spell(toNfc(text))).toBe(spell(text.normalize("NFC")));
			}),
			{ numRuns: 3_000 },
		);
	});
});

describe("bounded work", () => {
	it("a million marks in the worst order take a sort, not a square", () => {
		const marks = "\u0301\u0323".repeat(500_000);
		const normalized = toNfc(`q${marks}`);
		expect(normalized.length).toBe(1_000_001);
		expect(normalized.slice(0, 3)).toBe("q\u0323\u0323");
		expect(normalized.at(-1)).toBe("\u0301");
		expect(isNfc(normalized)).toBe(true);
	});

	it("lengths around a thousand change nothing, above U+FFFF either", () => {
		for (let length = 1_020; length <= 1_030; length++) {
			expect(toNfc("\u{1d15e}".repeat(length))).toBe("\u{1d157}\u{1d165}".repeat(length));
			expect(toNfc(`${"a".repeat(length)}e\u0301`)).toBe(`${"a".repeat(length)}\u00e9`);
		}
	});

	it("a million pending jamo normalize", () => {
		expect(toNfc("\u1100\u1161\u11a8".repeat(300_000))).toBe("\uac01".repeat(300_000));
	});
});
