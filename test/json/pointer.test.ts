import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	appendPointer,
	formatPointer,
	type JsonValue,
	parseJson,
	parsePointer,
	resolvePointer,
} from "../../src/json/index.ts";
import { refusal } from "./support.ts";

describe("RFC 6901 section 5", () => {
	const document = parseJson(
		'{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
	);
	test.each<[string, JsonValue]>([
		["/foo", ["bar", "baz"]],
		["/foo/0", "bar"],
		["/", 0],
		["/a~1b", 1],
		["/c%d", 2],
		["/e^f", 3],
		["/g|h", 4],
		["/i\\j", 5],
		['/k"l', 6],
		["/ ", 7],
		["/m~0n", 8],
	])("%s", (pointer, value) => {
		expect(resolvePointer(document, pointer)).toEqual(value);
	});

	test("the empty pointer is the whole document", () => {
		expect(resolvePointer(document, "")).toBe(document);
	});
});

describe("a pointer names nothing", () => {
	const document = parseJson('{"a":[1,[2]],"b":"text","n":null,"o":{"0":1}}');
	test.each([
		"/c",
		"/a/2",
		"/a/-",
		"/a/01",
		"/a/+1",
		"/a/1e0",
		"/a/ 1",
		"/a/",
		"/a/length",
		"/a/1/0/0",
		"/a/4294967296",
		"/b/0",
		"/b/length",
		"/n/x",
		"/toString",
		"/constructor/name",
		"/__proto__",
		"/o/__proto__/toString",
		"/a/１",
		"/a/0\n",
	])("%j", (pointer) => {
		expect(resolvePointer(document, pointer)).toBeUndefined();
	});

	test("but own members of any name are named", () => {
		const own = parseJson('{"__proto__":{"toString":1},"o":{"01":2,"-":3}}');
		expect(resolvePointer(own, "/__proto__/toString")).toBe(1);
		expect(resolvePointer(own, "/o/01")).toBe(2);
		expect(resolvePointer(own, "/o/-")).toBe(3);
	});
});

describe("a malformed pointer is refused", () => {
	test.each(["a", "a/b", "#/a", " /a", "/~", "/~2", "/a~", "/~~0", "/a/b~x"])("%j", (pointer) => {
		expect(refusal(() => parsePointer(pointer)).code).toBe("JSON_POINTER");
		expect(refusal(() => resolvePointer({}, pointer)).code).toBe("JSON_POINTER");
	});
});

test("escapes are undone in the right order", () => {
	expect(parsePointer("/~01/~10/~0~1")).toEqual(["~1", "/0", "~/"]);
	expect(formatPointer(["~1", "/0", "~/", 7, ""])).toBe("/~01/~10/~0~1/7/");
	expect(appendPointer("/a", "x/y")).toBe("/a/x~1y");
	expect(appendPointer("", 0)).toBe("/0");
});

test("formatting and parsing are inverse", () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.stringMatching(/^[~/01]*$/))), (tokens) => {
			expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
			expect(tokens.reduce(appendPointer, "")).toBe(formatPointer(tokens));
		}),
		{ numRuns: 500, seed: 6901 },
	);
});
