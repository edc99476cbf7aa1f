import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../src/base64.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("RFC 4648 section 10", () => {
	it.each([
		["", ""],
		["f", "Zg=="],
		["fo", "Zm8="],
		["foo", "Zm9v"],
		["foob", "Zm9vYg=="],
		["fooba", "Zm9vYmE="],
		["foobar", "Zm9vYmFy"],
	])("%j is %j", (text, base64) => {
		expect(toBase64(bytesOf(text))).toBe(base64);
		expect(fromBase64(base64)).toEqual(bytesOf(text));
		expect(fromBase64(base64.replaceAll("=", ""))).toEqual(bytesOf(text));
	});

	it.each([
		"A",
		"AAAAA",
		"=",
		"==",
		"Zg=",
		"Zg===",
		"Zm9v=",
		"Zm9v==",
		"Zm9v\n",
		"Zm 9v",
		"Zm9-",
		"Zm9_",
		"Zg==Zg==",
		"é",
	])("%j is none", (text) => {
		expect(fromBase64(text)).toBeUndefined();
	});
});

it("any bytes come back, and are spelled as Node spells them", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
			expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
			expect(fromBase64(toBase64(bytes))).toEqual(bytes);
		}),
	);
});
