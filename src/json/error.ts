import { quoteForDisplay } from "../display.ts";
import { JSON_LIMITS, type JsonLimitName, limitMessage } from "./limits.ts";

/**
 * Why a text or a host value is no JSON/1 value. JSON/1 names no errors: the codes are this library's own.
 *
 * - `JSON_UTF8`: the bytes are not UTF-8. The one document error that a frame is never answered for.
 * - `JSON_BOM`: the text starts with U+FEFF.
 * - `JSON_SYNTAX`: not the grammar of RFC 8259.
 * - `JSON_DUPLICATE_MEMBER`: a name occurs twice in one object.
 * - `JSON_LONE_SURROGATE`: a string or name has a surrogate without its pair, literal or escaped.
 * - `JSON_NUMBER_RANGE`: not finite, or integral beyond ±9007199254740991.
 * - `JSON_LIMIT`: a bound of {@link JSON_LIMITS} is crossed; `limit` says which.
 * - `JSON_TYPE`: a host value with no place in JSON/1 (`undefined`, a function, a class instance, an accessor, a hole …).
 * - `JSON_CYCLE`: a host value contains itself.
 * - `JSON_POINTER`: not an RFC 6901 pointer.
 */
export type JsonErrorCode =
	| "JSON_UTF8"
	| "JSON_BOM"
	| "JSON_SYNTAX"
	| "JSON_DUPLICATE_MEMBER"
	| "JSON_LONE_SURROGATE"
	| "JSON_NUMBER_RANGE"
	| "JSON_LIMIT"
	| "JSON_TYPE"
	| "JSON_CYCLE"
	| "JSON_POINTER";

/** Where a {@link JsonError} happened: in a text, or in a host value. */
export interface JsonPlace {
	/** UTF-8 byte offset from the start of the source, 0-based; also when the source was a string. */
	readonly offset?: number;
	/** 1-based line; LF, CR LF and a lone CR end one. */
	readonly line?: number;
	/** 1-based column, counted in Unicode scalar values. */
	readonly column?: number;
	/** RFC 6901 pointer into the host value. */
	readonly pointer?: string;
	/** The bound that was crossed. */
	readonly limit?: { readonly name: JsonLimitName; readonly max: number };
	/** What a host value's own code threw (a proxy trap). */
	readonly cause?: unknown;
}

/** The one error of this room: a closed `code`, and a place as data. Its message never echoes the rejected value. */
export class JsonError extends Error {
	override readonly name: string = "JsonError";
	readonly code: JsonErrorCode;
	/** The message without the place and the full stop: for those who say the place themselves. */
	readonly reason: string;
	/** UTF-8 byte offset from the start of the source, 0-based; also when the source was a string. */
	declare readonly offset?: number;
	/** 1-based line; LF, CR LF and a lone CR end one. */
	declare readonly line?: number;
	/** 1-based column, counted in Unicode scalar values. */
	declare readonly column?: number;
	/** RFC 6901 pointer: into the host value (`admitJson`, `canonicalize`), or the text that is no pointer. */
	declare readonly pointer?: string;
	/** The bound that was crossed, with `JSON_LIMIT` only. */
	declare readonly limit?: { readonly name: JsonLimitName; readonly max: number };

	constructor(code: JsonErrorCode, message: string, place: JsonPlace = {}) {
		super(message + where(place), place.cause === undefined ? undefined : { cause: place.cause });
		this.code = code;
		this.reason = message;
		if (place.offset !== undefined) this.offset = place.offset;
		// JavaScriptCore gives every error a line and a column of its own: those of the code that made it.
		delete (this as { line?: number }).line;
		delete (this as { column?: number }).column;
		if (place.line !== undefined) this.line = place.line;
		if (place.column !== undefined) this.column = place.column;
		if (place.pointer !== undefined) this.pointer = place.pointer;
		if (place.limit !== undefined) this.limit = place.limit;
	}
}

/** The error for a crossed bound. */
export function limitError(name: JsonLimitName, place: JsonPlace): JsonError {
	return new JsonError("JSON_LIMIT", limitMessage(name), { ...place, limit: { name, max: JSON_LIMITS[name] } });
}

function where(place: JsonPlace): string {
	if (place.line !== undefined) return ` at line ${place.line}, column ${place.column} (byte ${place.offset}).`;
	if (place.pointer !== undefined)
		return place.pointer === "" ? " at the root." : ` at ${quoteForDisplay(place.pointer, 256)}.`;
	return ".";
}
