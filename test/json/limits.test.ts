import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/json/exact.ts";
import {
	admitJson,
	equalJson,
	JSON_LIMITS,
	type JsonLimitName,
	type JsonValue,
	parseJson,
} from "../../src/json/index.ts";
import { facts, refusal, utf8 } from "./support.ts";

/** JSON/1 "Absolute value limits", written out again: the table itself is under test. */
const MAXIMA: Record<JsonLimitName, number> = {
	bytes: 16_777_216,
	depth: 128,
	nodes: 262_144,
	members: 65_536,
	items: 65_536,
	stringBytes: 8_388_608,
	nameBytes: 1_024,
	numberBytes: 128,
};

const commas = (count: number, item: string) => new Array(count).fill(item).join(",");
const nested = (levels: number, inner: string) => "[".repeat(levels) + inner + "]".repeat(levels);
const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":0`).join(",")}}`;
/** An array of arrays with `count` values in all. */
const nodes = (count: number) => {
	const rows = Math.ceil((count - 1) / 4096);
	const scalars = count - 1 - rows;
	const parts = Array.from({ length: rows }, (_, row) => {
		const share = Math.floor(scalars / rows) + (row < scalars % rows ? 1 : 0);
		return `[${commas(share, "0")}]`;
	});
	return `[${parts.join(",")}]`;
};

/** Title, limit, the text at the maximum, the text one above, and the offset where the latter crosses. */
const cases: [string, JsonLimitName, string, string, number][] = [
	["document: trailing space", "bytes", `1${" ".repeat(16_777_215)}`, `1${" ".repeat(16_777_216)}`, 16_777_216],
	["depth: empty array", "depth", nested(128, ""), nested(129, ""), 128],
	["depth: empty object", "depth", nested(127, "{}"), nested(128, "{}"), 128],
	["depth: scalar", "depth", nested(127, "0"), nested(128, "0"), 128],
	["depth: string", "depth", nested(127, '""'), nested(128, '""'), 128],
	["depth: literal", "depth", nested(127, "null"), nested(128, "null"), 128],
	[
		"depth: through members",
		"depth",
		`${'{"a":'.repeat(127)}0${"}".repeat(127)}`,
		`${'{"a":'.repeat(128)}0${"}".repeat(128)}`,
		640,
	],
	["items", "items", `[${commas(65_536, "0")}]`, `[${commas(65_537, "0")}]`, 131_073],
	["items: containers", "items", `[${commas(65_536, "[]")}]`, `[${commas(65_537, "{}")}]`, 196_609],
	["members", "members", members(65_536), members(65_537), members(65_536).length],
	["nodes", "nodes", nodes(262_144), nodes(262_145), nodes(262_145).length - 3],
	["string: ASCII", "stringBytes", `"${"a".repeat(8_388_608)}"`, ` "${"a".repeat(8_388_609)}"`, 1],
	["string: two bytes", "stringBytes", `"${"é".repeat(4_194_304)}"`, `"${"é".repeat(4_194_304)}a"`, 0],
	["string: four bytes", "stringBytes", `"${"😀".repeat(2_097_152)}"`, `"${"😀".repeat(2_097_152)}a"`, 0],
	[
		"string: escapes count decoded",
		"stringBytes",
		`"${"\\n".repeat(4_194_304) + "a".repeat(4_194_304)}"`,
		`"${"\\n".repeat(4_194_305) + "a".repeat(4_194_304)}"`,
		0,
	],
	["name: ASCII", "nameBytes", `{"${"a".repeat(1_024)}":1}`, `{"${"a".repeat(1_025)}":1}`, 1],
	["name: three bytes", "nameBytes", `{"${"水".repeat(341)}a":1}`, `{"${"水".repeat(341)}aa":1}`, 1],
	["name: escaped", "nameBytes", `{"${"\\u6c34".repeat(341)}a":1}`, `{"${"\\u6c34".repeat(342)}":1}`, 1],
	["number: integer with a fraction", "numberBytes", `[1.${"0".repeat(126)}]`, `[1.${"0".repeat(127)}]`, 1],
	["number: sign and exponent", "numberBytes", `-0.${"1".repeat(122)}e-2`, `-0.${"1".repeat(123)}e-2`, 0],
	["number: leading zeros of an exponent", "numberBytes", `1e${"0".repeat(126)}`, `1E+${"0".repeat(126)}`, 0],
	["number: after a name", "numberBytes", `{"e":1.${"5".repeat(126)}}`, `{"e":1.${"5".repeat(127)}}`, 5],
];

test("the table is the specification's", () => {
	expect(JSON_LIMITS).toEqual(MAXIMA);
});

describe.each(cases)("%s", (_, limit, admitted, refused, offset) => {
	test("is read at the maximum, from bytes and from a string", () => {
		const value = parseJson(admitted);
		const bytes = utf8(admitted);
		expect(equalJson(parseJson(bytes), value)).toBe(true);
		expect(equalJson(parseExact(bytes), value)).toBe(true);
	});

	test("is refused one above, with the place that crosses", () => {
		const expected = { code: "JSON_LIMIT", offset, limit };
		for (const source of [utf8(refused), refused]) {
			const error = refusal(() => parseJson(source));
			expect(facts(error)).toMatchObject(expected);
			expect(error.limit?.max).toBe(MAXIMA[limit]);
			expect(error.message).toContain(String(MAXIMA[limit]));
		}
	});
});

test("the document limit of a string counts UTF-8 bytes, and one too many is placed behind what fits", () => {
	const text = `"${"水".repeat(2_796_202)}"`;
	expect(parseJson(text.padEnd(text.length + 8_388_608))).toHaveLength(2_796_202);
	const long = `["${"水".repeat(2_796_202)}","${"水".repeat(2_796_202)}","水水水"]`;
	expect(facts(refusal(() => parseJson(long)))).toMatchObject({
		code: "JSON_LIMIT",
		limit: "bytes",
		offset: 16_777_216,
	});
});

/** Host values at and above each limit, and the pointer of the value that crosses it. */
const nest = (levels: number): JsonValue => {
	let value: JsonValue = [];
	for (let level = 1; level < levels; level++) value = [value];
	return value;
};
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 0]));
const hostCases: [JsonLimitName, unknown, unknown, string][] = [
	["depth", nest(128), nest(129), "/0".repeat(128)],
	[
		"nodes",
		new Array(64)
			.fill(new Array(4_095).fill(0))
			.slice(0, 63)
			.concat([new Array(4_094).fill(0)]),
		new Array(64).fill(new Array(4_095).fill(0)),
		"/63/4094",
	],
	["members", named(65_536), named(65_537), ""],
	["items", new Array(65_536).fill(0), new Array(65_537).fill(0), ""],
	["stringBytes", ["é".repeat(4_194_304)], ["é".repeat(4_194_305)], "/0"],
	["nameBytes", { ["水".repeat(341)]: 1 }, { ["水".repeat(342)]: 1 }, `/${"水".repeat(342)}`],
	["bytes", ["a".repeat(8_388_602), "a".repeat(8_388_607)], ["a".repeat(8_388_603), "a".repeat(8_388_607)], ""],
	["bytes", ["\u0001".repeat(2_796_201), "123"], ["\u0001".repeat(2_796_201), "1234"], ""],
];

describe.each(hostCases)("a host value's %s", (limit, admitted, refused, pointer) => {
	test("is admitted at the maximum and refused one above", () => {
		expect(() => admitJson(admitted)).not.toThrow();
		expect(facts(refusal(() => admitJson(refused)))).toEqual({ code: "JSON_LIMIT", limit, pointer });
	});
});

test("shared references that multiply are stopped by the limits, not by memory", () => {
	let bomb: JsonValue = "x";
	for (let level = 0; level < 40; level++) bomb = [bomb, bomb];
	expect(facts(refusal(() => admitJson(bomb)))).toMatchObject({ code: "JSON_LIMIT", limit: "nodes" });
	const text = "a".repeat(8_000_000);
	expect(facts(refusal(() => admitJson(new Array(60_000).fill(text))))).toEqual({
		code: "JSON_LIMIT",
		limit: "bytes",
		pointer: "/2",
	});
});
