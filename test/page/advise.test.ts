/** What the Verify room tells a reviewer, what it says to each refusal, and what it reads as a manifest: all without a browser. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { adviseBytes, adviseEntry, type Notice, noticeOf } from "../../demo/page/rooms/verify/advise.ts";
import { adviseText } from "../../demo/page/rooms/verify/characters.ts";
import { compareFiles, withCrlf, withLf } from "../../demo/page/rooms/verify/compare.ts";
import { examine } from "../../demo/page/rooms/verify/examine.ts";
import { describeRefusal, explain } from "../../demo/page/rooms/verify/explain.ts";
import { adviseLookalikes } from "../../demo/page/rooms/verify/lookalikes.ts";
import { readManifest } from "../../demo/page/rooms/verify/manifest.ts";
import { NoticeBook } from "../../demo/page/rooms/verify/notice-book.ts";
import { reportJson, reportMarkdown } from "../../demo/page/rooms/verify/report.ts";
import { type Digest, digestPackage, memorySource } from "../../src/index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const kinds = (notices: readonly Notice[]): string[] => notices.map(({ kind }) => kind);

describe("characters", () => {
	it.each([
		["a right-to-left override", "x = 1; \u202e", "bidirectional", "U+202E RIGHT-TO-LEFT OVERRIDE"],
		["an isolate", "\u2066x", "bidirectional", "U+2066 LEFT-TO-RIGHT ISOLATE"],
		["a zero width space", "a\u200bb", "invisible", "U+200B ZERO WIDTH SPACE"],
		["a mark in the middle", "a\ufeffb", "invisible", "U+FEFF ZERO WIDTH NO-BREAK SPACE"],
		["a tag that spells", "a\u{e0041}", "invisible", "U+E0041 a tag, spelling “A” unseen"],
		["a selector with nothing to vary", "a\u{e0101}", "invisible", "U+E0101 a variation selector with nothing to vary"],
		["an ordinary selector after a letter", "a\ufe0f", "invisible", "U+FE0F a variation selector with nothing to vary"],
		["a Hangul filler", "a\u3164", "invisible", "U+3164 HANGUL FILLER"],
		["a line separator", "a\u2028", "invisible", "U+2028 LINE SEPARATOR"],
		["an escape", "\u001b[2J", "control", "U+001B ESCAPE"],
		["a backspace", "a\b", "control", "U+0008 BACKSPACE"],
		["a lone carriage return", "a\rb", "control", "U+000D CARRIAGE RETURN"],
		["a C1 control", "a\u009b", "control", "U+009B a C1 control"],
		["Cyrillic among Latin", "pаypal", "mixed-script", "“pаypal” mixes Latin and Cyrillic letters"],
		["Greek among Latin", "cοnst", "mixed-script", "“cοnst” mixes Latin and Greek letters"],
	])("%s is told", (_, text, kind, message) => {
		expect(adviseText("f", text)).toEqual([expect.objectContaining({ kind, message, path: "f", line: 1 })]);
	});

	it.each([
		["plain text", "a\tb\r\nc\n"],
		["a mark at the beginning", "\ufeffa"],
		["a family", "👨‍👩‍👧"],
		["a heart", "❤️ and 1️⃣"],
		["the flag of Wales", "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}"],
		["Persian", "می‌خواهم"],
		["Hindi", "क्‍ष"],
		["Russian beside English", "Привет, world"],
		["Greek beside English", "λόγος logos"],
		["Japanese", "日本語のテキスト"],
	])("%s is not", (_, text) => {
		expect(adviseText("f", text)).toEqual([]);
	});

	it("tells the line and the column, in characters", () => {
		expect(adviseText("f", "one\ntwo 😀\u200bx")).toEqual([
			expect.objectContaining({ line: 2, column: 6, kind: "invisible" }),
		]);
	});

	it("says what repeats three times, and then how often", () => {
		const notices = adviseText("f", "\u200b".repeat(1_000));
		expect(notices).toHaveLength(4);
		expect(notices.at(-1)?.message).toBe("and 997 more of them in this file");
	});
});

describe("names", () => {
	it.each([
		["Cyrillic o", "flоw.md", "flow.md"],
		["a zero for an O", "0.txt", "O.txt"],
		["fullwidth", "ａ.txt", "a.txt"],
		["something invisible", "a\u200b.txt", "a.txt"],
		["an l for a 1", "file1", "filel"],
	])("that look alike are told: %s", (_, one, other) => {
		expect(adviseLookalikes([one, other])).toEqual([
			{ kind: "collision", path: other, message: `looks like ${one}, and is another file` },
		]);
	});

	it("that don't are not", () => {
		expect(adviseLookalikes(["a.txt", "b.txt", "A.txt", "файл.txt", "ab", "a/b"])).toEqual([]);
	});

	it.each([
		["hidden", ".config/x", "surprising"],
		["an environment", "a/.env.local", "secret"],
		["a key", "server.pem", "secret"],
		["one that passes for Latin", "сор/x", "mixed-script"],
		["one that reorders", "gpj.\u202eexe", "bidirectional"],
	])("are told: %s", (_, path, kind) => {
		expect(kinds(adviseEntry(path, 1))).toEqual([kind]);
	});

	it("are not, when they are ordinary", () => {
		for (const path of ["FLOW.md", "src/flow.mjs", "привет.txt", "日本.md", "a-b_c.json"])
			expect(adviseEntry(path, 1)).toEqual([]);
	});

	it("of the library's own advisories are told once", () => {
		const advisory = { code: "surprising-file", path: "a/.env", message: "…" } as const;
		expect(noticeOf(advisory)).toBeUndefined();
		expect(noticeOf({ ...advisory, path: "node_modules" })?.kind).toBe("surprising");
	});
});

describe("contents", () => {
	it.each([
		["ELF", "a", [0x7f, 0x45, 0x4c, 0x46]],
		["PE", "a.exe", [0x4d, 0x5a]],
		["WebAssembly", "a.wasm", [0x00, 0x61, 0x73, 0x6d]],
		["zip", "a.zip", [0x50, 0x4b, 0x03, 0x04]],
		["gzip", "a.tgz", [0x1f, 0x8b]],
		["tar", "a.tar", [...Array(257).fill(0x20), ...bytes("ustar")]],
		["no UTF-8 under a text's name", "flow.mjs", [0xff, 0xfe, 0x00]],
	])("that nobody reads are told: %s", (_, path, start) => {
		expect(kinds(adviseBytes(path, Uint8Array.from(start)))).toEqual(["opaque"]);
	});

	it("a private key, and a minified line", () => {
		expect(kinds(adviseBytes("a.txt", bytes("-----BEGIN OPENSSH PRIVATE KEY-----\n")))).toEqual(["secret"]);
		expect(kinds(adviseBytes("a.mjs", bytes("x;".repeat(3_000))))).toEqual(["opaque"]);
		expect(adviseBytes("a.txt", bytes("x ".repeat(3_000)))).toEqual([]);
	});

	it("pictures and other data are let be", () => {
		expect(adviseBytes("a.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]))).toEqual([]);
		expect(adviseBytes("a.bin", bytes("a\0\u0001"))).toEqual([]);
	});

	it("many of one kind hide none of another", () => {
		const book = new NoticeBook();
		book.add(Array.from({ length: 500 }, (): Notice => ({ kind: "invisible", path: "f", message: "" })));
		book.add([{ kind: "secret", path: ".env", message: "" }]);
		expect(book.noticed().map(({ kind, notices, leftOut }) => [kind, notices.length, leftOut])).toEqual([
			["invisible", 100, 400],
			["secret", 1, 0],
		]);
	});
});

describe("refusals in plain words", () => {
	/** The members of a union of codes, as its source has them. */
	const codesOf = (path: string, union: string): string[] => {
		const text = readFileSync(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)), "utf8");
		const [, members = ""] = new RegExp(`export type ${union} =([^;]+);`).exec(text) ?? [];
		return Array.from(members.matchAll(/"([A-Z_0-9]+)"/g), ([, code = ""]) => code);
	};

	it.each([
		["package/error.ts", "PackageErrorCode"],
		["grammar/errors.ts", "PathErrorCode"],
		["json/error.ts", "JsonErrorCode"],
		["schema/error.ts", "SchemaErrorCode"],
		["contract/error.ts", "ContractErrorCode"],
	])("there are words for every code of %s", (path, union) => {
		const codes = codesOf(path, union);
		expect(codes.length).toBeGreaterThan(3);
		expect(codes.filter((code) => (explain(code)?.means ?? "") === "" || (explain(code)?.fix ?? "") === "")).toEqual(
			[],
		);
	});

	it("other errors have none, and their own message", () => {
		expect(explain("constructor")).toBeUndefined();
		expect(describeRefusal(new TypeError("odd"))).toMatchObject({ code: "UNKNOWN", message: "odd", explanations: [] });
	});

	it("say every thing that is wrong, each once", async () => {
		const source = memorySource({
			"FLOW.md": "---\nname: a\ndescription: A.\nnope: 1\n---\n",
			"input.schema.json": "{",
			"result.schema.json": '{"$schema":"https://flow.jig.md/schemas/schema-1.json","type":1}',
		});
		const { signal } = new AbortController();
		const { digest, refusals } = await examine(source, { signal, onProgress: () => {} });
		expect(digest).toBe((await digestPackage(source)).digest);
		expect(refusals.map(({ code, path }) => `${code} ${path}`)).toEqual([
			"PACKAGE_METADATA_INVALID FLOW.md",
			"PACKAGE_SCHEMA_INVALID input.schema.json",
			"PACKAGE_SCHEMA_INVALID result.schema.json",
		]);
	});
});

describe("examining", () => {
	it("gives the page a turn after each 50 ms of reading what has arrived already", async () => {
		const files = Array.from({ length: 300 }, (_, index) => [`${index}.bin`, "x"] as const);
		const source = memorySource([["FLOW.md", "---\nname: a\ndescription: A.\n---\n"], ...files]);
		// A clock that each look at it puts on by 10 ms, and each file is looked at twice: at its content, and at its end.
		let now = 0;
		const clock = vi.spyOn(performance, "now").mockImplementation(() => {
			now += 10;
			return now;
		});
		const turns = vi.spyOn(globalThis, "setTimeout");
		try {
			const { signal } = new AbortController();
			await examine(source, { signal, onProgress: () => {} });
			expect(turns.mock.calls.length).toBeGreaterThanOrEqual(80);
		} finally {
			turns.mockRestore();
			clock.mockRestore();
		}
	});
});

describe("comparing", () => {
	const digest = (letter: string): Digest => `sha256:${letter.repeat(64)}` as Digest;
	const file = (path: string, letter: string, size = 1) => ({ path, size, sha256: digest(letter) });

	it("names what was added, removed, renamed and changed", () => {
		const before = [file("a", "a"), file("b", "b"), file("c", "c"), file("d", "d"), file("e", "d")];
		const after = [file("a", "a"), file("b", "f", 2), file("x", "c"), file("y", "e"), file("z", "d")];
		expect(compareFiles(before, after).map((one) => [one.kind, one.path, "from" in one ? one.from : ""])).toEqual([
			["changed", "b", ""],
			["removed", "e", ""],
			["renamed", "x", "c"],
			["added", "y", ""],
			["renamed", "z", "d"],
		]);
	});

	it("line endings there and back", () => {
		const text = "a\r\nb\nc\r\r\n\n";
		expect(new TextDecoder().decode(withLf(bytes(text)))).toBe("a\nb\nc\r\n\n");
		expect(new TextDecoder().decode(withCrlf(bytes(text)))).toBe("a\r\nb\r\nc\r\r\n\r\n");
	});

	it("reads a manifest as the command writes it, escaped names as they were", () => {
		const text = `${digest("0")}\n${digest("1")}  12  a\\u{202e}b c\n`;
		expect(readManifest(text)).toEqual({ digest: digest("0"), files: [file("a\u202eb c", "1", 12)] });
		expect(readManifest(text.replaceAll("\n", "\r\n")).files).toHaveLength(1);
	});

	it.each([
		["nothing", "", /no manifest/],
		["JSON without files", `{"digest":"${digest("0")}"}`, /no “digest” and “manifest”/],
		["a bad line", `${digest("0")}\nwhat\n`, /Line 2/],
		["a bad entry", `{"digest":"${digest("0")}","manifest":[{"path":"a"}]}`, /Entry 1/],
	])("refuses %s", (_, text, message) => {
		expect(() => readManifest(text)).toThrow(message);
	});
});

describe("the report", () => {
	it("is a manifest again, and Markdown that no name breaks", async () => {
		const source = memorySource({ "FLOW.md": "---\nname: a\ndescription: A *b* <i>.\n---\n", "a|`b`.txt": "\u202e" });
		const { signal } = new AbortController();
		const examination = await examine(source, { signal, onProgress: () => {} });
		const manifest = readManifest(reportJson("a", examination));
		expect(manifest).toEqual({ digest: examination.digest, files: examination.files });
		const compared = {
			name: "b",
			digest: manifest.digest,
			differences: compareFiles(manifest.files.slice(1), manifest.files),
		};
		const markdown = reportMarkdown("a", examination, compared);
		expect(markdown).toContain("A \\*b\\* \\<i\\>.");
		expect(markdown).toContain("``a\\|`b`.txt``");
		expect(markdown).toContain("U\\+202E RIGHT-TO-LEFT OVERRIDE");
		expect(markdown).toContain("## Compared with b");
		expect(markdown).toContain("`FLOW.md` is only in this one (");
	});
});
