import { expect, test } from "vitest";
import { createHost, HostError } from "../../src/host/index.ts";
import { digestPackage, memorySource } from "../../src/package/index.ts";
import { answering, arrange, DONE } from "./arrange.ts";
import { FakeRuntime, fakePackage, settle } from "./fake.ts";

const OTHER = `sha256:${"0".repeat(64)}` as const;

test("a loaded package carries the digest of its staged bytes", async () => {
	const { host } = arrange({});
	const pack = await host.load(fakePackage("main"));
	expect(pack.digest).toBe((await digestPackage(fakePackage("main"))).digest);
	expect(pack.snapshot.metadata.name).toBe("main");
});

test("the expected digest loads; any other is refused and leaves no stage", async () => {
	const { host, runtime } = arrange({});
	const { digest } = await digestPackage(fakePackage("main"));
	await (await host.load(fakePackage("main"), { expect: digest })).dispose();
	const error = await host.load(fakePackage("main"), { expect: OTHER }).catch((caught: unknown) => caught);
	expect(error).toBeInstanceOf(HostError);
	expect(error).toMatchObject({ code: "PACKAGE_DIGEST_MISMATCH", phase: "package" });
	expect(runtime.left).toEqual([]);
});

test.each([
	["no options", undefined, "options.runtime"],
	["no runtime", {}, "options.runtime"],
	["a runtime that wasn't made", { runtime: () => new FakeRuntime() }, "options.runtime"],
	["a runtime that lacks a part", { runtime: { stage: () => undefined } }, '"launcherFor"'],
])("a host made with %s is a TypeError that says what is missing", (_, options, named) => {
	expect(() => createHost(options as never)).toThrow(TypeError);
	expect(() => createHost(options as never)).toThrow(named);
});

test("an `expect` that is no digest is a TypeError", async () => {
	const { host } = arrange({});
	await expect(host.load(fakePackage("main"), { expect: "sha256:AB" as never })).rejects.toThrow(TypeError);
});

test("an invalid package keeps its own code and leaves no stage", async () => {
	const { host, runtime } = arrange({});
	const source = memorySource({ "FLOW.md": "no frontmatter" });
	await expect(host.load(source)).rejects.toMatchObject({ code: "PACKAGE_FRONTMATTER_INVALID", phase: "package" });
	expect(runtime.left).toEqual([]);
});

test("a stage that can't be made is PACKAGE_STAGE_FAILED with the cause", async () => {
	const { host, runtime } = arrange({});
	runtime.failing.stage = new Error("disk full");
	const error = await host.load(fakePackage("main")).catch((caught: unknown) => caught);
	expect(error).toMatchObject({ code: "PACKAGE_STAGE_FAILED", phase: "package", cause: runtime.failing.stage });
});

test("an aborted load is PACKAGE_ABORTED and leaves no stage", async () => {
	const { host, runtime } = arrange({});
	const signal = AbortSignal.abort("enough");
	await expect(host.load(fakePackage("main"), { signal })).rejects.toMatchObject({ code: "PACKAGE_ABORTED" });
	expect(runtime.left).toEqual([]);
});

test("dispose waits for the Runs that hold the stage, joins, and refuses further Runs", async () => {
	const stage = arrange({
		main: async (component) => {
			const root = await component.next();
			await gate;
			component.answer(root.id, DONE);
			component.exit(0);
		},
	});
	let open: () => void = () => undefined;
	const gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	const pack = await stage.load("main");
	const run = stage.run(pack);
	await settle();
	const first = pack.dispose();
	expect(pack.dispose()).toBe(first);
	await settle();
	expect(stage.runtime.left).toContain("/stage/1");
	await expect(stage.run(pack).result).rejects.toMatchObject({ code: "PACKAGE_DISPOSED", phase: "package" });
	open();
	await run.result;
	await first;
	expect(stage.runtime.left).toEqual([]);
});

const asyncDispose = (Symbol as { asyncDispose?: symbol }).asyncDispose;

test.skipIf(asyncDispose === undefined)("a loaded package is what `await using` disposes", async () => {
	const stage = arrange({ main: answering(DONE) });
	const pack = await stage.load("main");
	await (pack as unknown as Record<symbol, () => Promise<void>>)[asyncDispose!]!();
	expect(stage.runtime.left).toEqual([]);
});

test("limits are checked by name", () => {
	const runtime = new FakeRuntime();
	expect(createHost({ runtime }).limits.stdoutBytes).toBe(67_108_864);
	expect(() => createHost({ runtime, limits: { stdoutBytes: 16_777_216 } })).toThrow(/limits.stdoutBytes/);
	expect(createHost({ runtime, limits: { stdoutBytes: 16_777_217 } }).limits.stdoutBytes).toBe(16_777_217);
	expect(() => createHost({ runtime, limits: { exitGraceMs: 0.5 } })).toThrow(/limits.exitGraceMs/);
	expect(() => createHost({ runtime, limits: { nonsense: 1 } as never })).toThrow(/nonsense/);
	expect(createHost({ runtime, limits: { maxDeadlineMs: 10 } }).limits.defaultDeadlineMs).toBe(10);
	expect(() => createHost({ runtime, limits: { maxDeadlineMs: 10, defaultDeadlineMs: 11 } })).toThrow(RangeError);
});
