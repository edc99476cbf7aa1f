/** Every refusal in plain words: what it means, and what to do. */
import type { ContractErrorCode, JsonErrorCode, PackageErrorCode, PathErrorCode, SchemaErrorCode } from "millrace";

type RefusalCode = PackageErrorCode | PathErrorCode | JsonErrorCode | SchemaErrorCode | ContractErrorCode;

export interface Explanation {
	/** One sentence on what is wrong. */
	readonly means: string;
	/** One sentence on what to do about it. */
	readonly fix: string;
}

const rename = "Rename the file, and whatever refers to it.";
const edit = "Correct the file at the place that is named, and look again.";

const EXPLANATIONS: Readonly<Record<RefusalCode, Explanation>> = {
	PACKAGE_PATH_INVALID: { means: "A file has a name that no package may have.", fix: rename },
	PACKAGE_PATH_COLLISION: {
		means: "Two names are the same file on some systems, so they can't both be in one package.",
		fix: "Keep one of the two, or rename one so that they differ by more than case.",
	},
	PACKAGE_LIMIT_EXCEEDED: {
		means: "The package is larger than the standard admits.",
		fix: "Take out what doesn't belong to it: build output, dependencies, data that can be fetched.",
	},
	PACKAGE_FLOW_MISSING: {
		means: "There is no FLOW.md at the top, and that file is what makes a folder a package.",
		fix: "Drop the folder that has FLOW.md directly inside it.",
	},
	PACKAGE_ENCODING_INVALID: {
		means: "FLOW.md is not the text it has to be: UTF-8 without a byte order mark.",
		fix: "Save the file again as UTF-8, without a mark at its beginning.",
	},
	PACKAGE_FRONTMATTER_INVALID: {
		means: "FLOW.md doesn't begin with metadata between two lines of three dashes.",
		fix: "Begin the file with a line “---”, the metadata, and another line “---”.",
	},
	PACKAGE_YAML_INVALID: {
		means: "The metadata in FLOW.md is not YAML, or uses a part of YAML that packages may not.",
		fix: "Write plain mappings, lists and values: no anchors, tags, merges or repeated keys.",
	},
	PACKAGE_METADATA_INVALID: {
		means: "The metadata in FLOW.md says something the standard has no meaning for.",
		fix: "Correct the field that is named; a field of your own begins with “x-”.",
	},
	PACKAGE_ENTRYPOINT_AMBIGUOUS: {
		means: "More than one file could be the entrypoint.",
		fix: "Keep one file named flow with a suffix at the top of the package.",
	},
	PACKAGE_SELECTOR_INVALID: {
		means: "The first line of the entrypoint asks for a runtime in a way nobody can read.",
		fix: "Write “#!/usr/bin/env ” and one name, or leave the line out.",
	},
	PACKAGE_SCHEMA_INVALID: { means: "A schema of the package can't be used.", fix: edit },
	PACKAGE_REFERENCE_INVALID: {
		means: "FLOW.md refers to a file in a way that leads nowhere inside the package.",
		fix: "Write the path from the top of the package, beginning with “./”.",
	},
	PACKAGE_REFERENCE_MISSING: {
		means: "FLOW.md refers to a file that the package doesn't have.",
		fix: "Add the file, or correct the path.",
	},
	PACKAGE_CONTRACT_INVALID: { means: "A contract of the package can't be used.", fix: edit },
	PACKAGE_EQUIVOCATION: {
		means: "Two contracts in the package have one name and version, but say different things.",
		fix: "Give the one that changed a new version.",
	},
	PACKAGE_SYMLINK: {
		means: "There is a symbolic link, and what it points to is no part of the package.",
		fix: "Put the file itself in its place.",
	},
	PACKAGE_SPECIAL_FILE: {
		means: "There is something that is neither a file nor a folder: a device, a pipe, a socket.",
		fix: "Take it out.",
	},
	PACKAGE_HARD_LINK: {
		means: "A file has another name outside the package, through which it could be changed.",
		fix: "Copy the file, so that it stands alone; in an archive, link only to a file that comes before.",
	},
	PACKAGE_SOURCE_CHANGED: {
		means: "The files changed while they were read.",
		fix: "Wait until whatever writes there is finished, and drop it again.",
	},
	PACKAGE_SOURCE_FAILED: {
		means: "The browser could not read something.",
		fix: "Check that it is still there and that you may read it, and drop it again.",
	},
	PACKAGE_ARCHIVE_INVALID: {
		means: "The archive is damaged, or two programs could read two different packages out of it.",
		fix: "Make it again with a common tool, and from one set of files.",
	},
	PACKAGE_ARCHIVE_UNSUPPORTED: {
		means: "The archive has something in it that is not read here: encryption, sparse files, a rare compression.",
		fix: "Make it again as a plain .tar, .tar.gz or .zip.",
	},
	PACKAGE_ARCHIVE_LIMIT: {
		means: "The archive unpacks to more than this page is willing to take: it may be made to harm.",
		fix: "If you trust it, unpack it and drop the folder.",
	},
	PACKAGE_DIGEST_MISMATCH: {
		means: "It is not the package that was expected.",
		fix: "Look at what differs; line endings that a checkout converted are the most common reason.",
	},
	PACKAGE_CAPACITY: {
		means: "It is larger than this page keeps in memory.",
		fix: "Use the command: millrace inspect.",
	},
	PACKAGE_ABORTED: { means: "You stopped it.", fix: "Drop it again to start over." },
	PATH_EMPTY: { means: "A path is empty.", fix: rename },
	PATH_ABSOLUTE: {
		means: "A path begins at the root of a disk instead of the package.",
		fix: "Make the path relative.",
	},
	PATH_BACKSLASH: {
		means: "A name has a backslash, which is a separator on one system and a letter on another.",
		fix: "Use “/” between names. If a tool on Windows made the archive, make it with another.",
	},
	PATH_NUL: { means: "A name has a NUL character, which no file system has.", fix: rename },
	PATH_INVALID_UTF8: { means: "The bytes of a name are not UTF-8.", fix: rename },
	PATH_LONE_SURROGATE: { means: "A name has half a character in it.", fix: rename },
	PATH_TOO_LONG: { means: "A path is longer than 1,024 bytes.", fix: "Shorten the names of its folders." },
	PATH_NOT_NFC: {
		means:
			"A name has letters that are put together from parts, as macOS stores them; packages want the composed ones.",
		fix: "Rename the file to the spelling that is given.",
	},
	PATH_TOO_MANY_SEGMENTS: { means: "A file lies deeper than 64 folders.", fix: "Move it up." },
	PATH_EMPTY_SEGMENT: { means: "A path has two slashes in a row.", fix: "Take one of them out." },
	PATH_DOT_SEGMENT: {
		means: "A path has “.” or “..” in it, and could lead out of the package.",
		fix: "Don't unpack this archive anywhere; ask whoever made it.",
	},
	PATH_SEGMENT_TOO_LONG: { means: "A name is longer than 255 bytes.", fix: rename },
	PATH_REFERENCE_PREFIX: { means: "A reference doesn't begin with “./”.", fix: "Write “./” before it." },
	PATH_REFERENCE_ENCODED: {
		means: "A reference has “%” codes, a query or a fragment in it, and it is a path, no address.",
		fix: "Write the path as it is.",
	},
	JSON_UTF8: { means: "The bytes are not UTF-8.", fix: "Save the file again as UTF-8." },
	JSON_BOM: { means: "The file begins with a byte order mark.", fix: "Save the file again without it." },
	JSON_SYNTAX: { means: "The file is not JSON.", fix: edit },
	JSON_DUPLICATE_MEMBER: {
		means: "An object has one name twice, and programs disagree about which one counts.",
		fix: "Keep one of the two.",
	},
	JSON_LONE_SURROGATE: { means: "A text has half a character in it.", fix: edit },
	JSON_NUMBER_RANGE: {
		means: "A number is too large for every program to read it alike.",
		fix: "Write it as a text.",
	},
	JSON_LIMIT: { means: "The value is larger or deeper than the standard admits.", fix: "Make it smaller." },
	JSON_TYPE: { means: "A value has something in it that JSON doesn't have.", fix: edit },
	JSON_CYCLE: { means: "A value contains itself.", fix: edit },
	JSON_POINTER: { means: "A pointer into a value is misspelled.", fix: edit },
	SCHEMA_INVALID_JSON: { means: "The schema is not JSON as the standard admits it.", fix: edit },
	SCHEMA_INVALID: { means: "A keyword of a schema has a value that it can't have.", fix: edit },
	SCHEMA_KEYWORD_UNSUPPORTED: {
		means: "A schema uses a keyword that Schema/1 doesn't have, or not there.",
		fix: "Say it with the keywords of Schema/1; the playground shows which they are.",
	},
	SCHEMA_REFERENCE_INVALID: { means: "A reference in a schema leads nowhere, or in a circle.", fix: edit },
	SCHEMA_LIMIT_EXCEEDED: {
		means: "A schema is larger, deeper or more work than the standard admits.",
		fix: "Make it simpler.",
	},
	CONTRACT_INVALID_JSON: { means: "The contract is not JSON as the standard admits it.", fix: edit },
	CONTRACT_INVALID: { means: "A contract says something that the standard has no meaning for.", fix: edit },
	CONTRACT_LIMIT_EXCEEDED: { means: "A contract is larger than the standard admits.", fix: "Make it smaller." },
	CONTRACT_REFERENCE_INVALID: { means: "A reference in a contract leads nowhere.", fix: edit },
};

/** The words for a code; undefined for one that is none of the library's. */
export function explain(code: string): Explanation | undefined {
	return Object.hasOwn(EXPLANATIONS, code) ? EXPLANATIONS[code as RefusalCode] : undefined;
}

/** One refusal, as far as the page shows it. */
export interface Refusal {
	readonly code: string;
	/** The library's own sentence. */
	readonly message: string;
	readonly path: string | undefined;
	readonly line: number | undefined;
	readonly column: number | undefined;
	readonly pointer: string | undefined;
	/** From the general to the particular: the refusal's own words, then those of what caused it. */
	readonly explanations: readonly Explanation[];
}

/** What of an error can be told, its causes included. */
export function describeRefusal(error: unknown): Refusal {
	const at = (typeof error === "object" && error !== null ? error : {}) as Partial<Record<string, unknown>>;
	const explanations: Explanation[] = [];
	let deepest: Partial<Record<string, unknown>> = at;
	for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
		const words = explain(String((cause as { readonly code?: unknown }).code));
		if (words !== undefined) explanations.push(words);
		deepest = cause as unknown as Partial<Record<string, unknown>>;
	}
	const number = (name: string): number | undefined =>
		[at[name], deepest[name]].find((value): value is number => typeof value === "number");
	const text = (name: string): string | undefined =>
		[at[name], deepest[name]].find((value): value is string => typeof value === "string");
	return {
		code: text("code") ?? "UNKNOWN",
		message: error instanceof Error ? error.message : String(error),
		path: text("path"),
		line: number("line"),
		column: number("column"),
		pointer: text("pointer") ?? text("schemaPointer"),
		explanations,
	};
}
