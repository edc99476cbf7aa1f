import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	closeSync,
	ftruncateSync,
	linkSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { directory, whileUnchanged } from "../../adapters/node/directory.ts";
import { digestPackage as digestOf } from "../../adapters/node/packages.ts";
import { nodeSha256 } from "../../adapters/node/sha256.ts";
import type { Reach } from "../../adapters/node/tree/held.ts";
import { digestPackage, memorySource, type PackageSource } from "../../src/package/index.ts";
import { codeOf, errorOf, FLOW_MD, openFiles, workspace, writeTree } from "./fixtures.ts";

const REACHES: Reach[] = process.platform === "linux" ? ["descriptor", "chain"] : ["chain"];

function replace(path: string, make: () => void): void {
	rmSync(path);
	make();
}

async function readAll(source: PackageSource, path: string): Promise<string> {
	const reader = (await source.open(path)).getReader();
	let text = "";
	for (let each = await reader.read(); !each.done; each = await reader.read())
		text += Buffer.from(each.value).toString();
	return text;
}

test("a directory is named by a path or a file URL; anything else is a TypeError that says so", async () => {
	const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, "a b/c": "x" });
	const url = pathToFileURL(root);
	expect(directory(url).root).toBe(root);
	expect(directory(new URL("a%20b", `${url}/`)).root).toBe(join(root, "a b"));
	expect((await digestOf(url)).digest).toBe((await digestOf(root)).digest);
	expect((await errorOf(() => digestOf("a\0b"))).message).toMatch(/^"[^"]*a\\u\{0\}b" is no path\.$/);
	expect(() => directory(new URL("https://example.org/"))).toThrow(TypeError);
	expect(() => directory(new URL("https://example.org/"))).toThrow("must be of scheme file");
	expect(() => directory(undefined as never)).toThrow("of type string or an instance of URL");
});

describe.each(REACHES)("directory source reaching children by %s", (reach) => {
	const open = (root: string) => directory(root, { reach });

	test("Package/1 1: every regular file is listed, hidden ones too; empty directories mean nothing", async () => {
		const root = writeTree(workspace(), {
			"FLOW.md": FLOW_MD,
			".hidden": "h",
			"a/b/c": "abc",
			"a/z": "",
			".git/HEAD": "x",
		});
		mkdirSync(join(root, "empty/er"), { recursive: true });
		const source = open(root);
		const entries = [...(await source.list())].sort((a, b) => (a.path < b.path ? -1 : 1));
		expect(entries.map(({ path, size }) => `${path} ${size}`)).toEqual([
			".git/HEAD 1",
			".hidden 1",
			`FLOW.md ${FLOW_MD.length}`,
			"a/b/c 3",
			"a/z 0",
		]);
		expect(await readAll(source, "a/b/c")).toBe("abc");
		expect(await readAll(source, "a/z")).toBe("");
	});

	test("Package/1 6: a directory has the digest of the same files in memory, whatever its modes and times", async () => {
		const files = {
			"FLOW.md": FLOW_MD,
			"a/b": "x".repeat(700_000),
			"a.txt": "1",
			"é/\u{1F600}": "2",
			"a/c": "y".repeat(262_144),
		};
		const root = writeTree(workspace(), files);
		chmodSync(join(root, "a/b"), 0o755);
		utimesSync(join(root, "a.txt"), 1, 1);
		const { digest } = await digestPackage(open(root), { sha256: nodeSha256 });
		expect(digest).toBe((await digestPackage(memorySource(files))).digest);
	});

	test("Package/1 1: no descriptor stays open after a pass, a failure or a cancelled read", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, "a/b/c/d": "x".repeat(300_000), "a/e": "1" });
		const before = await openFiles();
		await digestPackage(open(root));
		const source = open(root);
		await source.list();
		const reader = (await source.open("a/b/c/d")).getReader();
		await reader.read();
		await reader.cancel();
		symlinkSync("/etc", join(root, "a/b/link"));
		expect(await codeOf(() => open(root).list())).toBe("PACKAGE_SYMLINK");
		expect(await openFiles()).toEqual(before);
	});

	test.each([
		["a link to a file", (root: string) => symlinkSync("FLOW.md", join(root, "x")), "PACKAGE_SYMLINK"],
		["a link to a directory", (root: string) => symlinkSync("/etc", join(root, "x")), "PACKAGE_SYMLINK"],
		["a dangling link", (root: string) => symlinkSync("nowhere", join(root, "x")), "PACKAGE_SYMLINK"],
		["a named pipe", (root: string) => execFileSync("mkfifo", [join(root, "x")]), "PACKAGE_SPECIAL_FILE"],
		[
			"a hard link to the outside",
			(root: string) => linkSync(join(root, "..", "outside"), join(root, "x")),
			"PACKAGE_HARD_LINK",
		],
	] as const)("Package/1 1: %s is refused with its path", async (_, make, code) => {
		const base = writeTree(workspace(), { "tree/FLOW.md": FLOW_MD, "tree/d/e": "1", outside: "o" });
		make(join(base, "tree"));
		const error = await errorOf(() => open(join(base, "tree")).list());
		expect([error.code, error.path]).toEqual([code, "x"]);
	});

	test("Package/1 1: a socket is refused", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD });
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(join(root, "s"), resolve));
		try {
			expect(await codeOf(() => open(root).list())).toBe("PACKAGE_SPECIAL_FILE");
		} finally {
			server.close();
		}
	});

	test("Package/1 1: hard links that all lie in the tree become independent files", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, "a/one": "same" });
		linkSync(join(root, "a/one"), join(root, "two"));
		const { digest } = await digestPackage(open(root));
		const copies = memorySource({ "FLOW.md": FLOW_MD, "a/one": "same", two: "same" });
		expect(digest).toBe((await digestPackage(copies)).digest);
	});

	test("Package/1 1: a root that is a link is refused, whether or not a slash follows; an ancestor may be one", async () => {
		const base = writeTree(workspace(), { "real/tree/FLOW.md": FLOW_MD });
		symlinkSync("real", join(base, "link"));
		expect(await codeOf(() => open(join(base, "link")).list())).toBe("PACKAGE_SYMLINK");
		expect(await codeOf(() => open(`${join(base, "link")}/`).list())).toBe("PACKAGE_SYMLINK");
		expect(await open(join(base, "link/tree")).list()).toHaveLength(1);
	});

	test("a root that is missing or a file is a failed source, and the message names it", async () => {
		const root = writeTree(workspace(), { file: "" });
		for (const name of ["nothing", "file"]) {
			const error = await errorOf(() => open(join(root, name)).list());
			expect(error.code).toBe("PACKAGE_SOURCE_FAILED");
			expect(error.message).toContain(join(root, name));
		}
	});

	test.skipIf(process.platform !== "linux")(
		"a name that is not UTF-8 is refused; an empty directory's isn't looked at",
		async () => {
			const root = writeTree(workspace(), { "FLOW.md": FLOW_MD });
			const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]);
			mkdirSync(odd);
			expect(await open(root).list()).toHaveLength(1);
			writeFileSync(Buffer.concat([odd, Buffer.from("/x")]), "");
			const error = await errorOf(() => open(root).list());
			expect([error.code, error.path]).toEqual(["PACKAGE_PATH_INVALID", "a\ufffd/x"]);
		},
	);

	test.each([
		["grew", (path: string) => appendFileSync(path, "more")],
		["shrank", (path: string) => truncateSync(path, 1)],
		["was rewritten", (path: string) => writeFileSync(path, "y".repeat(600_000))],
		["was touched", (path: string) => utimesSync(path, 5, 5)],
		["was replaced", (path: string) => replace(path, () => writeFileSync(path, "x".repeat(600_000)))],
		["was removed", (path: string) => rmSync(path)],
		["became a link", (path: string) => replace(path, () => symlinkSync("/etc/hostname", path))],
		["became a pipe", (path: string) => replace(path, () => execFileSync("mkfifo", [path]))],
	] as const)("Package/1 1: a file that %s after it was listed is a changed source", async (_, change) => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, "d/big": "x".repeat(600_000) });
		const source = open(root);
		await source.list();
		change(join(root, "d/big"));
		expect(await codeOf(() => readAll(source, "d/big"))).toBe("PACKAGE_SOURCE_CHANGED");
	});

	test("Package/1 1: a file that changes between two chunks is a changed source", async () => {
		const root = writeTree(workspace(), { big: "x".repeat(600_000) });
		const source = open(root);
		await source.list();
		const reader = (await source.open("big")).getReader();
		await reader.read();
		appendFileSync(join(root, "big"), "!");
		expect(
			await codeOf(async () => {
				while (!(await reader.read()).done);
			}),
		).toBe("PACKAGE_SOURCE_CHANGED");
	});

	test("Package/1 1: a parent that became a link to a twin is a changed source, not a way out", async () => {
		const base = writeTree(workspace(), { "tree/d/x": "in", "twin/x": "out" });
		const source = open(join(base, "tree"));
		await source.list();
		renameSync(join(base, "tree/d"), join(base, "old"));
		symlinkSync(join(base, "twin"), join(base, "tree/d"));
		expect(await codeOf(() => readAll(source, "d/x"))).toBe("PACKAGE_SOURCE_CHANGED");
	});

	test("confirm sees what a finished read can't: an added file, and a file changed after it was read", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, a: "1" });
		const source = open(root);
		await digestPackage(source);
		await source.confirm();
		writeFileSync(join(root, "b"), "2");
		expect(await codeOf(() => source.confirm())).toBe("PACKAGE_SOURCE_CHANGED");
		await digestPackage(source);
		appendFileSync(join(root, "a"), "2");
		expect(await codeOf(() => source.confirm())).toBe("PACKAGE_SOURCE_CHANGED");
	});

	test("a changing source is read at most three times, then it kept changing", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, a: "1" });
		const source = open(root);
		let passes = 0;
		const error = await errorOf(() =>
			whileUnchanged(source, async () => {
				const result = await digestPackage(source);
				passes += 1;
				appendFileSync(join(root, "a"), `${passes}`);
				return result;
			}),
		);
		expect([error.code, passes]).toEqual(["PACKAGE_SOURCE_CHANGED", 3]);
		expect(error.message).toContain("kept changing");
		expect((await whileUnchanged(source, () => digestPackage(source))).files).toHaveLength(2);
	});

	test("bounds of the walk are capacities: directories, entries and depth, each exact", async () => {
		const root = writeTree(workspace(), { "a/b/c": "", "a/d": "" });
		const list = (limits: object) => directory(root, { reach, limits }).list();
		expect(await list({ directories: 3, entries: 4, depth: 3 })).toHaveLength(2);
		for (const limits of [{ directories: 2 }, { entries: 3 }, { depth: 2 }])
			expect(await codeOf(() => list(limits))).toBe("PACKAGE_CAPACITY");
	});

	test("Package/1 5: a sparse file of 1 GiB + 1 is refused from its listing, one of 1 GiB isn't", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD });
		const fd = openSync(join(root, "huge"), "w");
		ftruncateSync(fd, 1_073_741_825);
		closeSync(fd);
		const error = await errorOf(() => digestPackage(open(root)));
		expect([error.code, error.path]).toEqual(["PACKAGE_LIMIT_EXCEEDED", "huge"]);
	});

	test("an aborted pass stops between chunks and leaves nothing open", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, big: new Uint8Array(32_000_000) });
		const before = await openFiles();
		const controller = new AbortController();
		const onProgress = ({ bytes }: { bytes: number }): void => {
			if (bytes > 3_000_000) controller.abort();
		};
		const code = await codeOf(() => digestPackage(open(root), { signal: controller.signal, onProgress }));
		expect(code).toBe("PACKAGE_ABORTED");
		expect(await openFiles()).toEqual(before);
	});

	test("a long pass lets timers run", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD, big: new Uint8Array(64_000_000) });
		let ticks = 0;
		const timer = setInterval(() => (ticks += 1), 1);
		await digestPackage(open(root), { sha256: nodeSha256 });
		clearInterval(timer);
		expect(ticks).toBeGreaterThan(0);
	});

	test("so do many short ones in a row, and descriptors don't add up", async () => {
		const root = writeTree(workspace(), { "FLOW.md": FLOW_MD });
		let ticks = 0;
		let most = 0;
		const timer = setInterval(() => (ticks += 1), 1);
		for (let pass = 0; pass < 1_000; pass += 1) {
			await digestPackage(open(root), { sha256: nodeSha256 });
			if (pass % 10 === 0 && process.platform === "linux") most = Math.max(most, readdirSync("/proc/self/fd").length);
		}
		clearInterval(timer);
		expect(ticks).toBeGreaterThan(0);
		expect(most).toBeLessThan(100);
	});
});
