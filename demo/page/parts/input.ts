/** What somebody gave the page: a folder, or one file that may be an archive, a manifest, a schema, a trace. */
import type { PackageSource } from "millrace";
import { droppedItems, type FolderOptions, pickedFolder } from "millrace/browser";

/** Who listens while a folder is listed, and may stop it: set before the source is listed. */
export interface Listing {
	signal?: AbortSignal;
	onProgress?: (progress: { readonly files: number }) => void;
}

export type PackageInput =
	| { readonly kind: "folder"; readonly name: string; readonly source: PackageSource; readonly listing: Listing }
	| { readonly kind: "file"; readonly name: string; readonly file: File };

/** What a drop brought, or undefined when it brought no file. Has to be asked during the event. */
export function inputOfDrop(data: DataTransfer | null): PackageInput | undefined {
	if (data === null) return undefined;
	const listing: Listing = {};
	const dropped = droppedItems(data, heard(listing));
	return dropped?.kind === "folder" ? { ...dropped, listing } : dropped;
}

export function inputOfFolder(files: FileList): PackageInput | undefined {
	const first = files[0];
	if (first === undefined) return undefined;
	const listing: Listing = {};
	const name = first.webkitRelativePath.split("/")[0] ?? "";
	return { kind: "folder", name, source: pickedFolder(files, heard(listing)), listing };
}

/** The options of a source that is made before anybody listens. */
function heard(listing: Listing): FolderOptions {
	return {
		get signal() {
			return listing.signal;
		},
		onProgress: (progress) => listing.onProgress?.(progress),
	};
}

export function inputOfFile(file: File): PackageInput {
	return { kind: "file", name: file.name, file };
}
