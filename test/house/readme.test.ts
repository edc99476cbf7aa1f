import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const readme = await readFile(`${repository}README.md`, "utf8");
const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);

/** What an example promises to print: the comments behind its `console.log` lines, in order. */
function promised(code: string): string[] {
	return [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text!);
}

let project: string;

beforeAll(async () => {
	project = await mkdtemp(join(tmpdir(), "millrace-readme-"));
	await mkdir(join(project, "node_modules"));
	await symlink(repository, join(project, "node_modules", "millrace"));
	await symlink(join(repository, "demo"), join(project, "demo"));
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe("the README's examples do what they say", () => {
	it("has examples", () => expect(examples.length).toBeGreaterThanOrEqual(3));

	it.each(examples.map((code) => [code.split("\n")[0], code] as const))("%s", async (_title, code) => {
		const file = join(project, "example.mjs");
		await writeFile(file, code);
		const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: project, timeout: 60_000 });
		expect(stdout.trimEnd().split("\n")).toEqual(promised(code));
	});
});
