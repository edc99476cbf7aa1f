import { describe, expect, it } from "vitest";
import { exceedsUtf8, findLoneSurrogate, scalarLength } from "../src/text.ts";

const utf8Length = (text: string) => new TextEncoder().encode(text).length;

describe("sizes of text", () => {
	it.each([
		["", 0],
		["abc", 3],
		["é水", 2],
		["😀", 1],
		["a😀b😀", 4],
		["e\u0301", 2],
		["\ud800", 1],
		["\udc00\ud800", 2],
		["\ud83d\ud83d\ude00", 2],
	])("%j has %i scalar values, and as many bytes as its UTF-8", (text, count) => {
		expect(scalarLength(text)).toBe(count);
		expect(Array.from(text)).toHaveLength(count);
		expect(exceedsUtf8(text, utf8Length(text))).toBe(false);
		if (text !== "") expect(exceedsUtf8(text, utf8Length(text) - 1)).toBe(true);
	});
});

describe("the first surrogate without its pair", () => {
	it.each([
		["", -1],
		["a😀\ue000\uffff", -1],
		["\ud800", 0],
		["a\udc00", 1],
		["😀\ude00", 2],
		["\ud83d\ud83d\ude00", 0],
		["\udc00\ud800", 0],
	])("in %j is at %i", (text, at) => expect(findLoneSurrogate(text)).toBe(at));
});
