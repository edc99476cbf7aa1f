import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
	type ClaimAnswer,
	type OperationBinding,
	type OperationClaim,
	type OperationIntent,
	type OperationName,
	type OperationStore,
	type OperationStoreLimits,
	type RecordedOperation,
	resolveStoreLimits,
	type StoredKey,
	sameBinding,
} from "../../src/host/index.ts";
import {
	loadDriver,
	type SqliteDatabase,
	type SqliteDriverName,
	type SqliteStatement,
} from "./operation-store-driver.ts";
import { openFile, storeError } from "./operation-store-file.ts";
import { Lane, StepRefused } from "./operation-store-lane.ts";

export interface SqliteStoreOptions {
	readonly limits?: Partial<OperationStoreLimits> | undefined;
	/** Milliseconds a step waits while others hold the file, before it fails with `OPERATION_STORE_BUSY`; default 5,000. */
	readonly busyMs?: number | undefined;
	/** Make the file where there is nothing; default true. Without it that is `OPERATION_STORE_FAILED`. */
	readonly create?: boolean | undefined;
	/** Default the runtime's own, else the package `libsql`. Both write the same file. */
	readonly driver?: SqliteDriverName | undefined;
}

/** An operation store in one SQLite file, for any number of Runs and hosts on one machine. */
export interface SqliteOperationStore extends OperationStore {
	readonly path: string;
	readonly driver: SqliteDriverName;
	/** Waits for what was asked for, then closes the file; steps that come later reject. */
	close(): Promise<void>;
}

const BUSY_MS = 5_000;

/**
 * Opens an operation store in `path`, which is made where there is nothing; its directory must be there. What was recorded
 * survives the end of the process at any instant, and of the machine as far as its disks keep what they said they have
 * (write-ahead log, `synchronous = FULL`). Not for a file on a network, and not to be moved or removed while a host uses it;
 * one process uses one driver for one file.
 *
 * Rejects with a `HostError` of phase `activation`: `OPERATION_STORE_UNSUPPORTED` where there is no SQLite,
 * `OPERATION_STORE_FOREIGN` for another program's file, `OPERATION_STORE_NEWER` for a newer version's,
 * `OPERATION_STORE_BUSY` and `OPERATION_STORE_FAILED`. Throws `TypeError` or `RangeError` for malformed arguments.
 */
export async function sqliteOperationStore(
	path: string | URL,
	options: SqliteStoreOptions = {},
): Promise<SqliteOperationStore> {
	const file = fileOf(path);
	const limits = resolveStoreLimits(options.limits);
	const { busyMs = BUSY_MS, create = true } = options;
	if (!Number.isSafeInteger(busyMs) || busyMs < 0) {
		throw new RangeError("options.busyMs must be an integer of at least 0.");
	}
	const driver = await loadDriver(options.driver);
	const database = await openFile(driver, file, { busyMs, create });
	const lane = new Lane(database, busyMs);
	const tables = new Tables(database, limits);

	async function step<T>(phase: "activation" | "run", run: () => T): Promise<T> {
		try {
			return await lane.step(run);
		} catch (error) {
			throw error instanceof StepRefused ? error : storeError(error, file, phase, busyMs);
		}
	}

	function claimOf(key: string, incarnation: number, recorded: readonly RecordedOperation[]): OperationClaim {
		return {
			incarnation,
			recorded,
			begin: (intent) => step("run", () => tables.begin(key, incarnation, intent)),
			settle: (name, outcome) => step("run", () => tables.settle(key, incarnation, name, outcome)),
			outcome: (name) => step("run", () => tables.outcome(key, name)),
		};
	}

	return Object.freeze({
		path: file,
		driver: driver.name,
		async claim(key: string, binding: OperationBinding): Promise<ClaimAnswer> {
			const claimed = await step("activation", () => tables.claim(key, binding));
			if ("kind" in claimed) return claimed;
			return { kind: "claimed", claim: claimOf(key, claimed.incarnation, claimed.recorded) };
		},
		list: () => step("activation", () => tables.list()),
		delete: (key: string, incarnation?: number) => step("activation", () => tables.delete(key, incarnation)),
		close: () => lane.close(),
	});
}

/** An absolute path: what the bindings take for an address or for memory is none. */
function fileOf(path: string | URL): string {
	const text = path instanceof URL ? fileURLToPath(path) : path;
	if (typeof text !== "string" || text === "" || text === ":memory:" || text.includes("\0")) {
		throw new TypeError("path must name a file.");
	}
	return resolve(text);
}

interface RunRow {
	readonly id: number;
	readonly key: string;
	readonly package: OperationBinding["package"];
	readonly input: OperationBinding["input"];
	readonly settings: OperationBinding["settings"];
	readonly incarnation: number;
	readonly operations: number;
	readonly unsettled: number;
	readonly outcome_bytes: number;
	readonly created_us: number;
	readonly used_us: number;
}

interface OperationRow {
	readonly scope: string;
	readonly operation: string;
	readonly identity: RecordedOperation["identity"];
	readonly channels: number;
	readonly settled: number;
}

/** The steps of the port as statements, each inside a transaction of the lane. */
class Tables {
	readonly #database: SqliteDatabase;
	readonly #limits: OperationStoreLimits;
	readonly #statements = new Map<string, SqliteStatement>();

	constructor(database: SqliteDatabase, limits: OperationStoreLimits) {
		this.#database = database;
		this.#limits = limits;
	}

	claim(
		key: string,
		binding: OperationBinding,
	): Exclude<ClaimAnswer, { kind: "claimed" }> | { incarnation: number; recorded: readonly RecordedOperation[] } {
		let run = this.#run(key);
		if (run !== undefined && !sameBinding(run, binding)) {
			return { kind: "bound", binding: { package: run.package, input: run.input, settings: run.settings } };
		}
		if (run === undefined) {
			const { n } = this.#sql("SELECT count(*) AS n FROM runs").get() as { readonly n: number };
			if (n >= this.#limits.keys) return { kind: "full" };
			const now = this.#now();
			this.#sql(
				`INSERT INTO runs (key, package, input, settings, incarnation, created_us, used_us)
				VALUES (?, ?, ?, ?, 0, ?, ?)`,
			).run(key, binding.package, binding.input, binding.settings, now, now);
			run = this.#run(key)!;
		}
		this.#sql("UPDATE incarnations SET newest = newest + 1").run();
		const { newest } = this.#sql("SELECT newest FROM incarnations").get() as { readonly newest: number };
		this.#sql("UPDATE runs SET incarnation = ?, used_us = ? WHERE id = ?").run(newest, this.#now(), run.id);
		const rows = this.#sql("SELECT scope, operation, identity, channels, settled FROM operations WHERE run = ?").all(
			run.id,
		) as readonly OperationRow[];
		return { incarnation: newest, recorded: rows.map(recordedOperation) };
	}

	begin(key: string, incarnation: number, intent: OperationIntent): "recorded" | "superseded" | "full" {
		const run = this.#held(key, incarnation);
		if (run === undefined) return "superseded";
		const { scope, operationId, identity, channels } = intent;
		if (this.#operation(run.id, intent) !== undefined) {
			throw new StepRefused(`The operation "${operationId}" is recorded already.`);
		}
		if (run.operations >= this.#limits.operations) return "full";
		this.#sql("INSERT INTO operations (run, scope, operation, identity, channels) VALUES (?, ?, ?, ?, ?)").run(
			run.id,
			scopeText(scope),
			operationId,
			identity,
			channels ? 1 : 0,
		);
		this.#sql("UPDATE runs SET operations = operations + 1, unsettled = unsettled + 1, used_us = ? WHERE id = ?").run(
			this.#now(),
			run.id,
		);
		return "recorded";
	}

	settle(key: string, incarnation: number, name: OperationName, outcome: string): "recorded" | "superseded" {
		const run = this.#held(key, incarnation);
		if (run === undefined) return "superseded";
		if (this.#operation(run.id, name)?.settled !== 0) {
			throw new StepRefused(`The operation "${name.operationId}" is not recorded, or settled.`);
		}
		const bytes = Buffer.byteLength(outcome);
		const kept = run.outcome_bytes + bytes <= this.#limits.outcomeBytes;
		this.#sql("UPDATE operations SET settled = 1, outcome = ? WHERE run = ? AND scope = ? AND operation = ?").run(
			kept ? outcome : null,
			run.id,
			scopeText(name.scope),
			name.operationId,
		);
		this.#sql(
			"UPDATE runs SET unsettled = unsettled - 1, outcome_bytes = outcome_bytes + ?, used_us = ? WHERE id = ?",
		).run(kept ? bytes : 0, this.#now(), run.id);
		return "recorded";
	}

	outcome(key: string, name: OperationName): string | undefined {
		const run = this.#run(key);
		if (run === undefined) return undefined;
		const row = this.#sql("SELECT outcome FROM operations WHERE run = ? AND scope = ? AND operation = ?").get(
			run.id,
			scopeText(name.scope),
			name.operationId,
		) as { readonly outcome: string | null } | undefined;
		return row?.outcome ?? undefined;
	}

	list(): StoredKey[] {
		const rows = this.#sql("SELECT * FROM runs ORDER BY used_us DESC").all() as readonly RunRow[];
		return rows.map((row) => ({
			key: row.key,
			binding: { package: row.package, input: row.input, settings: row.settings },
			incarnation: row.incarnation,
			operations: row.operations,
			unsettled: row.unsettled,
			outcomeBytes: row.outcome_bytes,
			createdUnixMs: Math.floor(row.created_us / 1_000),
			usedUnixMs: Math.floor(row.used_us / 1_000),
		}));
	}

	delete(key: string, incarnation: number | undefined): boolean {
		const run = incarnation === undefined ? this.#run(key) : this.#held(key, incarnation);
		if (run === undefined) return false;
		this.#sql("DELETE FROM operations WHERE run = ?").run(run.id);
		this.#sql("DELETE FROM runs WHERE id = ?").run(run.id);
		return true;
	}

	#run(key: string): RunRow | undefined {
		return this.#sql("SELECT * FROM runs WHERE key = ?").get(key) as RunRow | undefined;
	}

	#held(key: string, incarnation: number): RunRow | undefined {
		const run = this.#run(key);
		return run?.incarnation === incarnation ? run : undefined;
	}

	#operation(run: number, { scope, operationId }: OperationName): { readonly settled: number } | undefined {
		return this.#sql("SELECT settled FROM operations WHERE run = ? AND scope = ? AND operation = ?").get(
			run,
			scopeText(scope),
			operationId,
		) as { readonly settled: number } | undefined;
	}

	/** Unix microseconds, above all that the file has: what was used last is the highest, whatever the clock does. */
	#now(): number {
		const { last } = this.#sql("SELECT max(used_us) AS last FROM runs").get() as { readonly last: number | null };
		return Math.max(Date.now() * 1_000, (last ?? 0) + 1);
	}

	#sql(text: string): SqliteStatement {
		let statement = this.#statements.get(text);
		if (statement === undefined) {
			statement = this.#database.prepare(text);
			this.#statements.set(text, statement);
		}
		return statement;
	}
}

/** Operation ids have no spaces. */
function scopeText(scope: readonly string[]): string {
	return scope.join(" ");
}

function recordedOperation({ scope, operation, identity, channels, settled }: OperationRow): RecordedOperation {
	return {
		scope: scope === "" ? [] : scope.split(" "),
		operationId: operation,
		identity,
		channels: channels === 1,
		settled: settled === 1,
	};
}
