import { describe, expect, test } from "vitest";
import { parseCapabilityContract } from "../../src/contract/index.ts";
import type { RunOptions } from "../../src/host/index.ts";
import type { JsonObject } from "../../src/json/index.ts";
import { memorySource } from "../../src/package/index.ts";
import { answering, arrange, DONE, ending, expectNothingLeft } from "./arrange.ts";

const CONTRACT = JSON.stringify({
	$schema: "https://flow.jig.md/schemas/capability-contract-1.schema.json",
	flowCapabilityContract: 1,
	id: "https://example.org/store",
	version: "1.0.0",
	methods: { read: { input: { type: "string" }, output: true, errors: { "not-found": true } } },
});
const schema = (body: object): string =>
	JSON.stringify({ $schema: "https://flow.jig.md/schemas/schema-1.json", ...body });
const NUMBER_SETTINGS = { "settings.schema.json": schema({ type: "object", properties: { n: { type: "number" } } }) };
const STORE = { "contracts/store.json": CONTRACT };
const provider = { call: () => ({ value: null }) };

async function refused(
	frontmatter: string,
	files: Record<string, string>,
	options: Partial<RunOptions>,
): Promise<{ code: string; phase: string; message: string; details?: unknown }> {
	const stage = arrange({ main: answering(DONE) });
	const [, failure] = await ending(stage, stage.run(await stage.load("main", frontmatter, files), options));
	expect(stage.runtime.components).toEqual([]);
	expectNothingLeft(stage);
	return failure!;
}

async function accepted(
	frontmatter: string,
	files: Record<string, string>,
	options: Partial<RunOptions>,
): Promise<void> {
	const stage = arrange({ main: answering(DONE) });
	const [outcome] = await ending(stage, stage.run(await stage.load("main", frontmatter, files), options));
	expect(outcome).toEqual(DONE);
	expectNothingLeft(stage);
}

describe("what can be executed (Package/1 section 3)", () => {
	test("an instructions-only package is refused", async () => {
		const { host } = arrange({});
		const pack = await host.load(memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n" }));
		await expect(host.run(pack, { input: null }).result).rejects.toMatchObject({
			code: "PACKAGE_INSTRUCTIONS_ONLY",
			phase: "package",
		});
	});

	test.each([
		["flow.zig", "x", "RUNTIME_UNSUPPORTED"],
		["flow.fake", "#!/usr/bin/env other\nx", "SELECTOR_UNSUPPORTED"],
	])("%s with %j is %s", async (path, content, code) => {
		const { host } = arrange({});
		const pack = await host.load(memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n", [path]: content }));
		await expect(host.run(pack, { input: null }).result).rejects.toMatchObject({ code, phase: "activation" });
	});
});

describe("settings (Schema/1 section 1)", () => {
	test("without a schema only {} is valid", async () => {
		await accepted("", {}, { settings: {} });
		const failure = await refused("", {}, { settings: { n: 1 } });
		expect(failure).toMatchObject({ code: "INVALID_SETTINGS", phase: "activation" });
	});

	test("with a schema they are checked, and never repeated in details", async () => {
		await accepted("", NUMBER_SETTINGS, { settings: { n: 1 } });
		const failure = await refused("", NUMBER_SETTINGS, { settings: { n: "secret" } });
		expect(failure).toMatchObject({
			code: "INVALID_SETTINGS",
			message: "The settings object does not fit its schema at /n: Expected number, got string (schema /properties/n).",
			details: [
				{
					instancePointer: "/n",
					schemaPointer: "/properties/n",
					keyword: "type",
					message: "Expected number, got string",
				},
			],
		});
		expect(JSON.stringify(failure.details) + failure.message).not.toContain("secret");
	});

	test.each([null, [], "text", 1])("%j is no settings object", async (settings) => {
		const failure = await refused("", NUMBER_SETTINGS, { settings: settings as never });
		expect(failure.code).toBe("INVALID_SETTINGS");
	});

	test("a value outside JSON/1 is refused with its place", async () => {
		const failure = await refused("", NUMBER_SETTINGS, { settings: { n: Number.NaN } });
		expect(failure).toMatchObject({
			code: "INVALID_SETTINGS",
			message: expect.stringMatching(
				/^The settings value is not a FLOW JSON\/1 value at \/n: A number that is not finite/,
			),
			details: { code: "JSON_NUMBER_RANGE", instancePointer: "/n" },
		});
	});
});

describe("input (Schema/1 section 2)", () => {
	const files = { "input.schema.json": schema({ type: "string", maxLength: 3 }) };

	test("is checked before anything starts", async () => {
		await accepted("", files, { input: "abc" });
		const failure = await refused("", files, { input: "secret" });
		expect(failure).toMatchObject({
			code: "INVALID_INPUT",
			phase: "activation",
			message: "The input does not fit its schema at the root: Longer than 3 characters.",
			details: [
				{
					code: "INVALID_INPUT",
					instancePointer: "",
					schemaPointer: "",
					keyword: "maxLength",
					message: "Longer than 3 characters",
				},
			],
		});
		expect(JSON.stringify(failure.details) + failure.message).not.toContain("secret");
	});

	test("validation that runs out of its budget is RESOURCE_EXHAUSTED, never invalid", async () => {
		const failure = await refused("", files, { input: "x".repeat(1_000_001) });
		expect(failure).toMatchObject({ code: "RESOURCE_EXHAUSTED", phase: "activation" });
	});

	test("a value outside JSON/1 is INVALID_INPUT", async () => {
		expect(await refused("", {}, { input: [1, undefined] as never })).toMatchObject({
			code: "INVALID_INPUT",
			details: { instancePointer: "/1" },
		});
	});

	test("a value that fits alone but not in its frame is INVALID_INPUT before launch", async () => {
		let deep: unknown = null;
		for (let level = 0; level < 127; level += 1) deep = [deep];
		expect(await refused("", {}, { input: deep as never })).toMatchObject({
			code: "INVALID_INPUT",
			phase: "activation",
		});
	});

	test("the value is taken when run is called", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				component.answer(root.id, { outcome: "done", output: root.params.input });
				component.exit(0);
			},
		});
		const input = { n: 1 };
		const run = stage.run(await stage.load("main"), { input });
		input.n = 2;
		expect((await ending(stage, run))[0]).toEqual({ outcome: "done", output: { n: 1 } });
	});
});

describe("attachments (Package/1 section 2)", () => {
	const declared = "attachments:\n  source: read\n  work: read-write\n";
	const source = { path: "/a" };

	test("declared ones are prepared with the access granted", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				component.answer(root.id, { outcome: "done", output: root.params.attachments });
				component.exit(0);
			},
		});
		const attachments = { work: { path: "/w", access: "read-write" as const, trusted: true }, source };
		const [outcome] = await ending(stage, stage.run(await stage.load("main", declared), { attachments }));
		expect(outcome).toEqual({
			outcome: "done",
			output: {
				source: { path: "/attachment/3", access: "read" },
				work: { path: "/attachment/4", access: "read-write" },
			},
		});
		expect(stage.runtime.attached.map(({ name, access, source: { path } }) => [name, access, path])).toEqual([
			["source", "read", "/a"],
			["work", "read-write", "/w"],
		]);
		expectNothingLeft(stage);
	});

	test("less access than declared is admitted", () =>
		accepted(declared, {}, { attachments: { source, work: { path: "/w", access: "read" } } }));

	test("a missing one is refused", async () => {
		expect(await refused(declared, {}, { attachments: { source } })).toMatchObject({
			code: "ATTACHMENT_MISSING",
			phase: "activation",
		});
	});

	test("access above the declaration is refused", async () => {
		const attachments = { source: { path: "/a", access: "read-write" as const }, work: source };
		expect((await refused(declared, {}, { attachments })).code).toBe("ATTACHMENT_ACCESS");
	});

	test("an undeclared one is refused", async () => {
		expect((await refused("", {}, { attachments: { source } })).code).toBe("ATTACHMENT_UNDECLARED");
	});

	test("a declared name is an own property: inherited ones don't count", async () => {
		const attachments = Object.create({ source, work: source });
		expect((await refused(declared, {}, { attachments })).code).toBe("ATTACHMENT_MISSING");
	});
});

describe("channels (Channel Contract/1 section 1)", () => {
	test("a required root channel that is not connected refuses the Run", async () => {
		const failure = await refused("channels:\n  events:\n    direction: send\n", {}, {});
		expect(failure).toMatchObject({ code: "CHANNEL_UNCONNECTED", phase: "activation" });
	});

	test("an optional one is absent", () =>
		accepted("channels:\n  events:\n    direction: send\n    required: false\n", {}, {}));
});

describe("capability slots (Capability Contract/1 sections 3 and 4)", () => {
	const uses = "uses:\n  store:\n    contract: ./contracts/store.json\n  scratch:\n    local: true\n";
	const { identity } = parseCapabilityContract(CONTRACT);

	test.each([
		["identity", identity],
		["parsed contract", parseCapabilityContract(CONTRACT)],
		["descriptor", JSON.parse(CONTRACT) as JsonObject],
	])("the exact triple fits, named by %s", (_, contract) =>
		accepted(uses, STORE, { capabilities: { store: { ...provider, contract }, scratch: provider } }),
	);

	test.each([
		["id", { ...identity, id: "https://example.org/other" }],
		["version", { ...identity, version: "2.0.0" }],
		["digest", { ...identity, digest: `sha256:${"0".repeat(64)}` as const }],
	])("another %s is refused", async (part, contract) => {
		const failure = await refused(uses, STORE, { capabilities: { store: { ...provider, contract } } });
		expect(failure).toMatchObject({ code: "PROVIDER_MISMATCH", phase: "activation" });
		expect(failure.message).toContain(part);
	});

	test("a provider without a contract never satisfies one", async () => {
		expect((await refused(uses, STORE, { capabilities: { store: provider } })).code).toBe("PROVIDER_MISMATCH");
	});

	test("a local slot takes local providers only", async () => {
		const capabilities = { scratch: { ...provider, contract: identity } };
		expect((await refused(uses, STORE, { capabilities })).code).toBe("PROVIDER_MISMATCH");
	});

	test("a provider that names no valid contract is refused", async () => {
		const capabilities = { store: { ...provider, contract: { flowCapabilityContract: 2 } } };
		expect((await refused(uses, STORE, { capabilities })).code).toBe("PROVIDER_MISMATCH");
	});

	test("an undeclared slot can't be bound", async () => {
		expect((await refused(uses, STORE, { capabilities: { other: provider } })).code).toBe("SLOT_UNDECLARED");
	});
});

describe("children", () => {
	test("a child that could never start is refused with its parent", async () => {
		const stage = arrange({ main: answering(DONE) });
		const child = await stage.host.load(memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n" }));
		const [, failure] = await ending(stage, stage.run(await stage.load("main"), { children: { helper: child } }));
		expect(failure).toMatchObject({ code: "PACKAGE_INSTRUCTIONS_ONLY" });
		expect(failure!.message).toContain('Child slot "helper"');
	});

	test("a child may bind itself", async () => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main");
		const target: { package: typeof pack; children: Record<string, unknown> } = { package: pack, children: {} };
		target.children.again = target;
		expect((await ending(stage, stage.run(pack, { children: { child: target as never } })))[0]).toEqual(DONE);
	});
});

describe("malformed options are the caller's mistake, at once", () => {
	test.each([
		["a deadline of 0", { deadlineMs: 0 }],
		["a deadline that is no number", { deadlineMs: Number.NaN }],
		["a deadline above the host's", { deadlineMs: 7 * 86_400_000 + 1 }],
	])("%s", async (_, options) => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main");
		expect(() => stage.run(pack, options)).toThrow(RangeError);
		expect(stage.runtime.clock.pending).toBe(0);
	});

	test.each([
		["a package that was never loaded", { children: { a: {} } }],
		["a slot that is no LocalName", { children: { A: () => DONE } }],
		["a provider without call", { capabilities: { a: {} } }],
		["an attachment without a path", { attachments: { a: {} } }],
	])("%s", async (_, options) => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main");
		expect(() => stage.run(pack, options as never)).toThrow(TypeError);
		expect(() => stage.host.run({} as never, { input: null })).toThrow(TypeError);
		expect(() => stage.host.run(pack, {} as never)).toThrow(TypeError);
		expect(stage.runtime.clock.pending).toBe(0);
	});

	test("a function as provider is told what a provider is", async () => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main", "uses:\n  store:\n    local: true\n");
		const options = { capabilities: { store: () => ({ value: 1 }) } };
		expect(() => stage.run(pack, options as never)).toThrow(TypeError);
		expect(() => stage.run(pack, options as never)).toThrow('"store" needs an object { call }');
	});
});
