import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, flows, main, millrace, workspace, writeTree } from "./command.ts";

const SCHEMA = JSON.stringify({
	$schema: "https://flow.jig.md/schemas/schema-1.json",
	type: "object",
	properties: { a: { type: "integer" }, b: { type: "string" } },
});
const TITLES = join(flows, "parent/contracts/titles.capability.json");

function files(entries: Readonly<Record<string, string>>): string {
	return writeTree(workspace(), entries);
}

describe.concurrent("canonicalize", () => {
	test("prints the exact canonical bytes of a file and of stdin", async () => {
		const text = '{"b": 1.0, "a": ["\u00e9", 1e2], "10": 0, "9": 0}';
		const canonical = '{"10":0,"9":0,"a":["\u00e9",100],"b":1}';
		const cwd = files({ "value.json": text });
		const [file, stdin] = await Promise.all([
			millrace(["canonicalize", "value.json"], { cwd }),
			millrace(["canonicalize", "-"], { input: text }),
		]);
		expect(file).toMatchObject({ exitCode: 0, stdout: canonical, stderr: "" });
		expect(stdin).toMatchObject({ exitCode: 0, stdout: canonical, stderr: "" });
	});

	test("--json", async () => {
		const { exitCode, answer } = await asked(["canonicalize", "-"], { input: " 1 " });
		const sha256 = "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
		expect({ exitCode, answer }).toEqual({
			exitCode: 0,
			answer: { status: "succeeded", canonical: "1", bytes: 1, sha256 },
		});
	});

	test("a refused value: code, file, line, column and byte", async () => {
		const cwd = files({ "twice.json": '{\n"a": 1, "a": 2}' });
		const [people, machine] = await Promise.all([
			millrace(["canonicalize", "twice.json"], { cwd }),
			asked(["canonicalize", "twice.json"], { cwd }),
		]);
		expect(people).toMatchObject({ exitCode: 1, stdout: "" });
		expect(people.stderr).toMatch(
			/^failed {4}JSON_DUPLICATE_MEMBER: .*line 2, column 9 \(byte 10\)\.\nat {8}twice\.json\n$/,
		);
		expect(machine).toMatchObject({
			exitCode: 1,
			answer: { status: "failed", code: "JSON_DUPLICATE_MEMBER", source: "twice.json", line: 2, column: 9, offset: 10 },
			stderr: "",
		});
	});

	test("an endless stdin is refused at the bound, and nobody waits for its end", async () => {
		const producer = spawn("yes");
		const command = spawn(process.execPath, [main, "canonicalize", "-", "--json"], {
			stdio: [producer.stdout, "pipe", "inherit"],
		});
		producer.stdout.destroy();
		let stdout = "";
		command.stdout.on("data", (chunk) => {
			stdout += String(chunk);
		});
		const exitCode = await new Promise((resolve) => command.once("close", resolve));
		producer.kill();
		expect(exitCode).toBe(1);
		expect(JSON.parse(stdout)).toMatchObject({ code: "JSON_LIMIT", source: "stdin" });
	});
});

describe.concurrent("validate", () => {
	test("valid, with its cost", async () => {
		const cwd = files({ "s.json": SCHEMA, "v.json": '{"a":1}' });
		const [people, machine, stdin] = await Promise.all([
			millrace(["validate", "s.json", "v.json", "--profile"], { cwd }),
			asked(["validate", "s.json", "v.json", "--profile"], { cwd }),
			millrace(["validate", "-", "v.json"], { cwd, input: SCHEMA }),
		]);
		expect(people).toMatchObject({ exitCode: 0, stdout: "valid\n" });
		expect(people.stderr).toMatch(/^schema {4}3 nodes, depth 2\nwork {6}\d units of 1,000,000\n/);
		expect(machine).toMatchObject({ exitCode: 0, answer: { status: "succeeded", valid: true, diagnostics: [] } });
		expect(Object.keys(machine.answer)).toEqual(expect.arrayContaining(["work", "profile"]));
		expect(stdin).toMatchObject({ exitCode: 0, stdout: "valid\n" });
	});

	test("invalid: the first violation, or --all of them, each with its place", async () => {
		const cwd = files({ "s.json": SCHEMA, "v.json": '{"a":"x","b":2}' });
		const [first, all, machine] = await Promise.all([
			millrace(["validate", "s.json", "v.json"], { cwd }),
			millrace(["validate", "s.json", "v.json", "--all"], { cwd }),
			asked(["validate", "s.json", "-", "--all"], { cwd, input: '{"a":"x","b":2}' }),
		]);
		expect(first).toMatchObject({ exitCode: 1 });
		expect(first.stdout).toMatch(/^invalid\n {2}\/a: .+ \(schema \/properties\/a, keyword type\)\n$/);
		expect(all.stdout.split("\n")).toHaveLength(4);
		expect(machine).toMatchObject({
			exitCode: 1,
			answer: {
				status: "failed",
				code: "INVALID_INPUT",
				valid: false,
				diagnostics: [{ instancePointer: "/a" }, { instancePointer: "/b" }],
			},
		});
	});

	test("says which of the two files is at fault", async () => {
		const cwd = files({ "s.json": '{"type":"object"}', "good.json": SCHEMA, "v.json": "{" });
		const [schema, value] = await Promise.all([
			asked(["validate", "s.json", "v.json"], { cwd }),
			asked(["validate", "good.json", "v.json"], { cwd }),
		]);
		expect(schema).toMatchObject({
			exitCode: 1,
			answer: { code: "SCHEMA_INVALID", source: "s.json", schemaPointer: "/$schema" },
		});
		expect(value).toMatchObject({ exitCode: 1, answer: { code: "JSON_SYNTAX", source: "v.json" } });
	});

	test("an exhausted budget is a failure of its own", async () => {
		const schema = { $schema: "https://flow.jig.md/schemas/schema-1.json", maxLength: 2_000_000 };
		const cwd = files({ "s.json": JSON.stringify(schema), "v.json": JSON.stringify("x".repeat(1_000_001)) });
		expect(await asked(["validate", "s.json", "v.json"], { cwd })).toMatchObject({
			exitCode: 1,
			answer: { code: "SCHEMA_LIMIT_EXCEEDED", source: "v.json" },
		});
	});
});

describe.concurrent("contract", () => {
	test("a capability contract's identity and methods, from a file and from stdin", async () => {
		const digest = "sha256:77c19d669781fb23d49199ef04fb04e424c63e6eb1e1b5e572d68b39fb9cc1be";
		const [people, machine] = await Promise.all([
			millrace(["contract", TITLES]),
			asked(["contract", "-"], { input: readFileSync(TITLES) }),
		]);
		expect(people).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining(`digest    ${digest}\n`) });
		expect(machine.answer).toEqual({
			status: "succeeded",
			kind: "capability",
			id: "https://example.org/contracts/titles",
			version: "1.0.0",
			digest,
			methods: ["lookup"],
		});
	});

	test("a channel contract is told by its $schema", async () => {
		const channel = {
			$schema: "https://flow.jig.md/schemas/channel-contract-1.schema.json",
			id: "https://example.org/contracts/ticks",
			version: "1.0.0",
			semantics: "Ticks.",
			item: true,
		};
		const { answer } = await asked(["contract", "-"], { input: JSON.stringify(channel) });
		expect(answer).toMatchObject({ kind: "channel", id: channel.id });
		const refused = await asked(["contract", "-"], { input: JSON.stringify({ ...channel, id: "nope" }) });
		expect(refused).toMatchObject({
			exitCode: 1,
			answer: { code: "CONTRACT_INVALID", source: "stdin", pointer: "/id" },
		});
	});

	test.each(["", "[]", "{}", "\ufeff{}", '{"$schema":1}', "x".repeat(300_000)])("refuses %.20s", async (input) => {
		const { exitCode, answer } = await asked(["contract", "-"], { input });
		expect({ exitCode, code: answer.code }).toEqual({ exitCode: 1, code: expect.stringMatching(/^CONTRACT_/) });
	});
});

describe.concurrent("files that can't be read", () => {
	test.each<[string, string, string]>([
		["missing", "nowhere.json", "FILE_MISSING"],
		["a directory", "directory", "FILE_KIND"],
		["below a file", "file/below", "FILE_KIND"],
	])("%s", async (_, name, code) => {
		const cwd = files({ file: "1" });
		mkdirSync(join(cwd, "directory"));
		const [people, machine] = await Promise.all([
			millrace(["canonicalize", name], { cwd }),
			asked(["canonicalize", name], { cwd }),
		]);
		expect(people).toMatchObject({ exitCode: 1, stdout: "" });
		expect(people.stderr).toMatch(new RegExp(`^failed {4}${code}: [^\\n]+\\nat {8}${name}\\n$`));
		expect(machine).toMatchObject({ exitCode: 1, answer: { status: "failed", code, path: name }, stderr: "" });
	});

	test.each([
		["contract", "nowhere"],
		["validate", "nowhere", "nowhere"],
		["run", join(flows, "greet"), "--input", "@nowhere"],
		["run", join(flows, "greet"), "--settings", "@nowhere"],
	])("wherever one is read: %s %s %s", async (...words) => {
		expect(await asked(words)).toMatchObject({ exitCode: 1, answer: { code: "FILE_MISSING", path: "nowhere" } });
	});

	test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")("unreadable by this user", async () => {
		const cwd = files({ secret: "1" });
		chmodSync(cwd, 0o755);
		chmodSync(join(cwd, "secret"), 0o600);
		const temporary = workspace();
		expect(await asked(["canonicalize", "secret"], { cwd, temporary, uid: 65_534 })).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_FORBIDDEN", path: "secret" },
		});
	});

	test("a directory as stdin", async () => {
		const command = spawn(process.execPath, [main, "canonicalize", "-"], {
			stdio: [openSync(workspace(), "r"), "ignore", "ignore"],
		});
		expect(await new Promise((resolve) => command.once("close", resolve))).toBe(1);
	});
});

describe.concurrent("a stdout that takes no more", () => {
	test.each([["--help"], ["inspect", join(flows, "greet")], ["contract", TITLES, "--json"]])(
		"EPIPE at %s ends quietly",
		async (...words) => {
			const script = `"$0" "$1" ${words.map((word) => `'${word}'`).join(" ")} | head -c 1 >/dev/null`;
			const shell = spawn("bash", ["-o", "pipefail", "-c", script, process.execPath, main], {
				stdio: ["ignore", "ignore", "pipe"],
			});
			let stderr = "";
			shell.stderr.on("data", (chunk) => {
				stderr += String(chunk);
			});
			expect(await new Promise((resolve) => shell.once("close", resolve))).toBe(0);
			expect(stderr).toBe("");
		},
	);

	test("large output to a reader that leaves at once", async () => {
		const cwd = files({ "big.json": JSON.stringify(Array.from({ length: 60_000 }, () => "x".repeat(100))) });
		const shell = spawn(
			"bash",
			["-o", "pipefail", "-c", '"$0" "$1" canonicalize big.json | head -c 1', process.execPath, main],
			{ cwd },
		);
		let stderr = "";
		shell.stderr.on("data", (chunk) => {
			stderr += String(chunk);
		});
		expect(await new Promise((resolve) => shell.once("close", resolve))).toBe(0);
		expect(stderr).toBe("");
	});

	test.skipIf(process.platform !== "linux")("a full disk is a failure", async () => {
		const command = spawn(process.execPath, [main, "canonicalize", TITLES], {
			stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
		});
		let stderr = "";
		command.stderr!.on("data", (chunk) => {
			stderr += String(chunk);
		});
		expect(await new Promise((resolve) => command.once("close", resolve))).toBe(1);
		expect(stderr).toContain("FILE_FAILED: There is no space left.");
	});
});
