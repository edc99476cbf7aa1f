import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LauncherTable, stripsTypes } from "../../adapters/node/launchers.ts";
import { memorySource } from "../../src/package/index.ts";
import { countedRuntime, errorOf, FLOW_MD, runToEnd } from "./fixtures.ts";

const PYTHON = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].find((path) =>
	existsSync(path),
);

const entry = (suffix: string, selector?: string) => ({
	path: `flow.${suffix}`,
	suffix,
	...(selector === undefined ? {} : { selector }),
});

describe("Package/1 3: the launcher table", () => {
	const table = new LauncherTable({ selectors: { deno: "/nowhere/deno" }, suffixes: { rb: "ruby" } });

	const runs: [suffix: string, selector: string | undefined, executable: string][] = [
		["mjs", undefined, process.execPath],
		["js", undefined, process.execPath],
		["ts", undefined, process.execPath],
		["js", "node", process.execPath],
	];
	if (PYTHON !== undefined) runs.push(["py", undefined, PYTHON], ["py", "python3", PYTHON]);

	test.each(runs)("runs .%s with selector %s by %s", (suffix, selector, executable) => {
		const found = table.find(entry(suffix, selector));
		expect(found.ok && found.launcher.executable).toBe(executable);
	});

	test.each([
		["an unknown suffix", entry("sh"), "RUNTIME_UNSUPPORTED", ".sh"],
		["an unknown selector, whatever the suffix", entry("mjs", "bash"), "SELECTOR_UNSUPPORTED", "bash"],
		["a selector that is only on PATH", entry("py", "python"), "SELECTOR_UNSUPPORTED", "python"],
		["a selector that names an Object member", entry("mjs", "constructor"), "SELECTOR_UNSUPPORTED", "constructor"],
		["a suffix that the selected runtime doesn't run", entry("py", "node"), "RUNTIME_UNSUPPORTED", ".py"],
		[
			"a runtime that isn't installed, naming what was tried",
			entry("ts", "deno"),
			"SELECTOR_UNSUPPORTED",
			"/nowhere/deno",
		],
		["a suffix whose selector has no launcher", entry("rb"), "SELECTOR_UNSUPPORTED", "ruby"],
	])("refuses %s", (_, entrypoint, code, named) => {
		const found = table.find(entrypoint);
		expect(found).toMatchObject({ ok: false, code });
		expect(found.ok ? "" : found.message).toContain(named);
	});

	test("takes only absolute executables, and selectors and suffixes of the grammar", () => {
		expect(() => new LauncherTable({ selectors: { deno: "deno" } })).toThrow(TypeError);
		expect(() => new LauncherTable({ selectors: { "de no": "/deno" } })).toThrow(TypeError);
		expect(() => new LauncherTable({ suffixes: { TS: "node" } })).toThrow(TypeError);
	});

	test("a host's own launcher says its arguments and environment", async () => {
		const { runtime } = countedRuntime({
			selectors: {
				shell: {
					executable: "/bin/sh",
					arguments: (path, { suffix }) => ["-c", 'printf "%s %s" "$EXTRA" "$0"', `${path}?${suffix}`],
					environment: { EXTRA: "given" },
				},
			},
			suffixes: { sh: "shell" },
		});
		const { out } = await runToEnd(runtime, { "flow.sh": "" }, "flow.sh");
		expect(out).toMatch(/^given \/.*\/tree\/flow\.sh\?sh$/);
	});

	test("a refused entrypoint is refused by launch as well, and nothing is left", async () => {
		const { runtime, left } = countedRuntime();
		const staged = await runtime.stage(memorySource({ "FLOW.md": FLOW_MD, "flow.sh": "" }), {});
		const scratch = await runtime.scratch();
		const error = await errorOf(() => runtime.launch({ staged, entrypoint: entry("sh"), scratch: scratch.path }));
		expect([error.code, error.phase]).toEqual(["RUNTIME_UNSUPPORTED", "activation"]);
		await scratch.dispose();
		await staged.dispose();
		expect(left()).toEqual([]);
	});
});

describe("TypeScript implementations", () => {
	test.each([
		["20.20.2", false],
		["22.17.1", false],
		["22.18.0", true],
		["23.5.0", false],
		["23.6.0", true],
		["24.0.0", true],
		["26.1.0", true],
	])("Node %s strips types by itself: %s", (version, native) => expect(stripsTypes(version)).toBe(native));

	test("run on this Node, with nested imports by their exact names", async () => {
		const { runtime } = countedRuntime();
		const { out, err } = await runToEnd(
			runtime,
			{
				"flow.ts": `import { handle, type RunResult } from "@jigging/flow";
					import { greet } from "./lib/greet.ts";
					const result: RunResult = { outcome: "done", output: greet<string>("Ada") };
					process.stdout.write(typeof handle + " " + JSON.stringify(result satisfies RunResult));`,
				"lib/greet.ts": `import type { Name } from "./name.mts"; import plain from "./plain.js"; export { word } from "./name.mts";
					export function greet<T extends Name>(name: T): string { return plain + name; }`,
				"lib/name.mts": `export type Name = string; export const word: number = 1;`,
				"lib/plain.js": `export default "Hello ";`,
			},
			"flow.ts",
		);
		expect([err, out]).toEqual(["", 'function {"outcome":"done","output":"Hello Ada"}']);
	});

	test("suffixes are never guessed", async () => {
		const { runtime } = countedRuntime();
		const files = { "flow.ts": `import "./lib.js";`, "lib.ts": "" };
		const { err, exitCode } = await runToEnd(runtime, files, "flow.ts");
		expect(exitCode).toBe(1);
		expect(err).toContain("lib.js");
	});

	test("errors keep their lines", async () => {
		const { runtime } = countedRuntime();
		const files = { "flow.ts": "interface A {\n  b: string;\n}\n\nthrow new Error('here');\n" };
		expect((await runToEnd(runtime, files, "flow.ts")).err).toContain("flow.ts:5");
	});

	test.each([
		[
			"module syntax, where package.json names no type",
			{
				"package.json": "{}",
				"flow.ts": `import { x } from "./x.ts"; console.log(x); export {};`,
				"x.ts": "export const x: number = 1;",
			},
			"1",
		],
		[
			"top-level await likewise",
			{ "package.json": "{}", "flow.ts": "console.log(await Promise.resolve(2 as number));" },
			"2",
		],
		[
			"CommonJS, where there is no module syntax",
			{ "package.json": "{}", "flow.ts": "const x: string = typeof require; console.log(x);" },
			"function",
		],
		[
			"a .cts from a module",
			{ "flow.ts": `import x from "./x.cts"; console.log(x);`, "x.cts": "const a: number = 3; module.exports = a;" },
			"3",
		],
	])("take their module kind as Node does: %s", async (_, files, printed) => {
		const { runtime } = countedRuntime();
		expect((await runToEnd(runtime, files as Record<string, string>, "flow.ts")).out.trim()).toBe(printed);
	});

	test.each([
		[
			"an import in declared CommonJS",
			{ "package.json": `{"type":"commonjs"}`, "flow.ts": `import "./x.ts";`, "x.ts": "" },
		],
		["a type imported as a value", { "flow.ts": `import { T } from "./x.ts";`, "x.ts": "export type T = 1;" }],
		["broken syntax", { "flow.ts": "const x: = 1;" }],
		[
			"a .ts below node_modules",
			{ "flow.ts": `import "x";`, "node_modules/x/package.json": `{"exports":"./x.ts"}`, "node_modules/x/x.ts": "" },
		],
	])("fail as on any Node: %s", async (_, files) => {
		const { runtime } = countedRuntime();
		expect((await runToEnd(runtime, files as Record<string, string>, "flow.ts")).exitCode).toBe(1);
	});
});
