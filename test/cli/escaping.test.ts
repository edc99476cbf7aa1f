import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { millrace, packageOf, workspace, writeTree } from "./command.ts";

/** What must never reach a terminal from outside: ESC, C0, DEL, C1, bidirectional and invisible characters. */
const HOSTILE = "\u001b]0;owned\u0007\u001b[31m\u007f\u009b2J\u202e\u2066\u200b\u2028\ufeff";
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

async function said(words: readonly string[], settings: Parameters<typeof millrace>[1] = {}): Promise<string> {
	const { stdout, stderr } = await millrace(words, settings);
	return stdout + stderr;
}

/** A JSON string is a YAML string, and `\u` escapes are how such characters get past YAML's own rules. */
const yaml = JSON.stringify(HOSTILE).replace(
	/[\u007f-\uffff]/g,
	(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

describe.concurrent("text from outside is escaped for people", () => {
	test("descriptions, outcomes and paths in inspect", async () => {
		const flowMd = `---\nname: sample\ndescription: ${yaml}\noutcomes:\n  odd: ${yaml}\n---\n`;
		const name = `${HOSTILE.replace("\u202e", "")}`;
		const dir = writeTree(join(workspace(), "sample"), { "FLOW.md": flowMd, [`.idea/${name}`]: "", "flow.mjs": "" });
		for (const words of [
			["inspect", dir],
			["digest", dir, "--manifest"],
			["inspect", dir, "--json"],
			["digest", dir, "--manifest", "--json"],
		]) {
			const text = await said(words);
			expect(text).toContain("2J");
			expect(text).not.toMatch(UNSAFE);
		}
	});

	test("paths in refusals", async () => {
		const dir = writeTree(join(workspace(), "sample"), { "FLOW.md": "---\nname: s\ndescription: d\n---\n" });
		const words: string[][] = [
			["canonicalize", `${HOSTILE}.json`],
			["digest", `${HOSTILE}`],
			["run", dir, "--input", `@${HOSTILE}`],
			["run", dir, "--child", `${HOSTILE}=${dir}`],
			["run", dir, "--attach", `${HOSTILE}=x:read`],
			["run", dir, "--trace", `${dir}/${HOSTILE}`],
			["run", dir, "--deadline", HOSTILE],
			["digest", "--expect", HOSTILE, dir],
			["new", HOSTILE],
			[HOSTILE],
			["digest", dir, `--${HOSTILE}`],
			["help", HOSTILE],
			["conformance", "run", "--driver", HOSTILE],
		];
		for (const text of await Promise.all(words.map((each) => said(each)))) {
			expect(text).toMatch(/failed/);
			expect(text).not.toMatch(UNSAFE);
		}
	});

	test("values and pointers", async () => {
		const schema = JSON.stringify({
			$schema: "https://flow.jig.md/schemas/schema-1.json",
			additionalProperties: { type: "null" },
		});
		const cwd = writeTree(workspace(), {
			"s.json": schema,
			"v.json": JSON.stringify({ [HOSTILE]: HOSTILE }),
			"bad.json": `{"${HOSTILE}`,
		});
		for (const words of [
			["validate", "s.json", "v.json", "--all"],
			["canonicalize", "bad.json"],
			["validate", "s.json", "v.json", "--json"],
		]) {
			const text = await said(words, { cwd });
			expect(text).not.toMatch(UNSAFE);
		}
	});

	test("what a component says: output, failure, details, stderr, stray stdout", async () => {
		const text = JSON.stringify(HOSTILE);
		const handle = `import { handle, OperationError } from "@jigging/flow"; await handle(async () => {`;
		const output = `${handle} return { outcome: "done", output: { [${text}]: ${text} } }; });`;
		const failure = `${handle} console.error(${text}); throw new OperationError("UNAVAILABLE", ${text}, { [${text}]: ${text} }); });`;
		const stray = `process.stdout.write(${text} + "\\n"); setTimeout(() => {}, 60_000);`;
		const [withOutput, withFailure, withStray] = [packageOf(output), packageOf(failure), packageOf(stray)];
		for (const words of [
			[withOutput],
			[withOutput, "--json"],
			[withFailure],
			[withFailure, "--stderr"],
			[withFailure, "--json"],
			[withStray],
		]) {
			const each = await said(["run", ...words]);
			expect(each).toContain("2J");
			expect(each).not.toMatch(UNSAFE);
		}
	});

	test("an output keeps its value: \\u escapes are JSON, and a literal backslash stays one", async () => {
		const value = { text: HOSTILE, literal: "\\u{41} \\u0041", emoji: "\u{1f600}\u{e0041}" };
		const dir = packageOf(
			`import { handle } from "@jigging/flow"; await handle(async (run) => ({ outcome: "done", output: run.input }));`,
		);
		const input = JSON.stringify(value);
		const [people, machine] = await Promise.all([
			millrace(["run", dir, "--input", "-"], { input }),
			millrace(["run", dir, "--input", "-", "--json"], { input }),
		]);
		expect(people.stdout + machine.stdout).not.toMatch(UNSAFE);
		expect(JSON.parse(people.stdout)).toEqual(value);
		expect(JSON.parse(machine.stdout)).toMatchObject({ output: value });
		expect(people.stdout).toContain("\u{1f600}");
	});

	test("canonicalize gives a pipe the exact bytes", async () => {
		const { stdout } = await millrace(["canonicalize", "-"], { input: JSON.stringify("\u009b\u202e") });
		expect(stdout).toBe('"\u009b\u202e"');
	});
});
