import type { Digest } from "../sha256.ts";

/** Why a package, a part of it, or its source was refused. The specification names no package codes: these are our own. */
export type PackageErrorCode =
	// the tree
	| "PACKAGE_PATH_INVALID"
	| "PACKAGE_PATH_COLLISION"
	| "PACKAGE_LIMIT_EXCEEDED"
	| "PACKAGE_FLOW_MISSING"
	// FLOW.md
	| "PACKAGE_ENCODING_INVALID"
	| "PACKAGE_FRONTMATTER_INVALID"
	| "PACKAGE_YAML_INVALID"
	| "PACKAGE_METADATA_INVALID"
	// what FLOW.md and the conventions point at
	| "PACKAGE_ENTRYPOINT_AMBIGUOUS"
	| "PACKAGE_SELECTOR_INVALID"
	| "PACKAGE_SCHEMA_INVALID"
	| "PACKAGE_REFERENCE_INVALID"
	| "PACKAGE_REFERENCE_MISSING"
	| "PACKAGE_CONTRACT_INVALID"
	| "PACKAGE_EQUIVOCATION"
	// the source
	| "PACKAGE_SYMLINK"
	| "PACKAGE_SPECIAL_FILE"
	| "PACKAGE_HARD_LINK"
	| "PACKAGE_SOURCE_CHANGED"
	| "PACKAGE_SOURCE_FAILED"
	// an archive: malformed or with two readings, a kind or feature that isn't read, a bound of the reader
	| "PACKAGE_ARCHIVE_INVALID"
	| "PACKAGE_ARCHIVE_UNSUPPORTED"
	| "PACKAGE_ARCHIVE_LIMIT"
	// the caller and the host
	| "PACKAGE_DIGEST_MISMATCH"
	| "PACKAGE_CAPACITY"
	| "PACKAGE_ABORTED";

/** Where and how a package was refused; every part that applies is set. */
export interface PackageErrorPlace {
	/** The logical path of the file at fault. */
	readonly path?: string;
	/** The other path, where two paths clash. */
	readonly otherPath?: string;
	/** 1-based line in the file. */
	readonly line?: number;
	/** 1-based column in the line, in Unicode scalars. */
	readonly column?: number;
	/** RFC 6901 pointer into the metadata or descriptor. */
	readonly pointer?: string;
	/** The bound that was crossed. */
	readonly limit?: { readonly name: string; readonly max: number };
	/** The digest that was asked for, and the one that was found. */
	readonly expected?: Digest;
	readonly actual?: Digest;
	/** The JSON, path, schema or contract error, or what the source threw. */
	readonly cause?: unknown;
}

/** A refused package. Nothing partial ever comes with it: no digest, no snapshot. */
export class PackageError extends Error implements PackageErrorPlace {
	override readonly name: string = "PackageError";
	readonly code: PackageErrorCode;
	declare readonly path?: string;
	declare readonly otherPath?: string;
	declare readonly line?: number;
	declare readonly column?: number;
	declare readonly pointer?: string;
	declare readonly limit?: { readonly name: string; readonly max: number };
	declare readonly expected?: Digest;
	declare readonly actual?: Digest;

	constructor(code: PackageErrorCode, message: string, place: PackageErrorPlace = {}) {
		super(message, place.cause === undefined ? undefined : { cause: place.cause });
		this.code = code;
		if (place.path !== undefined) this.path = place.path;
		if (place.otherPath !== undefined) this.otherPath = place.otherPath;
		// JavaScriptCore gives every error a line and a column of its own: those of the code that made it.
		delete (this as { line?: number }).line;
		delete (this as { column?: number }).column;
		if (place.line !== undefined) this.line = place.line;
		if (place.column !== undefined) this.column = place.column;
		if (place.pointer !== undefined) this.pointer = place.pointer;
		if (place.limit !== undefined) this.limit = place.limit;
		if (place.expected !== undefined) this.expected = place.expected;
		if (place.actual !== undefined) this.actual = place.actual;
	}
}
