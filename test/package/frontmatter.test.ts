import { describe, expect, test } from "vitest";
import { PackageError, parseFlowMd } from "../../src/package/index.ts";
import { bytesOf, MINIMAL } from "./sources.ts";

const parse = (content: string | Uint8Array) => parseFlowMd(bytesOf(content));

function refusal(content: string | Uint8Array): PackageError {
	try {
		parse(content);
	} catch (error) {
		expect(error).toBeInstanceOf(PackageError);
		return error as PackageError;
	}
	throw new Error("accepted");
}

const joined = (...parts: (string | number[])[]): Uint8Array =>
	new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...bytesOf(part)] : part)));

describe("Package/1 section 2: delimiters", () => {
	test.each([
		["the minimum document", MINIMAL, 31],
		["M1: the closing line ends the file", MINIMAL.slice(0, -1), 30],
		["CRLF throughout", MINIMAL.replaceAll("\n", "\r\n"), 35],
		["an LF opening and a CRLF closing", "---\nname: x\ndescription: x\n---\r\nbody", 32],
		["a CRLF opening and an LF closing", "---\r\nname: x\ndescription: x\n---\nbody", 32],
		["the next exact line closes", "---\nname: x\ndescription: x\n---\n---\nname: y\n", 31],
	])("%s", (_, text, bodyOffset) => {
		expect(parse(text)).toMatchObject({ bodyOffset, metadata: { name: "x", description: "x" } });
	});

	test("the body keeps its exact bytes, whatever they are", () => {
		const body = "\r\n# Title\r\r\n\t\u0000\u0001 trailing  \n---\n";
		const bytes = bytesOf(MINIMAL + body);
		const { bodyOffset } = parseFlowMd(bytes);
		expect(new TextDecoder().decode(bytes.subarray(bodyOffset))).toBe(body);
	});

	test.each([
		["nothing", ""],
		["no opening", "name: x\n---\n"],
		["an empty line first", `\n${MINIMAL}`],
		["a space first", ` ${MINIMAL}`],
		["a space after the opening", "--- \nname: x\ndescription: x\n---\n"],
		["four hyphens", "----\nname: x\ndescription: x\n---\n"],
		["an opening ended by a lone CR", "---\rname: x\ndescription: x\n---\n"],
		["an opening and no more", "---"],
		["an opening line and no more", "---\n"],
		["no closing", "---\nname: x\ndescription: x\n"],
		["a closing with a space", "---\nname: x\ndescription: x\n--- \n"],
		["a closing with a tab", "---\nname: x\ndescription: x\n---\t\n"],
		["a closing with text", "---\nname: x\ndescription: x\n---x\n"],
		["an indented closing", "---\nname: x\ndescription: x\n ---\n"],
		["a closing ended by a lone CR", "---\nname: x\ndescription: x\n---\rbody"],
		["a closing ended by CR at the end of the file", "---\nname: x\ndescription: x\n---\r"],
		["a closing after a lone CR", "---\nname: x\ndescription: x\r---\n"],
	])("refuses %s", (_, text) =>
		expect(refusal(text)).toMatchObject({ code: "PACKAGE_FRONTMATTER_INVALID", path: "FLOW.md" }),
	);
});

describe("Package/1 section 2: encoding", () => {
	test("a byte order mark is refused", () => {
		expect(refusal(joined([0xef, 0xbb, 0xbf], MINIMAL))).toMatchObject({ code: "PACKAGE_ENCODING_INVALID", line: 1 });
	});

	test.each<[string, Uint8Array, number]>([
		["in the frontmatter", joined("---\nname: x\ndescription: ", [0xff], "\n---\n"), 3],
		["in the last byte of the body (C11)", joined(MINIMAL, "body\n", [0xe2, 0x82]), 6],
		["as an encoded surrogate", joined(MINIMAL, [0xed, 0xa0, 0x80], "\nmore"), 5],
		["as an overlong form", joined(MINIMAL, "a\nb", [0xc0, 0xaf]), 6],
		["above U+10FFFF", joined(MINIMAL, [0xf4, 0x90, 0x80, 0x80]), 5],
		["deep in a long body", joined(`${MINIMAL}${"é\n".repeat(600_000)}`, [0x80], "\n"), 600_005],
	])("invalid UTF-8 %s is refused with its line", (_, bytes, line) => {
		expect(refusal(bytes)).toMatchObject({ code: "PACKAGE_ENCODING_INVALID", line });
	});

	test("a long body of long characters passes, wherever the windows cut it", () => {
		for (const shift of ["", "a", "ab", "abc"]) {
			expect(() => parse(`${MINIMAL}${shift}${"😀".repeat(700_000)}`)).not.toThrow();
		}
	});

	test("a byte order mark further in is text of the body", () =>
		expect(() => parse(`${MINIMAL}\ufeff#`)).not.toThrow());
});

describe("Package/1 section 2: 262,144 bytes through the closing delimiter", () => {
	const sized = (bytes: number, end: string): string => {
		const head = "---\nname: x\ndescription: x\n#";
		return `${head}${"c".repeat(bytes - head.length - 1 - end.length)}\n${end}`;
	};

	test.each(["---\n", "---\r\n", "---"])("M3: with the closing line %j", (end) => {
		expect(parse(sized(262_144, end)).bodyOffset).toBe(262_144);
		expect(refusal(sized(262_145, end))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "frontmatterBytes", max: 262_144 },
		});
	});

	test("the body isn't bounded by it", () => {
		const text = sized(262_144, "---\n") + "b".repeat(500_000);
		expect(parse(text).bodyOffset).toBe(262_144);
	});

	test("bytes count, not characters", () => {
		const text = (count: number): string => `---\nname: x\ndescription: x\n#${"é".repeat(count)}\n---\n`;
		const fixed = bytesOf(text(0)).length;
		expect(() => parse(text((262_144 - fixed) / 2))).not.toThrow();
		expect(refusal(text((262_144 - fixed) / 2 + 1))).toMatchObject({ code: "PACKAGE_LIMIT_EXCEEDED" });
	});

	test("a long file without a closing line is too long as well", () => {
		expect(refusal(`---\n${"x".repeat(300_000)}`)).toMatchObject({ code: "PACKAGE_LIMIT_EXCEEDED" });
	});
});
