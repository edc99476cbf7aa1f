/** Folders as package sources: dropped, picked, or held by a handle. {@link FolderOptions} says what no browser shows of them. */
import { quoteForDisplay } from "../../src/display.ts";
import { type PackageEntry, PackageError, type PackageSource } from "../../src/package/index.ts";
import { ReadAhead } from "./read-ahead.ts";
import { type FolderOptions, Walk } from "./walk.ts";

/** What a drop brought. */
export type DroppedItems =
	| { readonly kind: "folder"; readonly name: string; readonly source: PackageSource }
	| { readonly kind: "file"; readonly name: string; readonly file: File };

/**
 * What was dropped: one file as it is (an archive, say), one folder as a package source, and several things together as the
 * content of one folder without a name. `undefined` when no file was dropped, but text or a link.
 *
 * Has to be called while the `drop` event is handled: a browser takes the items away afterwards. Listing the source rejects as
 * {@link FolderOptions} says.
 */
export function droppedItems(data: DataTransfer, options: FolderOptions = {}): DroppedItems | undefined {
	const entries: FileSystemEntry[] = [];
	const files: File[] = [];
	for (const item of data.items) {
		if (item.kind !== "file") continue;
		const entry = item.webkitGetAsEntry();
		if (entry !== null) entries.push(entry);
		const file = item.getAsFile();
		if (file !== null) files.push(file);
	}
	const [only] = entries;
	if (only === undefined) {
		// Files that were made by a script have no entry in a file system.
		const [file] = files;
		if (files.length > 1) return { kind: "folder", name: "", source: pickedFolder(files, options) };
		return file === undefined ? undefined : { kind: "file", name: file.name, file };
	}
	if (entries.length > 1)
		return { kind: "folder", name: "", source: listed((walk) => walkEntries(walk, entries), options) };
	if (only.isDirectory)
		return { kind: "folder", name: only.name, source: listed((walk) => walkEntry(walk, only), options) };
	const [file] = files;
	return file === undefined ? undefined : { kind: "file", name: file.name, file };
}

/**
 * The folder that was chosen with `<input type="file" webkitdirectory>`; its own name is no part of the paths. Files without
 * a folder (`<input type="file" multiple>`) lie at the root. Listing rejects as {@link FolderOptions} says.
 */
export function pickedFolder(files: Iterable<File>, options: FolderOptions = {}): PackageSource {
	const picked = Array.from(files);
	return listed((walk) => {
		for (const file of picked) {
			walk.found("files");
			// Where there is no page, there are no picked folders either.
			const relative = file.webkitRelativePath ?? "";
			walk.add(relative === "" ? file.name : relative.slice(relative.indexOf("/") + 1), file);
		}
		return Promise.resolve();
	}, options);
}

/**
 * A folder of the File System Access interface: `directoryHandle(await showDirectoryPicker())`, or one of the private file system.
 * It is walked anew each time it is listed, which rejects as {@link FolderOptions} says.
 */
export function directoryHandle(handle: FileSystemDirectoryHandle, options: FolderOptions = {}): PackageSource {
	return listed((walk) => walkHandle(walk, handle), options);
}

/** A source that walks anew each time it is listed, and opens what the last walk saw. */
function listed(walkAll: (walk: Walk) => Promise<void>, options: FolderOptions): PackageSource {
	let files: ReadAhead | undefined;
	return {
		async list(): Promise<readonly PackageEntry[]> {
			const walk = new Walk(options);
			await walkAll(walk);
			files = new ReadAhead(walk.files);
			return walk.entries();
		},
		open(path) {
			const stream = files?.open(path);
			if (stream !== undefined) return stream;
			throw new TypeError(`${quoteForDisplay(path)} is not among the files that this source listed.`);
		},
	};
}

/** Everything inside a dropped folder. */
function walkEntry(walk: Walk, root: FileSystemEntry): Promise<void> {
	return walk.each([{ entry: root, path: "" }], visitEntry);
}

function walkEntries(walk: Walk, entries: readonly FileSystemEntry[]): Promise<void> {
	return walk.each(
		entries.map((entry) => ({ entry, path: entry.name })),
		visitEntry,
	);
}

interface Visit {
	readonly entry: FileSystemEntry;
	readonly path: string;
}

async function visitEntry(walk: Walk, { entry, path }: Visit): Promise<readonly Visit[]> {
	if (entry.isFile) {
		walk.add(path, await asked<File>(path, (done, fail) => (entry as FileSystemFileEntry).file(done, fail)));
		return [];
	}
	const below: Visit[] = [];
	const reader = (entry as FileSystemDirectoryEntry).createReader();
	for (;;) {
		// A folder is told in batches, the last of which is empty.
		const batch = await asked<FileSystemEntry[]>(path, (done, fail) => reader.readEntries(done, fail));
		if (batch.length === 0) return below;
		for (const child of batch) {
			walk.found(child.isFile ? "files" : "folders");
			below.push({ entry: child, path: walk.enter(path, child.name) });
		}
	}
}

/** What an entry answers to `ask`: its interface calls back. What it fails with says too little, so the path is said here. */
async function asked<T>(
	path: string,
	ask: (done: (value: T) => void, fail: (error: DOMException) => void) => void,
): Promise<T> {
	try {
		return await new Promise<T>(ask);
	} catch (error) {
		throw unreadable(path, error);
	}
}

async function walkHandle(walk: Walk, root: FileSystemDirectoryHandle): Promise<void> {
	await walk.each([{ handle: root as FileSystemHandle, path: "" }], async (_, { handle, path }) => {
		try {
			if (handle.kind === "file") {
				walk.add(path, await (handle as FileSystemFileHandle).getFile());
				return [];
			}
			const below: { readonly handle: FileSystemHandle; readonly path: string }[] = [];
			for await (const [name, child] of (handle as FileSystemDirectoryHandle).entries()) {
				walk.found(child.kind === "file" ? "files" : "folders");
				below.push({ handle: child, path: walk.enter(path, name) });
			}
			return below;
		} catch (error) {
			throw error instanceof PackageError ? error : unreadable(path, error);
		}
	});
}

function unreadable(path: string, cause: unknown): PackageError {
	const what = path === "" ? "The folder" : quoteForDisplay(path);
	const why = cause instanceof Error ? ` (${cause.name}: ${cause.message})` : "";
	return new PackageError(
		"PACKAGE_SOURCE_FAILED",
		`${what} can't be read${why}. Check that it is still there and that you may read it.`,
		{ cause, ...(path === "" ? {} : { path }) },
	);
}
