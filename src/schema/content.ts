/** The canonical content of a schema: what "equal schemas" compares (Channel Contract/1 section 3). */

import { canonicalText, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";
import { childrenOf, type SchemaGraph, type SchemaNode } from "./node.ts";

/** What a schema was compiled from. */
export interface SchemaSource {
	readonly schema: JsonValue;
	/** The definitions that its references can name. */
	readonly defs: JsonObject | undefined;
}

/**
 * RFC 8785 text of the schema without its dialect and definition map, and of every definition that evaluation can lead to, by
 * name. Definitions that nothing leads to don't count: an embedded schema shares its map with others.
 */
export function contentOf(root: SchemaNode, graph: SchemaGraph, { schema, defs }: SchemaSource): string {
	if (!isJsonObject(schema)) return canonicalText(schema);
	const { $schema: _dialect, $defs: _definitions, ...own } = schema;
	const reached: [string, JsonValue][] = [];
	const seen = new Set<SchemaNode>([root]);
	for (const node of seen) {
		const name = graph.definitions.get(node)?.name;
		if (name !== undefined && defs !== undefined) reached.push([name, defs[name]!]);
		// A set hands out what is added while it is walked.
		for (const child of childrenOf(node)) seen.add(child);
	}
	return canonicalText([own, Object.fromEntries(reached)]);
}
