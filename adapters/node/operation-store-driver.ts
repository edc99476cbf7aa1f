import { HostError } from "../../src/host/index.ts";

/** The little that the store needs of an SQLite binding: `node:sqlite` has it, and so has what is like `better-sqlite3`. */
export interface SqliteDatabase {
	exec(sql: string): unknown;
	prepare(sql: string): SqliteStatement;
	close(): void;
}

export interface SqliteStatement {
	run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
	get(...values: readonly SqliteValue[]): unknown;
	all(...values: readonly SqliteValue[]): readonly unknown[];
}

export type SqliteValue = string | number | null;

/** What the store can work with. */
export type SqliteDriverName = "node:sqlite" | "libsql";

export interface SqliteDriver {
	readonly name: SqliteDriverName;
	/** Opens or creates a file. Throws the binding's error. */
	open(path: string): SqliteDatabase;
}

/** What the bindings throw: one calls the result code `errcode`, the other `rawCode`. */
interface SqliteFault {
	readonly errcode?: unknown;
	readonly rawCode?: unknown;
}

/** SQLite's primary result code behind a thrown value, or undefined where there is none. */
export function resultCode(error: unknown): number | undefined {
	if (typeof error !== "object" || error === null) return undefined;
	const { errcode, rawCode } = error as SqliteFault;
	const code = errcode ?? rawCode;
	return typeof code === "number" ? code & 0xff : undefined;
}

/**
 * The binding asked for, else the runtime's own, else the optional peer dependency. Nothing is loaded before this is
 * called. Rejects with a `HostError` `OPERATION_STORE_UNSUPPORTED` that says what to install.
 */
export async function loadDriver(wanted?: SqliteDriverName): Promise<SqliteDriver> {
	if (wanted !== undefined && wanted !== "node:sqlite" && wanted !== "libsql") {
		throw new TypeError('options.driver must be "node:sqlite" or "libsql".');
	}
	let cause: unknown;
	if (wanted !== "libsql") {
		const driver = builtIn();
		if (driver !== undefined) return driver;
	}
	if (wanted !== "node:sqlite") {
		try {
			return await peer();
		} catch (error) {
			cause = error;
		}
	}
	const lacks = wanted === "libsql" ? "" : "this runtime has no node:sqlite (Node has it from 22.13 on)";
	const install = wanted === "node:sqlite" ? "" : 'the package "libsql" can\'t be loaded: npm install libsql@0.5';
	throw new HostError(
		`There is no SQLite for the operation store: ${[lacks, install].filter(Boolean).join(", and ")}.`,
		{
			code: "OPERATION_STORE_UNSUPPORTED",
			phase: "activation",
			cause,
		},
	);
}

interface BuiltIn {
	readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

function builtIn(): SqliteDriver | undefined {
	let found: BuiltIn | undefined;
	try {
		found = process.getBuiltinModule?.("node:sqlite") as BuiltIn | undefined;
	} catch {
		// Some runtimes know the name only to refuse it.
	}
	if (typeof found?.DatabaseSync !== "function") return undefined;
	const { DatabaseSync } = found;
	return { name: "node:sqlite", open: (path) => new DatabaseSync(path) };
}

async function peer(): Promise<SqliteDriver> {
	const { default: Database } = (await import("libsql")) as unknown as {
		readonly default: new (path: string, options: { readonly timeout: number }) => SqliteDatabase;
	};
	return { name: "libsql", open: (path) => new Database(path, { timeout: 0 }) };
}
