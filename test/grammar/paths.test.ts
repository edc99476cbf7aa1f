import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	checkPath,
	comparePaths,
	decodePath,
	PATH_LIMITS,
	pathAdvisoryKey,
	pathCollisionKey,
} from "../../src/grammar/index.ts";
import { isNfc } from "../../src/unicode/index.ts";
import { faultOf } from "./fault.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const codeOf = (path: string) => faultOf(() => checkPath(path))?.code;

/** `count` segments of one letter. */
const segments = (count: number) => Array.from({ length: count }, () => "s").join("/");
/** Exactly `bytes` bytes in segments of at most 255. */
const ofBytes = (bytes: number) => `${"p".repeat(250)}/`.repeat(4).padEnd(bytes, "q");

describe("a canonical path (Package/1 section 5)", () => {
	it.each([
		"FLOW.md",
		"a/b/c",
		".hidden",
		"...",
		"..a/a..",
		"C:/x",
		"CON",
		"trailing. ",
		"tab\there\u0001\u007f",
		"line\nbreak",
		"100%/%41",
		"d\u00e9cembre.txt",
		"\ufeffmark",
		"\u{1f600}",
		"\u{105d2}\u0307", // a composite since Unicode 16.0
		"\u0378", // unassigned
		"\uffff\u{10ffff}", // noncharacters are scalar values
		"\u202ertl",
		"__proto__/constructor",
	])("%j", (path) => {
		expect(checkPath(path)).toBe(path);
		expect(decodePath(bytesOf(path))).toBe(path);
	});

	it("at each limit: 64 segments, 1,024 bytes, 255 bytes a segment", () => {
		expect(PATH_LIMITS).toEqual({ segments: 64, bytes: 1_024, segmentBytes: 255 });
		for (const path of [
			segments(64),
			ofBytes(1_024),
			"s".repeat(255),
			`a/${"s".repeat(255)}/b`,
			`${"\u00e9".repeat(127)}s`,
			"\u4e00".repeat(85),
			`${"\u{1f600}".repeat(63)}\u4e00`,
		])
			expect(codeOf(path)).toBeUndefined();
		expect(bytesOf(ofBytes(1_024)).length).toBe(1_024);
	});
});

describe("refused, with code and place", () => {
	it.each([
		["", { code: "PATH_EMPTY" }],
		["/", { code: "PATH_ABSOLUTE", offset: 0 }],
		["/etc/passwd", { code: "PATH_ABSOLUTE", offset: 0 }],
		["//", { code: "PATH_ABSOLUTE", offset: 0 }],
		["\\a", { code: "PATH_BACKSLASH", offset: 0 }],
		["a/b\\c", { code: "PATH_BACKSLASH", offset: 3 }],
		["a\0", { code: "PATH_NUL", offset: 1 }],
		["a\ud800", { code: "PATH_LONE_SURROGATE", offset: 1 }],
		["\u{1f600}\udc00\ud800", { code: "PATH_LONE_SURROGATE", offset: 2 }],
		["de\u0301", { code: "PATH_NOT_NFC", offset: 1, nfc: "d\u00e9" }],
		["a\u0301\u0323", { code: "PATH_NOT_NFC", offset: 0, nfc: "\u1ea1\u0301" }],
		["x/\u212b", { code: "PATH_NOT_NFC", offset: 2 }],
		["de\u0301/\uf900", { code: "PATH_NOT_NFC", offset: 4 }],
		["\u{1d15e}", { code: "PATH_NOT_NFC", offset: 0, nfc: "\u{1d157}\u{1d165}" }],
		["a//b", { code: "PATH_EMPTY_SEGMENT", offset: 2, segment: 1 }],
		["a/", { code: "PATH_EMPTY_SEGMENT", offset: 2, segment: 1 }],
		[".", { code: "PATH_DOT_SEGMENT", offset: 0, segment: 0 }],
		["..", { code: "PATH_DOT_SEGMENT", offset: 0, segment: 0 }],
		["./a", { code: "PATH_DOT_SEGMENT", offset: 0, segment: 0 }],
		["a/../b", { code: "PATH_DOT_SEGMENT", offset: 2, segment: 1 }],
		["a/b/.", { code: "PATH_DOT_SEGMENT", offset: 4, segment: 2 }],
		[segments(65), { code: "PATH_TOO_MANY_SEGMENTS", limit: { name: "segments", max: 64 } }],
		[ofBytes(1_025), { code: "PATH_TOO_LONG", limit: { name: "bytes", max: 1_024 } }],
		[
			`a/${"s".repeat(256)}`,
			{ code: "PATH_SEGMENT_TOO_LONG", offset: 2, segment: 1, limit: { name: "segmentBytes", max: 255 } },
		],
	] as const)("%j", (path, expected) => {
		const fault = faultOf(() => checkPath(path));
		expect(fault).toMatchObject({ name: "PathError", path, ...expected });
		for (const field of ["offset", "segment", "limit", "nfc"] as const)
			expect(Object.hasOwn(fault!, field)).toBe(field in expected);
	});

	it.each([
		["\u007f", 1],
		["\u0080", 2],
		["\u07ff", 2],
		["\u0800", 3],
		["\ud7ff", 3],
		["\ue000", 3],
		["\uffff", 3],
		["\u{10000}", 4],
		["\u{10ffff}", 4],
	])("%j counts as %d bytes", (character, bytes) => {
		const rest = "s".repeat(PATH_LIMITS.segmentBytes - bytes);
		expect(codeOf(rest + character)).toBeUndefined();
		expect(codeOf(`${rest}s${character}`)).toBe("PATH_SEGMENT_TOO_LONG");
	});

	it.each([
		["two-byte", `${"\u00e9".repeat(128)}`],
		["three-byte", `${"\u4e00".repeat(85)}s`],
		["four-byte", "\u{1f600}".repeat(64)],
	])("a segment of 256 bytes in %s characters", (_, segment) => {
		expect(bytesOf(segment).length).toBe(256);
		expect(codeOf(segment)).toBe("PATH_SEGMENT_TOO_LONG");
	});

	it("1,025 bytes in fewer UTF-16 units", () => {
		const path = `${`${"\u4e00".repeat(85)}/`.repeat(4)}a`;
		expect(bytesOf(path).length).toBe(1_025);
		expect(codeOf(path)).toBe("PATH_TOO_LONG");
	});

	it("in one order: separators and NUL, surrogates, bytes, NFC, count, segments", () => {
		const long = "x".repeat(2_000);
		expect(codeOf(`/\\\0`)).toBe("PATH_ABSOLUTE");
		expect(codeOf(`\0\\`)).toBe("PATH_BACKSLASH");
		expect(codeOf(`\ud800\0`)).toBe("PATH_NUL");
		expect(codeOf(`${long}\ud800`)).toBe("PATH_LONE_SURROGATE");
		expect(codeOf(`e\u0301${long}`)).toBe("PATH_TOO_LONG");
		expect(codeOf(`${segments(65)}/e\u0301`)).toBe("PATH_NOT_NFC");
		expect(codeOf(`../${segments(64)}`)).toBe("PATH_TOO_MANY_SEGMENTS");
		expect(codeOf(`a//../${"s".repeat(256)}`)).toBe("PATH_EMPTY_SEGMENT");
		expect(codeOf(`a/${"s".repeat(256)}/../b`)).toBe("PATH_SEGMENT_TOO_LONG");
	});
});

describe("the message", () => {
	it("of a path that isn't NFC names both spellings and says what to do", () => {
		expect(faultOf(() => checkPath("de\u0301cembre.txt"))!.message).toBe(
			'path "de\u0301cembre.txt" is not in Unicode 15.1 NFC: it spells U+0065 U+0301 where NFC has U+00E9; rename it to "d\u00e9cembre.txt"',
		);
	});

	it("of a path with a character that NFC replaces by another names it", () => {
		expect(faultOf(() => checkPath("x/\u212b"))!.message).toBe(
			'path "x/\u212b" is not in Unicode 15.1 NFC: it has U+212B at offset 2, which NFC replaces by another character: write that one',
		);
	});

	it("gives the whole NFC spelling of the longest path", () => {
		const path = `${`${"\u00e9".repeat(100)}/`.repeat(5)}e\u0301`;
		const fault = faultOf(() => checkPath(path))!;
		expect(fault.message).toContain(`"${fault.nfc}"`);
		expect(checkPath(fault.nfc!)).toBe(fault.nfc);
	});

	it("escapes what would disturb a terminal, and is short for a path of any length", () => {
		expect(faultOf(() => checkPath("\u001b[31m\u202e/../x"))!.message).toBe(
			'path "\\u{1b}[31m\\u{202e}/../x" has "." or ".." as segment 2, at offset 7: spell the path from the package root without them',
		);
		expect(faultOf(() => checkPath("\u0301".repeat(5_000_000)))!.message.length).toBeLessThan(300);
	});

	it("counts segments from one, data from zero", () => {
		const fault = faultOf(() => checkPath("a//b"))!;
		expect(fault.segment).toBe(1);
		expect(fault.message).toContain("segment 2");
	});
});

describe("decodePath", () => {
	it.each([
		[[0xff], "\\xff"],
		[[0x61, 0xc3], "a\\xc3"],
		[[0xc0, 0xaf], "\\xc0\\xaf"], // an overlong slash
		[[0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"], // a surrogate
		[[0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"], // above U+10FFFF
		[[0x1f, 0x20, 0x5c, 0x7e, 0x7f, 0x80], "\\x1f \\x5c~\\x7f\\x80"],
	])("refuses the bytes %j", (bytes, path) => {
		expect(faultOf(() => decodePath(Uint8Array.from(bytes)))).toMatchObject({ code: "PATH_INVALID_UTF8", path });
	});

	it("keeps a byte order mark as text", () => {
		expect(decodePath(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
	});

	it("checks the path it decoded", () => {
		expect(faultOf(() => decodePath(bytesOf("e\u0301")))).toMatchObject({ code: "PATH_NOT_NFC", nfc: "\u00e9" });
		expect(faultOf(() => decodePath(new Uint8Array()))).toMatchObject({ code: "PATH_EMPTY" });
	});

	it("shows no more bytes than a path may have", () => {
		const fault = faultOf(() => decodePath(new Uint8Array(1_000_000).fill(0xff)))!;
		expect(fault.path.length).toBe(4 * 1_024 + 1);
	});

	it("decodes exactly what the paths encode to, and answers as checkPath does", () => {
		const unit = fc.oneof(
			fc.constantFrom("/", ".", "\\", "\0", "\u0301", "e"),
			fc.string({ unit: "binary", maxLength: 1 }),
		);
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 40 }), (path) => {
				const checked = faultOf(() => checkPath(path));
				const decoded = faultOf(() => decodePath(bytesOf(path)));
				expect(decoded?.message).toBe(checked?.message);
				if (!checked) expect(decodePath(bytesOf(path))).toBe(path);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe("comparePaths (records by unsigned UTF-8 path bytes)", () => {
	it("is not the order of UTF-16: U+FF3A before U+1F600", () => {
		expect(comparePaths("\uff3a", "\u{1f600}")).toBeLessThan(0);
		expect(comparePaths("\u{1f600}", "\uff3a")).toBeGreaterThan(0);
		expect("\uff3a" < "\u{1f600}").toBe(false);
	});

	it("compares bytes, not segments: a-b, a.b, a/b, a0", () => {
		expect(["a0", "a/b", "a.b", "a-b", "a"].sort(comparePaths)).toEqual(["a", "a-b", "a.b", "a/b", "a0"]);
	});

	it("agrees with the bytes", () => {
		const unit = fc.oneof(
			fc.constantFrom(
				"a",
				"/",
				"\u00e9",
				"\ud7ff",
				"\ue000",
				"\uff3a",
				"\uffff",
				"\u{10000}",
				"\u{1f600}",
				"\u{10ffff}",
			),
			fc.string({ unit: "binary", maxLength: 1 }),
		);
		const text = fc.string({ unit, maxLength: 6 });
		fc.assert(
			fc.property(text, text, (a, b) => {
				expect(Math.sign(comparePaths(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
			}),
			{ numRuns: 5_000 },
		);
	});
});

describe("collisions under full default case folding", () => {
	it.each([
		["FLOW.md", "flow.MD"],
		["stra\u00dfe", "STRASSE"],
		["\u1e9e", "ss"],
		["\u03c3/\u03c2", "\u03a3/\u03c3"],
		["\u212a", "k"],
		["\u0130", "i\u0307"],
		["\u{10400}", "\u{10428}"],
		["\ufb01x", "FIX"],
	])("%j and %j share a key", (a, b) => {
		expect(pathCollisionKey(a)).toBe(pathCollisionKey(b));
		expect(pathAdvisoryKey(a)).toBe(pathAdvisoryKey(b));
	});

	it.each([
		["\u0131", "i"],
		["\u0130", "i"],
		["A/x", "a/y"],
		["\uff21", "a"],
		["\u{10d50}", "\u{10d70}"], // a case pair since Unicode 16.0
	])("%j and %j don't", (a, b) => {
		expect(pathCollisionKey(a)).not.toBe(pathCollisionKey(b));
		expect(pathAdvisoryKey(a)).not.toBe(pathAdvisoryKey(b));
	});

	it("canonical caseless matching joins what folding the NFC path keeps apart", () => {
		for (const [left, right] of [
			["\u01f0\u0323", "J\u0323\u030c"], // j with caron has no capital of its own
			["\u1fb3\u0323", "\u0391\u0323\u0399"], // an iota below folds to a letter, wherever it was written
		] as const) {
			expect(checkPath(left)).toBe(left);
			expect(checkPath(right)).toBe(right);
			expect(pathCollisionKey(left)).not.toBe(pathCollisionKey(right));
			expect(pathAdvisoryKey(left)).toBe(pathAdvisoryKey(right));
		}
	});

	it("equal collision keys of NFC paths are equal advisory keys", () => {
		const unit = fc.constantFrom(
			"s",
			"S",
			"\u00df",
			"\u0130",
			"i",
			"\u0307",
			"\u03c3",
			"\u03c2",
			"\u0345",
			"\u1fb3",
			"\u1fbc",
		);
		const text = fc.string({ unit, maxLength: 3 }).filter(isNfc);
		fc.assert(
			fc.property(text, text, (a, b) => {
				if (pathCollisionKey(a) === pathCollisionKey(b)) expect(pathAdvisoryKey(a)).toBe(pathAdvisoryKey(b));
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("bounded work", () => {
	it("a path of 50 million characters is refused after linear scans", () => {
		expect(codeOf("a/".repeat(25_000_000))).toBe("PATH_TOO_LONG");
		expect(codeOf("e\u0301".repeat(25_000_000))).toBe("PATH_TOO_LONG");
	});
});
