import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf, countedRuntime, errorOf, openFiles, workspace, writeTree } from "./fixtures.ts";

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describe("Run/1 3: an attachment without a sandbox", () => {
	test("read: a directory is a private, read-only copy, empty directories and hidden files too", async () => {
		const { runtime, left } = countedRuntime();
		const path = writeTree(workspace(), { "a/b": "1", ".hidden": "h" });
		mkdirSync(join(path, "empty"));
		linkSync(join(path, "a/b"), join(workspace(), "elsewhere"));
		const before = await openFiles();
		const attached = await runtime.attach({ name: "source", source: { path }, access: "read" });
		expect(basename(attached.path)).toBe("source");
		expect(attached.access).toBe("read");
		writeFileSync(join(path, "a/b"), "2");
		expect(readFileSync(join(attached.path, "a/b"), "utf8")).toBe("1");
		expect(readdirSync(attached.path).sort()).toEqual([".hidden", "a", "empty"]);
		expect(["", "a", "a/b"].map((each) => mode(join(attached.path, each)))).toEqual(["555", "555", "444"]);
		await attached.dispose();
		await attached.dispose();
		expect(left()).toEqual([]);
		expect(await openFiles()).toEqual(before);
	});

	test("read: a file is copied under its own name", async () => {
		const { runtime, left } = countedRuntime();
		const path = join(writeTree(workspace(), { "data.csv": "1,2" }), "data.csv");
		const attached = await runtime.attach({ name: "table", source: { path }, access: "read" });
		expect([basename(attached.path), readFileSync(attached.path, "utf8"), mode(attached.path)]).toEqual([
			"data.csv",
			"1,2",
			"444",
		]);
		await attached.dispose();
		expect(left()).toEqual([]);
	});

	test.skipIf(process.platform !== "linux")("read: names that aren't UTF-8 are copied as they are", async () => {
		const { runtime, left } = countedRuntime();
		const path = workspace();
		const odd = Buffer.from([0x61, 0xff]);
		writeFileSync(Buffer.concat([Buffer.from(`${path}/`), odd]), "x");
		const attached = await runtime.attach({ name: "odd", source: { path }, access: "read" });
		expect(readdirSync(attached.path, { encoding: "buffer" as BufferEncoding })).toEqual([odd]);
		await attached.dispose();
		expect(left()).toEqual([]);
	});

	test.each([
		["a link inside", (root: string) => symlinkSync("/etc/hostname", join(root, "link"))],
		["a pipe inside", (root: string) => execFileSync("mkfifo", [join(root, "pipe")])],
	] as const)("read: %s is refused and nothing is left", async (_, make) => {
		const { runtime, left } = countedRuntime();
		const path = writeTree(workspace(), { "a/b": "1" });
		make(path);
		const error = await errorOf(() => runtime.attach({ name: "source", source: { path }, access: "read" }));
		expect([error.code, error.phase]).toEqual(["ATTACHMENT_FAILED", "activation"]);
		expect(left()).toEqual([]);
	});

	test("read: a root that is a link, or missing, is refused", async () => {
		const { runtime, left } = countedRuntime();
		const base = writeTree(workspace(), { "real/x": "1" });
		symlinkSync("real", join(base, "link"));
		for (const name of ["link", "missing"]) {
			const attach = () => runtime.attach({ name: "source", source: { path: join(base, name) }, access: "read" });
			expect(await codeOf(attach)).toBe("ATTACHMENT_FAILED");
		}
		expect(left()).toEqual([]);
	});

	test("read: a root around the temporary directory is refused: its copy would be copied into itself", async () => {
		const root = writeTree(workspace(), { "temporary/x": "1", "temporary..x/y": "2" });
		const { runtime, left } = countedRuntime({ temporary: join(root, "temporary") });
		for (const path of [root, join(root, "temporary"), "/"]) {
			const error = await errorOf(() => runtime.attach({ name: "source", source: { path }, access: "read" }));
			expect([error.code, error.message]).toEqual(["ATTACHMENT_FAILED", expect.stringContaining("inside it")]);
		}
		const beside = { path: join(root, "temporary..x") };
		await (await runtime.attach({ name: "source", source: beside, access: "read" })).dispose();
		expect(left()).toEqual([]);
		expect(readdirSync(join(root, "temporary"))).toEqual(["x"]);
	});

	test("read: an aborted copy leaves nothing and rejects with the reason", async () => {
		const { runtime, left } = countedRuntime();
		const path = writeTree(workspace(), { big: new Uint8Array(60_000_000) });
		const controller = new AbortController();
		const reason = new Error("enough");
		const attaching = runtime.attach({ name: "source", source: { path }, access: "read", signal: controller.signal });
		setTimeout(() => controller.abort(reason), 5);
		expect(await errorOf(() => attaching)).toBe(reason);
		expect(left()).toEqual([]);
	});

	test("read-write is the root itself, and only on explicit trust", async () => {
		const path = workspace();
		const request = { name: "source", source: { path }, access: "read-write" } as const;
		const { runtime, left } = countedRuntime();
		const error = await errorOf(() => runtime.attach(request));
		expect([error.code, error.phase]).toEqual(["ATTACHMENT_ACCESS", "activation"]);
		const trusted = { ...request, source: { path, trusted: true } };
		const trusting = countedRuntime({ trustReadWriteAttachments: true }).runtime;
		for (const attached of [await runtime.attach(trusted), await trusting.attach(request)]) {
			expect([attached.path, attached.access]).toEqual([path, "read-write"]);
			await attached.dispose();
		}
		expect(lstatSync(path).isDirectory()).toBe(true);
		expect(left()).toEqual([]);
		const missing = { ...trusted, source: { path: join(path, "missing"), trusted: true } };
		expect(await codeOf(() => runtime.attach(missing))).toBe("ATTACHMENT_FAILED");
	});

	test("a sandbox takes over attachments and the command", async () => {
		const { runtime } = countedRuntime({
			sandbox: {
				attach: async ({ access }) => ({ path: "/inside", access, dispose: async () => undefined }),
				wrap: (command) => command,
			},
		});
		const attached = await runtime.attach({ name: "a", source: { path: "/" }, access: "read-write" });
		expect(attached.path).toBe("/inside");
	});
});
