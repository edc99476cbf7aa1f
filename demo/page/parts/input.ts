/** What somebody gave the page: a folder, or one file that may be an archive, a manifest, a schema, a trace. */
import type { PackageSource } from "millrace";
import { droppedItems, pickedFolder } from "millrace/browser";

export type PackageInput =
	| { readonly kind: "folder"; readonly name: string; readonly source: PackageSource }
	| { readonly kind: "file"; readonly name: string; readonly file: File };

/** What a drop brought, or undefined when it brought no file. Has to be asked during the event. */
export function inputOfDrop(data: DataTransfer | null): PackageInput | undefined {
	return data === null ? undefined : droppedItems(data);
}

export function inputOfFolder(files: FileList): PackageInput | undefined {
	const first = files[0];
	if (first === undefined) return undefined;
	return { kind: "folder", name: first.webkitRelativePath.split("/")[0] ?? "", source: pickedFolder(files) };
}

export function inputOfFile(file: File): PackageInput {
	return { kind: "file", name: file.name, file };
}
