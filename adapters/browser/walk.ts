import { quoteForDisplay } from "../../src/display.ts";
import { PATH_LIMITS } from "../../src/grammar/index.ts";
import { PACKAGE_LIMITS, type PackageEntry, PackageError } from "../../src/package/index.ts";

/** Of folders more can't belong to a package of 65,536 files that a person made, empty ones included: a bound of ours. */
const MOST = { files: PACKAGE_LIMITS.files, folders: 262_144 };

/** Questions to the browser that are under way at once: each is a message to another process. */
const AT_ONCE = 32;

/** Files whose size is looked up before the page gets a turn. */
const SLICE = 64;

/**
 * How a folder is listed. `list` rejects with `PackageError`: `PACKAGE_PATH_INVALID` for a name that the browser could not decode and
 * for a path longer than Package/1 section 5 admits, `PACKAGE_PATH_COLLISION` for a path that occurs twice, `PACKAGE_LIMIT_EXCEEDED`
 * beyond 65,536 files or 262,144 folders, `PACKAGE_SOURCE_FAILED` where the browser can't read something, `PACKAGE_ABORTED`.
 *
 * A browser shows regular files only. What Package/1 section 1 refuses on disk (symbolic links, special files, foreign hard links) is
 * left out or followed before it gets here, and nothing tells: the digest is of the files as the browser shows them.
 */
export interface FolderOptions {
	/** Stops the listing; the result is `PACKAGE_ABORTED`. */
	readonly signal?: AbortSignal | undefined;
	/** Told now and then how many files were found: a browser lists some 2,000 a second. What it throws changes nothing. */
	readonly onProgress?: ((progress: { readonly files: number }) => void) | undefined;
}

/** What a decoder writes in place of what it can't read. */
const REPLACEMENT = "\uFFFD";

/** One walk over a folder: what it found, and its bounds. */
export class Walk {
	readonly files: Map<string, File> = new Map();
	readonly #options: FolderOptions;
	readonly #found = { files: 0, folders: 0 };

	constructor(options: FolderOptions) {
		this.#options = options;
	}

	/** Takes a file in. Throws `PackageError` `PACKAGE_PATH_INVALID` or `PACKAGE_PATH_COLLISION`. */
	add(path: string, file: File): void {
		checkDecoded(path);
		if (this.files.has(path)) {
			throw new PackageError("PACKAGE_PATH_COLLISION", `${quoteForDisplay(path)} occurs twice.`, {
				path,
				otherPath: path,
			});
		}
		this.files.set(path, file);
	}

	/** Counts a file or a folder that was found, before the browser is asked for it. Throws `PACKAGE_LIMIT_EXCEEDED`. */
	found(what: "files" | "folders"): void {
		this.#found[what] += 1;
		const max = MOST[what];
		if (this.#found[what] <= max) return;
		throw new PackageError("PACKAGE_LIMIT_EXCEEDED", `The folder has more than ${max} ${what}.`, {
			limit: { name: what, max },
		});
	}

	/** The path of what lies in the folder `path` by `name`; a folder deeper than any path of Package/1 is not walked further. */
	enter(path: string, name: string): string {
		const inner = path === "" ? name : `${path}/${name}`;
		checkDecoded(inner);
		// No path has more UTF-16 units than bytes.
		if (inner.length > PATH_LIMITS.bytes) {
			throw new PackageError(
				"PACKAGE_PATH_INVALID",
				`The path ${quoteForDisplay(inner)} is longer than Package/1 admits.`,
				{ path: inner, limit: { name: "bytes", max: PATH_LIMITS.bytes } },
			);
		}
		return inner;
	}

	/** Visits `first` and whatever each visit gives, a few at once, until nothing is left. The first failure stops it. */
	async each<T>(first: readonly T[], visit: (walk: Walk, item: T) => Promise<readonly T[]>): Promise<void> {
		this.#checkAborted();
		const waiting = [...first];
		let failed = false;
		const work = async (): Promise<void> => {
			for (let item = waiting.pop(); item !== undefined && !failed; item = waiting.pop()) {
				const below = await visit(this, item);
				this.#checkAborted();
				if (below.length > 0) this.#tell();
				for (const child of below) waiting.push(child);
			}
		};
		const under: Set<Promise<void>> = new Set();
		const { signal } = this.#options;
		// A browser may never answer; whoever waits can give up all the same.
		let abort = (): void => {};
		const aborted = new Promise<void>((resolve) => {
			abort = resolve;
		});
		signal?.addEventListener("abort", abort);
		try {
			while (waiting.length > 0 || under.size > 0) {
				while (waiting.length > 0 && under.size < AT_ONCE) {
					const one = work().finally(() => under.delete(one));
					under.add(one);
				}
				await Promise.race([...under, aborted]);
				this.#checkAborted();
			}
		} catch (error) {
			failed = true;
			await Promise.race([Promise.allSettled(under), aborted]);
			throw error;
		} finally {
			signal?.removeEventListener("abort", abort);
		}
	}

	/** Every file with its size, which a browser looks up when it is first asked for: 0.3 ms each, so in slices. */
	async entries(): Promise<readonly PackageEntry[]> {
		this.#checkAborted();
		const entries: PackageEntry[] = [];
		for (const [path, file] of this.files) {
			if (entries.length % SLICE === SLICE - 1) await this.#pause();
			entries.push({ path, size: file.size });
		}
		this.#tell();
		return entries;
	}

	/** Lets the page breathe, and whoever waits give up. */
	async #pause(): Promise<void> {
		this.#tell();
		await new Promise((resolve) => setTimeout(resolve));
		this.#checkAborted();
	}

	#tell(): void {
		try {
			this.#options.onProgress?.({ files: this.#found.files });
		} catch {
			// An observer changes nothing.
		}
	}

	#checkAborted(): void {
		const { signal } = this.#options;
		if (signal?.aborted !== true) return;
		throw new PackageError("PACKAGE_ABORTED", "Listing the folder was stopped.", { cause: signal.reason });
	}
}

function checkDecoded(path: string): void {
	if (!path.includes(REPLACEMENT)) return;
	throw new PackageError(
		"PACKAGE_PATH_INVALID",
		`The path ${quoteForDisplay(path)} has U+FFFD in it, which browsers write where a name is no UTF-8: its real bytes can't be seen here. Rename it, or use the command.`,
		{ path },
	);
}
