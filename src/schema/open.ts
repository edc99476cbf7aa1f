/** The ways in: a schema file, a file's parsed root, an inline schema, an embedded graph (Schema/1 sections 3 to 5). */

import { admitJson, isJsonObject, JsonError, type JsonObject, type JsonValue, parseJson } from "../json/index.ts";
import { exceedsUtf8 } from "../text.ts";
import { readFile, readGraph, readInline } from "./compile.ts";
import { limitError, SchemaError } from "./error.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { Compiled, CompiledSchema, type Schema } from "./schema.ts";

/**
 * Compiles a schema file: UTF-8 bytes (or their text) of at most 262,144 bytes.
 *
 * Checks in this order: the size, before anything is parsed (`SCHEMA_LIMIT_EXCEEDED`); JSON/1 (`SCHEMA_INVALID_JSON`, `cause`
 * is the `JsonError`); an object with the exact `$schema` (`SCHEMA_INVALID`); then depth first, per schema object, keywords
 * outside the allowlist, and keyword values in member order, with depth 64 and 4,096 nodes as limits; at last references
 * and cycles (`SCHEMA_REFERENCE_INVALID`). Throws the first fault met.
 */
export function compileSchema(file: Uint8Array | string): Schema {
	return compileRoot(parseFile(file));
}

/** Reads and checks a schema file as {@link compileSchema} does, and goes no further. */
export function readSchemaFile(file: Uint8Array | string): ReturnType<typeof readFile> {
	return readFile(parseFile(file));
}

function parseFile(file: Uint8Array | string): JsonValue {
	if (exceedsFile(file)) throw limitError("bytes", "");
	return asJson(() => parseJson(file));
}

/**
 * Compiles the root value of a schema file that is parsed already, or written as a literal. The value is admitted and copied
 * (`SCHEMA_INVALID_JSON`); then as {@link compileSchema}, without the size, which only an encoded file has.
 */
export function compileSchemaValue(value: JsonValue): Schema {
	return compileRoot(asJson(() => admitJson(value)));
}

/**
 * Compiles a schema embedded on its own, like a channel's `schema` in `FLOW.md`: it may declare `$defs`, but not `$schema`
 * (C6). `value` is parsed already; `pointer` is where it stands in its document, and the start of every schema pointer.
 */
export function compileInlineSchema(value: JsonValue, pointer = ""): Schema {
	const { root, graph } = readInline(value, pointer);
	return new CompiledSchema(new Compiled(graph), root, { schema: value, defs: definitionsOf(value) });
}

/** Embedded schemas over one definition map. */
export interface EmbeddedGraph {
	/** The embedded roots, each with its pointer in the descriptor. */
	readonly roots: readonly { readonly pointer: string; readonly schema: JsonValue }[];
	/** The descriptor's definition map. */
	readonly defs?: JsonObject | undefined;
	/** The map's pointer; `/$defs` unless given. */
	readonly defsPointer?: string;
}

/**
 * Compiles all embedded schemas of one descriptor together (Capability Contract/1, Channel Contract/1): the roots and the
 * definitions share the node limit, each has depth 1 (C4), none may repeat `$schema` or `$defs` (C5). The values are parsed
 * already. Returns the schemas in the order of the roots, with the number of nodes and the depth of the whole graph.
 * Throws `SchemaError` as {@link compileSchema} does, with pointers into the descriptor.
 */
export function compileSchemaGraph(graph: EmbeddedGraph): { schemas: Schema[]; nodes: number; depth: number } {
	const { roots, graph: read } = readGraph(graph.roots, graph.defs ?? {}, graph.defsPointer ?? "/$defs");
	const compiled = new Compiled(read);
	const schemas = roots.map(
		(root, i) => new CompiledSchema(compiled, root, { schema: graph.roots[i]!.schema, defs: graph.defs }),
	);
	return { schemas, nodes: read.nodes.length, depth: read.depth };
}

function compileRoot(value: JsonValue): Schema {
	const { root, graph } = readFile(value);
	return new CompiledSchema(new Compiled(graph), root, { schema: value, defs: definitionsOf(value) });
}

/** The definition map of a checked root. */
function definitionsOf(value: JsonValue): JsonObject | undefined {
	if (!isJsonObject(value) || !Object.hasOwn(value, "$defs")) return undefined;
	return value.$defs as JsonObject;
}

function exceedsFile(file: Uint8Array | string): boolean {
	return typeof file === "string" ? exceedsUtf8(file, SCHEMA_LIMITS.bytes) : file.length > SCHEMA_LIMITS.bytes;
}

function asJson(read: () => JsonValue): JsonValue {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		const message = `Not JSON/1: ${error.message.replace(/\.$/, "")}`;
		throw new SchemaError("SCHEMA_INVALID_JSON", message, { schemaPointer: "", cause: error });
	}
}
