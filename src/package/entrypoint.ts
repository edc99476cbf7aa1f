/** The implementation entrypoint and its selector (Package/1 section 3). */

import { PackageError } from "./error.ts";

/** The one root implementation of a package. */
export interface Entrypoint {
	readonly path: string;
	/** What stands after `flow.`: 1 to 16 lower-case letters and digits. */
	readonly suffix: string;
	/** The selector of its `#!/usr/bin/env` line, where it has one. */
	readonly selector?: string;
}

const ENTRYPOINT = /^flow\.([a-z0-9]{1,16})$/;

/**
 * The implementation among the paths of a tree, its selector still unread, or undefined for an instructions-only package.
 * Nested files and names with more than one suffix are ordinary resources. Throws `PACKAGE_ENTRYPOINT_AMBIGUOUS` for two.
 */
export function findEntrypoint(paths: Iterable<string>): { path: string; suffix: string } | undefined {
	let found: { path: string; suffix: string } | undefined;
	for (const path of paths) {
		const suffix = ENTRYPOINT.exec(path)?.[1];
		if (suffix === undefined) continue;
		if (found !== undefined) {
			throw new PackageError(
				"PACKAGE_ENTRYPOINT_AMBIGUOUS",
				`A package has at most one implementation; this one has ${found.path} and ${path}.`,
				{ path: found.path, otherPath: path },
			);
		}
		found = { path, suffix };
	}
	return found;
}

/** How much of a file decides its selector: the longest line, CRLF included, and one byte to see that it goes on. */
export const SELECTOR_BYTES = 82;

const SHEBANG = /^#!\/usr\/bin\/env ([A-Za-z0-9][A-Za-z0-9._+-]{0,63})(?:\r?\n|$)/;

/**
 * The selector of an implementation's first line, or undefined when the file doesn't begin with `#!` (a byte order mark
 * before it is no beginning). `bytes` is the file or at least its first 82 bytes. The line must be exactly
 * `#!/usr/bin/env <selector>` and end in LF, CRLF or with the file; anything else after `#!` throws
 * `PACKAGE_SELECTOR_INVALID` for `path`.
 */
export function readSelector(bytes: Uint8Array, path = "flow"): string | undefined {
	if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
	let line = "";
	for (const byte of bytes.subarray(0, SELECTOR_BYTES)) line += String.fromCharCode(byte);
	const selector = SHEBANG.exec(line)?.[1];
	if (selector === undefined) {
		throw new PackageError(
			"PACKAGE_SELECTOR_INVALID",
			`${path}: a first line that begins with "#!" must be exactly "#!/usr/bin/env <selector>", the selector 1 to 64 letters, digits, ".", "_", "+" and "-".`,
			{ path, line: 1 },
		);
	}
	return selector;
}
