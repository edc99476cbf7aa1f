import { describe, expect, test } from "vitest";
import { PathError } from "../../src/grammar/index.ts";
import {
	digestPackage,
	memorySource,
	type PackageEntry,
	PackageError,
	type PackageErrorCode,
} from "../../src/package/index.ts";
import { admitTree } from "../../src/package/tree.ts";
import { independentDigest } from "./independent.ts";
import { declaredSource, MINIMAL } from "./sources.ts";

const entries = (...paths: string[]): PackageEntry[] => ["FLOW.md", ...paths].map((path) => ({ path, size: 1 }));

function refusal(list: readonly PackageEntry[]): PackageError {
	try {
		admitTree(list);
	} catch (error) {
		expect(error).toBeInstanceOf(PackageError);
		return error as PackageError;
	}
	throw new Error("accepted");
}

describe("Package/1 section 5: paths of a tree", () => {
	test.each<[string, PathError["code"]]>([
		["", "PATH_EMPTY"],
		["/a", "PATH_ABSOLUTE"],
		["a/", "PATH_EMPTY_SEGMENT"],
		["a//b", "PATH_EMPTY_SEGMENT"],
		["./a", "PATH_DOT_SEGMENT"],
		["a/../b", "PATH_DOT_SEGMENT"],
		["..", "PATH_DOT_SEGMENT"],
		["a\\b", "PATH_BACKSLASH"],
		["a\0b", "PATH_NUL"],
		["e\u0301", "PATH_NOT_NFC"],
		["\ud800", "PATH_LONE_SURROGATE"],
		[`${"a/".repeat(64)}b`, "PATH_TOO_MANY_SEGMENTS"],
		["a".repeat(256), "PATH_SEGMENT_TOO_LONG"],
		[`${`${"a".repeat(255)}/`.repeat(4)}b`, "PATH_TOO_LONG"],
	])("%j is refused", (path, code) => {
		const error = refusal(entries(path));
		expect(error).toMatchObject({ code: "PACKAGE_PATH_INVALID", path });
		expect(error.cause).toBeInstanceOf(PathError);
		expect(error.cause).toMatchObject({ code });
	});

	test.each([
		"a".repeat(255),
		`${"a/".repeat(63)}b`,
		`${`${"a".repeat(254)}/`.repeat(4)}bcde`,
		"C:",
		"a.",
		" ",
		"\u0001",
		"é",
		"😀",
		"...",
		"a%20b",
	])("%j is a path", (path) => expect(admitTree(entries(path)).files).toHaveLength(2));

	test("Unicode is 15.1, whatever the engine has (P2)", () => {
		// Composed since Unicode 16, unassigned in 15.1.
		expect(admitTree(entries("\u{105d2}\u0307")).files).toHaveLength(2);
	});
});

describe("Package/1 section 5: collisions", () => {
	test.each([
		["a", "a"],
		["a", "A"],
		["dir/a", "DIR/a"],
		["straße", "STRASSE"],
		["ς", "σ"],
		["ﬁ", "fi"],
		["İ", "i\u0307"],
		["\u{10400}", "\u{10428}"],
	])("%s and %s collide under full case folding", (a, b) => {
		const error = refusal(entries(a, b));
		expect(error.code).toBe("PACKAGE_PATH_COLLISION");
		expect([error.path, error.otherPath].sort()).toEqual([a, b].sort());
	});

	test.each([
		["flow.md", "FLOW.md"],
		["Flow.MD", "FLOW.md"],
	])("M15: %s folds onto FLOW.md", (path) =>
		expect(refusal(entries(path))).toMatchObject({ code: "PACKAGE_PATH_COLLISION" }),
	);

	test("P4: directories may differ by case, whole paths may not", () => {
		expect(admitTree(entries("A/x", "a/y")).files).toHaveLength(3);
		expect(refusal(entries("A/x", "a/x"))).toMatchObject({ code: "PACKAGE_PATH_COLLISION" });
	});

	test.each([
		["a", "a/b"],
		["a", "a/b/c/d"],
		["a/b", "a/b/c"],
		["FLOW.md", "FLOW.md/x"],
	])("P5: %s can't be a file beside %s", (file, below) => {
		// Names that sort between the two, in bytes or in units, change nothing.
		const between = ["a!", "a-", "a.", "a/a", "a0", "a\u{1f600}"].filter((path) => path !== below);
		const list = [...new Set([...entries(), ...entries(file, below, ...between)].map(({ path }) => path))];
		expect(refusal(list.map((path) => ({ path, size: 0 })))).toMatchObject({
			code: "PACKAGE_PATH_COLLISION",
			path: file,
		});
	});

	test("P5: the same under folding alone is admitted", () => {
		expect(admitTree(entries("A", "a/x", "ab", "a-b/c")).files).toHaveLength(5);
	});
});

describe("Package/1: FLOW.md", () => {
	test.each([[[]], [["a"]], [["flow.md"]], [["sub/FLOW.md"]], [["FLOW.md "]]])("P8: a tree of %j has none", (paths) => {
		expect(refusal(paths.map((path) => ({ path, size: 0 })))).toMatchObject({ code: "PACKAGE_FLOW_MISSING" });
	});

	test("a near miss is named", () => {
		expect(refusal([{ path: "Flow.md", size: 0 }]).message).toContain("Flow.md");
	});
});

describe("Package/1 section 5: ceilings", () => {
	const GiB = 1_073_741_824;

	test("65,536 files pass and have a digest, one more is refused before its contents are asked for", async () => {
		const files = Object.fromEntries(Array.from({ length: 65_535 }, (_, i) => [`f${i}`, ""]));
		const full = { "FLOW.md": MINIMAL, ...files };
		expect((await digestPackage(memorySource(full))).digest).toBe(independentDigest(full));
		const more = Object.keys({ ...full, extra: "" }).map((path) => ({ path, size: 0 }));
		await expect(digestPackage(declaredSource(more))).rejects.toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "files", max: 65_536 },
		});
	});

	test("one file: 1,073,741,824 bytes pass, one more doesn't", () => {
		expect(admitTree([...entries(), { path: "a", size: GiB }]).bytes).toBe(GiB + 1);
		expect(refusal([...entries(), { path: "a", size: GiB + 1 }])).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "fileBytes", max: GiB },
			path: "a",
		});
	});

	test("all files: 4,294,967,296 bytes pass, one more doesn't, and no counter wraps", () => {
		const big = ["a", "b", "c"].map((path) => ({ path, size: GiB }));
		const sized = (size: number): PackageEntry[] => [{ path: "FLOW.md", size: 1 }, { path: "d", size }, ...big];
		expect(admitTree(sized(GiB - 1)).bytes).toBe(4 * GiB);
		expect(refusal(sized(GiB))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "totalBytes", max: 4 * GiB },
		});
		const all = Array.from({ length: 65_535 }, (_, i) => ({ path: `f${i}`, size: GiB }));
		expect(refusal([...entries(), ...all])).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "totalBytes" },
		});
	});

	test.each<[string, unknown]>([
		["a negative size", { path: "a", size: -1 }],
		["a fraction", { path: "a", size: 1.5 }],
		["NaN", { path: "a", size: Number.NaN }],
		["an infinite size", { path: "a", size: Number.POSITIVE_INFINITY }],
		["2^53", { path: "a", size: 2 ** 53 }],
		["a size as text", { path: "a", size: "1" }],
		["a BigInt", { path: "a", size: 1n }],
		["no path", { size: 1 }],
		["a path as bytes", { path: new Uint8Array(1), size: 1 }],
		["null", null],
		["a hole", undefined],
		["a path alone", "a"],
	])("%s is a fault of the source", (_, entry) => {
		expect(refusal([...entries(), entry as PackageEntry])).toMatchObject({
			code: "PACKAGE_SOURCE_FAILED" satisfies PackageErrorCode,
		});
	});

	test("the entries are copied: a source can't change them afterwards", () => {
		const entry = { path: "a", size: 1 };
		const tree = admitTree([...entries(), entry]);
		entry.size = 5;
		entry.path = "../b";
		expect(tree.files[1]).toEqual({ path: "a", size: 1 });
	});
});

test("files are ordered by their UTF-8 bytes, not by UTF-16 units or a locale (C14)", () => {
	const paths = ["\u{1f600}", "\uff3a", "z", "Y", "é", "a/b", "a!", "a0", "_"];
	const order = admitTree(entries(...paths)).files.map(({ path }) => path);
	const expected = [...paths, "FLOW.md"].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
	expect(order).toEqual(expected);
	expect(order.indexOf("\uff3a")).toBeLessThan(order.indexOf("\u{1f600}"));
});
