import { setTimeout as sleep } from "node:timers/promises";
import { resultCode, type SqliteDatabase } from "./operation-store-driver.ts";

const BUSY = 5;
const LOCKED = 6;

/** Milliseconds between two looks at a file that others hold: short at first, since they mostly hold it for one write. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** A step that refuses itself before it has changed anything: it fails alone, not with those beside it. */
export class StepRefused extends TypeError {
	override readonly name = "StepRefused";
}

/** Whether others hold the file at this moment. */
export function isBusy(error: unknown): boolean {
	const code = resultCode(error);
	return code === BUSY || code === LOCKED;
}

/** Runs `attempt` until it isn't busy, for at most `busyMs`; then its error. The program goes on meanwhile. */
export async function whenFree<T>(busyMs: number, attempt: () => T): Promise<T> {
	const late = performance.now() + busyMs;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
		try {
			return attempt();
		} catch (error) {
			const left = late - performance.now();
			if (!isBusy(error) || left <= 0) throw error;
			await sleep(Math.min(pause, left));
		}
	}
}

/** Takes back the transaction, if there is one: it may not have begun, or SQLite may have ended it itself. */
export function rollBack(database: SqliteDatabase): void {
	try {
		database.exec("ROLLBACK");
	} catch {
		// As said.
	}
}

interface Step {
	/** Runs inside the transaction. */
	run(): void;
	/** The transaction is durable. */
	done(): void;
	fail(error: unknown): void;
}

/**
 * The one lane to a file: what is asked for at once goes into one transaction, which costs one wait for the disk instead
 * of one each; a step is answered when its transaction is durable. SQLite itself never waits here, so that a busy file
 * holds up the step and not the program.
 */
export class Lane {
	readonly #database: SqliteDatabase;
	readonly #busyMs: number;
	#waiting: Step[] = [];
	#working: Promise<void> | undefined;
	#closed = false;

	constructor(database: SqliteDatabase, busyMs: number) {
		this.#database = database;
		this.#busyMs = busyMs;
	}

	/**
	 * Does one step wholly or not at all. Rejects with the step's {@link StepRefused}, else with the binding's error: then
	 * nobody knows whether it happened.
	 */
	step<T>(run: () => T): Promise<T> {
		return new Promise((resolve, reject) => {
			if (this.#closed) {
				reject(new Error("the store is closed"));
				return;
			}
			let value: T;
			let refused: StepRefused | undefined;
			this.#waiting.push({
				run: () => {
					refused = undefined;
					try {
						value = run();
					} catch (error) {
						if (!(error instanceof StepRefused)) throw error;
						refused = error;
					}
				},
				done: () => (refused === undefined ? resolve(value) : reject(refused)),
				fail: reject,
			});
			this.#working ??= Promise.resolve().then(() => this.#work());
		});
	}

	/** Waits for what was asked for, then closes the file. Repeated calls are harmless. */
	async close(): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		await this.#working;
		this.#database.close();
	}

	async #work(): Promise<void> {
		while (this.#waiting.length > 0) {
			const steps = this.#waiting;
			this.#waiting = [];
			try {
				await whenFree(this.#busyMs, () => this.#database.exec("BEGIN IMMEDIATE"));
				for (const step of steps) step.run();
				await whenFree(this.#busyMs, () => this.#database.exec("COMMIT"));
			} catch (error) {
				rollBack(this.#database);
				for (const step of steps) step.fail(error);
				continue;
			}
			for (const step of steps) step.done();
		}
		this.#working = undefined;
	}
}
