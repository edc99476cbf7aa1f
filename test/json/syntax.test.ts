import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/json/exact.ts";
import { type JsonErrorCode, parseJson } from "../../src/json/index.ts";
import { facts, refusal, utf8 } from "./support.ts";

/** Texts that are JSON/1, and their values (RFC 8259; JSON/1 "Numbers", "Syntax and strings"). */
const valid: [string, unknown][] = [
	["null", null],
	[" \t\r\ntrue\n", true],
	["false", false],
	['""', ""],
	["[]", []],
	["{}", {}],
	["[ ]", []],
	["{ }", {}],
	["0", 0],
	["-0", -0],
	["-0.0", -0],
	["-1e-400", -0],
	["1e-400", 0],
	["0e999999", 0],
	["1.0", 1],
	["1e2", 100],
	["1E+2", 100],
	["10e-1", 1],
	["0.1", 0.1],
	["5e-324", 5e-324],
	["9007199254740991", 9007199254740991],
	["-9007199254740991.0", -9007199254740991],
	["9007199254740991.4", 9007199254740991],
	["900719925474099100e-2", 9007199254740991],
	["4503599627370495.5", 4503599627370495.5],
	["[1,[2,[]],{}]", [1, [2, []], {}]],
	['{"a":1,"b":{"a":2}}', { a: 1, b: { a: 2 } }],
	['{"":1}', { "": 1 }],
	['{"a":1,"A":2,"\\u0061\\u0301":3,"\\u00e1":4}', { a: 1, A: 2, "a\u0301": 3, "\u00e1": 4 }],
	['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
	['"\\u0000\\u001F\\u007f"', "\u0000\u001f\u007f"],
	['"\u007f\u2028\u2029"', "\u007f\u2028\u2029"],
	['"\\ud83d\\ude00\\uD83D\\uDE00😀"', "😀😀😀"],
	['"\\uFEFF\ufeff"', "\ufeff\ufeff"],
	['"\\uFFFF\uffff\\u{"'.replace("\\u{", ""), "\uffff\uffff"],
	['"a:b,[{1e9:2}]:"', "a:b,[{1e9:2}]:"],
	['{"a:":"\\":\\\\"}', { "a:": '":\\' }],
	[`"${"9".repeat(300)}"`, "9".repeat(300)],
	['{"1":1,"0":0}', { 1: 1, 0: 0 }],
];

/** Texts that are not, the code, and the byte offset of the fault. */
const invalid: [string, JsonErrorCode, number][] = [
	["", "JSON_SYNTAX", 0],
	["  ", "JSON_SYNTAX", 2],
	["{} {}", "JSON_SYNTAX", 3],
	["1 2", "JSON_SYNTAX", 2],
	["nul", "JSON_SYNTAX", 3],
	["nulL", "JSON_SYNTAX", 3],
	["True", "JSON_SYNTAX", 0],
	["nullx", "JSON_SYNTAX", 4],
	["NaN", "JSON_SYNTAX", 0],
	["-Infinity", "JSON_SYNTAX", 1],
	["undefined", "JSON_SYNTAX", 0],
	["[", "JSON_SYNTAX", 1],
	["]", "JSON_SYNTAX", 0],
	["[1", "JSON_SYNTAX", 2],
	["[1}", "JSON_SYNTAX", 2],
	["[1,]", "JSON_SYNTAX", 3],
	["[,1]", "JSON_SYNTAX", 1],
	["[1,,2]", "JSON_SYNTAX", 3],
	["[1 2]", "JSON_SYNTAX", 3],
	["[1]]", "JSON_SYNTAX", 3],
	["{", "JSON_SYNTAX", 1],
	['{"a"', "JSON_SYNTAX", 4],
	['{"a":', "JSON_SYNTAX", 5],
	['{"a":1', "JSON_SYNTAX", 6],
	['{"a":1,}', "JSON_SYNTAX", 7],
	['{"a" 1}', "JSON_SYNTAX", 5],
	['{"a"::1}', "JSON_SYNTAX", 5],
	['{"a":1 "b":2}', "JSON_SYNTAX", 7],
	['{"a":1]', "JSON_SYNTAX", 6],
	["{a:1}", "JSON_SYNTAX", 1],
	["{1:1}", "JSON_SYNTAX", 1],
	["{'a':1}", "JSON_SYNTAX", 1],
	["{,}", "JSON_SYNTAX", 1],
	["[:]", "JSON_SYNTAX", 1],
	["01", "JSON_SYNTAX", 1],
	["-01", "JSON_SYNTAX", 2],
	["-", "JSON_SYNTAX", 1],
	["+1", "JSON_SYNTAX", 0],
	[".5", "JSON_SYNTAX", 0],
	["1.", "JSON_SYNTAX", 2],
	["1.e5", "JSON_SYNTAX", 2],
	["1e", "JSON_SYNTAX", 2],
	["1e+", "JSON_SYNTAX", 3],
	["1e5.5", "JSON_SYNTAX", 3],
	["0x10", "JSON_SYNTAX", 1],
	["1_000", "JSON_SYNTAX", 1],
	["1n", "JSON_SYNTAX", 1],
	["--1", "JSON_SYNTAX", 1],
	['"', "JSON_SYNTAX", 1],
	['"abc', "JSON_SYNTAX", 4],
	['"a\\', "JSON_SYNTAX", 2],
	['"\\"', "JSON_SYNTAX", 3],
	['"\\x41"', "JSON_SYNTAX", 1],
	['"\\u004"', "JSON_SYNTAX", 1],
	['"\\u004g"', "JSON_SYNTAX", 1],
	['"\\u+041"', "JSON_SYNTAX", 1],
	['"\\U0041"', "JSON_SYNTAX", 1],
	['"a\nb"', "JSON_SYNTAX", 2],
	['"\u0000"', "JSON_SYNTAX", 1],
	['"\t"', "JSON_SYNTAX", 1],
	["\u00a01", "JSON_SYNTAX", 0],
	["1\u2028", "JSON_SYNTAX", 1],
	["1\v", "JSON_SYNTAX", 1],
	["1\u0000", "JSON_SYNTAX", 1],
	["/**/1", "JSON_SYNTAX", 0],
	["1//", "JSON_SYNTAX", 1],
	["１", "JSON_SYNTAX", 0],
	["\ufeff1", "JSON_BOM", 0],
	["\ufeff", "JSON_BOM", 0],
	["1\ufeff", "JSON_SYNTAX", 1],
	['{"a":1,"a":2}', "JSON_DUPLICATE_MEMBER", 7],
	['{"a":1,"a":1}', "JSON_DUPLICATE_MEMBER", 7],
	['{"a":1,"\\u0061":2}', "JSON_DUPLICATE_MEMBER", 7],
	['{"":1,"":2}', "JSON_DUPLICATE_MEMBER", 6],
	['[{"é":[{"x":0}], "é" :2}]', "JSON_DUPLICATE_MEMBER", 18],
	['{"__proto__":1,"__proto__":2}', "JSON_DUPLICATE_MEMBER", 15],
	['{"a":{"b":1,"b":2},"c":":"}', "JSON_DUPLICATE_MEMBER", 12],
	['{"a":1,"a":2,":":3}', "JSON_DUPLICATE_MEMBER", 7],
	['{"1":0,"\\u0031":0}', "JSON_DUPLICATE_MEMBER", 7],
	['{"a":{},"a":{"b":1}}', "JSON_DUPLICATE_MEMBER", 8],
	['{"a":{"b":1},"a":{"c":1,"d":2}}', "JSON_DUPLICATE_MEMBER", 13],
	['"\\ud800"', "JSON_LONE_SURROGATE", 1],
	['"\\udc00"', "JSON_LONE_SURROGATE", 1],
	['"a\\udc00\\ud800"', "JSON_LONE_SURROGATE", 2],
	['"\\ud800\\ud800\\udc00"', "JSON_LONE_SURROGATE", 1],
	['"\\ud83dx"', "JSON_LONE_SURROGATE", 1],
	['"\\ud83d\\n"', "JSON_LONE_SURROGATE", 1],
	['{"\\udc00":1}', "JSON_LONE_SURROGATE", 2],
	["1e400", "JSON_NUMBER_RANGE", 0],
	["[-1e400]", "JSON_NUMBER_RANGE", 1],
	["9007199254740992", "JSON_NUMBER_RANGE", 0],
	["9007199254740993", "JSON_NUMBER_RANGE", 0],
	["-9007199254740992.0", "JSON_NUMBER_RANGE", 0],
	["9007199254740991.5", "JSON_NUMBER_RANGE", 0],
	["[0, 1e16]", "JSON_NUMBER_RANGE", 4],
	["1e22", "JSON_NUMBER_RANGE", 0],
	["1.7976931348623157e308", "JSON_NUMBER_RANGE", 0],
];

describe("JSON/1 text that is read", () => {
	test.each(valid)("%j", (text, value) => {
		expect(parseJson(text)).toStrictEqual(value);
		expect(parseJson(utf8(text))).toStrictEqual(value);
		expect(parseExact(utf8(text))).toStrictEqual(value);
	});
});

describe("JSON/1 text that is refused", () => {
	test.each(invalid)("%j", (text, code, offset) => {
		expect(facts(refusal(() => parseJson(text)))).toMatchObject({ code, offset });
		expect(facts(refusal(() => parseJson(utf8(text))))).toMatchObject({ code, offset });
	});
});

/** Bytes that are no UTF-8 (Unicode Table 3-7), and the offset of the first ill-formed sequence. */
const notUtf8: [string, number[], number][] = [
	["a lone continuation byte", [0x22, 0x80, 0x22], 1],
	["FF", [0x5b, 0x22, 0xff, 0x22, 0x5d], 2],
	["an overlong slash", [0x22, 0xc0, 0xaf, 0x22], 1],
	["an overlong form of three bytes", [0x22, 0xe0, 0x9f, 0xbf, 0x22], 1],
	["an overlong form of four bytes", [0x22, 0xf0, 0x8f, 0xbf, 0xbf, 0x22], 1],
	["an encoded surrogate", [0x22, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x22], 3],
	["above U+10FFFF", [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
	["F5", [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22], 1],
	["a sequence cut by a quote", [0x22, 0xe2, 0x82, 0x22], 1],
	["a sequence cut by the end", [0x22, 0x61, 0xf0, 0x9f, 0x98], 2],
	["outside of a string", [0x31, 0x20, 0xc3], 2],
	["before an earlier syntax error", [0x5b, 0x2c, 0x22, 0xff], 3],
	["behind a byte order mark", [0xef, 0xbb, 0xbf, 0xff], 3],
	["UTF-16 with its mark", [0xff, 0xfe, 0x31, 0x00], 0],
];

describe("bytes that are no UTF-8 are refused", () => {
	test.each(notUtf8)("%s", (_, bytes, offset) => {
		expect(facts(refusal(() => parseJson(Uint8Array.from(bytes))))).toMatchObject({ code: "JSON_UTF8", offset });
	});
});

describe("a string source with a literal lone surrogate is refused, with its UTF-8 offset", () => {
	test.each([
		['"\ud800"', 1, 2],
		['"é😀\udc00"', 7, 4],
		['["\n\ud83d\ud83d\ude00"]', 3, 1],
		["\udfff", 0, 1],
	])("%j", (text, offset, column) => {
		expect(facts(refusal(() => parseJson(text)))).toMatchObject({ code: "JSON_LONE_SURROGATE", offset, column });
	});
});

describe("line and column", () => {
	test.each([
		["[\n  1,\n  x\n]", 3, 3],
		["[\r\n1,\r\nx]", 3, 1],
		["[\r1,\rx]", 3, 1],
		["[\n\n\n", 4, 1],
		['["é😀水", x]', 1, 9],
		['{"a":1,\n"é":2,\n"a":3}', 3, 1],
		["x", 1, 1],
	])("%j", (text, line, column) => {
		const error = refusal(() => parseJson(text));
		expect(facts(error)).toMatchObject({ line, column });
		expect(error.message).toContain(`line ${line}, column ${column} `);
	});
});

test("a source that is neither bytes nor a string is a TypeError", () => {
	for (const source of [undefined, null, 1, {}, [49], new ArrayBuffer(1), new Uint16Array(1), new Int8Array(1)]) {
		expect(() => parseJson(source as never)).toThrow(TypeError);
	}
});

test("a view into a bigger buffer is read alone", () => {
	const buffer = utf8("xx[1]yy");
	expect(parseJson(buffer.subarray(2, 5))).toEqual([1]);
	expect(facts(refusal(() => parseJson(buffer.subarray(2, 4))))).toMatchObject({ offset: 2 });
});

test.skipIf(typeof SharedArrayBuffer === "undefined")("shared memory is read as it was", () => {
	const shared = new Uint8Array(new SharedArrayBuffer(3));
	shared.set(utf8("[2]"));
	expect(parseJson(shared)).toEqual([2]);
});
