import { describe, expect, it } from "vitest";
import { checkPath, checkReference } from "../../src/grammar/index.ts";
import { faultOf } from "./fault.ts";

describe("an author reference (Package/1 section 2)", () => {
	it.each([
		["./contracts/index.capability.json", "contracts/index.capability.json"],
		["./a", "a"],
		["./.hidden", ".hidden"],
		["./100%", "100%"],
		["./%zz/%4", "%zz/%4"],
		["./%%", "%%"],
		["./caf\u00e9 (2).json", "caf\u00e9 (2).json"],
		["./a?b#c", "a?b#c"],
		["./C:/x", "C:/x"],
		["./a\tb", "a\tb"],
		[`./${"s".repeat(255)}`, "s".repeat(255)],
	])("%j names %j", (reference, path) => {
		expect(checkReference(reference)).toBe(path);
		expect(checkPath(path)).toBe(path);
	});

	it.each([
		["", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		["a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		["/a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		["../a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		[".", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		[".\\a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		[" ./a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		["https://x/a", { code: "PATH_REFERENCE_PREFIX", offset: 0 }],
		["./", { code: "PATH_EMPTY" }],
		[".//a", { code: "PATH_ABSOLUTE", offset: 2 }],
		["././a", { code: "PATH_DOT_SEGMENT", offset: 2, segment: 0 }],
		["./../a", { code: "PATH_DOT_SEGMENT", offset: 2, segment: 0 }],
		["./a/..", { code: "PATH_DOT_SEGMENT", offset: 4, segment: 1 }],
		["./a//b", { code: "PATH_EMPTY_SEGMENT", offset: 4, segment: 1 }],
		["./a/", { code: "PATH_EMPTY_SEGMENT", offset: 4, segment: 1 }],
		["./a\\b", { code: "PATH_BACKSLASH", offset: 3 }],
		["./a\0", { code: "PATH_NUL", offset: 3 }],
		["./\ud800", { code: "PATH_LONE_SURROGATE", offset: 2 }],
		["./e\u0301", { code: "PATH_NOT_NFC", offset: 2, nfc: "./\u00e9" }],
		["./a%2Fb", { code: "PATH_REFERENCE_ENCODED", offset: 3 }],
		["./%2e%2e/a", { code: "PATH_REFERENCE_ENCODED", offset: 2 }],
		["./%%41", { code: "PATH_REFERENCE_ENCODED", offset: 3 }],
		[`./${"s".repeat(256)}`, { code: "PATH_SEGMENT_TOO_LONG", offset: 2, segment: 0 }],
		[`./${"a/".repeat(64)}a`, { code: "PATH_TOO_MANY_SEGMENTS" }],
	] as const)("%j is refused", (reference, expected) => {
		expect(faultOf(() => checkReference(reference))).toMatchObject({ path: reference, ...expected });
	});

	it("the limits are those of the path, not of the reference: 1,024 bytes after ./", () => {
		const path = `${"p".repeat(250)}/`.repeat(4).padEnd(1_024, "q");
		expect(checkReference(`./${path}`)).toBe(path);
		expect(faultOf(() => checkReference(`./${path}q`))?.code).toBe("PATH_TOO_LONG");
	});

	it("the message speaks of the reference as it was written", () => {
		expect(faultOf(() => checkReference("./a/../b"))!.message).toBe(
			'reference "./a/../b" has "." or ".." as segment 2, at offset 4: spell the path from the package root without them',
		);
		expect(faultOf(() => checkReference("./a%2Fb"))!.message).toBe(
			'reference "./a%2Fb" has a percent-encoded character at offset 3: write the character itself',
		);
	});
});
