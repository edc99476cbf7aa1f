import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { TemporaryDirectories } from "../../adapters/node/temporary.ts";
import { errorOf, workspace } from "./fixtures.ts";

afterEach(() => process.seteuid?.(0));

test("private directories are the owner's alone, and an exit listener stands only while there are some", async () => {
	const before = process.listenerCount("exit");
	const temporary = new TemporaryDirectories(workspace(), () => undefined);
	const [one, two] = [temporary.make("a"), temporary.make("b")];
	expect((lstatSync(one).mode & 0o777).toString(8)).toBe("700");
	expect(process.listenerCount("exit")).toBe(before + 1);
	await temporary.remove(one);
	await temporary.remove(one);
	expect(process.listenerCount("exit")).toBe(before + 1);
	await temporary.remove(two);
	expect(process.listenerCount("exit")).toBe(before);
});

test("many runtimes stand under one exit listener, and each is called", async () => {
	const base = workspace();
	const before = process.listeners("exit");
	let called = 0;
	const runtimes = Array.from({ length: 12 }, () => new TemporaryDirectories(base, () => (called += 1)));
	const made = runtimes.map((runtime) => runtime.make("a"));
	const [listener, ...more] = process.listeners("exit").filter((each) => !before.includes(each));
	expect(more).toEqual([]);
	listener?.call(process, 0);
	expect(called).toBe(12);
	for (const [index, runtime] of runtimes.entries()) await runtime.remove(made[index]!);
	expect(process.listeners("exit")).toEqual(before);
});

test.skipIf(process.getuid?.() !== 0)("what can't be removed is named, and tried again with the next one", async () => {
	const base = workspace();
	chmodSync(base, 0o777);
	const temporary = new TemporaryDirectories(base, () => undefined);
	process.seteuid?.(65_534);
	const [stuck, other] = [temporary.make("a"), temporary.make("b")];
	process.seteuid?.(0);
	mkdirSync(join(stuck, "roots"), { mode: 0o755 });
	mkdirSync(join(stuck, "roots/own"));
	process.seteuid?.(65_534);
	const error = await errorOf(() => temporary.remove(stuck));
	expect([error.code, error.phase]).toEqual(["CLEANUP_FAILED", "cleanup"]);
	expect(error.message).toContain(stuck);
	process.seteuid?.(0);
	await temporary.remove(other);
	expect(existsSync(stuck)).toBe(false);
	expect(readdirSync(base)).toEqual([]);
});
