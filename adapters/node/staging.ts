import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError, type StagedPackage, type StageOptions } from "../../src/host/index.ts";
import { digestPackage, PackageError, type PackageSource } from "../../src/package/index.ts";
import type { Digest } from "../../src/sha256.ts";
import type { AbortSignal } from "../../src/web.ts";
import { CopyingSource } from "./copy.ts";
import { directory, whileUnchanged } from "./directory.ts";
import { removeTree } from "./remove.ts";
import { installStageFiles, stageFiles } from "./sdk-install.ts";
import { nodeSha256 } from "./sha256.ts";
import type { TemporaryDirectories } from "./temporary.ts";

/**
 * Makes the private copy of a package whose bytes are hashed and run (Package/1 section 1):
 *
 * ```text
 * <stage>/                 0700, in the temporary directory, links on the way resolved
 *   package.json           {"type":"module"}: the barrier
 *   tsconfig.json          {}: Bun's barrier
 *   node_modules/millrace, node_modules/@jigging/flow     our SDK, one module instance
 *   tree/                  the package; files 0444, directories 0555
 * ```
 *
 * `source` is a `PackageSource` or the path or `file:` URL of a directory. It is read once (a directory that changes meanwhile again, three
 * times at most); its tree is admitted before the first byte is copied. Whatever fails, nothing is left behind.
 *
 * Rejects with `PackageError` (the source's fault, or `PACKAGE_CAPACITY`), with a `HostError` `PACKAGE_STAGE_FAILED` where
 * the stage itself can't be made or would lie below somebody's {@link NEIGHBOURS}, or with the signal's reason.
 */
export async function stagePackage(
	source: unknown,
	options: StageOptions,
	temporary: TemporaryDirectories,
): Promise<StagedPackage> {
	const { signal } = options;
	signal?.throwIfAborted();
	const origin = sourceOf(source);
	const stage = makeStage(temporary);
	try {
		const files = stageFiles();
		refuseNeighbours(stage);
		const root = join(stage, "tree");
		const digest = await copy(origin, root, options);
		installStageFiles(stage, files);
		for (const name of ["node_modules/millrace", "node_modules/@jigging/flow", "node_modules/@jigging", "node_modules"])
			chmodSync(join(stage, name), 0o555);
		return {
			source: directory(root),
			root,
			verify: (signal) => verify(stage, root, digest, files, signal),
			dispose: () => temporary.remove(stage),
		};
	} catch (error) {
		await temporary.abandon(stage);
		if (signal?.aborted) throw signal.reason;
		if (error instanceof PackageError || error instanceof HostError) throw error;
		throw stageFailed("The package could not be staged", error);
	}
}

function sourceOf(source: unknown): PackageSource {
	if (typeof source === "string" || source instanceof URL) return directory(source);
	const { list, open } = (source ?? {}) as Partial<PackageSource>;
	if (typeof list === "function" && typeof open === "function") return source as PackageSource;
	throw new TypeError("A package source is a directory's path or file URL, or an object with list() and open().");
}

function makeStage(temporary: TemporaryDirectories): string {
	try {
		return temporary.make("stage");
	} catch (error) {
		throw stageFailed("No private directory could be made for the package", error);
	}
}

/** One pass that checks, copies and digests, from the start again when a directory changed under it. */
async function copy(origin: PackageSource, root: string, { signal, onProgress }: StageOptions): Promise<Digest> {
	return whileUnchanged(origin, async () => {
		await removeTree(root);
		mkdirSync(root, { mode: 0o700 });
		const copying = new CopyingSource(origin, root);
		const { digest } = await digestPackage(copying, {
			sha256: nodeSha256,
			...(signal === undefined ? {} : { signal }),
			...(onProgress === undefined ? {} : { onProgress }),
		});
		copying.seal();
		return digest;
	});
}

/** Where a runtime looks on its way up from a module: Node for packages, Deno for the workspace it might be a member of. */
const NEIGHBOURS = ["node_modules", "package.json", "deno.json", "deno.jsonc"];

/**
 * Refuses a stage that lies below one of them: a package's imports would be looked for there too, or redirected. Looked at
 * again before each launch; between that look and the launch, whoever may write there could still put one.
 */
function refuseNeighbours(stage: string): void {
	for (let below = stage, at = dirname(stage); at !== below; below = at, at = dirname(at)) {
		for (const name of NEIGHBOURS) {
			const path = join(at, name);
			if (existsSync(path))
				throw new HostError(
					`${path} exists, and packages staged below ${at} could pick it up; remove it, or stage elsewhere (the runtime's "temporary" option, or TMPDIR).`,
					{ code: "PACKAGE_STAGE_FAILED", phase: "package" },
				);
		}
	}
}

/**
 * Proves that the stage still holds what was copied: the package's digest again, and the SDK and the barrier to the byte,
 * with nothing beside them. A component runs as the same user and could have undone the modes; what it changes *while* a
 * Run is under way, or between this proof and the launch, only a sandbox prevents.
 */
async function verify(
	stage: string,
	root: string,
	digest: Digest,
	files: ReadonlyMap<string, string>,
	signal: AbortSignal | undefined,
): Promise<void> {
	refuseNeighbours(stage);
	let fault: unknown;
	try {
		const now = await digestPackage(directory(root), {
			sha256: nodeSha256,
			...(signal === undefined ? {} : { signal }),
		});
		const others = new Set(files.keys());
		if (now.digest === digest && sameFiles(stage, files, others) && others.size === 0) return;
	} catch (error) {
		fault = error;
	}
	signal?.throwIfAborted();
	throw new HostError(`The stage ${stage} no longer holds the package that was hashed; load the package again.`, {
		code: "PACKAGE_STAGE_CHANGED",
		phase: "package",
		cause: fault,
	});
}

/** Whether everything beside the tree is one of `files`, byte for byte; takes each that it found out of `missing`. */
function sameFiles(stage: string, files: ReadonlyMap<string, string>, missing: Set<string>): boolean {
	const pending = [""];
	for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
		for (const name of readdirSync(join(stage, prefix))) {
			const path = `${prefix}${name}`;
			if (path === "tree") continue;
			const stats = lstatSync(join(stage, path));
			if (stats.isDirectory()) {
				if (![...files.keys()].some((file) => file.startsWith(`${path}/`))) return false;
				pending.push(`${path}/`);
			} else {
				const text = files.get(path);
				if (!stats.isFile() || text === undefined || readFileSync(join(stage, path), "utf8") !== text) return false;
				missing.delete(path);
			}
		}
	}
	return true;
}

function stageFailed(what: string, cause: unknown): HostError {
	const why = cause instanceof Error ? `: ${cause.message}` : "";
	return new HostError(`${what}${why}.`, { code: "PACKAGE_STAGE_FAILED", phase: "package", cause });
}
