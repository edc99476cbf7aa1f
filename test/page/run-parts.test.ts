/** What the run room decides without a browser: input, deadlines, needs, and the packages that come with the page. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { directory } from "../../adapters/node/index.ts";
import { checkDeadline, checkText } from "../../demo/page/rooms/run/check-text.ts";
import { layOut } from "../../demo/page/rooms/run/lay-out.ts";
import { needsOf } from "../../demo/page/rooms/run/needs.ts";
import { sketchOf } from "../../demo/page/rooms/run/sketch.ts";
import { compileSchema, inspectPackage, memorySource } from "../../src/index.ts";

const schema = compileSchema(
	'{"$schema":"https://flow.jig.md/schemas/schema-1.json","type":"object","properties":{"name":{"type":"string"}},"required":["name"]}',
);

describe("what is typed as JSON", () => {
	it("is given on when it fits", () => {
		expect(checkText('{"name": "Ada"}', schema)).toEqual({ ok: true, value: { name: "Ada" } });
		expect(checkText("[1]", undefined)).toEqual({ ok: true, value: [1] });
	});

	it.each([
		["", "", /Nothing is written/],
		['{"name": ', "line 1, column 10", /^Expected a value, found the end of the text\.$/],
		['{"a": 1, "a": 2}', "line 1, column 10", /^A member name for the second time in one object\.$/],
		['{"name": 1}', "/name", /^Expected string, got integer$/],
		["{}", "", /^The required member "name" is missing$/],
	])("%j is refused at %j", (text, where, message) => {
		const checked = checkText(text, schema);
		expect(checked.ok).toBe(false);
		if (checked.ok) return;
		expect(checked.problems[0]!.where).toBe(where);
		expect(checked.problems[0]!.message).toMatch(message);
	});

	it("is laid out with short lists on one line", () => {
		expect(layOut({ place: "Hobart", celsius: [11.5, 12], deep: { none: {} } })).toBe(
			'{\n  "place": "Hobart",\n  "celsius": [11.5, 12],\n  "deep": {\n    "none": {}\n  }\n}',
		);
		expect(JSON.parse(layOut([{ a: [] }, "x", null]))).toEqual([{ a: [] }, "x", null]);
	});
});

describe("a sketch of an input", () => {
	const sketch = (schema: object): unknown => sketchOf(JSON.stringify(schema));

	it("has what the schema requires, as plain as can be", () => {
		const properties = {
			name: { type: "string" },
			many: { type: "array" },
			size: { $ref: "#/$defs/Size" },
			unit: { enum: ["m", "ft"] },
			left: { type: "boolean" },
		};
		const $defs = { Size: { type: "integer", minimum: 3 } };
		expect(sketch({ type: "object", properties, required: ["name", "many", "size", "unit"], $defs })).toEqual({
			...{ name: "", many: [], size: 3, unit: "m" },
		});
	});

	it("ends where a schema goes round in circles, and is null where there is nothing to draw", () => {
		const $defs = { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } }, required: ["next"] } };
		expect(JSON.stringify(sketch({ $ref: "#/$defs/Node", $defs })).length).toBeLessThan(100);
		for (const none of [undefined, "true", "no json", "{}"]) expect(sketchOf(none)).toBeNull();
	});
});

describe("a deadline", () => {
	it.each([
		["30", 30_000],
		[" 0.5 ", 500],
	])("%j is %d ms", (text, ms) => expect(checkDeadline(text)).toEqual({ ms }));

	it.each(["", "0", "-1", "1e3", "4000", "soon", "Infinity"])("%j is none", (text) =>
		expect(checkDeadline(text)).toEqual({ problem: expect.stringContaining("seconds") }),
	);
});

describe("what a package needs", () => {
	const flowMd = (more = ""): string => `---\nname: test\ndescription: A test.\n${more}---\n`;
	const launcherFor = ({ path, suffix }: { readonly path: string; readonly suffix: string }) =>
		suffix === "mjs"
			? ({ ok: true, description: "a Worker" } as const)
			: ({ ok: false, code: "RUNTIME_UNSUPPORTED", message: `Not ${path}.` } as const);
	const needs = async (files: Readonly<Record<string, string>>, given: readonly string[] = []) =>
		needsOf(await inspectPackage(memorySource(files)), given, launcherFor).map(({ what, state }) => [what, state]);

	it("is nothing but code", async () => {
		expect(await needs({ "FLOW.md": flowMd(), "flow.mjs": "" })).toEqual([]);
		expect(await needs({ "FLOW.md": flowMd() })).toEqual([["No code", "blocking"]]);
		expect(await needs({ "FLOW.md": flowMd(), "flow.py": "" })).toEqual([["flow.py", "blocking"]]);
	});

	it("is said before it starts: files block, capabilities without an answer don't", async () => {
		const files = flowMd("attachments:\n  notes: read\nuses:\n  clock:\n    local: true\n  store:\n    local: true\n");
		expect(await needs({ "FLOW.md": files, "flow.mjs": "" }, ["clock"])).toEqual([
			["Attachment notes", "blocking"],
			["Capability clock", "given"],
			["Capability store", "lacking"],
		]);
	});
});

describe("demo/page/flows", () => {
	const flows = fileURLToPath(new URL("../../demo/page/flows", import.meta.url));

	it.each(readdirSync(flows))("%s is a package, named as its folder", async (name) => {
		const { metadata, entrypoint } = await inspectPackage(directory(`${flows}/${name}`));
		expect(metadata.name).toBe(name);
		expect(entrypoint?.path).toBe("flow.mjs");
	});
});
