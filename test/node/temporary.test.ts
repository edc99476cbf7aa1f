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
