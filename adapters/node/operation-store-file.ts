import { closeSync, existsSync, openSync } from "node:fs";
import { HostError } from "../../src/host/index.ts";
import { resultCode, type SqliteDatabase, type SqliteDriver } from "./operation-store-driver.ts";
import { isBusy, rollBack, whenFree } from "./operation-store-lane.ts";

/** Says in the file's header whose it is: `mrop`. */
const APPLICATION_ID = 0x6d726f70;

/** The version of the tables; a file of a newer one is refused, since what it records could not be honoured. */
const VERSION = 1;

const SCHEMA = `
CREATE TABLE incarnations (newest INTEGER NOT NULL) STRICT;
INSERT INTO incarnations VALUES (0);
CREATE TABLE runs (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,
	package TEXT NOT NULL,
	input TEXT NOT NULL,
	settings TEXT NOT NULL,
	incarnation INTEGER NOT NULL,
	operations INTEGER NOT NULL DEFAULT 0,
	unsettled INTEGER NOT NULL DEFAULT 0,
	outcome_bytes INTEGER NOT NULL DEFAULT 0,
	created_us INTEGER NOT NULL,
	used_us INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_use ON runs (used_us);
CREATE TABLE operations (
	run INTEGER NOT NULL REFERENCES runs (id),
	scope TEXT NOT NULL,
	operation TEXT NOT NULL,
	identity TEXT NOT NULL,
	channels INTEGER NOT NULL,
	settled INTEGER NOT NULL DEFAULT 0,
	outcome TEXT,
	UNIQUE (run, scope, operation)
) STRICT;
`;

const NOT_A_DATABASE = 26;

/** What an SQLite binding or the system threw, as the host says it. */
export function storeError(error: unknown, path: string, phase: "activation" | "run", busyMs: number): HostError {
	if (error instanceof HostError) return error;
	if (isBusy(error)) {
		return new HostError(`${path} was held by others for longer than ${busyMs} ms.`, {
			code: "OPERATION_STORE_BUSY",
			phase,
			cause: error,
		});
	}
	if (resultCode(error) === NOT_A_DATABASE) return foreign(path, "It is no SQLite file.");
	const why = error instanceof Error ? error.message : String(error);
	return new HostError(`The operation store ${path} failed: ${why}.`, {
		code: "OPERATION_STORE_FAILED",
		phase,
		cause: error,
	});
}

function foreign(path: string, why: string): HostError {
	return new HostError(`${path} is no operation store, and is left as it is. ${why}`, {
		code: "OPERATION_STORE_FOREIGN",
		phase: "activation",
	});
}

/**
 * Opens the file of a store, or, with `create`, makes it, readable for its owner alone. Refuses, without changing it, what
 * isn't one (`OPERATION_STORE_FOREIGN`) or is a newer version's (`OPERATION_STORE_NEWER`). Rejects with a `HostError`.
 */
export async function openFile(
	driver: SqliteDriver,
	path: string,
	{ busyMs, create }: { readonly busyMs: number; readonly create: boolean },
): Promise<SqliteDatabase> {
	let database: SqliteDatabase | undefined;
	try {
		if (create) make(path);
		else if (!existsSync(path)) throw new Error("there is no such file");
		const opened = driver.open(path);
		database = opened;
		opened.exec("PRAGMA busy_timeout = 0");
		await whenFree(busyMs, () => prepare(opened, path));
		return opened;
	} catch (error) {
		try {
			database?.close();
		} catch {
			// What went wrong first is what counts.
		}
		throw storeError(error, path, "activation", busyMs);
	}
}

function make(path: string): void {
	try {
		closeSync(openSync(path, "wx", 0o600));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}

/**
 * Whether the file is empty; throws for one that isn't ours. Only reads: whoever's it is, it stays as it is. SQLite does the
 * reading, since a descriptor of our own would, when it is closed, take away the locks of every other connection that this
 * process has to the file (POSIX).
 */
function isEmpty(database: SqliteDatabase, path: string): boolean {
	// First whether there are tables: who makes them marks the file in the same step.
	const tables = number(database, "SELECT count(*) AS n FROM sqlite_schema", "n");
	const applicationId = number(database, "PRAGMA application_id", "application_id");
	const version = number(database, "PRAGMA user_version", "user_version");
	if (tables === 0 && applicationId === 0 && version === 0) return true;
	checkOwner(path, applicationId, version);
	return false;
}

function checkOwner(path: string, applicationId: number, version: number): void {
	if (applicationId !== APPLICATION_ID) throw foreign(path, "It is another program's SQLite file.");
	if (version > VERSION) {
		throw new HostError(
			`${path} was made by a newer version (format ${version}, this one knows ${VERSION}): use that version.`,
			{ code: "OPERATION_STORE_NEWER", phase: "activation" },
		);
	}
	if (version !== VERSION) throw foreign(path, `It says format ${version}, which there never was.`);
}

/** Makes the tables of a new file, or proves that they are ours; then what makes each commit last. Busy is thrown. */
function prepare(database: SqliteDatabase, path: string): void {
	if (isEmpty(database, path)) {
		database.exec("BEGIN IMMEDIATE");
		try {
			// Another process may have been faster.
			if (isEmpty(database, path)) {
				database.exec(SCHEMA);
				database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
				database.exec(`PRAGMA user_version = ${VERSION}`);
			}
			database.exec("COMMIT");
		} catch (error) {
			rollBack(database);
			throw error;
		}
	}
	// A file system without shared memory keeps the older journal, which needs one more wait to last.
	const mode = database.prepare("PRAGMA journal_mode = WAL").get() as { readonly journal_mode?: unknown } | undefined;
	database.exec(`PRAGMA synchronous = ${mode?.journal_mode === "wal" ? "FULL" : "EXTRA"}`);
	// Where the system's own fsync doesn't reach the disk (macOS).
	database.exec("PRAGMA fullfsync = 1");
	database.exec("PRAGMA checkpoint_fullfsync = 1");
}

function number(database: SqliteDatabase, sql: string, name: string): number {
	return Number((database.prepare(sql).get() as Record<string, unknown> | undefined)?.[name]);
}
