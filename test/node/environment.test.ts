import { spawnSync } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { componentEnvironment } from "../../adapters/node/environment.ts";
import { countedRuntime, runToEnd, workspace } from "./fixtures.ts";

const CANARIES = [
	"NODE_OPTIONS",
	"NODE_PATH",
	"NODE_EXTRA_CA_CERTS",
	"LD_PRELOAD_CANARY",
	"DYLD_CANARY",
	"PYTHONPATH",
	"PYTHONSTARTUP",
	"DENO_AUTH_TOKENS",
	"BUN_CANARY",
	"AWS_SECRET_ACCESS_KEY",
	"GITHUB_TOKEN",
	"SSH_AUTH_SOCK",
	"http_proxy",
	"CANARY",
];

const PRINT = `process.stdout.write(JSON.stringify({ env: process.env, cwd: process.cwd() }))`;
const PRINT_PY = `import json, os, sys\nsys.stdout.write(json.dumps({"env": dict(os.environ), "cwd": os.getcwd()}))`;

describe("the environment of a component", () => {
	const saved = { ...process.env };
	afterEach(() => {
		for (const name of CANARIES) {
			if (saved[name] === undefined) delete process.env[name];
			else process.env[name] = saved[name];
		}
	});

	test.for([
		["Node", { "flow.mjs": PRINT }, "flow.mjs"],
		["Python", { "flow.py": PRINT_PY }, "flow.py"],
	] as const)("is the whole allow-list and nothing of the host's, for %s", async ([_, files, entry], context) => {
		const { runtime, left } = countedRuntime();
		const path = `flow.${entry.slice(entry.indexOf(".") + 1)}`;
		if (!runtime.launcherFor({ path, suffix: path.slice(5) }).ok) context.skip("not installed here");
		for (const name of CANARIES) process.env[name] = "canary";
		process.env.NODE_OPTIONS = "";
		const { out, scratch } = await runToEnd(runtime, files, entry);
		const { env, cwd } = JSON.parse(out);
		// Python itself sets LC_CTYPE where the locale is C.
		delete env.LC_CTYPE;
		expect(env).toEqual(componentEnvironment(scratch));
		expect(Object.keys(env).sort()).toEqual(["HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR"]);
		expect([cwd, env.HOME, env.TMPDIR]).toEqual([scratch, scratch, scratch]);
		expect(left()).toEqual([]);
	});

	test("Python writes no bytecode beside the modules it loads from the stage", async (context) => {
		const { runtime } = countedRuntime();
		if (!runtime.launcherFor({ path: "flow.py", suffix: "py" }).ok) context.skip("not installed here");
		const files = {
			"flow.py": `import helper, os, sys\nsys.stdout.write(helper.word + " " + str(sorted(os.listdir(os.path.dirname(helper.__file__)))))`,
			"helper.py": `word = "read"`,
		};
		expect((await runToEnd(runtime, files, "flow.py")).out).toBe("read ['FLOW.md', 'flow.py', 'helper.py']");
	});

	test.skipIf(process.platform !== "linux")(
		"only stdio is inherited: not what the host holds, nor what it was started with",
		async () => {
			const base = workspace();
			const canary = join(base, "canary");
			writeFileSync(canary, "");
			const held = openSync(canary, "r");
			expect(held).toBeGreaterThan(2);
			const list = `import { readdirSync, readlinkSync } from "node:fs";
			for (const fd of readdirSync("/proc/self/fd")) { try { console.log(fd, readlinkSync("/proc/self/fd/" + fd)); } catch {} }`;
			const { runtime } = countedRuntime();
			const { out } = await runToEnd(runtime, { "flow.mjs": list });
			expect(out).not.toContain("canary");
			// A descriptor far above the others, as shells leave them: Node by itself would hand it on.
			const script = `
			import { spawn } from "node:child_process";
			import { withOnlyStdio } from ${JSON.stringify(join(import.meta.dirname, "../../dist/adapters/node/descriptors.js"))};
			const child = withOnlyStdio((stdio) => spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(list)}], { stdio, env: {} }));
			child.stdout.pipe(process.stdout);`;
			const far = spawnSync("/bin/bash", [
				"-c",
				`exec 9<${canary} 200<${canary}; exec "$0" --input-type=module -e "$1"`,
				process.execPath,
				script,
			]);
			expect(far.stderr.toString()).toBe("");
			expect(far.stdout.toString()).toContain("200 /dev/null");
			expect(far.stdout.toString()).not.toContain("canary");
		},
	);
});
