import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, flows, main, millrace, repository, workspace } from "./command.ts";

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

const COMMANDS = ["inspect", "digest", "validate", "schema", "canonicalize", "contract", "run", "new", "conformance"];

describe.concurrent("help and version", () => {
	test("--help shows every command on stdout", async () => {
		const { exitCode, stdout, stderr } = await millrace(["--help"]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
	});

	const NESTED = ["schema compile", ...["serve", "run", "host", "host-job"].map((name) => `conformance ${name}`)];

	test.each(COMMANDS.concat(NESTED))("%s --help", async (name) => {
		const help = await millrace([...name.split(" "), "--help"]);
		expect(help).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining(`millrace ${name} `) });
	});

	test.each([[], ["digest"], ["conformance", "run"]])("%s %s --version", async (...words) => {
		expect(await millrace([...words, "--version"])).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
	});

	test("help loads nothing but the parser of the command line", async () => {
		const log = join(workspace(), "loaded");
		const hook = `import { appendFileSync } from "node:fs";
			export async function load(url, context, next) { appendFileSync(${JSON.stringify(log)}, url + "\\n"); return next(url, context); }`;
		const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
		const node = ["--import", `data:text/javascript,${encodeURIComponent(register)}`];
		const { exitCode } = await millrace(["run", "--help"], { node });
		expect(exitCode).toBe(0);
		const loaded = readFileSync(log, "utf8").trim().split("\n");
		expect(loaded.some((url) => url.endsWith("/cli/main.js"))).toBe(true);
		expect(
			loaded.filter((url) => /\/(?:yaml|sucrase|@noble)\/|\/src\/(?:host|package|schema|run|json)\//.test(url)),
		).toEqual([]);
		expect(loaded.length).toBeLessThan(16);
	});
});

describe.concurrent("a wrong command line", () => {
	const DIGEST = `sha256:${"0".repeat(64)}`;
	const WRONG: [string, string[], string][] = [
		["no command", [], "millrace --help"],
		["an unknown command", ["inspectt", "x"], "Did you mean inspect?"],
		["an unknown option", ["digest", "--nope", "x"], "millrace digest --help"],
		["a missing argument", ["validate", "x"], "millrace validate --help"],
		["one argument too many", ["digest", "a", "b"], "millrace digest --help"],
		["an empty directory name", ["digest", ""], "the name is empty"],
		["a digest that is none", ["digest", "--expect", "sha256:0", "x"], "64 lowercase hexadecimal digits"],
		["a time that is none", ["run", "x", "--deadline", "soon"], "500ms, 30s, 2m or 1h"],
		["no time at all", ["run", "x", "--deadline", "0s"], "500ms, 30s, 2m or 1h"],
		["a deadline beyond the host's", ["run", "x", "--deadline", "169h"], "168h"],
		["an attachment without a path", ["run", "x", "--attach", "docs"], "name=path:read"],
		["an attachment without access", ["run", "x", "--attach", "docs=here"], ":read-write"],
		["an attachment given twice", ["run", "x", "--attach", "a=b:read", "--attach", "a=c:read"], '"a" twice'],
		["a child without a directory", ["run", "x", "--child", `a=@${DIGEST}`], "names no directory"],
		["a child with a digest that is none", ["run", "x", "--child", "a=b@sha256:1"], "hexadecimal"],
		["a child given twice", ["run", "x", "--child", "a=b", "--child", "a=c"], '"a" twice'],
		["a child slot that is no name", ["run", "x", "--child", "Slot=b"], "single hyphens"],
		["an attachment that is no name", ["run", "x", "--attach", "__proto__=b:read"], "single hyphens"],
		["input and settings both from stdin", ["run", "x", "--input", "-", "--settings", "-"], "only one"],
		["an input file without a name", ["run", "x", "--input", "@"], "file name"],
		["values for no trace", ["run", "x", "--trace-values"], "--trace FILE"],
		["schema and instance both from stdin", ["validate", "-", "-"], "only one"],
		["a name that is none", ["new", "Hello"], "a-z and 0-9"],
		["no conformance command", ["conformance"], "millrace conformance --help"],
		["an unknown conformance command", ["conformance", "walk"], "unknown command 'walk'"],
		["a suite that is none", ["conformance", "run", "--suite", "nope"], "the suites are contracts, json,"],
		["an empty driver", ["conformance", "run", "--driver", " "], "no program"],
	];

	test.each(WRONG)("%s exits 2 with a hint", async (_, words, hint) => {
		const { exitCode, stdout, stderr } = await millrace(words);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toContain(hint);
		expect(stderr).toMatch(/^hint {6}millrace .*--help shows how$/m);
		expect(stderr).not.toMatch(/^ +at /m);
	});

	test.each([WRONG[0]!, WRONG[1]!, WRONG[2]!, WRONG[9]!])("%s, asked by a machine", async (_, words) => {
		const { exitCode, answer } = await asked(words);
		expect(exitCode).toBe(2);
		expect(answer).toEqual({ status: "failed", code: "USAGE", message: expect.stringMatching(/^[^\n]+$/) });
	});

	test("--json counts before the command as well as behind it", async () => {
		const [before, behind] = await Promise.all([
			millrace(["--json", "digest", join(flows, "greet")]),
			millrace(["digest", join(flows, "greet"), "--json"]),
		]);
		expect(JSON.parse(before.stdout)).toEqual(JSON.parse(behind.stdout));
	});

	test("an argument that is not UTF-8 is refused, not replaced", () => {
		const shell = `"$0" "$1" run x --input "$(printf '"\\377"')"`;
		const { status, stderr } = spawnSync("sh", ["-c", shell, process.execPath, main], { encoding: "utf8" });
		expect(status).toBe(2);
		expect(stderr).toContain("isn't UTF-8");
	});
});
