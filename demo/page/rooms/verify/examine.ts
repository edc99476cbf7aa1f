/** One pass over a package for everything that the room shows: inspected, hashed, and looked through as the bytes go by. */
import {
	type Digest,
	digestPackage,
	type ManifestFile,
	type PackageEntry,
	PackageError,
	type PackageProgress,
	type PackageSnapshot,
	type PackageSource,
	type ReadableStreamLike,
} from "millrace";
import { adviseBytes, adviseLookalikes, advisePath, LOOKED_AT_BYTES, type Notice } from "./advise.ts";
import { describeRefusal, type Refusal } from "./explain.ts";
import type { ManifestEntry } from "./manifest.ts";

/** What came of it. A package whose tree is fine has a digest, whatever else is refused. */
export interface Examination {
	readonly digest: Digest | undefined;
	readonly files: readonly ManifestEntry[];
	readonly bytes: number;
	readonly snapshot: PackageSnapshot | undefined;
	readonly refusals: readonly Refusal[];
	readonly notices: readonly Notice[];
	readonly durationMs: number;
}

export interface ExamineOptions {
	readonly signal: AbortSignal;
	readonly onProgress: (progress: PackageProgress) => void;
}

/** Notices that are shown at most; more is a package that nobody reviews by hand. */
const NOTICES = 500;

/** Examines a package. Rejects with nothing: whatever is wrong is among the refusals. */
export async function examine(source: PackageSource, options: ExamineOptions): Promise<Examination> {
	const start = performance.now();
	const looking = new Looking(source);
	const refusals: Refusal[] = [];
	let snapshot: PackageSnapshot | undefined;
	let digest: Digest | undefined;
	let files: readonly ManifestFile[] = [];
	try {
		const { inspectPackage } = await import("./inspect.ts");
		snapshot = await inspectPackage(looking, options);
		({ digest, files } = snapshot);
	} catch (error) {
		refusals.push(describeRefusal(error));
		// The contents were refused; the tree may still have its digest, which a manifest can be held against.
		if (!options.signal.aborted && isAboutContents(error)) {
			try {
				({ digest, files } = await digestPackage(looking, { ...options, manifest: true }));
			} catch (second) {
				if (describeRefusal(second).message !== refusals[0]?.message) refusals.push(describeRefusal(second));
			}
		}
	}
	const notices = [...looking.notices, ...adviseLookalikes(files.map(({ path }) => path))];
	for (const { code, path, message } of snapshot?.advisories ?? []) {
		notices.push({
			kind: code === "crlf" ? "line-ends" : code === "surprising-file" ? "surprising" : "collision",
			path,
			message,
		});
	}
	return {
		digest,
		files: files.map(({ path, size, sha256 }) => ({ path, size, sha256: sha256! })),
		bytes: files.reduce((sum, { size }) => sum + size, 0),
		snapshot,
		refusals,
		notices: notices.slice(0, NOTICES),
		durationMs: performance.now() - start,
	};
}

/** Refusals that leave the tree as it is: its digest can be derived nevertheless. */
function isAboutContents(error: unknown): boolean {
	return (
		error instanceof PackageError &&
		/^PACKAGE_(?:ENCODING|FRONTMATTER|YAML|METADATA|ENTRYPOINT|SELECTOR|SCHEMA|REFERENCE|CONTRACT|EQUIVOCATION|CAPACITY|LIMIT)/.test(
			error.code,
		)
	);
}

/** A source that looks at the beginning of every file that is read through it. */
class Looking implements PackageSource {
	readonly notices: Notice[] = [];
	readonly #source: PackageSource;
	readonly #seen: Set<string> = new Set();

	constructor(source: PackageSource) {
		this.#source = source;
	}

	list(): Promise<readonly PackageEntry[]> {
		return this.#source.list();
	}

	async open(path: string): Promise<ReadableStreamLike<Uint8Array>> {
		const reader = (await this.#source.open(path)).getReader();
		const first = !this.#seen.has(path);
		this.#seen.add(path);
		if (!first) return { getReader: () => reader };
		this.#add(advisePath(path));
		const kept: Uint8Array[] = [];
		let length = 0;
		return {
			getReader: () => ({
				read: async () => {
					const next = await reader.read();
					if (next.done) this.#add(adviseBytes(path, joined(kept, length)));
					else if (length < LOOKED_AT_BYTES) {
						const part = next.value.slice(0, LOOKED_AT_BYTES - length);
						kept.push(part);
						length += part.length;
					}
					return next;
				},
				cancel: (reason) => reader.cancel(reason),
				releaseLock: () => reader.releaseLock(),
			}),
		};
	}

	#add(notices: readonly Notice[]): void {
		if (this.notices.length < NOTICES) this.notices.push(...notices);
	}
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
	const bytes = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

/** The bytes of one file of a source that was listed. */
export async function readFile(source: PackageSource, path: string): Promise<Uint8Array> {
	const reader = (await source.open(path)).getReader();
	const parts: Uint8Array[] = [];
	let length = 0;
	for (let next = await reader.read(); !next.done; next = await reader.read()) {
		parts.push(next.value.slice());
		length += next.value.length;
	}
	return joined(parts, length);
}
