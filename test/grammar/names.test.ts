import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLocalName, isToken, NAME_LIMITS } from "../../src/grammar/index.ts";

describe("LocalName (Package/1 section 2)", () => {
	it.each(["a", "7", "resize-image", "a-1-b", "0-0", "constructor", "x".repeat(64)])("accepts %j", (text) => {
		expect(isLocalName(text)).toBe(true);
	});

	it.each([
		"",
		"-a",
		"a-",
		"a--b",
		"A",
		"a_b",
		"a.b",
		"a b",
		"worker\n",
		"\nworker",
		"worker\r",
		"caf\u00e9",
		"\u0660",
		"\uff41",
		"\u017f", // folds to s
		"x".repeat(65),
		"__proto__",
	])("refuses %j", (text) => expect(isLocalName(text)).toBe(false));

	it.each([undefined, null, 7, true, ["a"], { toString: () => "a" }, new String("a")])(
		"refuses the non-string %j",
		(value) => {
			expect(isLocalName(value)).toBe(false);
			expect(isToken(value)).toBe(false);
		},
	);

	it("is exactly: 1 to 64 characters, groups of [a-z0-9] joined by single hyphens", () => {
		const text = fc.string({ unit: fc.constantFrom(..."az09-AZ_.é\n"), maxLength: 70 });
		const byHand = (name: string) =>
			name.length <= 64 &&
			name.split("-").every((group) => group !== "" && /^[a-z0-9]*$/.test(group) && !group.includes("\n"));
		fc.assert(
			fc.property(text, (name) => void expect(isLocalName(name)).toBe(byHand(name))),
			{ numRuns: 2_000 },
		);
	});
});

describe("request and operation ids (Run/1 sections 1 and 2)", () => {
	it.each(["a", "Z", "0", "r:1", "a/b", "a-._:/", "0".repeat(128)])("accepts %j", (text) => {
		expect(isToken(text)).toBe(true);
	});

	it.each(["", "-a", ".a", "_a", ":a", "/a", "a b", "a\n", "a\u00e9", "a\\b", "a@b", "0".repeat(129)])(
		"refuses %j",
		(text) => expect(isToken(text)).toBe(false),
	);
});

describe("bounds", () => {
	it("are the specification's", () => expect(NAME_LIMITS).toEqual({ localName: 64, token: 128 }));

	it("a text of 32 million characters is refused", () => {
		const huge = "a-".repeat(16_000_000);
		expect(isLocalName(huge)).toBe(false);
		expect(isToken(huge)).toBe(false);
	});
});
