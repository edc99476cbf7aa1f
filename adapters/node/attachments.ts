import { chmodSync, closeSync, fchmodSync, fstatSync, lstatSync, mkdirSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { escapeForDisplay } from "../../src/display.ts";
import { type AttachedRoot, type AttachRequest, HostError } from "../../src/host/index.ts";
import { PackageError } from "../../src/package/index.ts";
import type { AbortSignal } from "../../src/web.ts";
import { createFile, writeAll, writeError } from "./copy.ts";
import { ATTEMPTS } from "./directory.ts";
import { Pace } from "./pace.ts";
import { removeTree } from "./remove.ts";
import type { TemporaryDirectories } from "./temporary.ts";
import { changed, errnoOf, treeError } from "./tree/errors.ts";
import { CHUNK_BYTES } from "./tree/file-stream.ts";
import { fingerprintOf } from "./tree/fingerprint.ts";
import { HeldDirectory, type Name } from "./tree/held.ts";
import { notOrdinary, type TreeEntry, walkTree } from "./tree/walk.ts";

/** Bytes that one attachment's private copy may take; more is a capacity, not a fault of the attachment. */
const ATTACHMENT_BYTES = 4_294_967_296;

/**
 * Prepares one attachment (Run/1 section 3) where no sandbox does.
 *
 * `read` is a private copy of the directory or file, files 0444 and directories 0555: the component can't reach the
 * original, whatever it does to its copy. Regular files and directories are copied, empty ones and any names too; a
 * symbolic link anywhere in it is refused, since what it leads to was never granted, and so are pipes, sockets and devices.
 * Hard links are copied as files. A root around the runtime's temporary directory is refused. A root that changes meanwhile is copied again, three times at most.
 *
 * `read-write` hands over the root itself, links on the way to it resolved, and only where the caller said that it trusts
 * the component with it: without a sandbox nothing holds the component to that root.
 *
 * Rejects with a `HostError` `ATTACHMENT_ACCESS` or `ATTACHMENT_FAILED`, or the signal's reason; nothing is left behind.
 */
export async function attachWithoutSandbox(
	request: AttachRequest,
	temporary: TemporaryDirectories,
	trust: boolean,
): Promise<AttachedRoot> {
	const { name, source, access, signal } = request;
	signal?.throwIfAborted();
	const path = resolve(source.path);
	if (access === "read-write") {
		if (!trust && source.trusted !== true)
			throw new HostError(
				`Attachment "${name}" asks for read-write access, which no sandbox would confine; grant it explicitly as trusted, or attach it for reading.`,
				{ code: "ATTACHMENT_ACCESS", phase: "activation" },
			);
		return { path: trustedRoot(name, path), access, dispose: async () => undefined };
	}
	let holder: string | undefined;
	try {
		holder = temporary.make("attachment");
		const home = holder;
		refuseAround(path, home);
		const copy = await copyRoot(path, holder, name, signal);
		return { path: copy, access, dispose: () => temporary.remove(home) };
	} catch (error) {
		if (holder !== undefined) await temporary.abandon(holder);
		if (signal?.aborted) throw signal.reason;
		throw failed(name, path, error);
	}
}

/** A root that holds this runtime's own temporary directory would be copied into itself, level after level. */
function refuseAround(path: string, holder: string): void {
	const way = relative(realpathSync(path), holder);
	if (way.split(sep)[0] === ".." || isAbsolute(way)) return;
	throw new Error(`its private copy would lie inside it (${holder}); attach less of it, or stage elsewhere`);
}

function trustedRoot(name: string, path: string): string {
	try {
		return realpathSync(path);
	} catch (error) {
		throw failed(name, path, error);
	}
}

function failed(name: string, path: string, cause: unknown): HostError {
	const why = cause instanceof Error ? cause.message : String(cause);
	return new HostError(
		`Attachment "${name}" (${escapeForDisplay(path)}) could not be prepared: ${escapeForDisplay(why)}`,
		{
			code: "ATTACHMENT_FAILED",
			phase: "activation",
			cause,
		},
	);
}

/** Copies a directory to `<holder>/<name>`, a file to `<holder>/<its own name>`. Answers the copy's path. */
async function copyRoot(path: string, holder: string, name: string, signal: AbortSignal | undefined): Promise<string> {
	const stats = lstatSync(path, { bigint: true });
	if (!stats.isFile()) {
		const target = join(holder, name);
		for (let attempt = 1; ; attempt += 1) {
			try {
				await new Copy(signal).directory(path, target);
				return target;
			} catch (error) {
				const again = error instanceof PackageError && error.code === "PACKAGE_SOURCE_CHANGED" && attempt < ATTEMPTS;
				if (!again) throw error;
				await removeTree(target);
			}
		}
	}
	const target = join(holder, basename(path));
	const parent = HeldDirectory.root(realpathSync(dirname(path)));
	try {
		await new Copy(signal).file(parent, basename(path), stats, Buffer.from(target), basename(path));
	} finally {
		parent.close();
	}
	return target;
}

/** One attempt at a private copy, with one buffer and one budget of bytes. */
class Copy {
	readonly #signal: AbortSignal | undefined;
	readonly #pace = new Pace();
	readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
	#bytes = 0;

	constructor(signal: AbortSignal | undefined) {
		this.#signal = signal;
	}

	async directory(from: string, to: string): Promise<void> {
		const made: Buffer[] = [];
		for (const entry of walkTree(from)) {
			const target = targetOf(to, entry);
			if (entry.kind === "directory") {
				writing(entry.shown, () => mkdirSync(target, { mode: 0o700 }));
				made.push(target);
			} else await this.file(entry.parent!, entry.name, entry.stats, target, entry.shown);
			if (this.#pace.due()) await this.#pace.rest(this.#signal);
		}
		for (const target of made) chmodSync(target, 0o555);
	}

	async file(parent: HeldDirectory, name: Name, listed: TreeEntry["stats"], to: Buffer, shown: string): Promise<void> {
		const input = reading(shown, () => parent.openFile(name));
		try {
			const before = fstatSync(input, { bigint: true });
			if (!before.isFile()) throw notOrdinary(before, shown);
			if (fingerprintOf(before) !== fingerprintOf(listed)) throw changed(shown, "changed while it was copied.");
			const output = writing(shown, () => createFile(to));
			try {
				for (;;) {
					const count = reading(shown, () => readSync(input, this.#buffer, 0, CHUNK_BYTES, null));
					if (count === 0) break;
					this.#bytes += count;
					if (this.#bytes > ATTACHMENT_BYTES) throw tooLarge();
					writing(shown, () => writeAll(output, this.#buffer.subarray(0, count)));
					if (this.#pace.due()) await this.#pace.rest(this.#signal);
				}
				writing(shown, () => fchmodSync(output, 0o444));
			} finally {
				closeSync(output);
			}
			if (fingerprintOf(fstatSync(input, { bigint: true })) !== fingerprintOf(before))
				throw changed(shown, "changed while it was copied.");
		} finally {
			closeSync(input);
		}
	}
}

function targetOf(to: string, { names }: TreeEntry): Buffer {
	const parts = [Buffer.from(to)];
	for (const name of names) parts.push(Buffer.from("/"), Buffer.from(name as string));
	return Buffer.concat(parts);
}

function tooLarge(): PackageError {
	return new PackageError(
		"PACKAGE_CAPACITY",
		`it has more than ${ATTACHMENT_BYTES} bytes, more than this host copies.`,
		{
			limit: { name: "attachmentBytes", max: ATTACHMENT_BYTES },
		},
	);
}

function reading<T>(shown: string, act: () => T): T {
	try {
		return act();
	} catch (error) {
		throw treeError(error, shown);
	}
}

function writing<T>(shown: string, act: () => T): T {
	try {
		return act();
	} catch (error) {
		throw errnoOf(error) === undefined ? error : writeError(error, shown);
	}
}
