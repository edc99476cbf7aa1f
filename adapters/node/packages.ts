import * as core from "../../src/package/index.ts";
import { directory, whileUnchanged } from "./directory.ts";
import { nodeSha256 } from "./sha256.ts";

/**
 * The core's `digestPackage` with the native hash. `source` may be a directory's path or `file:` URL. A directory is confirmed after the
 * pass and read again when it changed meanwhile, three times at most; then `PACKAGE_SOURCE_CHANGED`.
 */
export function digestPackage(
	source: core.PackageSource | string | URL,
	options: core.DigestOptions = {},
): Promise<core.PackageDigest> {
	const origin = sourceOf(source);
	return whileUnchanged(origin, () => core.digestPackage(origin, { sha256: nodeSha256, ...options }));
}

/** The core's `inspectPackage`, as {@link digestPackage} does it. */
export function inspectPackage(
	source: core.PackageSource | string | URL,
	options: core.InspectOptions = {},
): Promise<core.PackageSnapshot> {
	const origin = sourceOf(source);
	return whileUnchanged(origin, () => core.inspectPackage(origin, { sha256: nodeSha256, ...options }));
}

function sourceOf(source: core.PackageSource | string | URL): core.PackageSource {
	return typeof source === "string" || source instanceof URL ? directory(source) : source;
}
