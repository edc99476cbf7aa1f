import { quoteForDisplay } from "../display.ts";
import { limitMessage, SCHEMA_LIMITS, type SchemaLimitName } from "./limits.ts";

/**
 * Schema/1 section 5, stable codes.
 *
 * - `SCHEMA_INVALID_JSON`: not JSON/1; `cause` is the `JsonError` with its place.
 * - `SCHEMA_INVALID`: the root, a keyword's location or a keyword's value is wrong.
 * - `SCHEMA_KEYWORD_UNSUPPORTED`: a keyword outside the allowlist.
 * - `SCHEMA_REFERENCE_INVALID`: a `$ref` that is misspelled, names no definition, or closes a cycle.
 * - `SCHEMA_LIMIT_EXCEEDED`: a bound of `SCHEMA_LIMITS` is crossed; `limit` says which. Also thrown by an evaluation.
 */
export type SchemaErrorCode =
	| "SCHEMA_INVALID_JSON"
	| "SCHEMA_INVALID"
	| "SCHEMA_KEYWORD_UNSUPPORTED"
	| "SCHEMA_REFERENCE_INVALID"
	| "SCHEMA_LIMIT_EXCEEDED";

/** Where a {@link SchemaError} happened. */
export interface SchemaFault {
	/** RFC 6901 pointer of the offending schema, keyword, or part of a keyword's value; empty for the file as a whole. */
	readonly schemaPointer: string;
	readonly keyword?: string | undefined;
	readonly limit?: SchemaLimitName;
	readonly cause?: unknown;
}

/** The one error of this room: a schema that can't be used, or a validation whose budget is exhausted. */
export class SchemaError extends Error {
	override readonly name: string = "SchemaError";
	readonly code: SchemaErrorCode;
	/** RFC 6901 pointer of the offending schema, keyword, or part of a keyword's value; empty for the file as a whole. */
	readonly schemaPointer: string;
	/** The keyword at fault, where one is. */
	declare readonly keyword?: string;
	/** The bound that was crossed, with `SCHEMA_LIMIT_EXCEEDED` only. */
	declare readonly limit?: { readonly name: SchemaLimitName; readonly max: number };

	constructor(code: SchemaErrorCode, message: string, fault: SchemaFault) {
		super(message + where(fault.schemaPointer), fault.cause === undefined ? undefined : { cause: fault.cause });
		this.code = code;
		this.schemaPointer = fault.schemaPointer;
		if (fault.keyword !== undefined) this.keyword = fault.keyword;
		if (fault.limit !== undefined) this.limit = { name: fault.limit, max: SCHEMA_LIMITS[fault.limit] };
	}
}

/** The error for a crossed bound. */
export function limitError(limit: SchemaLimitName, schemaPointer: string): SchemaError {
	return new SchemaError("SCHEMA_LIMIT_EXCEEDED", limitMessage(limit), { schemaPointer, limit });
}

function where(pointer: string): string {
	return pointer === "" ? "." : ` at ${quoteForDisplay(pointer, 256)}.`;
}
