import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostError } from "../../src/host/index.ts";
import { removeTree, removeTreeNow } from "./remove.ts";

/** How often the last removal is tried: a process that was just killed may still finish the write it was at. */
const LAST_ATTEMPTS = 4;
const LAST_PAUSE_MS = 25;

/** What is to be done when the program ends, under one listener however many runtimes there are: Node warns from eleven on. */
const atExit = new Set<() => void>();

function runAtExit(): void {
	for (const act of [...atExit]) act();
}

function onExit(act: () => void): void {
	if (atExit.size === 0) process.on("exit", runAtExit);
	atExit.add(act);
}

function offExit(act: () => void): void {
	if (atExit.delete(act) && atExit.size === 0) process.off("exit", runAtExit);
}

/** The private directories of one runtime: made with mode 0700, known until they are removed. */
export class TemporaryDirectories {
	readonly #base: string | undefined;
	readonly #atExit: () => void;
	readonly #live = new Set<string>();
	readonly #stuck = new Set<string>();

	/**
	 * `base` is where they are made; default the system's temporary directory. Links on the way are resolved at each use.
	 * `atExit` is called when the program ends while some are left.
	 */
	constructor(base: string | undefined, atExit: () => void) {
		this.#base = base;
		this.#atExit = atExit;
	}

	/** Makes an empty owner-only directory. Throws the system's error. */
	make(purpose: string): string {
		const path = mkdtempSync(join(realpathSync(this.#base ?? tmpdir()), `millrace-${purpose}-`));
		if (this.#live.size === 0) onExit(this.#atExit);
		this.#live.add(path);
		return path;
	}

	/**
	 * Removes one; harmless when it is gone. Rejects with a `HostError` `CLEANUP_FAILED` that names it; it is then tried
	 * again with the next one, and when the program ends.
	 */
	async remove(path: string): Promise<void> {
		if (!this.#live.has(path)) return;
		try {
			await removeTree(path);
		} catch (error) {
			this.#stuck.add(path);
			throw new HostError(`The directory ${path} could not be removed; remove it by hand.`, {
				code: "CLEANUP_FAILED",
				phase: "cleanup",
				cause: error,
			});
		}
		this.#forget(path);
		for (const other of [...this.#stuck]) {
			try {
				await removeTree(other);
				this.#forget(other);
			} catch {
				// Whoever asked for that one was told.
			}
		}
	}

	/** Removes one that nobody was given: what made it necessary is the error that counts. */
	async abandon(path: string): Promise<void> {
		await this.remove(path).catch(() => undefined);
	}

	/** Removes all of them synchronously, as far as the system lets it: the last thing before the program ends. */
	removeAllNow(): void {
		for (let attempt = 1; this.#live.size > 0 && attempt <= LAST_ATTEMPTS; attempt += 1) {
			if (attempt > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_PAUSE_MS);
			for (const path of [...this.#live]) {
				try {
					removeTreeNow(path);
					this.#forget(path);
				} catch {
					// Nobody is left to hear of it, and the others still have to go.
				}
			}
		}
	}

	#forget(path: string): void {
		this.#live.delete(path);
		this.#stuck.delete(path);
		if (this.#live.size === 0) offExit(this.#atExit);
	}
}
