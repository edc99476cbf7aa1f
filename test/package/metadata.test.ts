import { describe, expect, test } from "vitest";
import { ContractError } from "../../src/contract/index.ts";
import { PathError } from "../../src/grammar/index.ts";
import { PackageError, type PackageErrorCode, parseFlowMd } from "../../src/package/index.ts";
import { bytesOf } from "./sources.ts";

const HEAD = "name: x\ndescription: x\n";
const parse = (yaml: string) => parseFlowMd(bytesOf(`---\n${yaml}\n---\n`));
const metadata = (yaml: string) => parse(HEAD + yaml).metadata;

function refusal(yaml: string): PackageError {
	try {
		parse(yaml);
	} catch (error) {
		expect(error).toBeInstanceOf(PackageError);
		return error as PackageError;
	}
	throw new Error("accepted");
}

const a64 = "a".repeat(64);

describe("Metadata/1: name and description", () => {
	test("the minimum document", () => {
		expect(parse("name: resize-image\ndescription: Resize an image to the requested dimensions.")).toMatchObject({
			metadata: {
				name: "resize-image",
				description: "Resize an image to the requested dimensions.",
				uses: new Map(),
				outcomes: new Map(),
				attachments: new Map(),
				channels: new Map(),
				extensions: {},
			},
			references: [],
		});
	});

	test.each(["a", "0", "a-b-c", "x1", a64, `${"a-".repeat(31)}ab`])("the name %s passes", (name) => {
		expect(parse(`name: "${name}"\ndescription: x`).metadata.name).toBe(name);
	});

	test.each(["", "A", "a_b", "a--b", "-a", "a-", "a.b", "a b", `${a64}a`, "é", "a\\n"])(
		"the name %j is refused",
		(name) => {
			expect(refusal(`name: "${name}"\ndescription: x`)).toMatchObject({
				code: "PACKAGE_METADATA_INVALID",
				pointer: "/name",
				line: 2,
				column: 1,
			});
		},
	);

	test("a number is no name, a quoted one is", () => {
		expect(refusal("name: 1\ndescription: x")).toMatchObject({ pointer: "/name" });
		expect(parse('name: "1"\ndescription: x').metadata.name).toBe("1");
	});

	test("descriptions: 1 to 16,384 characters, whatever their bytes (C10)", () => {
		const described = (text: string) => `name: x\ndescription: ${text}`;
		for (const text of ["x", "x".repeat(16_384), "é".repeat(16_384)])
			expect(() => parse(described(text))).not.toThrow();
		expect(() => parse(described("😀".repeat(16_384)))).not.toThrow();
		expect(refusal(described("😀".repeat(16_385)))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			pointer: "/description",
		});
		for (const text of ["", '""', "1", "true", "[x]", "{x: y}"]) {
			expect(refusal(described(text))).toMatchObject({ code: "PACKAGE_METADATA_INVALID", pointer: "/description" });
		}
	});

	test("both are required", () => {
		expect(refusal("description: x")).toMatchObject({ pointer: "/name" });
		expect(refusal("name: x")).toMatchObject({ pointer: "/description" });
	});

	test.each(["", "# nothing", "- name: x", "text", "null", "[]"])("the frontmatter %j is no map", (yaml) => {
		expect(refusal(yaml)).toMatchObject({ code: "PACKAGE_METADATA_INVALID", pointer: "" });
	});
});

describe("Metadata/1: the closed vocabulary", () => {
	test.each([
		"flow",
		"format",
		"version",
		"title",
		"Name",
		"use",
		"x",
		"x-",
		"X-a",
		"x-Bad",
		"x--a",
		"x-a_b",
		`x-${a64}a`,
		"toString",
		"__proto__",
		"''",
	])("the field %s is refused", (field) => {
		const error = refusal(`${HEAD}${field}: 1`);
		expect(error).toMatchObject({ code: "PACKAGE_METADATA_INVALID", line: 4, column: 1 });
		expect(error.message).toContain("Metadata/1 has no field");
	});

	test("extensions are kept as they are, and mean nothing", () => {
		const value = { name: ["A"], deep: { uses: { contract: "nowhere" } }, none: null };
		expect(metadata(`x-a: ${JSON.stringify(value)}\nx-${a64}: 1\nx-name: y`).extensions).toEqual({
			"x-a": value,
			[`x-${a64}`]: 1,
			"x-name": "y",
		});
	});

	test("M13: closed objects take no extensions", () => {
		expect(refusal(`${HEAD}uses: {a: {local: true, x-a: 1}}`)).toMatchObject({ pointer: "/uses/a/x-a" });
		expect(refusal(`${HEAD}channels: {a: {direction: send, x-a: 1}}`)).toMatchObject({ pointer: "/channels/a/x-a" });
	});

	test("C8: a map that is too large is so before its fields are looked at", () => {
		const fields = Array.from({ length: 257 }, (_, i) => `bad_${i}: 1\n`).join("");
		expect(refusal(fields)).toMatchObject({ code: "PACKAGE_LIMIT_EXCEEDED", limit: { name: "mapEntries", max: 256 } });
	});

	test.each(["uses", "outcomes", "attachments", "channels"])("%s may be empty, and is a map", (field) => {
		expect(() => metadata(`${field}: {}`)).not.toThrow();
		for (const value of ["", "[]", "x", "null", "true"]) {
			expect(refusal(`${HEAD}${field}: ${value}`)).toMatchObject({
				code: "PACKAGE_METADATA_INVALID",
				pointer: `/${field}`,
			});
		}
	});
});

describe("Metadata/1: uses", () => {
	test("a contract and a local seam", () => {
		const { metadata, references } = parse(
			`${HEAD}uses:\n  index:\n    contract: ./contracts/index.capability.json\n  scratch:\n    local: true`,
		);
		expect([...metadata.uses]).toEqual([
			["index", { contract: "contracts/index.capability.json" }],
			["scratch", { local: true }],
		]);
		expect(references).toEqual([
			{
				kind: "capability",
				path: "contracts/index.capability.json",
				pointer: "/uses/index/contract",
				line: 6,
				column: 5,
			},
		]);
	});

	test.each<[string, string, string]>([
		["neither form", "a: {}", "/uses/a"],
		["both forms", "a: {local: true, contract: ./a.json}", "/uses/a"],
		["local: false", "a: {local: false}", "/uses/a/local"],
		["local: 'true'", "a: {local: 'true'}", "/uses/a/local"],
		["text", "a: ./a.json", "/uses/a"],
		["an unknown field", "a: {contract: ./a.json, version: 1.0.0}", "/uses/a/version"],
		["a slot that is no LocalName", "a_b: {local: true}", "/uses/a_b"],
		["a slot of 65 characters", `${a64}a: {local: true}`, `/uses/${a64}a`],
		["a contract that is no text", "a: {contract: 1}", "/uses/a/contract"],
	])("refuses %s", (_, slot, pointer) => {
		expect(refusal(`${HEAD}uses:\n  ${slot}`)).toMatchObject({ code: "PACKAGE_METADATA_INVALID", pointer });
	});

	test.each([
		"a.json",
		"/a.json",
		"../a.json",
		"./../a.json",
		"././a.json",
		"./a/./b",
		"./",
		".",
		"'./a//b'",
		"./a/",
		"'.\\a'",
		"'./a\\b'",
		"./a%20b",
		"./a%2Fb",
		"'./e\\u0301'",
		'"./e\\u0301"',
		'"./a\\0b"',
		"''",
	])("the reference %s is misspelled", (reference) => {
		const error = refusal(`${HEAD}uses: {a: {contract: ${reference}}}`);
		expect(error).toMatchObject({ code: "PACKAGE_REFERENCE_INVALID", pointer: "/uses/a/contract", line: 4 });
		expect(error.cause).toBeInstanceOf(PathError);
	});

	test("P6: a bare percent sign is itself", () => {
		expect(metadata("uses: {a: {contract: ./100%.json}}").uses.get("a")).toEqual({ contract: "100%.json" });
	});
});

describe("Metadata/1: outcomes and attachments", () => {
	test("outcomes with their descriptions", () => {
		expect([
			...metadata("outcomes:\n  needs-review: A person has to look.\n  skipped: |\n    Nothing to do.").outcomes,
		]).toEqual([
			["needs-review", "A person has to look."],
			["skipped", "Nothing to do.\n"],
		]);
	});

	test.each(["done", "failed", "cancelled", "error"])("%s is reserved", (name) => {
		expect(refusal(`${HEAD}outcomes: {${name}: x}`)).toMatchObject({
			pointer: `/outcomes/${name}`,
			line: 4,
			column: 12,
		});
	});

	test.each(["a: ''", "a:", "a: 1", "a: [x]", "A: x"])("the outcome %j is refused", (outcome) => {
		expect(refusal(`${HEAD}outcomes: {${outcome}}`)).toMatchObject({ code: "PACKAGE_METADATA_INVALID" });
	});

	test("attachments are read or read-write", () => {
		expect([...metadata("attachments: {source: read, work: read-write}").attachments]).toEqual([
			["source", "read"],
			["work", "read-write"],
		]);
		for (const access of ["write", "readwrite", "Read", "rw", "true", "{access: read}", "''"]) {
			expect(refusal(`${HEAD}attachments: {a: ${access}}`)).toMatchObject({ pointer: "/attachments/a" });
		}
	});
});

describe("Metadata/1: channels", () => {
	test("every form", () => {
		const { metadata, references } = parse(
			`${HEAD}channels:\n  events:\n    direction: send\n    required: false\n    contract: ./contracts/updates.json\n  lines:\n    direction: receive\n    schema: {type: string}\n    start: suffix`,
		);
		expect(metadata.channels.get("events")).toEqual({
			direction: "send",
			required: false,
			contract: "contracts/updates.json",
		});
		expect(metadata.channels.get("lines")).toMatchObject({ direction: "receive", required: true, start: "suffix" });
		expect(references).toMatchObject([{ kind: "channel", path: "contracts/updates.json", line: 8 }]);
	});

	test.each<[string, PackageErrorCode, string, number]>([
		["a: {}", "PACKAGE_METADATA_INVALID", "/channels/a", 5],
		["a: {direction: send, start: suffix}", "PACKAGE_METADATA_INVALID", "/channels/a/start", 5],
		[
			"a:\n    direction: send\n    schema:\n      type: text",
			"PACKAGE_METADATA_INVALID",
			"/channels/a/schema/type",
			8,
		],
		["a: {direction: send, schema: {pattern: x}}", "PACKAGE_METADATA_INVALID", "/channels/a/schema/pattern", 5],
		["a: {direction: send, contract: a.json}", "PACKAGE_REFERENCE_INVALID", "/channels/a/contract", 5],
		["A: {direction: send}", "PACKAGE_METADATA_INVALID", "/channels/A", 5],
	])("refuses %j", (channel, code, pointer, line) => {
		const error = refusal(`${HEAD}channels:\n  ${channel}`);
		expect(error).toMatchObject({ code, pointer, line });
		expect(error.cause).toBeInstanceOf(ContractError);
	});
});

test("messages are safe to show: what they quote is escaped", () => {
	expect(refusal(`${HEAD}"\\e[31m\\u202e": 1`).message).toMatch(/^[\x20-\x7e]*$/);
});

test("a reference's column is counted in characters, however long its line and however many there are", () => {
	const map = (entry: (i: number) => string) => `{${Array.from({ length: 256 }, (_, i) => entry(i)).join(", ")}}`;
	const uses = map((i) => `s${i}: {contract: ./c${i}}`);
	const channels = map((i) => `c${i}: {direction: send, contract: ./d${i}}`);
	const before = `{name: x, description: x, x-a: "${"\u{1f600}".repeat(50_000)}", uses: `;
	const started = performance.now();
	const { references } = parse(`${before}${uses}, channels: ${channels}}`);
	expect(references).toHaveLength(512);
	expect(references[0]).toMatchObject({ line: 2, column: Array.from(before).length + "{s0: {".length + 1 });
	// 512 places of 50,000 characters each: a fraction of a second, unless each builds a list of them.
	expect(performance.now() - started).toBeLessThan(5_000);
});
