import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CAPABILITY_CONTRACT_URI, CHANNEL_CONTRACT_URI, ContractError } from "../../src/contract/index.ts";
import { inspectPackage, memorySource, PackageError, type PackageErrorCode } from "../../src/package/index.ts";
import { SCHEMA_URI, SchemaError } from "../../src/schema/index.ts";
import { portableSha256 } from "../../src/sha256.ts";
import { vectorBytes, vectorsDirectory } from "../house/vectors.ts";
import { type Files, independentDigest } from "./independent.ts";
import { bytesOf, declaredSource, MINIMAL, streamSource } from "./sources.ts";

const flow = (yaml: string, body = ""): string => `---\nname: x\ndescription: x\n${yaml}\n---\n${body}`;
const inspect = (files: Files) => inspectPackage(memorySource(files));

async function refusal(run: Promise<unknown>): Promise<PackageError> {
	const error = await run.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(PackageError);
	return error as PackageError;
}

const capability = (more: object = {}, version = "1.0.0"): string =>
	JSON.stringify({
		$schema: CAPABILITY_CONTRACT_URI,
		flowCapabilityContract: 1,
		id: "https://example.org/index",
		version,
		methods: { find: { input: true, output: true, errors: {}, ...more } },
	});
const channel = (semantics = "words", version = "1.0.0"): string =>
	JSON.stringify({
		$schema: CHANNEL_CONTRACT_URI,
		id: "https://example.org/words",
		version,
		semantics,
		item: { type: "string" },
	});
const schema = (more: object = {}): string => JSON.stringify({ $schema: SCHEMA_URI, ...more });

describe("inspectPackage: one snapshot", () => {
	const files = {
		"FLOW.md": flow(
			`uses:
  index:
    contract: ./contracts/index.capability.json
  again:
    contract: ./contracts/index.capability.json
  scratch:
    local: true
outcomes:
  review: A person has to look.
attachments:
  source: read
channels:
  words:
    direction: send
    contract: ./contracts/words.json
  log:
    direction: receive
    schema: {type: string}
x-note: [1]`,
			"# Title\r\n",
		),
		"flow.ts": "#!/usr/bin/env node\nexport {};\n",
		"input.schema.json": schema({ type: "string" }),
		"result.schema.json": schema({ type: "object" }),
		"contracts/index.capability.json": capability({
			channels: { words: { direction: "receive", contract: "./a/more.json" } },
		}),
		"contracts/words.json": channel(),
		"a/more.json": channel("more", "1.0.1"),
		"0/data.bin": new Uint8Array([1, 2, 3]),
	};

	test("says everything that can be said", async () => {
		const pack = await inspect(files);
		expect(pack.digest).toBe(independentDigest(files));
		expect(pack.metadata).toMatchObject({ name: "x", description: "x", extensions: { "x-note": [1] } });
		expect(new TextDecoder().decode(pack.body)).toBe("# Title\r\n");
		expect(bytesOf(files["FLOW.md"]).subarray(pack.bodyOffset)).toEqual(pack.body);
		expect(pack.entrypoint).toEqual({ path: "flow.ts", suffix: "ts", selector: "node" });
		expect(pack.schemas.input!.accepts("x")).toBe(true);
		expect(pack.schemas.input!.accepts(1)).toBe(false);
		expect(pack.schemas.settings).toBeUndefined();
		expect(pack.schemas.result!.accepts({})).toBe(true);
		expect(pack.outcomes).toEqual(new Map([["review", "A person has to look."]]));
		expect(pack.attachments).toEqual(new Map([["source", "read"]]));
		expect(pack.frontmatter).toMatchObject({ uses: { scratch: { local: true } } });
		expect([...pack.channelContracts.keys()].sort()).toEqual(["a/more.json", "contracts/words.json"]);
		expect(pack.channels.get("words")).toMatchObject({
			direction: "send",
			contract: "contracts/words.json",
			contractIdentity: pack.channelContracts.get("contracts/words.json")!.identity,
		});
		expect(pack.channels.get("log")).not.toHaveProperty("contractIdentity");
		expect(pack.uses.get("scratch")).toEqual({ local: true });
		const index = pack.uses.get("index");
		expect(index).toMatchObject({
			path: "contracts/index.capability.json",
			contract: { identity: { version: "1.0.0" } },
		});
		// C12: one path is parsed once.
		expect((pack.uses.get("again") as typeof index & { contract: unknown }).contract).toBe(
			(index as { contract: unknown }).contract,
		);
		for (const { path, sha256 } of pack.files) {
			const content = bytesOf(files[path as keyof typeof files]);
			expect(sha256).toBe(`sha256:${createHash("sha256").update(content).digest("hex")}`);
		}
		for (const part of [
			pack,
			pack.metadata,
			pack.files,
			pack.files[0],
			pack.schemas,
			pack.entrypoint,
			index,
			pack.advisories,
		]) {
			expect(Object.isFrozen(part)).toBe(true);
		}
	});

	test("opens every file exactly once, whatever the chunks", async () => {
		const source = streamSource(files, { cut: (bytes) => [...bytes].map((byte) => new Uint8Array([byte])) });
		expect((await inspectPackage(source)).digest).toBe(independentDigest(files));
		expect([...source.opened].sort()).toEqual(Object.keys(files).sort());
	});

	test("the bytes that were inspected are the bytes that were hashed", async () => {
		// A source that would give other bytes the second time.
		let opened = 0;
		const honest = memorySource({ "FLOW.md": flow("outcomes: {a: honest}") });
		const other = memorySource({ "FLOW.md": flow("outcomes: {a: forged}") });
		const pack = await inspectPackage({
			list: honest.list,
			open: (path) => (opened++ === 0 ? honest : other).open(path),
		});
		expect(pack.digest).toBe(independentDigest({ "FLOW.md": flow(`outcomes: {a: ${pack.outcomes.get("a")}}`) }));
		expect(opened).toBe(1);
	});

	test("a channel contract is parsed once, however many ports and methods name it", async () => {
		const named = { words: { direction: "receive", contract: "./words.json" } };
		const tree = {
			"FLOW.md": flow(
				"uses: {a: {contract: ./a.json}}\nchannels: {p: {direction: send, contract: ./words.json}, q: {direction: send, contract: ./words.json}}",
			),
			"a.json": capability({ channels: named }),
			"words.json": channel(),
		};
		let hashes = 0;
		const sha256 = () => {
			hashes += 1;
			return portableSha256();
		};
		await inspectPackage(memorySource(tree), { sha256, manifest: false });
		// One for each descriptor, one for the package.
		expect(hashes).toBe(3);
	});

	test("the manifest can be left out", async () => {
		const pack = await inspectPackage(memorySource(files), { manifest: false });
		expect(pack.files[0]).toEqual({ path: "0/data.bin", size: 3 });
	});

	test("an instructions-only package has no entrypoint", async () => {
		expect(await inspect({ "FLOW.md": MINIMAL })).not.toHaveProperty("entrypoint");
	});
});

describe("inspectPackage: refusals", () => {
	test.each<[string, Files, Partial<PackageError>]>([
		["bad FLOW.md", { "FLOW.md": "x" }, { code: "PACKAGE_FRONTMATTER_INVALID", path: "FLOW.md" }],
		[
			"two implementations",
			{ "FLOW.md": MINIMAL, "flow.ts": "", "flow.py": "" },
			{ code: "PACKAGE_ENTRYPOINT_AMBIGUOUS" },
		],
		[
			"a bad selector",
			{ "FLOW.md": MINIMAL, "flow.py": "#!/usr/bin/python3\n" },
			{ code: "PACKAGE_SELECTOR_INVALID", path: "flow.py" },
		],
		[
			"a schema that is no schema",
			{ "FLOW.md": MINIMAL, "input.schema.json": "true" },
			{ code: "PACKAGE_SCHEMA_INVALID", path: "input.schema.json" },
		],
		[
			"an unsupported keyword",
			{ "FLOW.md": MINIMAL, "settings.schema.json": schema({ format: "date" }) },
			{ code: "PACKAGE_SCHEMA_INVALID", pointer: "/format" },
		],
		[
			"a malformed result schema",
			{ "FLOW.md": MINIMAL, "result.schema.json": "{" },
			{ code: "PACKAGE_SCHEMA_INVALID" },
		],
		[
			"a missing descriptor",
			{ "FLOW.md": flow("uses: {a: {contract: ./a.json}}") },
			{ code: "PACKAGE_REFERENCE_MISSING", path: "FLOW.md", otherPath: "a.json", pointer: "/uses/a/contract", line: 4 },
		],
		[
			"a directory as descriptor",
			{ "FLOW.md": flow("uses: {a: {contract: ./a}}"), "a/b": "" },
			{ code: "PACKAGE_REFERENCE_MISSING" },
		],
		[
			"a case-mismatched reference",
			{ "FLOW.md": flow("uses: {a: {contract: ./a.json}}"), "A.json": capability() },
			{ code: "PACKAGE_REFERENCE_MISSING" },
		],
		[
			"C13: an optional port's missing descriptor",
			{ "FLOW.md": flow("channels: {a: {direction: send, required: false, contract: ./a.json}}") },
			{ code: "PACKAGE_REFERENCE_MISSING" },
		],
		[
			"C7: a descriptor's missing reference",
			{
				"FLOW.md": flow("uses: {a: {contract: ./c/a.json}}"),
				"c/a.json": capability({ channels: { w: { direction: "send", contract: "./w.json" } } }),
				"c/w.json": channel(),
			},
			{ code: "PACKAGE_REFERENCE_MISSING", path: "c/a.json", otherPath: "w.json" },
		],
		[
			"a bad capability",
			{ "FLOW.md": flow("uses: {a: {contract: ./a.json}}"), "a.json": capability({ title: 1 }) },
			{ code: "PACKAGE_CONTRACT_INVALID", path: "a.json", pointer: "/methods/find/title" },
		],
		[
			"a bad channel contract",
			{ "FLOW.md": flow("channels: {a: {direction: send, contract: ./a.json}}"), "a.json": channel("") },
			{ code: "PACKAGE_CONTRACT_INVALID", path: "a.json", pointer: "/semantics" },
		],
		[
			"a capability as a channel",
			{ "FLOW.md": flow("channels: {a: {direction: send, contract: ./a.json}}"), "a.json": capability() },
			{ code: "PACKAGE_CONTRACT_INVALID" },
		],
		[
			"C7: a descriptor's bad reference",
			{
				"FLOW.md": flow("uses: {a: {contract: ./a.json}}"),
				"a.json": capability({ channels: { w: { direction: "send", contract: "./w.json" } } }),
				"w.json": "{}",
			},
			{ code: "PACKAGE_CONTRACT_INVALID", path: "w.json" },
		],
		[
			"C12: capabilities that equivocate",
			{
				"FLOW.md": flow("uses: {a: {contract: ./a.json}, b: {contract: ./b.json}}"),
				"a.json": capability(),
				"b.json": capability({ input: {} }),
			},
			{ code: "PACKAGE_EQUIVOCATION", path: "a.json", otherPath: "b.json" },
		],
		[
			"C12: channels that equivocate",
			{
				"FLOW.md": flow("uses: {a: {contract: ./a.json}}\nchannels: {b: {direction: send, contract: ./v.json}}"),
				"a.json": capability({ channels: { w: { direction: "send", contract: "./w.json" } } }),
				"v.json": channel(),
				"w.json": channel("other words"),
			},
			{ code: "PACKAGE_EQUIVOCATION" },
		],
	])("%s", async (_, files, expected) => {
		const error = await refusal(inspect(files));
		expect(error).toMatchObject(expected);
		if (error.code === "PACKAGE_SCHEMA_INVALID") expect(error.cause).toBeInstanceOf(SchemaError);
		if (error.code === "PACKAGE_CONTRACT_INVALID") expect(error.cause).toBeInstanceOf(ContractError);
	});

	test("a case-mismatched reference names what is there", async () => {
		const error = await refusal(
			inspect({ "FLOW.md": flow("uses: {a: {contract: ./a.json}}"), "A.json": capability() }),
		);
		expect(error.message).toContain('"A.json"');
	});

	test.each<[string, Files]>([
		[
			"the same descriptor at two paths",
			{
				"FLOW.md": flow("uses: {a: {contract: ./a.json}, b: {contract: ./b.json}}"),
				"a.json": capability(),
				"b.json": `${capability()}\n`,
			},
		],
		[
			"two versions",
			{
				"FLOW.md": flow("uses: {a: {contract: ./a.json}, b: {contract: ./b.json}}"),
				"a.json": capability(),
				"b.json": capability({ input: {} }, "1.0.1"),
			},
		],
		["an unreferenced descriptor that is bad", { "FLOW.md": MINIMAL, "contracts/a.json": "{" }],
		[
			"a schema in a directory, or with another case",
			{ "FLOW.md": MINIMAL, "a/input.schema.json": "{", "Input.schema.json": "{" },
		],
		["a nested flow.ts beside a root one", { "FLOW.md": MINIMAL, "flow.ts": "", "src/flow.ts": "" }],
	])("%s is no reason to refuse", async (_, files) => {
		expect((await inspect(files)).digest).toBe(independentDigest(files));
	});

	test("a schema or descriptor above its bound is refused without being read", async () => {
		const big = 262_145;
		for (const [files, path, code] of [
			[{ "FLOW.md": MINIMAL, "input.schema.json": "" }, "input.schema.json", "PACKAGE_SCHEMA_INVALID"],
			[{ "FLOW.md": flow("uses: {a: {contract: ./a.json}}"), "a.json": "" }, "a.json", "PACKAGE_CONTRACT_INVALID"],
			[
				{ "FLOW.md": flow("channels: {a: {direction: send, contract: ./a.json}}"), "a.json": "" },
				"a.json",
				"PACKAGE_CONTRACT_INVALID",
			],
		] as const) {
			const source = streamSource(files, { sizes: { [path]: big } });
			const error = await refusal(inspectPackage(source));
			expect(error).toMatchObject({ code: code satisfies PackageErrorCode, path });
			expect(error.cause).toMatchObject({ code: expect.stringMatching(/LIMIT_EXCEEDED$/) });
			expect(source.opened).toEqual(["FLOW.md"]);
		}
	});

	test("a schema or descriptor at its bound passes", async () => {
		const pad = (text: string): string => text + " ".repeat(262_144 - text.length);
		const files = {
			"FLOW.md": flow("uses: {a: {contract: ./a.json}}"),
			"a.json": pad(capability()),
			"input.schema.json": pad(schema()),
		};
		expect((await inspect(files)).digest).toBe(independentDigest(files));
	});

	test("what an inspection holds is bounded, and the bound is the host's own", async () => {
		const files = { "FLOW.md": flow("", "b".repeat(1_000)), "input.schema.json": schema() };
		const total = bytesOf(files["FLOW.md"]).length + schema().length;
		await expect(inspectPackage(memorySource(files), { capacityBytes: total })).resolves.toBeDefined();
		expect(await refusal(inspectPackage(memorySource(files), { capacityBytes: total - 1 }))).toMatchObject({
			code: "PACKAGE_CAPACITY",
			path: "input.schema.json",
			limit: { name: "capacityBytes", max: total - 1 },
		});
		const huge = declaredSource([{ path: "FLOW.md", size: 1_073_741_824 }]);
		expect(await refusal(inspectPackage(huge))).toMatchObject({ code: "PACKAGE_CAPACITY", path: "FLOW.md" });
	});

	test("a file that is asked for twice is held once", async () => {
		const yaml = "uses: {a: {contract: ./a.json}}\nchannels: {b: {direction: send, contract: ./a.json}}";
		const source = streamSource({ "FLOW.md": flow(yaml), "a.json": capability() });
		expect(await refusal(inspectPackage(source))).toMatchObject({ code: "PACKAGE_CONTRACT_INVALID", path: "a.json" });
		expect(source.opened).toEqual(["FLOW.md", "a.json"]);
	});

	test("what is refused leaves the rest unread", async () => {
		const source = streamSource({ "FLOW.md": "x", "big.bin": "y", "input.schema.json": "{" });
		await refusal(inspectPackage(source));
		expect(source.opened).toEqual(["FLOW.md"]);
	});
});

describe("inspectPackage: the standard's own contracts", () => {
	test.skipIf(vectorsDirectory === undefined)("Agent Run and its channel, resolved from the package root", async () => {
		const pack = await inspect({
			"FLOW.md": flow("uses:\n  agent:\n    contract: ./contracts/agent-run.capability.json"),
			"contracts/agent-run.capability.json": vectorBytes("contracts/agent-run.capability.json")!,
			"contracts/acp-public-updates.json": vectorBytes("contracts/acp-public-updates.json")!,
		});
		expect(pack.uses.get("agent")).toMatchObject({
			contract: { identity: { digest: "sha256:5e7df4408fd1f6aebf7e1269573a10ff87c7374248a51dacb63cd1c9c97e2b56" } },
		});
		expect([...pack.channelContracts.keys()]).toEqual(["contracts/acp-public-updates.json"]);
	});
});

describe("inspectPackage: advisories", () => {
	const advisories = async (files: Files) =>
		(await inspect({ "FLOW.md": MINIMAL, ...files })).advisories.map(({ code, path, otherPath }) => [
			code,
			path,
			...(otherPath ? [otherPath] : []),
		]);

	test("an ordinary package has none", async () => {
		expect(
			await advisories({
				"flow.ts": "",
				"src/a.ts": "",
				"src/b/c.ts": "",
				"README.md": "",
				".gitignore": "",
				".env-example": "",
			}),
		).toEqual([]);
	});

	test("P4: directories that differ by case, told once", async () => {
		expect(await advisories({ "A/w": "", "a/x": "", "A/y": "", "a/z": "" })).toEqual([["directory-case", "A", "a"]]);
		expect(await advisories({ "lib/Straße/x": "", "lib/STRASSE/y": "" })).toEqual([
			["directory-case", "lib/STRASSE", "lib/Straße"],
		]);
	});

	test("P5: a file and a directory that differ by case", async () => {
		expect(await advisories({ A: "", "a/x": "" })).toEqual([["file-directory-case", "A", "a/x"]]);
	});

	test("P3: alike under canonical caseless matching only", async () => {
		// j with caron has no capital of its own.
		const [left, right] = ["\u01f0\u0323", "J\u0323\u030c"];
		expect(await advisories({ [left]: "", [right]: "" })).toEqual([["caseless-collision", right, left]]);
	});

	test("CRLF in FLOW.md", async () => {
		expect(await advisories({ "FLOW.md": MINIMAL.replaceAll("\n", "\r\n") })).toEqual([["crlf", "FLOW.md"]]);
		expect(await advisories({ "FLOW.md": `${MINIMAL}a\rb\r` })).toEqual([]);
	});

	test("files that tools leave behind, a directory of them once", async () => {
		const files = {
			".DS_Store": "",
			"src/.DS_Store": "",
			".git/HEAD": "",
			".git/config": "",
			"a/node_modules/b/c.js": "",
			"a/x.pyc": "",
			".env": "",
			"x~": "",
			".git2": "",
		};
		expect(await advisories(files)).toEqual(
			[".DS_Store", ".env", ".git", "a/node_modules", "a/x.pyc", "src/.DS_Store", "x~"].map((path) => [
				"surprising-file",
				path,
			]),
		);
	});

	test("at most 100, so that a hostile tree can't flood a report", async () => {
		const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d${i}/.DS_Store`, ""]));
		expect(await advisories(files)).toHaveLength(100);
		const cased = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i % 2 ? "D" : "d"}${i >> 1}/${i}`, ""]));
		expect(await advisories({ ...files, ...cased })).toHaveLength(100);
	});
});
