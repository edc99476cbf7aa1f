import { spawn, spawnSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flows, main, millrace, packageOf, workspace } from "./command.ts";

const greet = join(flows, "greet");
const COLOUR = /\u001b\[\d+m/;

/** Runs the command on a terminal of its own (`script`, of util-linux) and answers all that it showed there. */
function onTerminal(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
	const line = [process.execPath, main, ...words].map((word) => `'${word}'`).join(" ");
	const { PATH = "" } = process.env;
	const child = spawn("script", ["-qec", line, "/dev/null"], {
		env: { PATH, TERM: "xterm", TMPDIR: workspace(), ...env },
		stdio: ["ignore", "pipe", "inherit"],
	});
	let shown = "";
	child.stdout.on("data", (chunk) => {
		shown += String(chunk);
	});
	return new Promise((resolve) => child.once("close", () => resolve(shown)));
}

const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

describe.concurrent("away from a terminal", () => {
	const words = ["run", greet, "--input", "1"];

	test("there are no colours, unless FORCE_COLOR asks for them; NO_COLOR has the last word", async () => {
		const [plain, forced, zero, refused] = await Promise.all([
			millrace(words),
			millrace(words, { env: { FORCE_COLOR: "1" } }),
			millrace(words, { env: { FORCE_COLOR: "0" } }),
			millrace(words, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }),
		]);
		expect(forced.stderr).toMatch(COLOUR);
		expect(plain.stderr).not.toContain(" %: ");
		for (const { stderr } of [plain, zero, refused]) expect(stderr).not.toMatch(/\u001b/);
	});

	test("machines never get any", async () => {
		const { stdout, stderr } = await millrace([...words, "--json"], { env: { FORCE_COLOR: "1" } });
		expect(() => JSON.parse(stdout)).not.toThrow();
		expect(stderr).toBe("");
	});
});

describe.skipIf(!hasScript)("on a terminal", { concurrent: true }, () => {
	test("there are colours, unless NO_COLOR or a dumb terminal says otherwise", async () => {
		const words = ["run", greet, "--input", "1"];
		const [plain, none, dumb] = await Promise.all([
			onTerminal(words),
			onTerminal(words, { NO_COLOR: "1" }),
			onTerminal(words, { TERM: "dumb" }),
		]);
		expect(plain).toMatch(COLOUR);
		expect(none + dumb).not.toMatch(/\u001b/);
		expect(none).toContain("INVALID_INPUT");
	});

	test("a long digest shows how far it has come, and clears the line", async () => {
		const dir = packageOf("");
		for (const name of ["large", "larger"]) {
			writeFileSync(join(dir, name), "");
			truncateSync(join(dir, name), 1_073_741_824);
		}
		const [people, machine] = await Promise.all([onTerminal(["digest", dir]), onTerminal(["digest", dir, "--json"])]);
		expect(people).toMatch(/\r\u001b\[K.*\d+ %: \d of 4 files, [\d.]+ [KMG]iB of 2\.0 GiB/);
		expect(people.lastIndexOf("\u001b[K")).toBeGreaterThan(people.lastIndexOf(" %: "));
		expect(machine).toMatch(/^\{[^\u001b]*\}\r?\n$/);
	});

	test("canonicalize shows a line that can't steer it, and says when those aren't the bytes", async () => {
		const file = join(workspace(), "value.json");
		writeFileSync(file, JSON.stringify({ b: "\u009b31m\u202e", a: 1 }));
		const shown = await onTerminal(["canonicalize", file]);
		expect(shown).toContain('{"a":1,"b":"\\u009b31m\\u202e"}\r\n');
		expect(shown).toContain("exact bytes");
		writeFileSync(file, "1");
		expect(await onTerminal(["canonicalize", file])).toBe("1\r\n");
	});
});
