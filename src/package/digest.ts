/** The package digest (Package/1 section 6), streamed: constant memory, any chunking, any order of enumeration. */

import { type Digest, isDigest, portableSha256, renderDigest, type Sha256, type Sha256Factory } from "../sha256.ts";
import { type AbortSignal, encodeUtf8, utf8Encoder } from "../web.ts";
import { PackageError } from "./error.ts";
import { listSource, readEntry, Stop } from "./reading.ts";
import type { PackageEntry, PackageSource } from "./source.ts";
import { admitTree, type Tree } from "./tree.ts";

/** How far a pass over a package has come. */
export interface PackageProgress {
	readonly files: number;
	readonly totalFiles: number;
	readonly bytes: number;
	readonly totalBytes: number;
}

/** What a pass over a package may be lent, and told. */
export interface DigestOptions {
	/** A native SHA-256; the portable one when absent. */
	readonly sha256?: Sha256Factory;
	/** Called after each chunk and each file; what it throws changes nothing. */
	readonly onProgress?: (progress: PackageProgress) => void;
	/** Stops the pass between chunks, and a read that hangs; the result is `PACKAGE_ABORTED`. */
	readonly signal?: AbortSignal;
	/** The only digest to accept: any other is `PACKAGE_DIGEST_MISMATCH` with both. */
	readonly expect?: Digest;
	/**
	 * `false` digests a tree without FLOW.md too: the record layout alone, for testing an implementation. Such a digest
	 * names no package.
	 */
	readonly requireFlowMd?: boolean;
	/** Whether each file gets a SHA-256 of its own, from the same pass. Hashing then costs twice. */
	readonly manifest?: boolean;
}

/** One file of a manifest. */
export interface ManifestFile extends PackageEntry {
	readonly sha256?: Digest;
}

/** A package's identity and the files it was derived from, in path order. */
export interface PackageDigest {
	readonly digest: Digest;
	readonly files: readonly ManifestFile[];
}

/**
 * Derives a package's digest (Package/1 section 6). The tree is checked as a whole first (paths, collisions, ceilings,
 * FLOW.md present); then every file is opened once, in path order, and must yield exactly its declared size. Of the
 * contents nothing is interpreted: `inspectPackage` says whether the package is valid.
 *
 * Memory: the list of files and one chunk. Throws `PackageError` (tree and source codes, `PACKAGE_DIGEST_MISMATCH`,
 * `PACKAGE_ABORTED`), and `TypeError` for an `expect` that is no digest. There is never a partial digest.
 */
export async function digestPackage(source: PackageSource, options: DigestOptions = {}): Promise<PackageDigest> {
	checkExpected(options.expect);
	const stop = new Stop(options.signal);
	try {
		const tree = admitTree(await listSource(source, stop), options.requireFlowMd ?? true);
		return await digestTree(source, tree, stop, options);
	} finally {
		stop.release();
	}
}

/** Refuses an expected digest that no package could ever have. Throws `TypeError`. */
export function checkExpected(expect: unknown): void {
	if (expect !== undefined && !isDigest(expect)) {
		throw new TypeError('An expected digest is "sha256:" and 64 lowercase hexadecimal digits.');
	}
}

/** How an inspection takes part in the one pass over the bytes. */
export interface PassWitness {
	/** Files that were already read: these very bytes are hashed, and the file isn't opened again. */
	readonly held: ReadonlyMap<string, Uint8Array>;
	/** Sees the chunks of one path as they are hashed. */
	readonly watch?: { readonly path: string; readonly see: (chunk: Uint8Array) => void };
}

/** The one pass: hashes an admitted tree. Throws as {@link digestPackage} does. */
export async function digestTree(
	source: PackageSource,
	tree: Tree,
	stop: Stop,
	options: DigestOptions,
	witness?: PassWitness,
): Promise<PackageDigest> {
	const newHash = options.sha256 ?? portableSha256;
	const hash = newHash();
	hash.update(encodeUtf8("FLOW-Package/1\0"));
	hash.update(u64be(tree.files.length));
	const progress = new Progress(tree, options.onProgress);
	const files: ManifestFile[] = [];
	for (const entry of tree.files) {
		hash.update(recordHead(entry));
		const own = options.manifest ? newHash() : undefined;
		const see = witness?.watch?.path === entry.path ? witness.watch.see : undefined;
		const take = (chunk: Uint8Array): void => {
			hash.update(chunk);
			own?.update(chunk);
			see?.(chunk);
			progress.add(chunk.length);
		};
		const held = witness?.held.get(entry.path);
		if (held === undefined) await readEntry(source, entry, stop, take);
		else if (held.length > 0) take(held);
		progress.endFile();
		stop.check();
		files.push(own === undefined ? entry : Object.freeze({ ...entry, sha256: renderDigest(own as Sha256) }));
	}
	const digest = renderDigest(hash);
	if (options.expect !== undefined && options.expect !== digest) throw mismatch(options.expect, digest);
	return Object.freeze({ digest, files: Object.freeze(files) });
}

/** Everything of a file's record before its content: `0x01 || u32be(|P|) || P || u64be(|C|)`. */
function recordHead({ path, size }: PackageEntry): Uint8Array {
	const head = new Uint8Array(1 + 4 + path.length * 3 + 8);
	const { written } = utf8Encoder.encodeInto(path, head.subarray(5));
	head[0] = 0x01;
	const view = new DataView(head.buffer);
	view.setUint32(1, written);
	setU64(view, 5 + written, size);
	return head.subarray(0, 5 + written + 8);
}

function u64be(value: number): Uint8Array {
	const bytes = new Uint8Array(8);
	setU64(new DataView(bytes.buffer), 0, value);
	return bytes;
}

/** Writes a safe integer as unsigned big-endian 64 bits; no ceiling of Package/1 needs the 11 bits above 2^53. */
function setU64(view: DataView, at: number, value: number): void {
	view.setUint32(at, Math.floor(value / 0x1_0000_0000));
	view.setUint32(at + 4, value % 0x1_0000_0000);
}

function mismatch(expected: Digest, actual: Digest): PackageError {
	return new PackageError(
		"PACKAGE_DIGEST_MISMATCH",
		`This is not the package that was asked for: expected ${expected}, found ${actual}. Look for files that don't belong to it, and for line endings changed by a checkout.`,
		{ expected, actual },
	);
}

class Progress {
	readonly #tree: Tree;
	readonly #tell: DigestOptions["onProgress"];
	#files = 0;
	#bytes = 0;

	constructor(tree: Tree, tell: DigestOptions["onProgress"]) {
		this.#tree = tree;
		this.#tell = tell;
	}

	add(bytes: number): void {
		this.#bytes += bytes;
		this.#report();
	}

	endFile(): void {
		this.#files += 1;
		this.#report();
	}

	#report(): void {
		try {
			this.#tell?.({
				files: this.#files,
				totalFiles: this.#tree.files.length,
				bytes: this.#bytes,
				totalBytes: this.#tree.bytes,
			});
		} catch {
			// An observer changes nothing.
		}
	}
}
