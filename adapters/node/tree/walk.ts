import { type BigIntStats, lstatSync } from "node:fs";
import { escapeForDisplay } from "../../../src/display.ts";
import { PackageError } from "../../../src/package/index.ts";
import { changed, errnoOf, isCapacityErrno, refuse, treeError } from "./errors.ts";
import { fingerprintOf, identityOf, kindOf } from "./fingerprint.ts";
import { HeldDirectory, type Name, type Reach } from "./held.ts";

/** What one walk bounds. These are capacities of this adapter, not validity limits of Package/1: `PACKAGE_CAPACITY`. */
export interface TreeLimits {
	/** Directories in the tree, its root included. */
	readonly directories: number;
	/** Names in the tree, of files and directories. */
	readonly entries: number;
	/** Nesting of directories; each level holds one descriptor. A file below 64 segments is invalid anyway. */
	readonly depth: number;
}

export const TREE_LIMITS: TreeLimits = Object.freeze({ directories: 65_536, entries: 262_144, depth: 128 });

/** One directory (as it is entered) or one regular file of a tree. */
export interface TreeEntry {
	readonly kind: "directory" | "file";
	/** Its logical path with `/`; empty for the root. Undefined where a name on the way is not UTF-8. */
	readonly path: string | undefined;
	/** The path for messages: what isn't UTF-8 shows as U+FFFD. */
	readonly shown: string;
	readonly name: Name;
	/** The names from the root to it, as they are. */
	readonly names: readonly Name[];
	readonly stats: BigIntStats;
	/** The directory that holds it, open until the walk goes on. Undefined for the root. */
	readonly parent: HeldDirectory | undefined;
}

interface Level {
	readonly held: HeldDirectory;
	readonly path: string | undefined;
	readonly shown: string;
	readonly names: readonly Name[];
	readonly children: Name[];
}

/**
 * Walks a tree of directories and regular files, holding only the directories on the way down (at most
 * `limits.depth`), and closes them however it is left. Entries come in no particular order, a directory before what is in it.
 *
 * Throws `PackageError`: `PACKAGE_SYMLINK` (the root too), `PACKAGE_SPECIAL_FILE`, `PACKAGE_SOURCE_CHANGED` for a name or
 * directory that moves meanwhile, `PACKAGE_CAPACITY`, `PACKAGE_SOURCE_FAILED` for anything the system refuses.
 */
export function* walkTree(
	root: string,
	limits: TreeLimits = TREE_LIMITS,
	reach?: Reach,
): Generator<TreeEntry, void, void> {
	const stack: Level[] = [];
	let directories = 0;
	let entries = 0;
	const enter = (held: HeldDirectory, path: string | undefined, shown: string, names: readonly Name[]): Level => {
		const level: Level = { held, path, shown, names, children: [] };
		stack.push(level);
		directories += 1;
		if (directories > limits.directories) throw tooMany("directories", limits.directories, shown);
		if (stack.length > limits.depth) throw tooMany("depth", limits.depth, shown);
		for (const name of within(shown, () => held.names(limits.entries - entries))) level.children.push(name);
		entries += level.children.length;
		if (entries > limits.entries) throw tooMany("entries", limits.entries, shown);
		return level;
	};
	try {
		const top = enter(openRoot(root, reach), "", "", []);
		yield { kind: "directory", path: "", shown: "", name: "", names: [], stats: top.held.stats, parent: undefined };
		while (stack.length > 0) {
			const level = stack[stack.length - 1]!;
			const name = level.children.pop();
			if (name === undefined) {
				const now = within(level.shown, () => level.held.now());
				if (fingerprintOf(now) !== fingerprintOf(level.held.stats))
					throw changed(level.shown, "changed while it was listed.");
				stack.pop();
				level.held.close();
				continue;
			}
			const shown = level.shown === "" ? name.toString() : `${level.shown}/${name.toString()}`;
			const path =
				typeof name !== "string" || level.path === undefined
					? undefined
					: level.path === ""
						? name
						: `${level.path}/${name}`;
			const names = [...level.names, name];
			const stats = within(shown, () => level.held.lstat(name));
			if (stats.isFile()) {
				yield { kind: "file", path, shown, name, names, stats, parent: level.held };
				continue;
			}
			if (!stats.isDirectory()) throw notOrdinary(stats, shown);
			const held = within(shown, () => level.held.child(name));
			const below = enter(held, path, shown, names);
			if (identityOf(held.stats) !== identityOf(stats)) throw changed(shown, "was replaced while it was listed.");
			yield { kind: "directory", path, shown, name, names, stats: below.held.stats, parent: level.held };
		}
	} finally {
		for (const level of stack) level.held.close();
	}
}

/** The error for a name that is neither a regular file nor a directory. */
export function notOrdinary(stats: BigIntStats, shown: string): PackageError {
	const where = shown === "" ? "The root of the tree" : `"${escapeForDisplay(shown)}"`;
	const code = stats.isSymbolicLink() ? "PACKAGE_SYMLINK" : "PACKAGE_SPECIAL_FILE";
	return refuse(code, shown, `${where} is ${kindOf(stats)}; only regular files and directories are admitted.`);
}

function openRoot(root: string, reach: Reach | undefined): HeldDirectory {
	try {
		return HeldDirectory.root(root, reach);
	} catch (error) {
		throw rootError(root, error);
	}
}

/** Why the root can't be held: absent, a link, a file, or not ours to read. */
function rootError(root: string, error: unknown): unknown {
	let stats: BigIntStats | undefined;
	try {
		stats = lstatSync(root, { bigint: true });
	} catch {
		// Then `error`, which it already failed with, says why.
	}
	const shown = escapeForDisplay(root);
	if (stats?.isSymbolicLink())
		return new PackageError(
			"PACKAGE_SYMLINK",
			`"${shown}" is a symbolic link; name the directory it leads to instead.`,
			{ cause: error },
		);
	const code = errnoOf(error);
	if (isCapacityErrno(error)) return treeError(error, "");
	// Without a system's code it was Node that refused: a NUL is in the path.
	const what = code === undefined ? "is no path" : `can't be read (${code})`;
	const why = code === "ENOENT" ? "does not exist" : code === "ENOTDIR" ? "is no directory" : what;
	return new PackageError("PACKAGE_SOURCE_FAILED", `"${shown}" ${why}.`, { cause: error });
}

function within<T>(shown: string, look: () => T): T {
	try {
		return look();
	} catch (error) {
		throw treeError(error, shown);
	}
}

function tooMany(name: keyof TreeLimits, max: number, shown: string): PackageError {
	return new PackageError(
		"PACKAGE_CAPACITY",
		`The tree has more than ${max} ${name === "depth" ? "levels" : name}, which is more than this adapter walks.`,
		shown === "" ? { limit: { name, max } } : { path: shown, limit: { name, max } },
	);
}
