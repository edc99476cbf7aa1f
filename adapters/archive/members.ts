import { quoteForDisplay } from "../../src/display.ts";
import { checkPath } from "../../src/grammar/index.ts";
import { FLOW_MD, PACKAGE_LIMITS, PackageError } from "../../src/package/index.ts";
import { beyond, refuseMember } from "./errors.ts";
import type { Range } from "./read-ahead.ts";
import type { ArchiveLimits } from "./types.ts";

/** Where a file's content lies in the archive. */
export interface Content {
	/** Bytes of the content. */
	readonly size: number;
	/** The bytes of the archive that hold it, compressed or not. */
	readonly place: Range;
	/** What a zip says of it; a tar says nothing. */
	readonly zip?: { readonly crc32: number; readonly deflated: boolean };
}

/** A file of the archive under its path in the package. */
export interface Member extends Content {
	readonly path: string;
}

/**
 * The members of one archive, taken in as they are found: names checked, counted and kept apart. What makes a path of
 * Package/1 (NFC, lengths, case) is the core's to check; here it is what could mean two things or lead out of the tree.
 */
export class Members {
	readonly #limits: ArchiveLimits;
	readonly #files = new Map<string, Content>();
	readonly #directories = new Set<string>();
	#entries = 0;
	#bytes = 0;

	constructor(limits: ArchiveLimits) {
		this.#limits = limits;
	}

	/** Members so far, directories included. */
	get entries(): number {
		return this.#entries;
	}

	/** Takes a directory in; it has no meaning of its own (Package/1 section 1). */
	addDirectory(name: string): void {
		this.#count(name);
		const path = plainName(name).replace(/\/$/, "");
		if (path === "" || path === ".") return;
		checkName(path, name);
		if (this.#files.has(path)) throw bothKinds(path);
		this.#directories.add(path);
	}

	/** Takes a regular file in. */
	addFile(name: string, content: Content): void {
		this.#count(name);
		const path = plainName(name);
		checkName(path, name);
		if (this.#files.has(path)) {
			const message = `${quoteForDisplay(path)} occurs twice in the archive, and readers differ in which one they take.`;
			throw new PackageError("PACKAGE_PATH_COLLISION", message, { path, otherPath: path });
		}
		if (this.#directories.has(path)) throw bothKinds(path);
		if (this.#files.size === PACKAGE_LIMITS.files) throw excess("files", "The archive has more files");
		if (content.size > PACKAGE_LIMITS.fileBytes) throw tooLarge(path, content.size);
		this.#bytes += content.size;
		if (this.#bytes > PACKAGE_LIMITS.totalBytes) throw excess("totalBytes", "The files have more bytes together", path);
		this.#files.set(path, content);
	}

	/** The regular file that is called `name` so far. */
	file(name: string): Content | undefined {
		return this.#files.get(plainName(name));
	}

	/**
	 * The files below `prefix`, with it taken off. Throws `PACKAGE_PATH_INVALID` for one outside it, and without a prefix
	 * `PACKAGE_FLOW_MISSING` where there is one to offer; `offer` hears of it first.
	 */
	finish(prefix: string | undefined, offer: (prefix: string) => void): readonly Member[] {
		if (prefix === undefined) {
			const common = this.#commonPrefix();
			if (common !== undefined) {
				offer(common);
				throw new PackageError(
					"PACKAGE_FLOW_MISSING",
					`The archive has no FLOW.md at its root, but everything in it lies below ${quoteForDisplay(common)}, which has one: give the prefix ${quoteForDisplay(common)} if that directory is the package.`,
					{ path: FLOW_MD, otherPath: common + FLOW_MD },
				);
			}
			return Array.from(this.#files, ([path, content]) => ({ ...content, path }));
		}
		return Array.from(this.#files, ([path, content]) => {
			if (path.startsWith(prefix)) return { ...content, path: path.slice(prefix.length) };
			const message = `lies outside the prefix ${quoteForDisplay(prefix)}, and no file is left out silently.`;
			throw refuseMember("PACKAGE_PATH_INVALID", path, message);
		});
	}

	/** The deepest directory that all files lie below, if it has a FLOW.md and the root has none. */
	#commonPrefix(): string | undefined {
		if (this.#files.has(FLOW_MD)) return undefined;
		let common: string | undefined;
		for (const path of this.#files.keys()) {
			common ??= path.slice(0, path.lastIndexOf("/") + 1);
			while (!path.startsWith(common)) common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
			if (common === "") return undefined;
		}
		return common !== undefined && this.#files.has(common + FLOW_MD) ? common : undefined;
	}

	#count(name: string): void {
		this.#entries += 1;
		const { entries } = this.#limits;
		if (this.#entries <= entries) return;
		throw beyond("entries", entries, `The archive has more than ${entries} members (limit "entries").`, name);
	}
}

/** Checks a prefix and gives it its slash. Throws `TypeError` for what names no directory below the root. */
export function checkPrefix(prefix: string): string {
	const path = prefix.replace(/\/$/, "");
	try {
		return `${checkPath(path)}/`;
	} catch (error) {
		const shown = quoteForDisplay(prefix);
		throw new TypeError(`The prefix ${shown} names no directory in an archive; write for example "package/".`, {
			cause: error,
		});
	}
}

/** A name without the `./` that `tar -C dir .` writes before each: once, since a second one would be a segment `.`. */
export function plainName(name: string): string {
	return name.startsWith("./") ? name.slice(2) : name;
}

/** Refuses names that readers resolve, strip or convert each in their own way. */
function checkName(path: string, name: string): void {
	const what = nameFault(path);
	if (what !== undefined) throw refuseMember("PACKAGE_PATH_INVALID", name, what);
}

function nameFault(path: string): string | undefined {
	if (path.includes("\\")) return "has a backslash in its name, which some readers take for a slash.";
	if (path.includes("\0")) return "has a NUL in its name, where some readers end it.";
	if (path.startsWith("/")) return "is an absolute path; names in an archive are relative to its root.";
	for (const segment of path.split("/")) {
		if (segment === "..") return `leads out of its directory with "..".`;
		if (segment === ".") return `has a segment "." in its name.`;
		if (segment === "") return "has an empty segment in its name.";
	}
	return undefined;
}

function bothKinds(path: string): PackageError {
	const message = `${quoteForDisplay(path)} is both a file and a directory in the archive.`;
	return new PackageError("PACKAGE_PATH_COLLISION", message, { path, otherPath: path });
}

/** Refuses what Package/1 admits no tree to have, before the rest of the archive is read. */
function excess(name: "files" | "totalBytes", found: string, path?: string): PackageError {
	const max = PACKAGE_LIMITS[name];
	return new PackageError("PACKAGE_LIMIT_EXCEEDED", `${found} than the ${max} that Package/1 admits.`, {
		...(path === undefined ? {} : { path }),
		limit: { name, max },
	});
}

/** The error for a file that is larger than Package/1 admits, whether or not the archive really has so many bytes. */
export function tooLarge(path: string, size: number): PackageError {
	const max = PACKAGE_LIMITS.fileBytes;
	const message = `${quoteForDisplay(path)} has ${size} bytes, more than the ${max} that Package/1 admits.`;
	return new PackageError("PACKAGE_LIMIT_EXCEEDED", message, { path, limit: { name: "fileBytes", max } });
}
