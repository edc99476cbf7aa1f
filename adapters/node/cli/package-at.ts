import { resolve } from "node:path";
import type { PackageSource } from "../../../src/package/index.ts";
import { checkPrefix } from "../../archive/members.ts";
import { isFile } from "../archive/file.ts";
import { archive } from "../archive.ts";
import { directory } from "../directory.ts";
import { Detailed, describeFailure } from "./failure.ts";
import { UsageError } from "./usage.ts";

/** Refuses a `--prefix` that names no directory, or that nothing on the command line could have. Throws `UsageError`. */
export function checkPrefixFor(paths: readonly string[], prefix: string | undefined): void {
	if (prefix === undefined) return;
	try {
		checkPrefix(prefix);
	} catch (error) {
		throw new UsageError(`--prefix: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (!paths.some(isFile)) throw new UsageError("--prefix is for archives: name the directory itself instead");
}

/**
 * Does `work` with the package that the command line names: a directory, or an archive where a file is there. `prefix` is for
 * the archives. What reading one made is removed afterwards. A prefix that would help is told as a hint.
 */
export async function withPackage<T>(
	path: string,
	options: { readonly prefix?: string | undefined; readonly signal: AbortSignal },
	work: (source: PackageSource) => Promise<T>,
): Promise<T> {
	if (!isFile(path)) return work(directory(path));
	const source = archive(resolve(path), options);
	try {
		return await work(source);
	} catch (error) {
		const { commonPrefix } = source;
		if (commonPrefix === undefined || describeFailure(error).code !== "PACKAGE_FLOW_MISSING") throw error;
		throw new Detailed(error, {
			hints: [`--prefix ${commonPrefix} takes that directory of the archive as the package`],
		});
	} finally {
		await source.dispose();
	}
}
