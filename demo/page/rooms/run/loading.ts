/** From what was dropped, or came with the page, to a package that can be run. */
import { PackageError, type PackageSource } from "millrace";
import { type ArchiveSource, archive, browserRuntime } from "millrace/browser";
import { createHost, type Host, HostError, type HostRuntime, type LoadedPackage } from "millrace/host";
import { readAll } from "../../parts/bytes.ts";
import type { PackageInput } from "../../parts/input.ts";

/** Bytes that a component may print here: a page has nobody who reads more. */
const PRINTABLE = 4_194_304;

/** The Worker may print more than the host takes: it is the host that says what is wrong then. */
const runtime = browserRuntime({ frame: "./frame.html", limits: { diagnostics: 2 * PRINTABLE } });

export const host: Host = createHost({ runtime, limits: { stderrBytes: PRINTABLE } });

export const launcherFor: HostRuntime["launcherFor"] = runtime.launcherFor;

/** A package, and the text of its schemas by their names: whoever types an input wants to read them. */
export interface Loaded {
	readonly pack: LoadedPackage;
	readonly schemas: ReadonlyMap<string, string>;
}

export interface LoadingOptions {
	readonly signal: AbortSignal;
	/** How much of the package was read, from 0 to 1. */
	readonly onShare?: (share: number) => void;
	/** The directory of an archive that is the package. */
	readonly prefix?: string | undefined;
}

export async function loadSource(source: PackageSource, { signal, onShare }: LoadingOptions): Promise<Loaded> {
	const pack = await host.load(source, {
		signal,
		onProgress: ({ bytes, totalBytes }) => onShare?.(totalBytes === 0 ? 1 : bytes / totalBytes),
	});
	const schemas = new Map<string, string>();
	for (const name of ["input.schema.json", "settings.schema.json"]) {
		const text = pack.snapshot.files.some(({ path }) => path === name) ? await readText(source, name) : undefined;
		if (text !== undefined) schemas.set(name, text);
	}
	return { pack, schemas };
}

/** Loads a dropped folder or archive. Rejects as `host.load`, and with an error that {@link faultOf} tells a `prefix` of where an archive has the package in a directory. */
export async function loadInput(input: PackageInput, options: LoadingOptions): Promise<Loaded> {
	if (input.kind === "folder") {
		input.listing.signal = options.signal;
		return loadSource(input.source, options);
	}
	const source: ArchiveSource = archive(input.file, { prefix: options.prefix, signal: options.signal });
	try {
		return await loadSource(source, options);
	} catch (error) {
		const offered = source.commonPrefix;
		throw offered === undefined ? error : new Prefixed(error, offered);
	} finally {
		await source.dispose();
	}
}

/** Bytes of a schema that are shown. */
const SHOWN = 65_536;

/** A short text file of a source, or undefined: that it could be read before doesn't mean that it can be again. */
async function readText(source: PackageSource, path: string): Promise<string | undefined> {
	try {
		return new TextDecoder().decode(await readAll(await source.open(path), SHOWN));
	} catch {
		return undefined;
	}
}

/** A refusal of an archive that may lie in a directory of it. */
class Prefixed extends Error {
	readonly prefix: string;

	constructor(cause: unknown, prefix: string) {
		super("The package may lie in a directory of the archive.", { cause });
		this.prefix = prefix;
	}
}

/** Why something could not be opened, as data. */
export interface Fault {
	readonly code: string;
	readonly message: string;
	/** The directory of an archive that could be the package. */
	readonly prefix?: string;
}

export function faultOf(error: unknown): Fault {
	if (error instanceof Prefixed) return { ...faultOf(error.cause), prefix: error.prefix };
	if (error instanceof HostError || error instanceof PackageError) {
		const path = error.cause instanceof PackageError ? error.cause.path : undefined;
		const where = path === undefined || error.message.includes(path) ? "" : ` (${path})`;
		return { code: error.code, message: `${error.message}${where}` };
	}
	if (error instanceof Error) return { code: error.name, message: error.message };
	return { code: "ERROR", message: String(error) };
}
