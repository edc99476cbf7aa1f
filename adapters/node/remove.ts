import { chmodSync, lstatSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { Pace } from "./pace.ts";
import { errnoOf } from "./tree/errors.ts";
import { HeldDirectory, type Name } from "./tree/held.ts";

/** Names read from one directory before they are removed, so that memory doesn't grow with its size. */
const BATCH = 1_024;

/** Names one removal takes away before it concludes that someone makes them as fast as it removes them. */
const MOST = 16_777_216;

/**
 * Removes a directory and everything in it, or what stands in its place, without a pause. Harmless when it is gone. Throws
 * the system's error.
 */
export function removeTreeNow(path: string): void {
	for (const _ of removal(path));
}

/** Like {@link removeTreeNow}, giving way to the event loop while it works. */
export async function removeTree(path: string): Promise<void> {
	const pace = new Pace();
	for (const _ of removal(path)) if (pace.due()) await pace.rest();
}

/**
 * A component may leave anything behind: read-only directories, names that aren't UTF-8, nesting beyond any path length.
 * So nothing recurses and no path grows: links are removed as links, and a directory found inside another is moved up to
 * the top before its turn comes. Each directory moves once.
 */
function* removal(path: string): Generator<void, void, void> {
	let top: HeldDirectory;
	try {
		// Whoever may write may also have put a link or a file in the directory's place: that goes, what it leads to stays.
		if (!lstatSync(path).isDirectory()) {
			unlinkSync(path);
			return;
		}
		top = hold(() => HeldDirectory.root(path), path);
	} catch (error) {
		if (errnoOf(error) === "ENOENT") return;
		throw error;
	}
	let removed = 0;
	let moved = 0;
	try {
		for (const name of drained(top)) {
			if (!unlinked(top, name)) {
				const inner = hold(() => top.child(name), top.at(name));
				try {
					for (const below of drained(inner)) {
						if (!unlinked(inner, below)) {
							moveUp(inner.at(below), () => top.at(`.removing-${moved++}`));
						}
						yield;
					}
				} finally {
					inner.close();
				}
				rmdirSync(top.at(name));
			}
			removed += 1;
			if (removed > MOST) throw new Error(`"${path}" is being filled while it is removed`);
			yield;
		}
	} finally {
		top.close();
	}
	rmdirSync(path);
}

/** The names of a directory, a batch at a time, until there are none. Whoever takes a name removes it. */
function* drained(held: HeldDirectory): Generator<Name, void, void> {
	for (let names = held.names(BATCH); names.length > 0; names = held.names(BATCH)) yield* names;
}

/** Removes a name that is no directory; false for a directory, for which each system and runtime has its own error. */
function unlinked(held: HeldDirectory, name: Name): boolean {
	try {
		unlinkSync(held.at(name));
		return true;
	} catch (error) {
		const errno = errnoOf(error);
		if (errno === "ENOENT") return true;
		if (errno === "EISDIR" || held.lstat(name).isDirectory()) return false;
		throw error;
	}
}

/** Holds a directory for removal: readable and writable by its owner, whatever its mode was. */
function hold(open: () => HeldDirectory, path: Name): HeldDirectory {
	let held: HeldDirectory;
	try {
		held = open();
	} catch (error) {
		if (errnoOf(error) !== "EACCES") throw error;
		chmodSync(path, 0o700);
		held = open();
	}
	if ((held.stats.mode & 0o700n) === 0o700n) return held;
	try {
		chmodSync(held.at("."), 0o700);
		return held;
	} catch (error) {
		held.close();
		throw error;
	}
}

function moveUp(from: Name, to: () => Name): void {
	for (let opened = false; ; ) {
		try {
			renameSync(from, to());
			return;
		} catch (error) {
			const errno = errnoOf(error);
			// Moving a directory writes its "..", which a read-only one doesn't let its owner do.
			if (errno === "EACCES" && !opened) {
				chmodSync(from, 0o700);
				opened = true;
			} else if (errno !== "ENOTEMPTY" && errno !== "EEXIST" && errno !== "ENOTDIR") throw error;
		}
	}
}
