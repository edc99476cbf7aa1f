import { describe, expect, test } from "vitest";
import { equalJson, isJsonObject, type JsonValue, parseJson } from "../../src/json/index.ts";

describe("JSON/1 equality", () => {
	test.each([
		["0", "-0"],
		["1", "1.0"],
		["100", "1e2"],
		["[1,2]", "[1.0,2]"],
		['{"a":1,"b":[{}]}', '{"b":[{}],"a":1}'],
		['{"a":-0}', '{"a":0.0}'],
		['"\\u00e9"', '"é"'],
		['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
		["{}", "{}"],
	])("%s equals %s", (a, b) => {
		expect(equalJson(parseJson(a), parseJson(b))).toBe(true);
		expect(equalJson(parseJson(b), parseJson(a))).toBe(true);
	});

	test.each([
		["1", '"1"'],
		["0", "false"],
		["null", "{}"],
		["null", "0"],
		["[]", "{}"],
		["[1,2]", "[2,1]"],
		["[1]", "[1,1]"],
		['{"0":1}', "[1]"],
		['{"a":1}', '{"b":1}'],
		['{"a":null}', "{}"],
		['{"a":1,"b":1}', '{"a":1,"c":1}'],
		['{"a":1}', '{"a":1,"b":1}'],
		['{"toString":1}', '{"a":1}'],
		['{"__proto__":1}', '{"__proto__":2}'],
		['{"__proto__":{}}', '{"a":{}}'],
		['"é"', '"e\\u0301"'],
		["0.1", "0.10000000000000002"],
		['{"a":[1,{"b":2}]}', '{"a":[1,{"b":3}]}'],
	])("%s differs from %s", (a, b) => {
		expect(equalJson(parseJson(a), parseJson(b))).toBe(false);
		expect(equalJson(parseJson(b), parseJson(a))).toBe(false);
	});

	test("a prototype plays no part", () => {
		const bare: JsonValue = Object.assign(Object.create(null), { a: [1] });
		expect(equalJson(bare, { a: [1] })).toBe(true);
		expect(equalJson({}, JSON.parse('{"constructor":1}'))).toBe(false);
	});
});

test("an object is neither an array nor null", () => {
	expect([{}, Object.create(null)].map(isJsonObject)).toEqual([true, true]);
	expect([[], null, 1, "x", true].map((value) => isJsonObject(value as JsonValue))).toEqual([
		false,
		false,
		false,
		false,
		false,
	]);
});
