import { quoteForDisplay } from "../display.ts";
import type { SchemaErrorCode } from "../schema/index.ts";

/**
 * Why a descriptor or a declaration was refused.
 *
 * `CONTRACT_INVALID_JSON`: the bytes are no JSON/1 document. `CONTRACT_LIMIT_EXCEEDED`: a byte, count or schema-graph bound
 * is crossed. `CONTRACT_REFERENCE_INVALID`: a package or `$ref` reference is misspelled, missing or cyclic.
 * `CONTRACT_INVALID`: everything else that the closed descriptor grammar refuses.
 */
export type ContractErrorCode =
	| "CONTRACT_INVALID_JSON"
	| "CONTRACT_INVALID"
	| "CONTRACT_LIMIT_EXCEEDED"
	| "CONTRACT_REFERENCE_INVALID";

/** A refused contract descriptor or channel declaration. */
export class ContractError extends Error {
	override readonly name: string = "ContractError";
	readonly code: ContractErrorCode;
	/** RFC 6901 pointer to the refused value in the descriptor; empty for the whole of it. */
	readonly pointer: string;
	/** The Schema/1 code, where an embedded schema is at fault. */
	declare readonly schemaCode?: SchemaErrorCode;

	constructor(
		code: ContractErrorCode,
		message: string,
		at: { readonly pointer: string; readonly schemaCode?: SchemaErrorCode; readonly cause?: unknown },
	) {
		// A schema's error has named the place already.
		const placed = at.pointer !== "" && at.schemaCode === undefined;
		super(
			placed ? `${quoteForDisplay(at.pointer, 256)}: ${message}` : message,
			"cause" in at ? { cause: at.cause } : undefined,
		);
		this.code = code;
		this.pointer = at.pointer;
		if (at.schemaCode !== undefined) this.schemaCode = at.schemaCode;
	}
}
