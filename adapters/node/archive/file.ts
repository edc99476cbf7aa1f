import { closeSync, constants, fstatSync, openSync, read, readSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { escapeForDisplay } from "../../../src/display.ts";
import { PackageError } from "../../../src/package/index.ts";
import type { Bytes } from "../../archive/index.ts";
import { Pace } from "../pace.ts";
import { errnoOf, isCapacityErrno } from "../tree/errors.ts";
import { fingerprintOf } from "../tree/fingerprint.ts";

const readAsync = promisify(read);

/** Reads of this size and more happen beside this thread, which hashes meanwhile; a smaller one is done before a thread would begin. */
const ASIDE = 131_072;

/**
 * The bytes of the file at `path`. It is opened for each read and has to be the very file, unchanged, each time: nothing is
 * left open, and `PACKAGE_SOURCE_CHANGED` tells of a file that was replaced or written meanwhile.
 *
 * Throws `PackageError`: `PACKAGE_SOURCE_FAILED` where there is no readable regular file, `PACKAGE_CAPACITY`.
 */
export function fileBytes(path: string): Bytes {
	const shown = escapeForDisplay(path);
	const stats = within(shown, () => statSync(path, { bigint: true }));
	if (!stats.isFile())
		throw failed(
			stats.isDirectory()
				? `"${shown}" is a directory; directory() makes a source of it.`
				: `"${shown}" is no regular file; give its content as a stream.`,
		);
	const fingerprint = fingerprintOf(stats);
	const pace = new Pace();
	return {
		size: Number(stats.size),
		slice: (start, end) => ({
			async arrayBuffer() {
				if (pace.due()) await pace.rest();
				const fd = within(shown, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
				try {
					const buffer = await readFrom(fd, start, end);
					if (fingerprintOf(fstatSync(fd, { bigint: true })) === fingerprint) return buffer;
				} finally {
					closeSync(fd);
				}
				throw new PackageError("PACKAGE_SOURCE_CHANGED", `"${shown}" changed while it was read.`);
			},
		}),
	};
}

/** The bytes of an open file from `start` up to `end`, fewer where it ends before. */
export async function readFrom(fd: number, start: number, end: number): Promise<ArrayBuffer> {
	const buffer = Buffer.allocUnsafeSlow(end - start);
	let filled = 0;
	while (filled < buffer.length) {
		const left = buffer.length - filled;
		const count =
			left < ASIDE
				? readSync(fd, buffer, filled, left, start + filled)
				: (await readAsync(fd, buffer, filled, left, start + filled)).bytesRead;
		if (count === 0) break;
		filled += count;
	}
	const { buffer: whole } = buffer;
	return filled === whole.byteLength ? whole : whole.slice(0, filled);
}

/** Whether there is a file at `path`, and not a directory or nothing. */
export function isFile(path: string): boolean {
	try {
		return statSync(path).isFile();
	} catch {
		// Absent, a circle of links, not ours to look at: whoever reads it as a directory says so.
		return false;
	}
}

function within<T>(shown: string, look: () => T): T {
	try {
		return look();
	} catch (error) {
		const errno = errnoOf(error);
		if (isCapacityErrno(error))
			throw new PackageError("PACKAGE_CAPACITY", `This machine ran out of capacity at "${shown}" (${errno}).`, {
				cause: error,
			});
		throw failed(
			`"${shown}" ${errno === "ENOENT" ? "does not exist" : `can't be read (${errno ?? "it is no path"})`}.`,
			error,
		);
	}
}

function failed(message: string, cause?: unknown): PackageError {
	return new PackageError("PACKAGE_SOURCE_FAILED", message, cause === undefined ? {} : { cause });
}
