import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostError } from "../../src/host/index.ts";
import { removeTree, removeTreeNow } from "./remove.ts";

/** The private directories of one runtime: made with mode 0700, known until they are removed. */
export class TemporaryDirectories {
	readonly #base: string | undefined;
	readonly #live = new Set<string>();

	/** `base` is where they are made; default the system's temporary directory. Links on the way are resolved at each use. */
	constructor(base?: string) {
		this.#base = base;
	}

	/** Makes an empty owner-only directory. Throws the system's error. */
	make(purpose: string): string {
		const path = mkdtempSync(join(realpathSync(this.#base ?? tmpdir()), `millrace-${purpose}-`));
		this.#live.add(path);
		return path;
	}

	/** Removes one; harmless when it is gone. Rejects with a `HostError` `CLEANUP_FAILED` that names it. */
	async remove(path: string): Promise<void> {
		if (!this.#live.has(path)) return;
		try {
			await removeTree(path);
		} catch (error) {
			throw new HostError(`The directory ${path} could not be removed; remove it by hand.`, {
				code: "CLEANUP_FAILED",
				phase: "cleanup",
				cause: error,
			});
		}
		this.#live.delete(path);
	}

	/** Removes all of them synchronously, as far as the system lets it: the last thing before the program ends. */
	removeAllNow(): void {
		for (const path of this.#live) {
			try {
				removeTreeNow(path);
				this.#live.delete(path);
			} catch {
				// Nobody is left to hear of it, and the others still have to go.
			}
		}
	}
}
