import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { escapeForDisplay } from "../../src/display.ts";
import { type PackageEntry, PackageError, type PackageSource } from "../../src/package/index.ts";
import type { AbortSignal, ReadableStreamLike } from "../../src/web.ts";
import { Pace } from "./pace.ts";
import { DirectoryChain } from "./tree/chain.ts";
import { changed, refuse } from "./tree/errors.ts";
import { CHUNK_BYTES, fileStream } from "./tree/file-stream.ts";
import { fingerprintOf, identityOf } from "./tree/fingerprint.ts";
import type { Reach } from "./tree/held.ts";
import { TREE_LIMITS, type TreeLimits, walkTree } from "./tree/walk.ts";

export interface DirectoryOptions {
	/** Capacities of the walk, each by its name; default {@link TREE_LIMITS}. */
	readonly limits?: Partial<TreeLimits> | undefined;
	/** Aborts a walk that is under way, with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** `chain` reaches children by name and checks every parent again, as on systems without descriptor paths. */
	readonly reach?: Reach | undefined;
}

/** A package tree in a directory, which someone may be changing. */
export interface DirectorySource extends PackageSource {
	/** The absolute native path of the root. */
	readonly root: string;
	/** Walks again; rejects with `PACKAGE_SOURCE_CHANGED` unless everything still is what the last `list` saw. */
	confirm(): Promise<void>;
}

/** What one walk saw. */
interface Listing {
	readonly entries: readonly PackageEntry[];
	readonly files: ReadonlyMap<string, { readonly size: number; readonly fingerprint: string }>;
	readonly directories: ReadonlyMap<string, string>;
}

/**
 * A package source over a directory (Package/1 section 1): descriptor-relative on Linux, every regular file, hidden ones
 * too, empty directories ignored, `/` between names on every system.
 *
 * Refused, with `PackageError`: symbolic links, the root included (`PACKAGE_SYMLINK`); pipes, sockets and devices
 * (`PACKAGE_SPECIAL_FILE`); a file with a hard link that the tree doesn't hold (`PACKAGE_HARD_LINK`); names that are not
 * UTF-8 (`PACKAGE_PATH_INVALID`); anything that changes between the listing and the end of the file's read
 * (`PACKAGE_SOURCE_CHANGED`); trees beyond the walk's capacities (`PACKAGE_CAPACITY`).
 *
 * It is no atomic snapshot and doesn't claim to be one: a file that changes after it was read is seen only by
 * `confirm`. `whileUnchanged` runs a whole pass and confirms it; staging copies first and inspects the copy.
 *
 * `path` is a native path or a `file:` URL; throws a `TypeError` for anything else.
 */
export function directory(path: string | URL, options: DirectoryOptions = {}): DirectorySource {
	const root = resolve(typeof path === "string" ? path : fileURLToPath(path));
	const limits: TreeLimits = { ...TREE_LIMITS, ...options.limits };
	const pace = new Pace();
	let listing: Listing | undefined;
	let chain: DirectoryChain | undefined;
	let spare: Buffer | undefined;
	let ended = 0;

	const look = (): Promise<Listing> => listTree(root, limits, options.reach, pace, options.signal);
	return {
		root,
		async list() {
			listing = await look();
			chain?.release();
			chain = new DirectoryChain(root, listing.directories, options.reach);
			ended = 0;
			return listing.entries;
		},
		open(path: string): ReadableStreamLike<Uint8Array> {
			const files = listing?.files;
			const file = files?.get(path);
			if (files === undefined || file === undefined || chain === undefined)
				throw new TypeError(`"${escapeForDisplay(path)}" is not among the files that this source listed.`);
			const within = chain;
			const slash = path.lastIndexOf("/");
			return fileStream({
				path,
				size: file.size,
				fingerprint: file.fingerprint,
				pace,
				openFile: () => within.reach(slash < 0 ? "" : path.slice(0, slash)).openFile(path.slice(slash + 1)),
				lend() {
					const buffer = spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
					spare = undefined;
					return buffer;
				},
				giveBack(buffer) {
					spare = buffer;
					ended += 1;
					// As many as there are: most likely the pass is over, and passes in a row leave the loop no turn to release in.
					if (ended >= files.size) within.release();
				},
			});
		},
		async confirm() {
			const before = listing;
			if (before === undefined) throw new TypeError("Nothing was listed yet, so there is nothing to confirm.");
			compare(before, await look());
		},
	};
}

async function listTree(
	root: string,
	limits: TreeLimits,
	reach: Reach | undefined,
	pace: Pace,
	signal: AbortSignal | undefined,
): Promise<Listing> {
	signal?.throwIfAborted();
	const entries: PackageEntry[] = [];
	const files = new Map<string, { size: number; fingerprint: string }>();
	const directories = new Map<string, string>();
	const links = new Map<string, { path: string; links: bigint; seen: bigint }>();
	for (const { kind, path, shown, stats } of walkTree(root, limits, reach)) {
		if (kind === "directory") {
			if (path !== undefined) directories.set(path, fingerprintOf(stats));
		} else {
			if (path === undefined)
				throw refuse(
					"PACKAGE_PATH_INVALID",
					shown,
					`The name of "${escapeForDisplay(shown)}" is not valid UTF-8; rename the file.`,
				);
			const size = Number(stats.size);
			entries.push({ path, size });
			files.set(path, { size, fingerprint: fingerprintOf(stats) });
			if (stats.nlink > 1n) {
				const inode = identityOf(stats);
				const known = links.get(inode);
				if (known === undefined) links.set(inode, { path, links: stats.nlink, seen: 1n });
				else known.seen += 1n;
			}
		}
		if (pace.due()) await pace.rest(signal);
	}
	for (const { path, links: total, seen } of links.values()) {
		if (seen !== total)
			throw refuse(
				"PACKAGE_HARD_LINK",
				path,
				`"${escapeForDisplay(path)}" has ${total} hard links and ${seen} of them in this tree; copy the file instead of linking it.`,
			);
	}
	return { entries, files, directories };
}

function compare(before: Listing, after: Listing): void {
	for (const [path, { fingerprint }] of before.files) {
		const now = after.files.get(path);
		if (now === undefined) throw changed(path, "was removed while the tree was read.");
		if (now.fingerprint !== fingerprint) throw changed(path, "changed while the tree was read.");
	}
	for (const path of after.files.keys())
		if (!before.files.has(path)) throw changed(path, "was added while the tree was read.");
	for (const [path, fingerprint] of before.directories)
		if (after.directories.get(path) !== fingerprint) throw changed(path, "changed while the tree was read.");
}

/** How often a changing directory is read before it is given up. */
export const ATTEMPTS = 3;

/**
 * Runs one whole pass over `source`. Over a directory it then confirms that nothing changed meanwhile, and starts over
 * when something did, at most {@link ATTEMPTS} times; then it rejects with `PACKAGE_SOURCE_CHANGED` ("kept changing").
 * `pass` is called once per attempt and must be able to start over. Any other source is read once.
 */
export async function whileUnchanged<T>(source: PackageSource, pass: () => Promise<T>): Promise<T> {
	if (!isDirectorySource(source)) return pass();
	for (let attempt = 1; ; attempt += 1) {
		try {
			const result = await pass();
			await source.confirm();
			return result;
		} catch (error) {
			if (!(error instanceof PackageError) || error.code !== "PACKAGE_SOURCE_CHANGED") throw error;
			if (attempt < ATTEMPTS) continue;
			throw new PackageError("PACKAGE_SOURCE_CHANGED", `The source kept changing: ${error.message}`, {
				...(error.path === undefined ? {} : { path: error.path }),
				cause: error,
			});
		}
	}
}

function isDirectorySource(source: PackageSource): source is DirectorySource {
	return typeof (source as Partial<DirectorySource>).confirm === "function";
}
