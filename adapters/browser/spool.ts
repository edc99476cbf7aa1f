import { PackageError } from "../../src/package/index.ts";
import { Gathered } from "../archive/bytes.ts";
import type { Bytes, Spool } from "../archive/index.ts";

/**
 * Makes the place where this page keeps what an archive unpacks to: a file of the origin's private file system (OPFS), or Blobs
 * where that is absent or closed: on plain http, in private windows of some browsers, in frames of other origins. Browsers move
 * large Blobs to disk themselves.
 */
export async function pageSpool(): Promise<Spool> {
	try {
		return await fileSpool();
	} catch {
		return blobSpool();
	}
}

/** Spooled files lie in one folder, so that what a closed page left behind is found. */
const FOLDER = "millrace-spool";

async function fileSpool(): Promise<Spool> {
	const root = await navigator.storage.getDirectory();
	const folder = await root.getDirectoryHandle(FOLDER, { create: true });
	await removeAbandoned(folder);
	const name = crypto.randomUUID();
	// Held for as long as the file is wanted; a page that goes away lets go of it.
	const release = await holdLock(`${FOLDER}/${name}`);
	const [handle, writable] = await openFile(folder, name).catch((error: unknown) => {
		// What there is of the file is an abandoned one without its lock.
		release();
		throw error;
	});
	let open = true;
	return {
		write: (chunk) => writable.write(chunk as Uint8Array<ArrayBuffer>).catch(noRoom),
		async finish(): Promise<Bytes> {
			open = false;
			await writable.close().catch(noRoom);
			return handle.getFile();
		},
		async dispose() {
			try {
				if (open) await writable.abort();
				await folder.removeEntry(name);
			} finally {
				release();
			}
		},
	};
}

/** A browser has a quota for each origin, and the disk an end. */
function noRoom(error: unknown): never {
	const why = error instanceof Error ? error.name : String(error);
	throw new PackageError(
		"PACKAGE_CAPACITY",
		`The browser could not keep what the archive unpacks to (${why}): free some room, or unpack it and take the folder.`,
		{ cause: error },
	);
}

async function openFile(
	folder: FileSystemDirectoryHandle,
	name: string,
): Promise<[FileSystemFileHandle, FileSystemWritableFileStream]> {
	const handle = await folder.getFileHandle(name, { create: true });
	return [handle, await handle.createWritable()];
}

/** Takes a lock for good. Rejects where there are no locks: then nobody could tell whose file it is. */
async function holdLock(name: string): Promise<() => void> {
	let release = (): void => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	await new Promise<void>((taken, failed) => {
		navigator.locks
			.request(name, () => {
				taken();
				return held;
			})
			.catch(failed);
	});
	return release;
}

/** Removes the files of pages that are gone. */
async function removeAbandoned(folder: FileSystemDirectoryHandle): Promise<void> {
	const { held = [] } = await navigator.locks.query();
	const wanted = new Set(held.map(({ name }) => name));
	for await (const name of folder.keys()) {
		if (!wanted.has(`${FOLDER}/${name}`)) await folder.removeEntry(name).catch(() => {});
	}
}

/** Bytes that are gathered before they become a Blob, which has a price of its own. */
const PART_BYTES = 1_048_576;

/** A spool of Blobs. They are gone with the page at the latest. */
export function blobSpool(): Spool {
	let parts: Blob[] = [];
	const gathered = new Gathered();
	const close = (): void => {
		if (gathered.size > 0) parts.push(new Blob(gathered.take()));
	};
	return {
		write(chunk) {
			gathered.add(chunk);
			if (gathered.size >= PART_BYTES) close();
			return Promise.resolve();
		},
		finish(): Promise<Bytes> {
			close();
			return Promise.resolve(new Blob(parts));
		},
		dispose() {
			parts = [];
			gathered.take();
			return Promise.resolve();
		},
	};
}
