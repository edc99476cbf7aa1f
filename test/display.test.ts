import { describe, expect, it } from "vitest";
import { escapeForDisplay, quoteForDisplay } from "../src/display.ts";

describe("text that is safe to show on one line", () => {
	it.each([
		["a line end and a return", "a\r\nb", "a\\u{d}\\u{a}b"],
		["a C0 control that starts a colour", "\u001b[31mred", "\\u{1b}[31mred"],
		["DEL and a C1 control", "\u007f\u009b", "\\u{7f}\\u{9b}"],
		["line and paragraph separators", "\u2028\u2029", "\\u{2028}\\u{2029}"],
		["a bidirectional override", "\u202egnp.exe", "\\u{202e}gnp.exe"],
		["isolates", "\u2066x\u2069", "\\u{2066}x\\u{2069}"],
		["the Arabic letter mark", "\u061c", "\\u{61c}"],
		["invisible characters", "a\u200bb\u00adc\ufeff", "a\\u{200b}b\\u{ad}c\\u{feff}"],
		["a tag character", "a\u{e0041}", "a\\u{e0041}"],
		["surrogates without a partner", "\udc00\ud800", "\\u{dc00}\\u{d800}"],
		["a partner too many", "\u{1f600}\ude00", "\u{1f600}\\u{de00}"],
	])("escapes %s", (_, text, shown) => expect(escapeForDisplay(text)).toBe(shown));

	it("leaves ordinary text alone", () => {
		const text = 'Zoë wrote "日本語" \\u{1b} 😀 e\u0301';
		expect(escapeForDisplay(text)).toBe(text);
	});
});

describe("a quotation", () => {
	it("is cut after so many characters, never inside one", () => {
		expect(quoteForDisplay("abc", 3)).toBe('"abc"');
		expect(quoteForDisplay("abcd", 3)).toBe('"abc…"');
		expect(quoteForDisplay("😀😀😀", 3)).toBe('"😀😀😀"');
		expect(quoteForDisplay("😀😀😀😀", 3)).toBe('"😀😀😀…"');
	});

	it("is escaped after it is cut", () => expect(quoteForDisplay("\n\n\n", 2)).toBe('"\\u{a}\\u{a}…"'));
});
