import { describe, expect, it } from "vitest";
import { isDigest, portableSha256, renderDigest, toHex } from "../src/sha256.ts";

const zeros = "0".repeat(64);

describe("the public spelling of a digest", () => {
	it("is sha256: and 64 lowercase hexadecimal digits", () => expect(isDigest(`sha256:${zeros}`)).toBe(true));

	it.each([
		zeros,
		`sha256:${zeros}0`,
		`sha256:${zeros.slice(1)}`,
		`sha256:${zeros.slice(1)}A`,
		`SHA256:${zeros}`,
		` sha256:${zeros}`,
		`sha256:${zeros}\n`,
		`sha256:${zeros}\nx`,
		[`sha256:${zeros}`],
		undefined,
	])("not %j", (text) => expect(isDigest(text)).toBe(false));
});

/** FIPS 180-4, the examples of the Secure Hash Standard. */
const EXAMPLES: readonly (readonly [text: string, hex: string])[] = [
	["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
	["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
	[
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	],
];

describe("the portable SHA-256", () => {
	it.each(EXAMPLES)("of %j, whole and byte by byte", (text, hex) => {
		const bytes = new TextEncoder().encode(text);
		const whole = portableSha256();
		whole.update(bytes);
		const pieces = portableSha256();
		for (const byte of bytes) pieces.update(Uint8Array.of(byte));
		expect([renderDigest(whole), toHex(pieces.digest())]).toEqual([`sha256:${hex}`, hex]);
	});

	it("takes the bytes before update returns: a buffer may be reused", () => {
		const hash = portableSha256();
		const buffer = new TextEncoder().encode("abc");
		hash.update(buffer);
		buffer.fill(0);
		expect(toHex(hash.digest())).toBe(EXAMPLES[1]![1]);
	});
});
