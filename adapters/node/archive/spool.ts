import { closeSync, constants, openSync, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PackageError } from "../../../src/package/index.ts";
import type { Spool } from "../../archive/index.ts";
import { TemporaryDirectories } from "../temporary.ts";
import { errnoOf } from "../tree/errors.ts";
import { readFrom } from "./file.ts";

const writeAsync = promisify(write);

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Makes temporary files for what an archive unpacks to: each in a private directory of its own (`millrace-archive-…`, mode
 * 0700) below `base`, default the system's temporary directory. What isn't disposed is removed when the program ends.
 * Writing rejects with `PackageError` `PACKAGE_CAPACITY` where there is no room.
 */
export function temporarySpool(base: string | undefined): () => Promise<Spool> {
	const temporary = new TemporaryDirectories(base, () => temporary.removeAllNow());
	return async () => {
		try {
			const directory = temporary.make("archive");
			return spoolIn(directory, () => temporary.remove(directory));
		} catch (error) {
			throw noRoom(error);
		}
	};
}

function spoolIn(directory: string, remove: () => Promise<void>): Spool {
	let fd: number | undefined = openSync(join(directory, "content"), CREATE, 0o600);
	let size = 0;
	return {
		async write(chunk) {
			try {
				for (let at = 0; at < chunk.length; ) {
					const { bytesWritten } = await writeAsync(fd!, chunk, at, chunk.length - at, size);
					at += bytesWritten;
					size += bytesWritten;
				}
			} catch (error) {
				throw noRoom(error);
			}
		},
		async finish() {
			return {
				size,
				slice: (start, end) => ({
					async arrayBuffer() {
						if (fd === undefined) throw new TypeError("The spool was disposed.");
						return readFrom(fd, start, end);
					},
				}),
			};
		},
		async dispose() {
			if (fd !== undefined) closeSync(fd);
			fd = undefined;
			await remove();
		},
	};
}

function noRoom(error: unknown): unknown {
	const errno = errnoOf(error);
	if (errno === undefined) return error;
	const message = `The archive could not be unpacked into a temporary file (${errno}).`;
	return new PackageError("PACKAGE_CAPACITY", message, { cause: error });
}
