import { PackageError } from "../../src/package/index.ts";
import type { ArchiveInput, ArchiveOptions, ArchiveSource } from "./types.ts";

/** The package tree in an archive. */
export function archiveSource(_input: ArchiveInput, _options: ArchiveOptions = {}): ArchiveSource {
	const unread = (): never => {
		throw new PackageError("PACKAGE_SOURCE_FAILED", "Archives can't be read yet.");
	};
	return { list: async () => unread(), open: unread, commonPrefix: undefined, dispose: async () => {} };
}
