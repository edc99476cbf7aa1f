import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { removeTree, removeTreeNow } from "../../adapters/node/remove.ts";
import { memorySource } from "../../src/package/index.ts";
import { hasPython } from "../house/python.ts";
import { countedRuntime, FLOW_MD, openFiles, workspace, writeTree } from "./fixtures.ts";

describe.each([
	["at once", async (path: string) => removeTreeNow(path)],
	["in steps", removeTree],
] as const)("removing a tree %s", (_, remove) => {
	test("takes everything, follows no link, and is harmless when it is gone", async () => {
		const base = writeTree(workspace(), { "tree/a/b/c": "1", "tree/d": "2", "outside/keep": "k" });
		symlinkSync(join(base, "outside"), join(base, "tree/a/link"));
		symlinkSync(join(base, "outside"), join(base, "tree/link"));
		const before = await openFiles();
		await remove(join(base, "tree"));
		await remove(join(base, "tree"));
		expect(existsSync(join(base, "tree"))).toBe(false);
		expect(readFileSync(join(base, "outside/keep"), "utf8")).toBe("k");
		expect(await openFiles()).toEqual(before);
	});

	test("takes what a component put in the directory's place, and leaves what that leads to", async () => {
		const base = writeTree(workspace(), { "outside/keep": "k", file: "f" });
		for (const to of ["outside", "outside/keep", "nowhere"])
			symlinkSync(join(base, to), join(base, `to-${basename(to)}`));
		for (const name of ["file", "to-outside", "to-keep", "to-nowhere"]) await remove(join(base, name));
		expect(readdirSync(base)).toEqual(["outside"]);
		expect(readFileSync(join(base, "outside/keep"), "utf8")).toBe("k");
	});

	test("takes more names than fit one listing, and its own names for moved directories", async () => {
		const root = join(workspace(), "tree");
		const files: Record<string, string> = { ".removing-0/x": "", "a/.removing-1/y": "", ".removing-1": "" };
		for (let index = 0; index < 1_100; index += 1) files[`many/${index}`] = "";
		writeTree(root, files);
		await remove(root);
		expect(existsSync(root)).toBe(false);
	});

	test.skipIf(process.platform !== "linux" || !hasPython)(
		"takes nesting beyond any path length, and names that aren't UTF-8",
		async () => {
			const root = join(workspace(), "tree");
			mkdirSync(root);
			const script = `
import os
for depth in range(100):
    os.mkdir("a" * 50)
    os.chdir("a" * 50)
open(b"\\xff", "w").close()`;
			execFileSync("python3", ["-c", script], { cwd: root });
			const before = await openFiles();
			await remove(root);
			expect(existsSync(root)).toBe(false);
			expect(await openFiles()).toEqual(before);
		},
	);
});

describe.skipIf(process.getuid?.() !== 0)("an owner without root's rights", () => {
	afterEach(() => process.seteuid?.(0));

	test("removes read-only and unreadable directories", async () => {
		const base = workspace();
		chmodSync(base, 0o777);
		process.seteuid?.(65_534);
		const root = writeTree(join(base, "tree"), { "a/b/c": "1", "d/e/f/g": "2" });
		for (const [path, mode] of [
			["d/e/f", 0o555],
			["d/e", 0o500],
			["a/b", 0],
			["d", 0o100],
			["a", 0o555],
			["", 0o555],
		] as const)
			chmodSync(join(root, path), mode);
		expect(() => writeFileSync(join(root, "x"), "")).toThrow(/EACCES/);
		await removeTree(root);
		expect(existsSync(root)).toBe(false);
	});

	test("stages and disposes of a package", async () => {
		const { runtime, base, left } = countedRuntime();
		chmodSync(base, 0o777);
		process.seteuid?.(65_534);
		const staged = await runtime.stage(memorySource({ "FLOW.md": FLOW_MD, "a/b/c": "1" }), {});
		expect(() => writeFileSync(join(staged.root, "a/new"), "")).toThrow(/EACCES/);
		await staged.verify?.();
		await staged.dispose();
		expect(left()).toEqual([]);
	});
});
