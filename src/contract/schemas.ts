/** The bridge to Schema/1: an embedded graph compiled as one, its errors told in the descriptor's own terms. */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { compileSchemaGraph, type Schema, SchemaError } from "../schema/index.ts";
import { ContractError, type ContractErrorCode } from "./error.ts";

/** One embedded root: where it stands in the descriptor, what it says, and who takes the compiled schema. */
export interface EmbeddedRoot {
	readonly pointer: string;
	readonly schema: JsonValue;
	readonly take: (schema: Schema) => void;
}

/**
 * Compiles every embedded root together with the one shared definition map, so that the graph's node, depth and reference
 * rules hold for the descriptor as a whole (Schema/1 section 3), then hands each schema to its taker.
 * Throws `ContractError` with `schemaCode` and the pointer in the descriptor.
 */
export function compileEmbedded(
	roots: readonly EmbeddedRoot[],
	defs: JsonObject | undefined,
	defsPointer: string,
): void {
	const { schemas } = asContractError(() =>
		compileSchemaGraph({
			roots: roots.map(({ pointer, schema }) => ({ pointer, schema })),
			defs,
			defsPointer,
		}),
	);
	for (const [index, root] of roots.entries()) root.take(schemas[index]!);
}

/** Runs a compilation whose pointers are the descriptor's, and retells its `SchemaError`. */
export function asContractError<T>(compile: () => T): T {
	try {
		return compile();
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		throw new ContractError(CODES[error.code], error.message, {
			pointer: error.schemaPointer,
			schemaCode: error.code,
			cause: error,
		});
	}
}

const CODES: Record<SchemaError["code"], ContractErrorCode> = {
	SCHEMA_INVALID_JSON: "CONTRACT_INVALID_JSON",
	SCHEMA_INVALID: "CONTRACT_INVALID",
	SCHEMA_KEYWORD_UNSUPPORTED: "CONTRACT_INVALID",
	SCHEMA_REFERENCE_INVALID: "CONTRACT_REFERENCE_INVALID",
	SCHEMA_LIMIT_EXCEEDED: "CONTRACT_LIMIT_EXCEEDED",
};
