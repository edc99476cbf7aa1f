import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { type SqliteOperationStore, sqliteOperationStore } from "../../adapters/node/operation-store.ts";
import { loadDriver, type SqliteDriverName } from "../../adapters/node/operation-store-driver.ts";
import { BINDING, digestOf, held, intent, storeContract } from "../host/store-contract.ts";
import { codeOf, errorOf, workspace } from "./fixtures.ts";

const hasBuiltIn = await loadDriver("node:sqlite").then(
	() => true,
	() => false,
);
const drivers: readonly SqliteDriverName[] = hasBuiltIn ? ["libsql", "node:sqlite"] : ["libsql"];

const opened: SqliteOperationStore[] = [];
afterEach(async () => {
	for (const store of opened.splice(0)) await store.close();
});

async function open(...args: Parameters<typeof sqliteOperationStore>): Promise<SqliteOperationStore> {
	const store = await sqliteOperationStore(...args);
	opened.push(store);
	return store;
}

const fresh = (): string => join(workspace(), "operations.db");

for (const driver of drivers) {
	storeContract(
		`SQLite through ${driver}`,
		(limits) => open(fresh(), { driver, limits }),
		(store) => open((store as SqliteOperationStore).path, { driver }),
	);
}

describe.each(drivers)("a store in an SQLite file, through %s", (driver) => {
	test("makes the file for its owner alone, takes an empty one, and says which it is", async () => {
		const path = fresh();
		const store = await open(pathToFileURL(path), { driver });
		expect([store.path, store.driver]).toEqual([path, driver]);
		for (const name of readdirSync(join(path, ".."))) {
			expect([name, statSync(join(path, "..", name)).mode & 0o777]).toEqual([name, 0o600]);
		}
		const empty = fresh();
		writeFileSync(empty, "");
		await held(await open(empty, { driver }), "k");
	});

	test("waits for the disk at every commit", async () => {
		const path = fresh();
		await open(path, { driver });
		const database = (await loadDriver(driver)).open(path);
		expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
		database.close();
	});

	test.each<[string, (path: string) => Promise<void>, string]>([
		["text", async (path) => writeFileSync(path, "a,b\n1,2\n".repeat(100)), "OPERATION_STORE_FOREIGN"],
		["a short text", async (path) => writeFileSync(path, "hello"), "OPERATION_STORE_FOREIGN"],
		["another program's database", (path) => otherDatabase(driver, path, ""), "OPERATION_STORE_FOREIGN"],
		[
			"another program's marked database",
			(path) => otherDatabase(driver, path, "PRAGMA application_id = 7; PRAGMA user_version = 1;"),
			"OPERATION_STORE_FOREIGN",
		],
		[
			"another program's empty database",
			(path) => otherDatabase(driver, path, "DROP TABLE mine; PRAGMA user_version = 3;"),
			"OPERATION_STORE_FOREIGN",
		],
		["a newer version's store", (path) => versioned(driver, path, 2), "OPERATION_STORE_NEWER"],
		["a store of no version", (path) => versioned(driver, path, 0), "OPERATION_STORE_FOREIGN"],
	])("refuses %s, and leaves it as it is", async (_, make, code) => {
		const path = fresh();
		await make(path);
		const before = [readFileSync(path), readdirSync(join(path, ".."))];
		const error = await errorOf(() => open(path, { driver }));
		expect(error).toMatchObject({ name: "HostError", code, phase: "activation" });
		expect(error.message).toContain(path);
		expect([readFileSync(path), readdirSync(join(path, ".."))]).toEqual(before);
	});

	test("refuses a directory, and a file in no directory", async () => {
		expect(await codeOf(() => open(workspace(), { driver }))).toBe("OPERATION_STORE_FAILED");
		expect(await codeOf(() => open(join(workspace(), "none", "a.db"), { driver }))).toBe("OPERATION_STORE_FAILED");
	});

	test("says so when the tables are gone under it", async () => {
		const path = fresh();
		const store = await open(path, { driver });
		const claim = await held(store, "k");
		const database = (await loadDriver(driver)).open(path);
		database.exec("DROP TABLE operations");
		database.close();
		expect(await errorOf(() => claim.begin(intent("a")))).toMatchObject({
			name: "HostError",
			code: "OPERATION_STORE_FAILED",
			phase: "run",
		});
	});

	test("waits for a busy file without holding up the program", async () => {
		const path = fresh();
		const claim = await held(await open(path, { driver, busyMs: 60_000 }), "k");
		const other = (await loadDriver(driver)).open(path);
		other.exec("BEGIN IMMEDIATE");
		const waiting = claim.begin(intent("a"));
		// Were it SQLite that waits, the other would never get to its end: it is this program.
		for (let turns = 0; turns < 20; turns += 1) await turn();
		other.exec("ROLLBACK");
		expect(await waiting).toBe("recorded");
		other.close();
	});

	test("gives up a busy file with a typed error", async () => {
		const path = fresh();
		const store = await open(path, { driver, busyMs: 50 });
		const claim = await held(store, "k");
		const other = (await loadDriver(driver)).open(path);
		other.exec("BEGIN IMMEDIATE");
		expect(await errorOf(() => claim.begin(intent("a")))).toMatchObject({ code: "OPERATION_STORE_BUSY", phase: "run" });
		expect(await codeOf(() => store.claim("k", BINDING))).toBe("OPERATION_STORE_BUSY");
		// Opening only reads.
		await open(path, { driver, busyMs: 0 });
		other.exec("ROLLBACK");
		expect(await claim.begin(intent("a"))).toBe("recorded");
		other.close();
		const empty = fresh();
		const maker = (await loadDriver(driver)).open(empty);
		maker.exec("BEGIN IMMEDIATE; CREATE TABLE mine (a)");
		expect(await codeOf(() => open(empty, { driver, busyMs: 50 }))).toBe("OPERATION_STORE_BUSY");
		maker.close();
	});

	test("puts what is asked for at once into one commit", async () => {
		const path = fresh();
		const claim = await held(await open(path, { driver }), "k");
		const before = statSync(`${path}-wal`).size;
		await claim.begin(intent("first"));
		const one = statSync(`${path}-wal`).size - before;
		await Promise.all(Array.from({ length: 32 }, (_, index) => claim.begin(intent(`o${index}`))));
		expect(statSync(`${path}-wal`).size - before - one).toBeLessThan(one * 8);
	});

	test("finishes what was asked for before it closes, and takes nothing afterwards", async () => {
		const path = fresh();
		const store = await sqliteOperationStore(path, { driver });
		const claim = await held(store, "k");
		const last = claim.begin(intent("a"));
		await Promise.all([store.close(), store.close()]);
		expect(await last).toBe("recorded");
		expect(await codeOf(() => claim.settle(intent("a"), "1"))).toBe("OPERATION_STORE_FAILED");
		expect(await codeOf(() => store.list())).toBe("OPERATION_STORE_FAILED");
		expect((await held(await open(path, { driver }), "k")).recorded).toHaveLength(1);
	});

	test("has what was answered, wherever the log of a torn machine ends", async () => {
		const path = fresh();
		const claim = await held(await open(path, { driver }), "k");
		const log = `${path}-wal`;
		/** Bytes of the log when so many operations had been answered. */
		const ends: number[] = [statSync(log).size];
		for (let index = 0; index < 20; index += 1) {
			await claim.begin(intent(String.fromCharCode(97 + index)));
			ends.push(statSync(log).size);
		}
		const whole = ends.at(-1)!;
		for (let cut = 0; cut <= whole; cut += Math.ceil(whole / 40)) {
			const torn = fresh();
			copyFileSync(path, torn);
			copyFileSync(log, `${torn}-wal`);
			truncateSync(`${torn}-wal`, cut);
			const answered = ends.findLastIndex((end) => end <= cut);
			const store = await open(torn, { driver });
			const { recorded } = await held(store, "k");
			expect(recorded.map((each) => each.operationId).sort()).toEqual(
				Array.from("abcdefghijklmnopqrst".slice(0, Math.max(0, answered))),
			);
		}
	});

	test("fences across connections of other processes' files", async () => {
		const path = fresh();
		const first = await held(await open(path, { driver }), "k");
		await first.begin(intent("a"));
		const store = await open(path, { driver });
		const second = await held(store, "k");
		expect(await first.settle(intent("a"), "1")).toBe("superseded");
		expect(await second.settle(intent("a"), "2")).toBe("recorded");
		expect(await store.delete("k", second.incarnation)).toBe(true);
		expect(await second.begin(intent("b"))).toBe("superseded");
	});
});

describe("opening an operation store", () => {
	test.each<[string, unknown, unknown, ErrorConstructor]>([
		["no path", "", {}, TypeError],
		["memory", ":memory:", {}, TypeError],
		["a path with U+0000", "a\0b", {}, TypeError],
		["no text", 7, {}, TypeError],
		["a limit out of its domain", "a.db", { limits: { keys: 0 } }, RangeError],
		["a negative patience", "a.db", { busyMs: -1 }, RangeError],
		["an unknown driver", "a.db", { driver: "better" }, TypeError],
	])("refuses %s", async (_, path, options, kind) => {
		await expect(sqliteOperationStore(path as string, options as object)).rejects.toBeInstanceOf(kind);
		expect(existsSync("a.db")).toBe(false);
	});

	test.skipIf(hasBuiltIn)("says what to install where the runtime has no SQLite of its own", async () => {
		const error = await errorOf(() => sqliteOperationStore(fresh(), { driver: "node:sqlite" }));
		expect(error).toMatchObject({ code: "OPERATION_STORE_UNSUPPORTED", phase: "activation" });
		expect(error.message).toContain("22.13");
	});

	test.skipIf(!hasBuiltIn)("reads with one driver what the other wrote", async () => {
		const path = fresh();
		const store = await sqliteOperationStore(path, { driver: "libsql" });
		const claim = await held(store, "k");
		await claim.begin(intent("a", { identity: digestOf("c"), channels: true }));
		await store.close();
		const other = await open(path);
		expect(other.driver).toBe("node:sqlite");
		expect((await held(other, "k")).recorded).toMatchObject([{ operationId: "a", channels: true }]);
	});
});

async function otherDatabase(driver: SqliteDriverName, path: string, marks: string): Promise<void> {
	const database = (await loadDriver(driver)).open(path);
	database.exec(`CREATE TABLE mine (a); INSERT INTO mine VALUES (1); ${marks}`);
	database.close();
}

async function versioned(driver: SqliteDriverName, path: string, version: number): Promise<void> {
	await (await sqliteOperationStore(path, { driver })).close();
	const database = (await loadDriver(driver)).open(path);
	database.exec(`PRAGMA user_version = ${version}`);
	database.prepare("PRAGMA journal_mode = DELETE").get();
	database.close();
}
