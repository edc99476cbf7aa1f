import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, flows, leftIn, main, millrace, packageOf, processesWith, workspace, writeTree } from "./command.ts";

const greet = join(flows, "greet");
const parent = join(flows, "parent");
const OTHER = `sha256:${"0".repeat(64)}`;
const ADA = ["--input", '{"name":"Ada"}'];

/** A component that answers with whatever it was given, and may say something on stderr first. */
const ECHO = `import { handle } from "@jigging/flow";
await handle(async (run) => ({ outcome: "done", output: { input: run.input, settings: run.settings } }));`;

/** A component whose whole behaviour is \`body\`, after it has read the root request. */
function raw(body: string): string {
	return `process.stdin.once("data", (chunk) => { const { id, params } = JSON.parse(chunk);
		const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
		${body} });`;
}

const SCHEMA = { $schema: "https://flow.jig.md/schemas/schema-1.json" };

describe.concurrent("an accepted Run", () => {
	test("people see each step on stderr, as it was reached, and the output alone on stdout", async () => {
		const temporary = workspace();
		const { exitCode, stdout, stderr } = await millrace(["run", greet, ...ADA], { temporary });
		expect(exitCode).toBe(0);
		expect(JSON.parse(stdout)).toEqual({ greeting: "Hello, Ada!", received: { name: "Ada" } });
		expect(
			stderr
				.trim()
				.split("\n")
				.map((line) => line.slice(0, 10).trim()),
		).toEqual([...["package", "checked", "input", "started", "run", "accepted"]]);
		expect(stderr).toMatch(/^package {3}greet sha256:[0-9a-f]{64}$/m);
		expect(stderr).toMatch(/^checked {3}4 files, .*: tree, FLOW\.md, input\.schema\.json, result\.schema\.json$/m);
		expect(stderr).toMatch(/^input {5}accepted by input\.schema\.json$/m);
		expect(stderr).toMatch(/^run {7}one answer, nothing left pending, stdout ended, exit 0: \d+ ms$/m);
		expect(stderr).toMatch(/^accepted {2}outcome done .*the whole result fits result\.schema\.json$/m);
		expect(leftIn(temporary)).toEqual([]);
	});

	test("machines get one object", async () => {
		const { exitCode, answer, stderr } = await asked(["run", greet, ...ADA]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(answer).toEqual({
			status: "succeeded",
			outcome: "done",
			output: { greeting: "Hello, Ada!", received: { name: "Ada" } },
			digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			durationMs: expect.any(Number),
		});
	});

	test("input and settings as JSON, from a file and from stdin", async () => {
		const settings = JSON.stringify({ ...SCHEMA, type: "object" });
		const dir = packageOf(ECHO, { "settings.schema.json": settings });
		const cwd = writeTree(workspace(), { "value.json": '{"a":1}' });
		const [inline, file, stdin] = await Promise.all([
			asked(["run", dir, "--input", "[1]", "--settings", '{"s":2}']),
			asked(["run", dir, "--input", "@value.json", "--settings", "@value.json"], { cwd }),
			asked(["run", dir, "--settings", "-"], { input: '{"from":"stdin"}' }),
		]);
		expect(inline.answer.output).toEqual({ input: [1], settings: { s: 2 } });
		expect(file.answer.output).toEqual({ input: { a: 1 }, settings: { a: 1 } });
		expect(stdin.answer.output).toEqual({ input: null, settings: { from: "stdin" } });
		const { stderr } = await millrace(["run", dir, "--input", "-"], { input: "7" });
		expect(stderr).toMatch(/^input {5}any JSON\/1 value: there is no input\.schema\.json$/m);
		expect(stderr).toMatch(/^settings {2}accepted by settings\.schema\.json$/m);
	});

	test("children, pinned by digest or not", async () => {
		const { answer } = await asked(["digest", greet]);
		const pinned = `greeter=${greet}@${answer.digest}`;
		const [people, machine, other] = await Promise.all([
			millrace(["run", parent, ...ADA, "--child", `greeter=${greet}`]),
			asked(["run", parent, ...ADA, "--child", pinned]),
			asked(["run", parent, ...ADA, "--child", `greeter=${greet}@${OTHER}`]),
		]);
		expect(people.stderr).toMatch(/^child {5}greeter: greet sha256:/m);
		expect(people.stderr).toMatch(/^run {7}one answer, 1 child Run accepted, nothing left pending/m);
		expect(machine.answer.output).toEqual({ greeting: "Hello, Ada!", title: null });
		expect(other).toMatchObject({ exitCode: 1, answer: { code: "PACKAGE_DIGEST_MISMATCH", phase: "package" } });
	});

	test("attachments: a private copy to read, the real path only when trusted", async () => {
		const flowMd = "---\nname: sample\ndescription: d\nattachments:\n  docs: read\n  desk: read-write\n---\n";
		const source = `import { handle } from "@jigging/flow"; import { readFileSync, writeFileSync } from "node:fs";
			await handle(async ({ attachments: { docs, desk } }) => {
				writeFileSync(desk.path + "/note", "written");
				return { outcome: "done", output: readFileSync(docs.path + "/a", "utf8") };
			});`;
		const dir = packageOf(source, { "FLOW.md": flowMd });
		const cwd = writeTree(workspace(), { "docs/a": "contents", "desk/b": "" });
		const words = ["run", dir, "--attach", "docs=docs:read", "--attach", "desk=desk:read-write"];
		const distrusted = await asked(words, { cwd });
		expect(distrusted).toMatchObject({ exitCode: 1, answer: { code: "ATTACHMENT_ACCESS", phase: "activation" } });
		expect(await asked([...words, "--trust-attachments"], { cwd })).toMatchObject({ answer: { output: "contents" } });
		expect(readFileSync(join(cwd, "desk/note"), "utf8")).toBe("written");
		const [missing, undeclared] = await Promise.all([
			asked(["run", dir], { cwd }),
			asked(["run", greet, ...ADA, "--attach", "docs=docs:read"], { cwd }),
		]);
		expect(missing.answer).toMatchObject({ code: "ATTACHMENT_MISSING" });
		expect(undeclared.answer).toMatchObject({ code: "ATTACHMENT_UNDECLARED" });
	});
});

describe.concurrent("a refused Run starts nothing", () => {
	test("an input its schema refuses: every violation, nothing called accepted", async () => {
		const schema = JSON.stringify({
			...SCHEMA,
			type: "object",
			properties: { a: { type: "integer" }, b: { maxLength: 1 } },
		});
		const dir = packageOf(ECHO, { "input.schema.json": schema });
		const words = ["run", dir, "--input", '{"a":"x","b":"long"}'];
		const [people, machine] = await Promise.all([millrace(words), asked(words)]);
		expect(people).toMatchObject({ exitCode: 1, stdout: "" });
		expect(people.stderr).not.toContain("accepted");
		expect(people.stderr).not.toContain("started");
		expect(people.stderr).toMatch(/^failed {4}INVALID_INPUT: /m);
		expect(people.stderr).toMatch(/^phase {5}activation: /m);
		expect(people.stderr).toMatch(/^ {10}\/a: .+ \(schema \/properties\/a, keyword type\)$/m);
		expect(people.stderr).toMatch(/^ {10}\/b: .+ \(schema \/properties\/b, keyword maxLength\)$/m);
		expect(machine).toMatchObject({
			exitCode: 1,
			answer: {
				status: "failed",
				code: "INVALID_INPUT",
				phase: "activation",
				diagnostics: [
					{ instancePointer: "/a", keyword: "type" },
					{ instancePointer: "/b", keyword: "maxLength" },
				],
			},
			stderr: "",
		});
	});

	test.each<[string, string[], Record<string, unknown>]>([
		["an input that is no JSON/1", ["run", greet, "--input", "{"], { code: "JSON_SYNTAX", source: "--input" }],
		[
			"settings nobody declared",
			["run", greet, ...ADA, "--settings", '{"a":1}'],
			{ code: "INVALID_SETTINGS", phase: "activation" },
		],
		["settings that are no object", ["run", greet, ...ADA, "--settings", "[]"], { code: "INVALID_SETTINGS" }],
		[
			"another package than expected",
			["run", greet, ...ADA, "--expect", OTHER],
			{ code: "PACKAGE_DIGEST_MISMATCH", phase: "package", expected: OTHER, actual: expect.stringMatching(/^sha256:/) },
		],
		[
			"an unbound child that is needed",
			["run", parent, ...ADA],
			{
				code: "UNAVAILABLE",
				phase: "run",
				hints: ['--child greeter=DIR binds a package to the slot "greeter"'],
			},
		],
		[
			"a child that is refused, by its slot",
			["run", parent, ...ADA, "--child", "greeter=nowhere"],
			{
				code: "PACKAGE_SOURCE_FAILED",
				slot: "greeter",
				message: expect.stringMatching(/^Child slot "greeter": .*nowhere/),
			},
		],
		[
			"an input that was forgotten",
			["run", greet],
			{ code: "INVALID_INPUT", hints: [expect.stringContaining("--input @FILE gives one")] },
		],
	])("%s", async (_, words, wanted) => {
		const temporary = workspace();
		const { exitCode, answer } = await asked(words, { temporary });
		expect(exitCode).toBe(1);
		expect(answer).toMatchObject({ status: "failed", ...wanted });
		expect(leftIn(temporary)).toEqual([]);
	});

	test("instructions only, and a runtime nobody has", async () => {
		const papers = packageOf("", {});
		const other = writeTree(join(workspace(), "sample"), {
			"FLOW.md": "---\nname: sample\ndescription: d\n---\n",
			"flow.xyz": "",
		});
		rmSync(join(papers, "flow.mjs"));
		expect((await asked(["run", papers])).answer).toMatchObject({
			code: "PACKAGE_INSTRUCTIONS_ONLY",
			phase: "package",
		});
		expect((await asked(["run", other])).answer).toMatchObject({ code: "RUNTIME_UNSUPPORTED", phase: "activation" });
	});
});

test("a fault in FLOW.md has its place, whichever command finds it", async () => {
	const dir = packageOf("", { "FLOW.md": "---\nname: Sample\ndescription: d\n---\n" });
	const [{ answer }, { stderr }] = await Promise.all([asked(["run", dir]), millrace(["run", dir])]);
	expect(answer).toMatchObject({ code: "PACKAGE_METADATA_INVALID", phase: "package", path: "FLOW.md", line: 2 });
	expect(Object.keys(answer).slice(0, 4)).toEqual(["status", "code", "phase", "message"]);
	expect(stderr).toMatch(/FLOW\.md/);
	expect(stderr).toMatch(/line 2/);
});

describe.concurrent("a failed Run", () => {
	test("shows the end of the component's stderr, bounded, line by line", async () => {
		const dir = packageOf(
			`for (let i = 1; i <= 500; i++) console.error("line " + i + " " + "x".repeat(i === 500 ? 5000 : 1)); process.exitCode = 3;`,
		);
		const [people, machine] = await Promise.all([millrace(["run", dir]), asked(["run", dir])]);
		expect(people).toMatchObject({ exitCode: 1, stdout: "" });
		const shown = people.stderr.split("\n").filter((line) => line.includes("│"));
		expect(shown).toHaveLength(20);
		expect(shown[0]).toMatch(/│ line 481 x$/);
		expect(shown.at(-1)!.length).toBeLessThan(450);
		expect(people.stderr).toMatch(/^stderr {4}[\d,]+ bytes from the component, the end of them \(20 lines\):$/m);
		expect(people.stderr).toMatch(/^failed {4}EXECUTION_FAILED: /m);
		expect(machine.answer).toMatchObject({
			status: "failed",
			code: "EXECUTION_FAILED",
			phase: "run",
			message: expect.any(String),
			stderr: { text: expect.stringContaining("line 499 x"), truncated: false },
			durationMs: expect.any(Number),
		});
	});

	test("--stderr passes it on as it comes, and doesn't repeat it", async () => {
		const dir = packageOf(`console.error("first"); process.stderr.write("no line end"); process.exitCode = 3;`);
		const { stderr } = await millrace(["run", dir, "--stderr"]);
		expect(stderr.match(/^│ first$/gm)).toHaveLength(1);
		expect(stderr.match(/^│ no line end$/gm)).toHaveLength(1);
		expect(stderr).not.toMatch(/^stderr /m);
	});

	test("a refused result says where", async () => {
		const schema = JSON.stringify({ ...SCHEMA, properties: { output: { type: "string" } } });
		const dir = packageOf(ECHO, { "result.schema.json": schema });
		const [people, machine] = await Promise.all([millrace(["run", dir]), asked(["run", dir])]);
		expect(people.stderr).toMatch(/^phase {5}acceptance: /m);
		expect(people.stderr).toMatch(
			/^ {10}\/output: Expected string, got object \(schema \/properties\/output, keyword type\)$/m,
		);
		expect(people.stderr).not.toMatch(/^accepted/m);
		expect(machine.answer).toMatchObject({
			code: "INVALID_RESULT",
			phase: "acceptance",
			details: [{ instancePointer: "/output" }],
		});
	});

	test("a component's own failure, with its details", async () => {
		const dir = packageOf(`import { handle, OperationError } from "@jigging/flow";
			await handle(async () => { throw new OperationError("PERMISSION_DENIED", "Not for you.", { asked: ["a"] }); });`);
		const [people, machine] = await Promise.all([millrace(["run", dir]), asked(["run", dir])]);
		expect(people.stderr).toMatch(/^failed {4}PERMISSION_DENIED: Not for you\.$/m);
		expect(people.stderr).toMatch(/^ {10}details \{"asked":\["a"\]\}$/m);
		expect(machine.answer).toMatchObject({ code: "PERMISSION_DENIED", details: { asked: ["a"] } });
	});

	test("stray output is quoted", async () => {
		const dir = packageOf(`process.stdout.write("hello there\\n"); setTimeout(() => {}, 60_000);`);
		const { exitCode, answer } = await asked(["run", dir]);
		expect({ exitCode, code: answer.code }).toEqual({ exitCode: 1, code: "PROTOCOL_ERROR" });
		expect(answer.message).toContain("hello there");
		expect(answer.hints).toEqual([expect.stringContaining("stdout")]);
	});

	test("a component that never calls handle", async () => {
		const { answer } = await asked(["run", packageOf("export default 1;")]);
		expect(answer).toMatchObject({ code: "CHANNEL_LOST", phase: "run", hints: ["does the entrypoint call handle?"] });
	});

	test("a deadline ends a component that never answers, and nothing of it stays", async () => {
		const dir = packageOf("process.stdin.resume(); setInterval(() => {}, 1000);");
		const temporary = workspace();
		const { answer } = await asked(["run", dir, "--deadline", "300ms"], { temporary });
		expect(answer).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "run" });
		expect(leftIn(temporary)).toEqual([]);
		expect(processesWith(temporary)).toEqual([]);
	});

	test("an answer that comes too late is none", async () => {
		const dir = packageOf(
			raw(`send({ id, result: { outcome: "done", output: 1 } }); setTimeout(() => process.exit(7), 50);`),
		);
		expect((await asked(["run", dir])).answer).toMatchObject({ code: "EXECUTION_FAILED" });
	});
});

test("the command is what it says it is: one file that runs", () => {
	expect(readFileSync(main, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
});
