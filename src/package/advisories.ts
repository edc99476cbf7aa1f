/** What is admitted, and may still surprise: told as data, never a reason to reject. */

import { comparePaths, pathAdvisoryKey, pathCollisionKey } from "../grammar/index.ts";
import { FLOW_MD } from "./frontmatter.ts";
import type { PackageEntry } from "./source.ts";

/**
 * What an {@link Advisory} is about.
 *
 * - `caseless-collision`: two paths alike under canonical caseless matching (Unicode D145), which some case-insensitive
 *   file systems join although full case folding keeps them apart.
 * - `directory-case`: two directories that differ only by case; such file systems join them too.
 * - `file-directory-case`: a file and a directory whose names differ only by case; they can't both be laid out there.
 * - `crlf`: FLOW.md has CRLF line endings; a checkout that converts line endings changes the digest.
 * - `surprising-file`: a file that tools leave behind, or one that looks private; Package/1 has no ignore file.
 */
export type AdvisoryCode = "caseless-collision" | "directory-case" | "file-directory-case" | "crlf" | "surprising-file";

/** One thing worth a look. */
export interface Advisory {
	readonly code: AdvisoryCode;
	/** The path it is about; a directory's where a whole directory is meant. */
	readonly path: string;
	/** The other path, where two are too much alike. */
	readonly otherPath?: string;
	readonly message: string;
}

/** More than this is no advice any more. */
const ADVISORIES = 100;

/** The advisories of an admitted tree (files in path order) and its FLOW.md; at most 100. Near-linear. */
export function advise(files: readonly PackageEntry[], flowMd: Uint8Array): readonly Advisory[] {
	const found: Advisory[] = [];
	if (hasCrlf(flowMd)) found.push(advisory("crlf", FLOW_MD));
	adviseSurprises(files, found);
	adviseCaseless(files, found);
	adviseDirectories(files, found);
	return Object.freeze(found.slice(0, ADVISORIES));
}

const MESSAGES: Record<AdvisoryCode, string> = {
	"caseless-collision": "some case-insensitive file systems can't keep these two files apart",
	"directory-case": "two directories differ only by case; some file systems join them",
	"file-directory-case": "a file and a directory differ only by case; some file systems can't hold both",
	crlf: "it has CRLF line endings; they are part of the digest, and a checkout that converts them changes it",
	"surprising-file":
		"a file that tools leave behind, or a private one, is part of the package: Package/1 ignores nothing",
};

function advisory(code: AdvisoryCode, path: string, otherPath?: string): Advisory {
	return Object.freeze({ code, path, ...(otherPath === undefined ? {} : { otherPath }), message: MESSAGES[code] });
}

function hasCrlf(bytes: Uint8Array): boolean {
	for (let at = bytes.indexOf(0x0d); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
		if (bytes[at + 1] === 0x0a) return true;
	}
	return false;
}

const SURPRISING_DIRECTORIES = /^(?:\.git|\.hg|\.svn|\.idea|\.vscode|node_modules|__pycache__|\.venv|__MACOSX)$/;
const SURPRISING_FILES =
	/^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.env(?:\..*)?|\.npmrc|\.netrc|id_rsa|id_ed25519|.*\.pyc|.*~|\..*\.sw[a-p]|\.#.*|.*\.orig|.*\.rej)$/;

function adviseSurprises(files: readonly PackageEntry[], found: Advisory[]): void {
	const told = new Set<string>();
	for (const { path } of files) {
		const segments = path.split("/");
		const name = segments.pop()!;
		const inside = segments.findIndex((segment) => SURPRISING_DIRECTORIES.test(segment));
		const what = inside >= 0 ? segments.slice(0, inside + 1).join("/") : path;
		// A `.git` file is what a submodule or a worktree has.
		if (inside < 0 && !SURPRISING_FILES.test(name) && name !== ".git") continue;
		if (told.has(what)) continue;
		told.add(what);
		found.push(advisory("surprising-file", what));
		if (told.size === ADVISORIES) return;
	}
}

function adviseCaseless(files: readonly PackageEntry[], found: Advisory[]): void {
	const seen = new Map<string, string>();
	for (const { path } of files) {
		const key = pathAdvisoryKey(path);
		const other = seen.get(key);
		if (other === undefined) seen.set(key, path);
		else found.push(advisory("caseless-collision", other, path));
	}
}

/**
 * Compares each path with its neighbour in the order of the folded paths, `/` below everything: paths of one folded directory
 * stand together there, so two spellings of it meet somewhere, and a file meets what is inside a directory of its name.
 */
function adviseDirectories(files: readonly PackageEntry[], found: Advisory[]): void {
	const folded = files.map(({ path }) => ({ path, key: pathCollisionKey(path).replaceAll("/", "\0") }));
	folded.sort((a, b) => (a.key < b.key ? -1 : 1));
	const told = new Set<string>();
	for (let index = 1; index < folded.length && found.length < ADVISORIES * 2; index++) {
		const [before, current] = [folded[index - 1]!, folded[index]!];
		if (current.key.startsWith(`${before.key}\0`)) {
			found.push(advisory("file-directory-case", before.path, current.path));
		}
		const pair = differingDirectories(before, current);
		if (pair === undefined || told.has(pair.join("\0"))) continue;
		told.add(pair.join("\0"));
		found.push(advisory("directory-case", ...pair));
	}
}

interface Folded {
	readonly path: string;
	readonly key: string;
}

/** The shallowest directories of two paths that fold alike and are spelled apart, in path order. */
function differingDirectories(a: Folded, b: Folded): [string, string] | undefined {
	const [foldedA, foldedB] = [a.key.split("\0"), b.key.split("\0")];
	const [spelledA, spelledB] = [a.path.split("/"), b.path.split("/")];
	const depth = Math.min(foldedA.length, foldedB.length) - 1;
	for (let level = 0; level < depth && foldedA[level] === foldedB[level]; level++) {
		if (spelledA[level] !== spelledB[level]) {
			const spellings = [spelledA, spelledB].map((segments) => segments.slice(0, level + 1).join("/"));
			return spellings.sort(comparePaths) as [string, string];
		}
	}
	return undefined;
}
