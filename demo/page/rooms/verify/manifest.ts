/** The manifests that can be compared with: what `millrace digest --manifest` prints, as text or with `--json`, and this page's own report. */
import { type Digest, isDigest, JsonError, parseJson } from "millrace";

export interface ManifestEntry {
	readonly path: string;
	readonly size: number;
	readonly sha256: Digest;
}

export interface Manifest {
	readonly digest: Digest;
	readonly files: readonly ManifestEntry[];
}

/** Bytes of a manifest; that of 65,536 files with the longest of names has some 80 MB. */
export const MANIFEST_BYTES = 100_663_296;

/** Reads a manifest. Throws `Error` with words for people. */
export function readManifest(text: string): Manifest {
	const manifest = text.trimStart().startsWith("{") ? fromJson(text) : fromText(text);
	const seen = new Set<string>();
	for (const { path } of manifest.files) {
		if (seen.has(path)) throw new Error(`The manifest names ${JSON.stringify(path)} twice.`);
		seen.add(path);
	}
	return manifest;
}

function fromJson(text: string): Manifest {
	const value = parse(text) as Readonly<Record<string, unknown>>;
	const { digest, manifest, files } = value;
	const list = Array.isArray(manifest) ? manifest : files;
	if (!isDigest(digest) || !Array.isArray(list)) {
		throw new Error("This JSON has no “digest” and “manifest”: make it with “millrace digest DIR --manifest --json”.");
	}
	return { digest, files: list.map(entryOf) };
}

/** The manifest of a very large package has more values than JSON/1 admits in one document. */
function parse(text: string): unknown {
	try {
		return parseJson(text);
	} catch (error) {
		if (error instanceof JsonError && error.code === "JSON_LIMIT") return JSON.parse(text);
		throw error;
	}
}

function entryOf(value: unknown, index: number): ManifestEntry {
	const { path, size, sha256 } = (value ?? {}) as Readonly<Record<string, unknown>>;
	if (typeof path !== "string" || typeof size !== "number" || !isDigest(sha256)) {
		throw new Error(`Entry ${index + 1} of the manifest has no path, size and SHA-256.`);
	}
	return { path, size, sha256 };
}

/** A digest, then a line a file: its SHA-256, its size, its path with what can't be shown escaped. */
function fromText(text: string): Manifest {
	const [first = "", ...lines] = text.split(/\r?\n/).filter((line) => line !== "");
	if (!isDigest(first)) {
		throw new Error("This is no manifest: it begins with no digest. Make one with “millrace digest DIR --manifest”.");
	}
	return {
		digest: first,
		files: lines.map((line, index) => {
			const [, sha256, size, path] = /^(sha256:[0-9a-f]{64}) {2}(\d+) {2}(.+)$/.exec(line) ?? [];
			if (path === undefined || !isDigest(sha256)) throw new Error(`Line ${index + 2} of the manifest is none.`);
			return { path: unescaped(path), size: Number(size), sha256 };
		}),
	};
}

/** A path as it was before what can't be shown was written as `\u{hex}`; no path has a backslash of its own. */
function unescaped(path: string): string {
	return path.replace(/\\u\{([0-9a-f]{1,5}|10[0-9a-f]{4})\}/g, (_, hex: string) =>
		String.fromCodePoint(Number.parseInt(hex, 16)),
	);
}
