import { closeSync, existsSync, openSync, readSync } from "node:fs";
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
const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;

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
 * Opens the file of a store, or, with `create`, makes it, readable for its owner alone. Refuses, without touching it, what isn't one
 * (`OPERATION_STORE_FOREIGN`) or is a newer version's (`OPERATION_STORE_NEWER`). Rejects with a `HostError`.
 */
export async function openFile(
	driver: SqliteDriver,
	path: string,
	{ busyMs, create }: { readonly busyMs: number; readonly create: boolean },
): Promise<SqliteDatabase> {
	let database: SqliteDatabase | undefined;
	try {
		if (create) make(path);
		checkHeader(path);
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
 * A look at the bytes, before SQLite sees the file: opening another program's database could already write beside it. A
 * file under a journal is in the middle of a change, and only SQLite can tell what it holds.
 */
function checkHeader(path: string): void {
	const journal = `${path}-journal`;
	if (existsSync(journal)) return;
	const header = Buffer.alloc(HEADER_BYTES);
	const file = openSync(path, "r");
	let bytes: number;
	try {
		bytes = readSync(file, header, 0, HEADER_BYTES, 0);
	} finally {
		closeSync(file);
	}
	if (bytes === 0 || existsSync(journal)) return;
	if (bytes < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
		throw foreign(path, "It is no SQLite file.");
	}
	// Offsets of SQLite's file format: application id, user version.
	checkOwner(path, header.readUInt32BE(68), header.readUInt32BE(60));
}

function checkOwner(path: string, applicationId: unknown, version: unknown): void {
	if (applicationId !== APPLICATION_ID) throw foreign(path, "It is another program's SQLite file.");
	if (typeof version === "number" && version > VERSION) {
		throw new HostError(
			`${path} was made by a newer version (format ${version}, this one knows ${VERSION}): use that version.`,
			{ code: "OPERATION_STORE_NEWER", phase: "activation" },
		);
	}
	if (version !== VERSION) throw foreign(path, `It says format ${version}, which there never was.`);
}

/** Makes the tables of a new file, or proves that they are ours; then what makes each commit last. Busy is thrown. */
function prepare(database: SqliteDatabase, path: string): void {
	database.exec("BEGIN IMMEDIATE");
	try {
		const isNew = number(database, "SELECT count(*) AS n FROM sqlite_schema", "n") === 0;
		const applicationId = number(database, "PRAGMA application_id", "application_id");
		if (isNew && applicationId === 0) {
			database.exec(SCHEMA);
			database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
			database.exec(`PRAGMA user_version = ${VERSION}`);
		} else checkOwner(path, applicationId, number(database, "PRAGMA user_version", "user_version"));
		database.exec("COMMIT");
	} catch (error) {
		rollBack(database);
		throw error;
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
