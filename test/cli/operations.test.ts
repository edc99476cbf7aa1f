import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, leftIn, millrace, packageOf, workspace, writeTree } from "./command.ts";

/** `--store` and `--key`, and the command that looks after a store. */

/** Calls its child once and answers with what came of it. */
const PARENT = `import { handle } from "millrace/sdk";
await handle(async (run) => {
	let output;
	try {
		output = (await run.runChildFlow({ operationId: "op", slot: "helper", input: run.input })).output;
	} catch (error) {
		output = error.code;
	}
	return { outcome: "done", output };
});`;

/** Counts its starts in the file that its input names. */
const CHILD = `import { appendFileSync } from "node:fs";
import { handle } from "millrace/sdk";
await handle(async (run) => {
	appendFileSync(run.input, "started\\n");
	return { outcome: "done", output: "made" };
});`;

interface Place {
	readonly words: readonly string[];
	readonly store: string;
	readonly parent: string;
	started(): number;
}

function place(): Place {
	const base = workspace();
	const parent = packageOf(PARENT);
	const counter = join(base, "started");
	const store = join(base, "operations.db");
	const bound = ["--child", `helper=${packageOf(CHILD)}`, "--input", JSON.stringify(counter)];
	return {
		words: ["run", parent, ...bound, "--store", store, "--key", "nightly"],
		store,
		parent,
		started: () => (existsSync(counter) ? readFileSync(counter, "utf8").split("\n").length - 1 : 0),
	};
}

describe.concurrent("run --store FILE --key KEY", () => {
	test("a later Run with the key gives the same answer and starts nothing twice", async () => {
		const { words, started } = place();
		const temporary = workspace();
		const first = await millrace(words, { temporary });
		expect([first.exitCode, first.stdout]).toEqual([0, '"made"\n']);
		expect(first.stderr).toMatch(/^store {5}key "nightly": 0 operations recorded$/m);
		expect(first.stderr).not.toContain("recalled");
		const second = await millrace(words, { temporary });
		expect([second.exitCode, second.stdout]).toEqual([0, '"made"\n']);
		expect(second.stderr).toMatch(/^store {5}key "nightly": 1 operation recorded$/m);
		expect(second.stderr).toMatch(/^recalled {2}1 call answered with the result on record$/m);
		expect(started()).toBe(1);
		expect(leftIn(temporary)).toEqual([]);
	});

	test("without a key, everything is started again", async () => {
		const { words, started } = place();
		await Promise.all([asked(words.slice(0, -4)), asked(words.slice(0, -4))]);
		expect(started()).toBe(2);
	});

	test("the key is bound to the package, the input and the settings", async () => {
		const { words, started, store } = place();
		await asked(words);
		const other = words.map((word) => (word.startsWith('"') ? '"/nowhere"' : word));
		expect(await asked(other)).toMatchObject({
			exitCode: 1,
			answer: { code: "OPERATION_KEY_MISMATCH", phase: "activation", details: { differs: ["input"] } },
		});
		const { stderr } = await millrace(other);
		expect(stderr).toMatch(/^hint {6}millrace operations delete FILE --key KEY forgets/m);
		expect((await asked(["operations", "delete", store, "--key", "nightly"])).answer).toEqual({
			status: "succeeded",
			deleted: ["nightly"],
		});
		await asked(words);
		expect(started()).toBe(2);
	});

	test("a file of another program is refused, and left as it is", async () => {
		const { words, store } = place();
		writeFileSync(store, "mine");
		expect(await asked(words)).toMatchObject({ exitCode: 1, answer: { code: "OPERATION_STORE_FOREIGN" } });
		expect(readFileSync(store, "utf8")).toBe("mine");
	});

	test("says what to install where there is no SQLite", async () => {
		const { words, store, started } = place();
		const hook = `export async function resolve(name, context, next) {
			if (name === "libsql") throw new Error("it is not installed");
			return next(name, context);
		}`;
		const url = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
		const register = `import { register } from "node:module"; import process from "node:process";
			process.getBuiltinModule = undefined; register(${JSON.stringify(url(hook))});`;
		const node = ["--import", url(register)];
		const { exitCode, answer } = await asked(words, { node });
		expect(exitCode).toBe(1);
		expect(answer).toMatchObject({
			code: "OPERATION_STORE_UNSUPPORTED",
			phase: "activation",
			message: expect.stringMatching(/22\.13.*npm install libsql/),
		});
		expect([started(), existsSync(store)]).toEqual([0, false]);
		// Who keeps no operations needs no SQLite.
		expect((await asked(words.slice(0, -4), { node })).exitCode).toBe(0);
	});
});

describe.concurrent("millrace operations", () => {
	test("lists the keys, the one used last first", async () => {
		const { words, store, parent } = place();
		await asked(words);
		await asked([...words.slice(0, -1), "weekly\u2028"]);
		const { exitCode, answer } = await asked(["operations", "list", store]);
		expect(exitCode).toBe(0);
		const { digest } = (await asked(["digest", parent])).answer;
		expect(answer).toMatchObject({
			status: "succeeded",
			keys: [
				{ key: "weekly\u2028", incarnation: 2, operations: 1, unsettled: 0, binding: { package: digest } },
				{ key: "nightly", incarnation: 1, operations: 1, unsettled: 0 },
			],
		});
		const { stdout, stderr } = await millrace(["operations", "list", store]);
		expect(stderr).toBe("");
		expect(stdout).toContain('"weekly\\u{2028}"\n');
		expect(stdout).toMatch(/^ {2}holds {4}1 operation; \d+ bytes of results$/m);
	});

	test("deletes a key, and those that nothing has used for a time", async () => {
		const { words, store } = place();
		for (const key of ["a", "b", "c"]) await asked([...words.slice(0, -1), key]);
		const remove = async (...how: string[]): Promise<[number | null, unknown]> => {
			const { exitCode, answer } = await asked(["operations", "delete", store, ...how]);
			return [exitCode, answer.deleted];
		};
		expect(await remove("--key", "b")).toEqual([0, ["b"]]);
		expect(await remove("--key", "b")).toEqual([1, []]);
		expect(await remove("--unused", "1h")).toEqual([0, []]);
		expect(await remove("--unused", "1ms")).toEqual([0, ["c", "a"]]);
		expect((await millrace(["operations", "list", store])).stdout).toBe("no keys\n");
	});

	test("makes no store", async () => {
		const store = join(workspace(), "none.db");
		for (const words of [["list"], ["delete", "--key", "a"]]) {
			const { exitCode, answer } = await asked(["operations", ...words, store]);
			expect([exitCode, answer.code]).toEqual([1, "OPERATION_STORE_FAILED"]);
		}
		expect(existsSync(store)).toBe(false);
	});

	test.each<[string, string[], string]>([
		["a key without a store", ["run", "x", "--key", "a"], "--key needs --store FILE"],
		["a store without a key", ["run", "x", "--store", "a.db"], "--store needs --key KEY"],
		["an empty key", ["run", "x", "--store", "a.db", "--key", ""], "1 to 256 characters"],
		["an empty store", ["run", "x", "--store", "", "--key", "a"], "the name is empty"],
		["a store inside the package", ["run", "x", "--store", "x/a.db", "--key", "a"], "part of the package"],
		["nothing to delete by", ["operations", "delete", "a.db"], "--key KEY or --unused TIME"],
		["two to delete by", ["operations", "delete", "a.db", "--key", "a", "--unused", "1h"], "--key KEY or --unused"],
		["no command", ["operations"], "millrace operations --help"],
	])("refuses %s", async (_, words, hint) => {
		const cwd = writeTree(workspace(), { "x/FLOW.md": "" });
		const { exitCode, stdout, stderr } = await millrace(words, { cwd });
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toContain(hint);
	});
});
