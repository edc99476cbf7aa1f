/** What a package is compared with: a manifest, or a second package. Loaded when there is something to compare with. */
import { escapeForDisplay, isDigest, type PackageSource } from "millrace";
import { sha256Of } from "../../parts/bytes.ts";
import type { PackageInput } from "../../parts/input.ts";
import { type Difference, withCrlf, withLf } from "./compare.ts";
import { examine } from "./examine.ts";
import { readFile } from "./looking.ts";
import { MANIFEST_BYTES, type Manifest, readManifest } from "./manifest.ts";
import { openInput, type Stage } from "./open.ts";

export { compareFiles } from "./compare.ts";

export interface Other {
	readonly name: string;
	readonly manifest: Manifest;
	/** Where the other's bytes can be read, when it is a package. */
	readonly source?: PackageSource;
	readonly dispose: () => void;
}

/** What was given holds no package at its top, and one below `prefix`: whether that is meant, a person says. */
export class PrefixOffer extends Error {
	readonly prefix: string;

	constructor(name: string, prefix: string) {
		super(`Everything in ${name} lies below ${prefix}, as in archives that npm makes.`);
		this.prefix = prefix;
	}
}

/** A manifest by its first bytes, else a package. Throws `Error` with words for people, {@link PrefixOffer} among them. */
export async function readOther(
	input: PackageInput,
	prefix: string | undefined,
	signal: AbortSignal,
	onStage: (stage: Stage) => void,
): Promise<Other> {
	const name = escapeForDisplay(input.name) || "the other";
	if (input.kind === "file" && (await looksLikeManifest(input.file))) {
		if (input.file.size > MANIFEST_BYTES) throw new Error(`${name} is too large for a manifest.`);
		return { name, manifest: readManifest(await input.file.text()), dispose: () => {} };
	}
	const opened = openInput(input, prefix, signal, onStage);
	const { digest, files, refusals } = await examine(opened.source, {
		signal,
		onProgress: (progress) => onStage({ doing: "reading", ...progress }),
	});
	if (digest !== undefined)
		return { name, manifest: { digest, files }, source: opened.source, dispose: opened.dispose };
	const offered = opened.offered();
	opened.dispose();
	if (offered !== undefined && offered !== prefix) throw new PrefixOffer(name, offered);
	throw new Error(`${name} is no package to compare with. ${refusals[0]?.message ?? ""}`);
}

/** JSON, or a digest on the first line; no archive begins so. */
async function looksLikeManifest(file: File): Promise<boolean> {
	const start = await file.slice(0, 256).text();
	return /^\s*\{/.test(start) || isDigest(start.split(/\r?\n/)[0] ?? "") || /\.(?:json|txt|manifest)$/i.test(file.name);
}

/** Bytes of a file whose line endings are looked at. */
const LOOKED_AT = 8_388_608;

/** Says of each changed file whether it has other line endings and is the same otherwise. */
export async function lookAtLineEnds(
	differences: readonly Difference[],
	source: PackageSource,
	{ manifest, source: otherSource }: Other,
	signal: AbortSignal,
	onLooked: (files: number) => void,
): Promise<Difference[]> {
	const expected = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
	const looked: Difference[] = [];
	let files = 0;
	for (const difference of differences) {
		signal.throwIfAborted();
		if (difference.kind !== "changed" || Math.max(...difference.sizes) > LOOKED_AT) {
			looked.push(difference);
			continue;
		}
		const bytes = await readFile(source, difference.path);
		const lf = sha256Of(withLf(bytes));
		const wanted = expected.get(difference.path);
		const lineEndsOnly =
			wanted === lf ||
			wanted === sha256Of(withCrlf(bytes)) ||
			(otherSource !== undefined && sha256Of(withLf(await readFile(otherSource, difference.path))) === lf);
		looked.push({ ...difference, lineEndsOnly });
		files += 1;
		onLooked(files);
	}
	return looked;
}
