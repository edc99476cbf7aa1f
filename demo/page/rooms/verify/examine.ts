/** One pass over a package for everything that the room shows: inspected, hashed, and looked through as the bytes go by. */
import {
	type Digest,
	digestPackage,
	type ManifestFile,
	PackageError,
	type PackageProgress,
	type PackageSnapshot,
	type PackageSource,
} from "millrace";
import { type Notice, noticeOf } from "./advise.ts";
import type { Refusal } from "./explain.ts";
import { adviseLookalikes } from "./lookalikes.ts";
import { Looking, readFile } from "./looking.ts";
import type { ManifestEntry } from "./manifest.ts";
import { NoticeBook, type Noticed } from "./notice-book.ts";
import { describeSchema, type SchemaFacts } from "./schema-facts.ts";

/** What came of it. A package whose tree is fine has a digest, whatever else is refused. */
export interface Examination {
	readonly digest: Digest | undefined;
	readonly files: readonly ManifestEntry[];
	readonly bytes: number;
	readonly snapshot: PackageSnapshot | undefined;
	readonly schemas: readonly SchemaFacts[];
	readonly refusals: readonly Refusal[];
	/** Whether it ended because somebody asked for it. */
	readonly stopped: boolean;
	readonly noticed: readonly Noticed[];
	/** Folders inside that have a FLOW.md, where the top has none. */
	readonly inside: readonly string[];
	readonly durationMs: number;
}

export interface ExamineOptions {
	readonly signal: AbortSignal;
	readonly onProgress: (progress: PackageProgress) => void;
}

/** Examines a package. Rejects with nothing: whatever is wrong is among the refusals. */
export async function examine(source: PackageSource, options: ExamineOptions): Promise<Examination> {
	const start = performance.now();
	const book = new NoticeBook();
	const looking = new Looking(source, book);
	const errors: unknown[] = [];
	let snapshot: PackageSnapshot | undefined;
	let digest: Digest | undefined;
	let files: readonly ManifestFile[] = [];
	try {
		const { inspectPackage } = await import("./inspect.ts");
		snapshot = await inspectPackage(looking, options);
		({ digest, files } = snapshot);
	} catch (error) {
		errors.push(error);
	}
	let refusals: readonly Refusal[] = [];
	if (snapshot === undefined && !options.signal.aborted) {
		const { describeRefusal, surveyContents, surveyPaths } = await import("./refused.ts");
		if (isAboutContents(errors[0])) {
			// The contents were refused; the tree has its digest nevertheless, which a manifest can be held against.
			try {
				({ digest, files } = await digestPackage(looking, { ...options, manifest: true }));
				errors.push(...(await surveyContents(looking.entries, (path) => readFile(source, path))));
			} catch (error) {
				errors.push(error);
			}
		} else errors.push(...surveyPaths(looking.entries));
		refusals = distinct(errors.map(describeRefusal));
	}
	book.add(adviseLookalikes(files.map(({ path }) => path)));
	book.add((snapshot?.advisories ?? []).map(noticeOf).filter((notice): notice is Notice => notice !== undefined));
	return {
		digest,
		files: files.map(({ path, size, sha256 }) => ({ path, size, sha256: sha256! })),
		bytes: files.reduce((sum, { size }) => sum + size, 0),
		snapshot,
		schemas: snapshot === undefined ? [] : describeSchemas(snapshot, looking.schemas),
		refusals,
		stopped: options.signal.aborted && digest === undefined,
		noticed: book.noticed(),
		inside: digest === undefined ? foldersWithFlow(looking.entries) : [],
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

/** The survey finds again what the library stopped at; of the same place and kind, the library's words are kept. */
function distinct(refusals: readonly Refusal[]): Refusal[] {
	const kept = new Map<string, Refusal>();
	for (const refusal of refusals) {
		const key = JSON.stringify([refusal.code, refusal.path, refusal.pointer, refusal.line]);
		if (!kept.has(key)) kept.set(key, refusal);
	}
	return [...kept.values()];
}

function describeSchemas(snapshot: PackageSnapshot, texts: ReadonlyMap<string, Uint8Array>): SchemaFacts[] {
	return (["input", "settings", "result"] as const).map((name) => {
		const path = `${name}.schema.json`;
		const { sha256 } = snapshot.files.find((file) => file.path === path) ?? {};
		return describeSchema(name, snapshot.schemas[name], texts.get(path), sha256);
	});
}

/** Folders that are offered at most. */
const OFFERED = 5;

/** The outermost folders that have a FLOW.md, where the top has none. */
function foldersWithFlow(entries: readonly { readonly path: string }[]): string[] {
	const folders = entries.flatMap(({ path }) => (path.endsWith("/FLOW.md") ? [path.slice(0, -"FLOW.md".length)] : []));
	if (entries.some(({ path }) => path === "FLOW.md")) return [];
	const depth = (path: string): number => path.split("/").length;
	return folders.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)).slice(0, OFFERED);
}
