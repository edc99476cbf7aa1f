/** Why a text is no logical path, or no author reference (Package/1 sections 2 and 5 name no codes: these are ours). */
export type PathErrorCode =
	| "PATH_EMPTY"
	| "PATH_ABSOLUTE"
	| "PATH_BACKSLASH"
	| "PATH_NUL"
	| "PATH_INVALID_UTF8"
	| "PATH_LONE_SURROGATE"
	| "PATH_TOO_LONG"
	| "PATH_NOT_NFC"
	| "PATH_TOO_MANY_SEGMENTS"
	| "PATH_EMPTY_SEGMENT"
	| "PATH_DOT_SEGMENT"
	| "PATH_SEGMENT_TOO_LONG"
	| "PATH_REFERENCE_PREFIX"
	| "PATH_REFERENCE_ENCODED";

/** The ceilings of Package/1 section 5: segments of one path, UTF-8 bytes of one path, UTF-8 bytes of one segment. */
export const PATH_LIMITS: { readonly segments: 64; readonly bytes: 1_024; readonly segmentBytes: 255 } = {
	segments: 64,
	bytes: 1_024,
	segmentBytes: 255,
};

/** Where a path breaks its grammar, as data; what doesn't apply is absent. */
export interface PathFault {
	readonly code: PathErrorCode;
	/** UTF-16 offset in the path of what was found. */
	readonly offset?: number;
	/** Index of the segment at fault, from 0. */
	readonly segment?: number;
	/** The limit crossed. */
	readonly limit?: { readonly name: keyof typeof PATH_LIMITS; readonly max: number };
	/**
	 * `PATH_NOT_NFC`: the same path in NFC, which is how to rename the file. Absent where a character stands that NFC replaces by
	 * another (U+212B, say): `offset` is where, and its replacement is not among what a digest has to bring along.
	 */
	readonly nfc?: string;
}

/** A text that is no logical path or author reference; own members as {@link PathFault} has them. `path` is the text as it came (undecodable bytes as `\xHH`). */
export class PathError extends Error {
	override readonly name: string = "PathError";
	readonly code: PathErrorCode;
	readonly path: string;
	declare readonly offset?: number;
	declare readonly segment?: number;
	declare readonly limit?: { readonly name: keyof typeof PATH_LIMITS; readonly max: number };
	declare readonly nfc?: string;

	constructor(fault: PathFault, path: string, message: string) {
		super(message);
		this.code = fault.code;
		this.path = path;
		if (fault.offset !== undefined) this.offset = fault.offset;
		if (fault.segment !== undefined) this.segment = fault.segment;
		if (fault.limit !== undefined) this.limit = fault.limit;
		if (fault.nfc !== undefined) this.nfc = fault.nfc;
	}
}
