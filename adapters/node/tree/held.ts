import { isUtf8 } from "node:buffer";
import {
	type BigIntStats,
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	opendirSync,
	openSync,
	readdirSync,
	statSync,
} from "node:fs";
import { sep } from "node:path";
import { identityOf } from "./fingerprint.ts";

/** A name in a directory: text where its bytes are UTF-8, else the bytes themselves. */
export type Name = string | Buffer;

/** Absent on Windows, where opening never follows by flag and identity is compared instead. */
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

/** Opens a file for reading: a symbolic link fails, a named pipe answers at once instead of waiting for a writer. */
const READ = constants.O_RDONLY | NOFOLLOW | NONBLOCK;

let descriptorPaths: boolean | undefined;

/** Whether `/proc/self/fd/N` reaches the very directory that descriptor N holds. Asked once a process. */
function descriptorsReach(fd: number): boolean {
	if (process.platform !== "linux") return false;
	if (descriptorPaths === undefined) {
		try {
			const through = statSync(`/proc/self/fd/${fd}`, { bigint: true });
			descriptorPaths = identityOf(through) === identityOf(fstatSync(fd, { bigint: true }));
		} catch {
			descriptorPaths = false;
		}
	}
	return descriptorPaths;
}

/** How children are reached: through the parent's descriptor, or by path with the chain of parents checked again. */
export type Reach = "descriptor" | "chain";

/**
 * One directory of a tree, held while its children are looked at (Package/1 section 1, descriptor-relative reads).
 *
 * On Linux it is an open descriptor (`O_DIRECTORY|O_NOFOLLOW`) and each child is reached as `/proc/self/fd/N/name`, so
 * nobody can swap a parent for a link in between. Where there is no such path, children are reached by name and
 * {@link confirm} proves after every step that each parent still is the directory it was.
 */
export class HeldDirectory {
	/** What it was when it was opened. */
	readonly stats: BigIntStats;
	readonly #parent: HeldDirectory | undefined;
	readonly #path: Name;
	readonly #prefix: string | undefined;
	#fd: number;

	private constructor(parent: HeldDirectory | undefined, path: Name, fd: number, stats: BigIntStats) {
		this.#parent = parent;
		this.#path = path;
		this.#fd = fd;
		this.stats = stats;
		this.#prefix = fd < 0 ? undefined : `/proc/self/fd/${fd}`;
	}

	/** Holds the root of a tree. `path` is absolute and has no trailing separator, so that a link there isn't followed. */
	static root(path: string, reach?: Reach): HeldDirectory {
		return HeldDirectory.#hold(undefined, path, reach);
	}

	/** Holds a directory below. Throws the system's error when there is none, or a link. */
	child(name: Name): HeldDirectory {
		return HeldDirectory.#hold(this, this.at(name), this.#prefix === undefined ? "chain" : "descriptor");
	}

	static #hold(parent: HeldDirectory | undefined, path: Name, reach: Reach | undefined): HeldDirectory {
		if (reach === "chain" || DIRECTORY === 0) return HeldDirectory.#chained(parent, path);
		const fd = openSync(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW | NONBLOCK);
		if (!descriptorsReach(fd)) {
			closeSync(fd);
			return HeldDirectory.#chained(parent, path);
		}
		return new HeldDirectory(parent, path, fd, fstatSync(fd, { bigint: true }));
	}

	static #chained(parent: HeldDirectory | undefined, path: Name): HeldDirectory {
		const stats = lstatSync(path, { bigint: true });
		if (!stats.isDirectory()) throw notDirectory(path);
		parent?.confirm();
		return new HeldDirectory(parent, path, -1, stats);
	}

	/** The path that reaches a child. */
	at(name: Name): Name {
		const parent = this.#prefix ?? this.#path;
		const slash = this.#prefix === undefined ? sep : "/";
		if (typeof name === "string" && typeof parent === "string") return `${parent}${slash}${name}`;
		return Buffer.concat([Buffer.from(parent), Buffer.from(slash), Buffer.from(name)]);
	}

	/** What the child is, a link as itself. */
	lstat(name: Name): BigIntStats {
		const stats = lstatSync(this.at(name), { bigint: true });
		this.confirm();
		return stats;
	}

	/** Opens a child for reading; the caller closes it and looks with `fstat` at what it got. */
	openFile(name: Name): number {
		const fd = openSync(this.at(name), READ);
		try {
			this.confirm();
		} catch (error) {
			closeSync(fd);
			throw error;
		}
		return fd;
	}

	/** The names in it, at most `most` + 1 of them. Sees what the system shows, hidden ones too. */
	names(most: number): Name[] {
		const path = this.#prefix ?? this.#path;
		const listing = opendirSync(path, { encoding: "buffer" as BufferEncoding, bufferSize: 512 });
		let names: Name[] = [];
		try {
			for (let entry = listing.readSync(); entry !== null && names.length <= most; entry = listing.readSync()) {
				const name: unknown = entry.name;
				if (!Buffer.isBuffer(name)) {
					// Bun's listing has no bytes; its readdir, which reads the whole directory, does.
					names = readdirSync(path, { encoding: "buffer" })
						.slice(0, most + 1)
						.map(nameOf);
					break;
				}
				names.push(nameOf(name));
			}
		} finally {
			listing.closeSync();
		}
		this.confirm();
		return names;
	}

	/** What the directory is now. */
	now(): BigIntStats {
		return this.#prefix === undefined ? lstatSync(this.#path, { bigint: true }) : fstatSync(this.#fd, { bigint: true });
	}

	/** Without descriptors: throws unless this and every parent still is the directory that was held. */
	confirm(): void {
		if (this.#prefix !== undefined) return;
		for (let each: HeldDirectory | undefined = this; each !== undefined; each = each.#parent) {
			if (identityOf(lstatSync(each.#path, { bigint: true })) !== identityOf(each.stats))
				throw notDirectory(each.#path);
		}
	}

	close(): void {
		if (this.#fd < 0) return;
		const fd = this.#fd;
		this.#fd = -1;
		closeSync(fd);
	}
}

function nameOf(bytes: Buffer): Name {
	return isUtf8(bytes) ? bytes.toString() : bytes;
}

function notDirectory(path: Name): Error {
	const error: NodeJS.ErrnoException = new Error(`ENOTDIR: not the directory it was, '${path.toString()}'`);
	error.code = "ENOTDIR";
	return error;
}
