import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, flows, leftIn, millrace, packageOf, workspace, writeTree } from "./command.ts";

const greet = join(flows, "greet");
const OTHER = `sha256:${"0".repeat(64)}`;

async function digestOf(dir: string): Promise<string> {
	return (await asked(["digest", dir])).answer.digest as string;
}

describe.concurrent("digest", () => {
	test("prints the digest alone on stdout, and the manifest when asked", async () => {
		const [plain, manifest, machine] = await Promise.all([
			millrace(["digest", greet]),
			millrace(["digest", greet, "--manifest"]),
			asked(["digest", greet, "--manifest"]),
		]);
		expect(plain).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) });
		const [digest, ...lines] = manifest.stdout.trim().split("\n");
		expect(`${digest}\n`).toBe(plain.stdout);
		expect(lines.map((line) => line.split("  ")[2])).toEqual([
			"FLOW.md",
			"flow.ts",
			"input.schema.json",
			"result.schema.json",
		]);
		expect(machine.answer).toMatchObject({ status: "succeeded", digest, files: 4, bytes: expect.any(Number) });
		expect(machine.answer.manifest).toHaveLength(4);
	});

	test("--expect accepts the approved package and refuses any other", async () => {
		const digest = await digestOf(greet);
		const [same, people, other] = await Promise.all([
			millrace(["digest", greet, "--expect", digest]),
			millrace(["digest", greet, "--expect", OTHER]),
			asked(["digest", greet, "--expect", OTHER]),
		]);
		expect(same).toMatchObject({ exitCode: 0, stdout: `${digest}\n` });
		expect(people).toMatchObject({ exitCode: 1, stdout: "" });
		expect(people.stderr).toContain("PACKAGE_DIGEST_MISMATCH");
		expect(other).toMatchObject({
			exitCode: 1,
			answer: { code: "PACKAGE_DIGEST_MISMATCH", expected: OTHER, actual: digest },
		});
		expect(other.answer).not.toHaveProperty("hints");
	});

	test("a mismatch that line ends explain says so", async () => {
		const dir = packageOf("// one\n// two\n");
		// Longer than one chunk of a directory source, which hands out views of one reused buffer.
		writeTree(dir, { long: Array.from({ length: 100_000 }, (_, line) => `${line}\n`).join("") });
		const digest = await digestOf(dir);
		writeFileSync(join(dir, "flow.mjs"), "// one\r\n// two\r\n");
		for (const words of [
			["digest", dir],
			["inspect", dir],
			["run", dir],
		]) {
			const { exitCode, stderr } = await millrace([...words, "--expect", digest]);
			expect(exitCode).toBe(1);
			expect(stderr).toMatch(/^hint {6}only CRLF line ends differ \(flow\.mjs\)/m);
		}
	});

	test("a mismatch that stray files explain names them", async () => {
		const dir = packageOf("");
		const digest = await digestOf(dir);
		writeTree(dir, { ".DS_Store": "x", "node_modules/a/b.js": "" });
		const { answer } = await asked(["digest", dir, "--expect", digest]);
		expect(answer.hints).toEqual([
			expect.stringMatching(/^without \.DS_Store, node_modules it is the expected package/),
		]);
		writeFileSync(join(dir, "flow.mjs"), "// changed");
		const more = await asked(["digest", dir, "--expect", digest]);
		expect(more.answer.hints).toEqual([expect.stringMatching(/^does \.DS_Store, node_modules belong/)]);
	});

	test("leaves nothing in the tree and reads without writing", async () => {
		const dir = packageOf("");
		const before = readdirSync(dir);
		await Promise.all([millrace(["digest", "."], { cwd: dir }), millrace(["inspect", "."], { cwd: dir })]);
		expect(readdirSync(dir)).toEqual(before);
	});
});

describe.concurrent("inspect", () => {
	test("shows what a package declares, to people and to machines", async () => {
		const dir = join(flows, "parent");
		const [people, machine] = await Promise.all([millrace(["inspect", dir]), asked(["inspect", dir])]);
		expect(people).toMatchObject({ exitCode: 0, stderr: "" });
		for (const line of [
			/^name {8}parent$/m,
			/^entrypoint {2}flow\.ts$/m,
			/^schemas {5}input, result$/m,
			/^uses {8}titles: https:/m,
		])
			expect(people.stdout).toMatch(line);
		expect(machine.answer).toMatchObject({
			status: "succeeded",
			digest: expect.stringMatching(/^sha256:/),
			metadata: { name: "parent" },
			entrypoint: { path: "flow.ts" },
			uses: { titles: { path: "contracts/titles.capability.json", version: "1.0.0" } },
			advisories: [],
		});
	});

	test("an instructions-only package, with outcomes, attachments and advice", async () => {
		const flowMd =
			"---\r\nname: papers\r\ndescription: Reads papers.\r\noutcomes:\r\n  unclear: Nothing to say.\r\nattachments:\r\n  docs: read\r\n---\r\n";
		const dir = writeTree(join(workspace(), "papers"), { "FLOW.md": flowMd });
		const { stdout } = await millrace(["inspect", dir]);
		expect(stdout).toContain("entrypoint  none: instructions only\n");
		expect(stdout).toContain("outcome     unclear: Nothing to say.\n");
		expect(stdout).toContain("attachment  docs: read\n");
		expect(stdout).toMatch(/^advisory {4}FLOW\.md: .*CRLF/m);
	});
});

describe.concurrent("packages that are refused", () => {
	test.each<[string, (dir: string) => void, string]>([
		["no FLOW.md", (dir) => rmSync(join(dir, "FLOW.md")), "PACKAGE_FLOW_MISSING"],
		["a symbolic link", (dir) => symlinkSync("/etc/passwd", join(dir, "link")), "PACKAGE_SYMLINK"],
		["no directory", (dir) => rmSync(dir, { recursive: true }), "PACKAGE_SOURCE_FAILED"],
		[
			"a file that is no archive",
			(dir) => {
				rmSync(dir, { recursive: true });
				writeFileSync(dir, "");
			},
			"PACKAGE_ARCHIVE_INVALID",
		],
	])("%s", async (_, spoil, code) => {
		const dir = packageOf("");
		spoil(dir);
		const temporary = workspace();
		for (const command of ["digest", "run"]) {
			const { exitCode, answer, stderr } = await asked([command, dir], { temporary });
			expect({ exitCode, code: answer.code, stderr }).toEqual({ exitCode: 1, code, stderr: "" });
		}
		expect(leftIn(temporary)).toEqual([]);
	});

	test("a fault in FLOW.md has its line and column", async () => {
		const dir = writeTree(join(workspace(), "sample"), { "FLOW.md": "---\nname: Sample\ndescription: d\n---\n" });
		const [{ answer }, { stderr }] = await Promise.all([asked(["inspect", dir]), millrace(["inspect", dir])]);
		expect(answer).toMatchObject({ code: "PACKAGE_METADATA_INVALID", path: "FLOW.md", line: 2 });
		expect(stderr).toMatch(/FLOW\.md.*line 2|line 2/);
	});

	test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")("unreadable by this user", async () => {
		const dir = packageOf("");
		chmodSync(join(dir, ".."), 0o755);
		chmodSync(join(dir, "flow.mjs"), 0o600);
		const { exitCode, answer } = await asked(["digest", dir], { uid: 65_534 });
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { code: "PACKAGE_SOURCE_FAILED", path: "flow.mjs" },
		});
	});
});

describe.concurrent("new", () => {
	test.each(["hello", "2048"])("%s inspects and runs", async (name) => {
		const cwd = workspace();
		const made = await asked(["new", name], { cwd });
		expect(made).toMatchObject({ exitCode: 0, answer: { status: "succeeded", path: name }, stderr: "" });
		expect(readdirSync(join(cwd, name)).sort()).toEqual((made.answer.files as string[]).sort());
		const [inspected, run] = await Promise.all([
			asked(["inspect", name], { cwd }),
			asked(["run", name, "--input", '{"name":"Ada"}'], { cwd }),
		]);
		expect(inspected.answer).toMatchObject({ metadata: { name }, advisories: [] });
		expect(run.answer).toMatchObject({ status: "succeeded", outcome: "done", output: { greeting: "Hello, Ada!" } });
	});

	test("says how to go on", async () => {
		const cwd = workspace();
		mkdirSync(join(cwd, "my flows"));
		const { exitCode, stdout, stderr } = await millrace(["new", "my flows/hello"], { cwd });
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
		expect(stderr).toContain(`run it    npx millrace run 'my flows/hello' --input '{"name":"Ada"}'\n`);
	});

	test("never touches what exists", async () => {
		const cwd = writeTree(workspace(), { "hello/mine": "kept", taken: "kept" });
		for (const name of ["hello", "taken"]) {
			expect(await asked(["new", name], { cwd })).toMatchObject({
				exitCode: 1,
				answer: { code: "FILE_EXISTS", path: name },
			});
		}
		expect(readFileSync(join(cwd, "hello/mine"), "utf8") + readFileSync(join(cwd, "taken"), "utf8")).toBe("keptkept");
		expect(readdirSync(join(cwd, "hello"))).toEqual(["mine"]);
		expect(await asked(["new", "nowhere/hello"], { cwd })).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_MISSING", path: "nowhere" },
		});
	});

	test("a half-made directory is removed again", async () => {
		const cwd = workspace();
		// The third file finds the disk full.
		const script = `import { syncBuiltinESMExports } from "node:module"; import fs from "node:fs/promises";
			const { writeFile } = fs; let left = 2;
			fs.writeFile = (...all) => left-- > 0 ? writeFile(...all) : Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
			syncBuiltinESMExports();`;
		const node = ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
		expect(await asked(["new", "hello"], { cwd, node })).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_FAILED", path: "hello/input.schema.json" },
		});
		expect(readdirSync(cwd)).toEqual([]);
	});
});
