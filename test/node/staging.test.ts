import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { directory } from "../../adapters/node/directory.ts";
import { nodeRuntime } from "../../adapters/node/runtime.ts";
import { digestPackage, memorySource, type PackageSource } from "../../src/package/index.ts";
import {
	codeOf,
	countedRuntime,
	errorOf,
	FLOW_MD,
	openFiles,
	privateDirectories,
	runToEnd,
	workspace,
	writeTree,
} from "./fixtures.ts";

const SAMPLE = { "FLOW.md": FLOW_MD, "flow.mjs": "", "lib/deep/x.txt": "x", ".hidden": "h" };

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describe("a stage", () => {
	test("is private, read-only below, and holds the very bytes that its source digests to", async () => {
		const { runtime, left } = countedRuntime();
		const staged = await runtime.stage(memorySource(SAMPLE), {});
		const stage = dirname(staged.root);
		expect(mode(stage)).toBe("700");
		expect(["", "lib", "lib/deep"].map((path) => mode(join(staged.root, path)))).toEqual(["555", "555", "555"]);
		expect(["FLOW.md", ".hidden", "lib/deep/x.txt"].map((path) => mode(join(staged.root, path)))).toEqual([
			"444",
			"444",
			"444",
		]);
		expect((await digestPackage(staged.source)).digest).toBe((await digestPackage(memorySource(SAMPLE))).digest);
		expect(JSON.parse(readFileSync(join(stage, "package.json"), "utf8"))).toEqual({ type: "module" });
		expect(readdirSync(stage).sort()).toEqual(["node_modules", "package.json", "tree", "tsconfig.json"]);
		await staged.verify?.();
		await staged.dispose();
		await staged.dispose();
		expect(left()).toEqual([]);
	});

	test("of a directory is a copy: later changes to the source change nothing", async () => {
		const { runtime, left } = countedRuntime();
		const root = writeTree(workspace(), SAMPLE);
		const before = await openFiles();
		const staged = await runtime.stage(directory(root), {});
		const { digest } = await digestPackage(directory(root));
		writeFileSync(join(root, "flow.mjs"), "changed");
		expect((await digestPackage(staged.source)).digest).toBe(digest);
		await staged.dispose();
		expect(left()).toEqual([]);
		expect(await openFiles()).toEqual(before);
	});

	test("takes a directory's path and tells its progress", async () => {
		const { runtime } = countedRuntime();
		let bytes = 0;
		const onProgress = (progress: { bytes: number }): void => {
			bytes = progress.bytes;
		};
		const staged = await runtime.stage(writeTree(workspace(), { "FLOW.md": FLOW_MD, big: "x".repeat(500_000) }), {
			onProgress,
		});
		expect(bytes).toBe(500_000 + FLOW_MD.length);
		await staged.dispose();
	});

	test("gives both SDK names one module, and a copy inside the package wins", async () => {
		const { runtime } = countedRuntime();
		const flow = `import * as a from "@jigging/flow"; import * as b from "millrace/sdk";
			process.stdout.write(String(a.handle === b.handle && typeof a.handle) + " " + Object.keys(a).sort());`;
		const ours = await runToEnd(runtime, { "flow.mjs": flow });
		expect([ours.err, ours.out]).toEqual(["", "function CapabilityError,OperationError,handle"]);
		const vendored = await runToEnd(runtime, {
			"flow.mjs": `import { own } from "@jigging/flow"; process.stdout.write(own);`,
			"node_modules/@jigging/flow/package.json": `{"name":"@jigging/flow","type":"module","exports":"./own.js"}`,
			"node_modules/@jigging/flow/own.js": `export const own = "vendored";`,
		});
		expect(vendored.out).toBe("vendored");
	});

	test("is refused below a node_modules, package.json or Deno workspace that a package could pick up", async () => {
		for (const name of ["node_modules", "package.json", "deno.json", "deno.jsonc"]) {
			const { runtime, base, left } = countedRuntime();
			mkdirSync(join(base, name));
			const error = await errorOf(() => runtime.stage(memorySource(SAMPLE), {}));
			expect([error.code, error.phase]).toEqual(["PACKAGE_STAGE_FAILED", "package"]);
			expect(error.message).toContain(join(base, name));
			expect(left()).toEqual([]);
		}
	});

	test.each([
		["a changed file", (stage: string) => appendFileSync(rw(join(stage, "tree/lib/deep/x.txt")), "!")],
		["an added file", (stage: string) => writeFileSync(join(rw(join(stage, "tree")), "new"), "")],
		["a removed file", (stage: string) => rmSync(join(rw(join(stage, "tree")), ".hidden"))],
		["a link in the tree", (stage: string) => symlinkSync("/etc", join(rw(join(stage, "tree")), "link"))],
		["a changed SDK", (stage: string) => appendFileSync(rw(join(stage, "node_modules/millrace/node.js")), "\n")],
		["a module beside the SDK", (stage: string) => writeTree(rw(join(stage, "node_modules")), { "evil/index.js": "" })],
		["a file beside the tree", (stage: string) => writeFileSync(join(stage, "x"), "")],
		["a missing barrier", (stage: string) => rmSync(join(stage, "package.json"))],
		["a node_modules above", (stage: string) => mkdirSync(join(dirname(stage), "node_modules"))],
	] as const)("is no longer launched from with %s", async (what, change) => {
		const { runtime, left } = countedRuntime();
		const staged = await runtime.stage(memorySource(SAMPLE), {});
		change(dirname(staged.root));
		const code = what.endsWith("above") ? "PACKAGE_STAGE_FAILED" : "PACKAGE_STAGE_CHANGED";
		expect(await codeOf(() => staged.verify?.())).toBe(code);
		await staged.dispose();
		expect(left()).toEqual([]);
	});

	test("stops its proof when the Run is stopped: it reads the whole package", async () => {
		const { runtime } = countedRuntime();
		const staged = await runtime.stage(memorySource({ ...SAMPLE, big: new Uint8Array(64_000_000) }), {});
		const before = await openFiles();
		const reason = new Error("stopped");
		expect(await errorOf(() => staged.verify?.(AbortSignal.abort(reason)))).toBe(reason);
		const controller = new AbortController();
		setTimeout(() => controller.abort(reason), 1);
		expect(await errorOf(() => staged.verify?.(controller.signal))).toBe(reason);
		expect(await openFiles()).toEqual(before);
		await staged.verify?.();
		await staged.dispose();
	});

	function rw(path: string): string {
		chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
		return path;
	}
});

describe("a stage that fails leaves nothing behind", () => {
	const failing = (fail: () => Promise<never> | Error): PackageSource => {
		const inner = memorySource({ ...SAMPLE, "zz/last": "z" });
		return {
			list: () => inner.list(),
			open(path) {
				if (path !== "zz/last") return inner.open(path);
				const error = fail();
				return Promise.reject(error);
			},
		};
	};

	const refusals: [what: string, source: () => PackageSource | string, code: string][] = [
		["the source rejects half way", () => failing(() => new Error("gone")), "PACKAGE_SOURCE_FAILED"],
		["a path leads out", () => memorySource({ ...SAMPLE, "../out": "" }), "PACKAGE_PATH_INVALID"],
		["a path is absolute", () => memorySource({ ...SAMPLE, "/out": "" }), "PACKAGE_PATH_INVALID"],
		["there is no FLOW.md", () => memorySource({ x: "" }), "PACKAGE_FLOW_MISSING"],
		["the directory doesn't exist", () => "/nowhere/at/all", "PACKAGE_SOURCE_FAILED"],
	];

	test.each(refusals)("when %s", async (_, source, code) => {
		const { runtime, base, left } = countedRuntime();
		expect(await codeOf(() => runtime.stage(source(), {}))).toBe(code);
		expect(left()).toEqual([]);
		expect(readdirSync(base)).toEqual([]);
	});

	test("when the directory has a link, after other files were listed", async () => {
		const { runtime, left } = countedRuntime();
		const root = writeTree(workspace(), SAMPLE);
		symlinkSync("FLOW.md", join(root, "lib/link"));
		expect(await codeOf(() => runtime.stage(directory(root), {}))).toBe("PACKAGE_SYMLINK");
		expect(left()).toEqual([]);
	});

	test("when the directory keeps changing", async () => {
		const { runtime, left } = countedRuntime();
		const root = writeTree(workspace(), SAMPLE);
		let times = 0;
		const onProgress = (): void => appendFileSync(join(root, ".hidden"), `${times++}`);
		const error = await errorOf(() => runtime.stage(directory(root), { onProgress }));
		expect(error.code).toBe("PACKAGE_SOURCE_CHANGED");
		expect(error.message).toContain("kept changing");
		expect(left()).toEqual([]);
	});

	test("when it is aborted, before and while it copies", async () => {
		const { runtime, left } = countedRuntime();
		const reason = new Error("enough");
		expect(await errorOf(() => runtime.stage(memorySource(SAMPLE), { signal: AbortSignal.abort(reason) }))).toBe(
			reason,
		);
		const controller = new AbortController();
		const source = writeTree(workspace(), { "FLOW.md": FLOW_MD, big: new Uint8Array(30_000_000) });
		const before = await openFiles();
		const onProgress = ({ bytes }: { bytes: number }): void => {
			if (bytes > 2_000_000) controller.abort(reason);
		};
		expect(await errorOf(() => runtime.stage(source, { signal: controller.signal, onProgress }))).toBe(reason);
		expect(left()).toEqual([]);
		expect(await openFiles()).toEqual(before);
	});

	test("when there is nowhere to make it", async () => {
		const runtime = nodeRuntime({ temporary: join(workspace(), "missing") });
		expect(await codeOf(() => runtime.stage(memorySource(SAMPLE), {}))).toBe("PACKAGE_STAGE_FAILED");
		expect(await codeOf(() => runtime.scratch())).toBe("SCRATCH_FAILED");
	});

	test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
		"when the disk is full: a capacity",
		async (context) => {
			const disk = workspace();
			try {
				execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
			} catch {
				context.skip("no file system can be mounted here");
			}
			try {
				const runtime = nodeRuntime({ temporary: disk });
				const source = memorySource({ "FLOW.md": FLOW_MD, big: new Uint8Array(4_000_000) });
				const error = await errorOf(() => runtime.stage(source, {}));
				expect([error.code, error.path]).toEqual(["PACKAGE_CAPACITY", "big"]);
				expect(privateDirectories(disk)).toEqual([]);
			} finally {
				execFileSync("umount", [disk]);
			}
		},
	);
});
