import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { escapeForDisplay } from "../../src/display.ts";
import { checkPath } from "../../src/grammar/index.ts";
import { type PackageEntry, PackageError, type PackageSource } from "../../src/package/index.ts";
import type { ReadableStreamLike, StreamReaderLike } from "../../src/web.ts";
import { errnoOf, isCapacityErrno } from "./tree/errors.ts";

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Names that Windows takes for something else than a file in the directory at hand. */
const WINDOWS_UNSAFE = /[<>:"|?*\u0000-\u001f]|[. ](?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)/i;

/**
 * A source that writes every file it hands out into a directory, so that one pass digests and copies: the bytes that were
 * hashed are the bytes that were written. Files become 0444; `seal` makes the directories 0555.
 *
 * Paths are checked here too, before they touch the filesystem. What can't be written rejects with `PackageError`
 * `PACKAGE_CAPACITY` (no room, no descriptors) or `PACKAGE_SOURCE_FAILED`.
 */
export class CopyingSource implements PackageSource {
	readonly #source: PackageSource;
	readonly #root: string;
	readonly #directories = new Set<string>();

	/** `root` is an empty directory of ours. */
	constructor(source: PackageSource, root: string) {
		this.#source = source;
		this.#root = root;
	}

	list(): Promise<readonly PackageEntry[]> {
		return this.#source.list();
	}

	async open(path: string): Promise<ReadableStreamLike<Uint8Array>> {
		const stream = await this.#source.open(path);
		return { getReader: () => new CopyingReader(stream.getReader(), path, () => this.#create(path)) };
	}

	/** Makes the directories read-only. */
	seal(): void {
		for (const directory of this.#directories) chmodSync(join(this.#root, directory), 0o555);
		chmodSync(this.#root, 0o555);
	}

	#create(path: string): number {
		checkPath(path);
		if (process.platform === "win32" && WINDOWS_UNSAFE.test(path))
			throw new PackageError("PACKAGE_SOURCE_FAILED", `This system has no file name for "${escapeForDisplay(path)}".`, {
				path,
			});
		for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
			const directory = path.slice(0, slash);
			if (this.#directories.has(directory)) continue;
			mkdirSync(join(this.#root, directory), { mode: 0o700 });
			this.#directories.add(directory);
		}
		return createFile(join(this.#root, path));
	}
}

class CopyingReader implements StreamReaderLike<Uint8Array> {
	readonly #reader: StreamReaderLike<Uint8Array>;
	readonly #path: string;
	readonly #create: () => number;
	#fd: number | undefined;

	constructor(reader: StreamReaderLike<Uint8Array>, path: string, create: () => number) {
		this.#reader = reader;
		this.#path = path;
		this.#create = create;
	}

	async read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }> {
		const result = await this.#reader.read();
		try {
			this.#fd ??= this.#create();
			if (result.done) {
				fchmodSync(this.#fd, 0o444);
				this.#close();
				return { done: true };
			}
			writeAll(this.#fd, result.value);
			return { done: false, value: result.value };
		} catch (error) {
			this.#close();
			throw writeError(error, this.#path);
		}
	}

	async cancel(reason?: unknown): Promise<void> {
		this.#close();
		await this.#reader.cancel(reason);
	}

	releaseLock(): void {
		this.#reader.releaseLock();
	}

	#close(): void {
		const fd = this.#fd;
		this.#fd = undefined;
		if (fd !== undefined) closeSync(fd);
	}
}

/** Opens a file for writing where nothing was before, its owner's alone. Throws the system's error. */
export function createFile(path: string | Buffer): number {
	return openSync(path, CREATE, 0o400);
}

/** Writes every byte; a system may take fewer than it was given. */
export function writeAll(fd: number, bytes: Uint8Array): void {
	for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
}

/** Why a private copy could not be written, as the package room's error. */
export function writeError(error: unknown, path: string): unknown {
	const errno = errnoOf(error);
	if (errno === undefined) return error;
	const shown = `The private copy of "${escapeForDisplay(path)}" could not be written`;
	if (isCapacityErrno(error))
		return new PackageError("PACKAGE_CAPACITY", `${shown}: no room (${errno}).`, { path, cause: error });
	return new PackageError("PACKAGE_SOURCE_FAILED", `${shown} (${errno}).`, { path, cause: error });
}
