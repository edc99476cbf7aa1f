/** The driver protocol (DRIVER.md): what every answer carries, and which requests get no verdict. */
import { describe, expect, it } from "vitest";
import { answerLine, createDriver } from "../../conformance/driver.ts";
import { digestPackage, inspectPackage, memorySource } from "../../src/package/index.ts";

const driver = createDriver();

describe("requests and answers", () => {
	it.each([["a"], [0], [null], [{ deep: [1] }]])("repeats the id %j, admitted or refused", async (id) => {
		expect(await driver({ id, op: "json.parse", text: "1" })).toMatchObject({ id, ok: true });
		expect(await driver({ id, op: "json.parse", text: "x" })).toMatchObject({ id, ok: false });
		expect(await driver({ id, op: "nothing" })).toMatchObject({ id, ok: false });
	});

	it("has no id of its own", async () => {
		expect(await driver({ op: "json.parse", text: "1" })).not.toHaveProperty("id");
	});

	it("refuses with code, detail and place", async () => {
		expect(await driver({ op: "json.parse", text: "[x" })).toEqual({
			ok: false,
			error: { code: "JSON_SYNTAX", detail: expect.any(String), offset: 1 },
		});
		expect(await driver({ op: "package.path", path: "a//b" })).toMatchObject({
			error: { code: "PATH_EMPTY_SEGMENT", path: "a//b", offset: 2 },
		});
		expect(await driver({ op: "schema.compile", schema: {} })).toMatchObject({
			error: { code: "SCHEMA_INVALID", pointer: "/$schema" },
		});
	});

	it.each<[string, unknown]>([
		["no object", "json.parse"],
		["a list", [{ op: "json.parse" }]],
		["no op", { text: "1" }],
		["an unknown op", { op: "json.sort" }],
		["an op that every object inherits", { op: "toString" }],
		["no data", { op: "json.parse" }],
		["two forms of data", { op: "json.parse", text: "1", hex: "31" }],
		["text with a lone surrogate, which has no bytes", { op: "json.parse", text: '"\ud800"' }],
		["text that is none", { op: "json.parse", text: 1 }],
		["base64 that is none", { op: "json.parse", b64: "M" }],
		["half a hexadecimal pair", { op: "json.parse", hex: "313" }],
		["data that isn't wrapped", { op: "json.equal", a: "1", b: { text: "1" } }],
		["a double of seven bytes", { op: "json.es6number", hexDouble: "00000000000000" }],
		["no instance", { op: "schema.evaluate", schema: { $schema: "https://flow.jig.md/schemas/schema-1.json" } }],
		["files that are no list of pairs", { op: "package.digest", files: [["FLOW.md"]] }],
		["a directory where there is no file system", { op: "package.digestTree", root: "/" }],
	])("gives no verdict on %s", async (_, request) => {
		expect(await driver(request)).toEqual({ ok: false, badRequest: expect.any(String) });
	});
});

describe("data", () => {
	it.each([{ text: "[1]" }, { b64: "WzFd" }, { hex: "5B315d" }])("%j are the same bytes", async (data) => {
		expect(await driver({ op: "json.parse", ...data })).toMatchObject({ canonical: "[1]", bytes: 3 });
	});

	it("tells a large value by hash and size alone", async () => {
		const [small, large] = await Promise.all(
			[65_534, 65_535].map((length) => driver({ op: "json.canonical", value: "x".repeat(length) })),
		);
		expect([small, large]).toMatchObject([{ bytes: 65_536 }, { bytes: 65_537 }]);
		expect([small, large].map((answer) => ["canonical" in answer!, "b64" in answer!])).toEqual([
			[true, true],
			[false, false],
		]);
	});
});

describe("a line", () => {
	it("is answered by one line", async () => {
		const line = await answerLine(driver, '{"op":"json.parse","id":1,"text":"\\"\\\\n\\u2028\\""}');
		expect(line).not.toContain("\n");
		expect(JSON.parse(line)).toMatchObject({ id: 1, ok: true, canonical: '"\\n\u2028"' });
	});

	it("that is no JSON gets no verdict", async () => {
		expect(JSON.parse(await answerLine(driver, "{"))).toEqual({ ok: false, badRequest: expect.any(String) });
	});
});

it("directories are read through the port that is lent", async () => {
	const source = memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n" });
	const lent = createDriver({
		trees: {
			digestPackage: (root, options) => digestPackage(root === "/x" ? source : memorySource({}), options),
			inspectPackage: () => inspectPackage(source),
		},
	});
	const { digest } = await digestPackage(source);
	expect(await lent({ op: "package.digestTree", root: "/x" })).toMatchObject({ ok: true, digest });
	expect(await lent({ op: "package.inspectTree", root: "/x" })).toMatchObject({ digest, entrypoint: null, uses: {} });
});
