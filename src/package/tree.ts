/** The tree as a whole (Package/1 sections 1 and 5): which lists of files are a package tree, and in which order. */

import { quoteForDisplay } from "../display.ts";
import { checkPath, comparePaths, PathError, pathCollisionKey } from "../grammar/index.ts";
import { PackageError } from "./error.ts";
import { FLOW_MD } from "./frontmatter.ts";
import { PACKAGE_LIMITS } from "./limits.ts";
import type { PackageEntry } from "./source.ts";

/** An admitted tree: its files in the order of their UTF-8 path bytes, and the sum of their sizes. */
export interface Tree {
	readonly files: readonly PackageEntry[];
	readonly bytes: number;
}

/**
 * Admits the entries that a source listed, in whatever order, as one tree: every path canonical, no two alike under full
 * case folding, no path both a file and a directory, `FLOW.md` present (unless `requireFlowMd` is off), counts and sizes
 * within the ceilings. Takes a copy.
 *
 * Throws `PackageError`: `PACKAGE_LIMIT_EXCEEDED`, `PACKAGE_PATH_INVALID`, `PACKAGE_PATH_COLLISION`,
 * `PACKAGE_FLOW_MISSING`, and `PACKAGE_SOURCE_FAILED` for entries that aren't a path and a size.
 */
export function admitTree(entries: readonly PackageEntry[], requireFlowMd = true): Tree {
	if (entries.length > PACKAGE_LIMITS.files) throw limit("files", `The tree has ${entries.length} files`);
	const files = Array.from(entries, admitEntry);
	files.sort((a, b) => comparePaths(a.path, b.path));
	checkCollisions(files);
	checkDirectories(files);
	if (requireFlowMd && !files.some((file) => file.path === FLOW_MD)) {
		const near = files.find((file) => pathCollisionKey(file.path) === pathCollisionKey(FLOW_MD));
		const hint = near === undefined ? "" : ` It has ${quoteForDisplay(near.path)}: the name is case-sensitive.`;
		throw new PackageError("PACKAGE_FLOW_MISSING", `The tree has no FLOW.md at its root.${hint}`, { path: FLOW_MD });
	}
	return { files, bytes: sumSizes(files) };
}

/** What a source listed that is no object, or a hole in its list. */
const NO_ENTRY = {} as PackageEntry;

function admitEntry(entry: PackageEntry): PackageEntry {
	const { path, size } = typeof entry === "object" && entry !== null ? entry : NO_ENTRY;
	if (typeof path !== "string" || !Number.isSafeInteger(size) || size < 0) {
		throw new PackageError("PACKAGE_SOURCE_FAILED", "The source listed an entry without a path and a size in bytes.");
	}
	try {
		checkPath(path);
	} catch (error) {
		if (!(error instanceof PathError)) throw error;
		throw new PackageError("PACKAGE_PATH_INVALID", `The ${error.message}.`, { path, cause: error });
	}
	if (size > PACKAGE_LIMITS.fileBytes) throw limit("fileBytes", `${quoteForDisplay(path)} has ${size} bytes`, path);
	return Object.freeze({ path, size });
}

/** At most 65,536 files of at most 2^30 bytes: the sum stays below 2^46, so a double counts it exactly. */
function sumSizes(files: readonly PackageEntry[]): number {
	let bytes = 0;
	for (const { size } of files) bytes += size;
	if (bytes > PACKAGE_LIMITS.totalBytes) throw limit("totalBytes", `The files have ${bytes} bytes together`);
	return bytes;
}

function checkCollisions(files: readonly PackageEntry[]): void {
	const seen = new Map<string, string>();
	for (const { path } of files) {
		const key = pathCollisionKey(path);
		const other = seen.get(key);
		if (other !== undefined) throw collision(other, path, other === path ? "occurs twice" : "differ only by case");
		seen.set(key, path);
	}
}

/**
 * With `/` replaced by NUL, which no path has and nothing sorts below, everything inside a directory follows its own name
 * at once. So one look at each neighbour finds a file that is a directory too, without a table of all directories.
 */
function checkDirectories(files: readonly PackageEntry[]): void {
	const keys = files.map(({ path }) => path.replaceAll("/", "\0")).sort();
	for (let index = 1; index < keys.length; index++) {
		const [file, next] = [keys[index - 1]!, keys[index]!];
		if (!next.startsWith(`${file}\0`)) continue;
		const below = next.replaceAll("\0", "/");
		throw collision(file.replaceAll("\0", "/"), below, "make one name both a file and a directory");
	}
}

function collision(path: string, otherPath: string, what: string): PackageError {
	const names =
		path === otherPath ? quoteForDisplay(path) : `${quoteForDisplay(path)} and ${quoteForDisplay(otherPath)}`;
	return new PackageError("PACKAGE_PATH_COLLISION", `${names} ${what}.`, { path, otherPath });
}

function limit(name: "files" | "fileBytes" | "totalBytes", found: string, path?: string): PackageError {
	const max = PACKAGE_LIMITS[name];
	return new PackageError("PACKAGE_LIMIT_EXCEEDED", `${found}, more than the ${max} that Package/1 admits.`, {
		...(path === undefined ? {} : { path }),
		limit: { name, max },
	});
}
