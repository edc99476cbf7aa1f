/** A checked schema: the keywords of Schema/1 section 3 with their values in the form that evaluation wants. */

import type { Place } from "./place.ts";

/** The type names of JSON Schema 2020-12. */
export type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** What `const` and `enum` may hold. */
export type Scalar = null | boolean | number | string;

/** The keywords that take part in evaluation; annotations and `$defs` don't. */
export interface Keywords {
	/** The target, bound after the whole graph is read. */
	$ref?: SchemaNode;
	type?: readonly TypeName[];
	enum?: readonly Scalar[];
	const?: Scalar;
	allOf?: readonly SchemaNode[];
	anyOf?: readonly SchemaNode[];
	oneOf?: readonly SchemaNode[];
	not?: SchemaNode;
	if?: SchemaNode;
	then?: SchemaNode;
	else?: SchemaNode;
	properties?: ReadonlyMap<string, SchemaNode>;
	required?: readonly string[];
	additionalProperties?: SchemaNode;
	minProperties?: number;
	maxProperties?: number;
	dependentRequired?: ReadonlyMap<string, readonly string[]>;
	dependentSchemas?: ReadonlyMap<string, SchemaNode>;
	prefixItems?: readonly SchemaNode[];
	items?: SchemaNode;
	contains?: SchemaNode;
	minContains?: number;
	maxContains?: number;
	minItems?: number;
	maxItems?: number;
	minLength?: number;
	maxLength?: number;
	minimum?: number;
	exclusiveMinimum?: number;
	maximum?: number;
	exclusiveMaximum?: number;
}

/** A keyword that takes part in evaluation. */
export type Keyword = keyof Keywords;

/** Inherits nothing, so that a keyword is present only where its schema has it, whatever `Object.prototype` lends. */
class KeywordRecord {}
Object.setPrototypeOf(KeywordRecord.prototype, null);

/** No keywords yet. */
export function noKeywords(): Keywords {
	return new KeywordRecord();
}

/** One schema node (Schema/1 section 4): a root, or an object or boolean in a schema position. */
export interface SchemaNode {
	/** Index in {@link SchemaGraph.nodes}; a parent's is smaller than its children's, and a definition's schemas are contiguous. */
	readonly id: number;
	readonly place: Place;
	/** The value of a boolean schema. */
	readonly truth: boolean | undefined;
	readonly keywords: Keywords;
}

/** Everything that was compiled together: one file, or all embedded roots and definitions of one descriptor. */
export interface SchemaGraph {
	readonly nodes: readonly SchemaNode[];
	/** The longest path of schemas (Schema/1 section 4). */
	readonly depth: number;
	/** Every schema before its children and before the targets of its references. */
	readonly order: readonly SchemaNode[];
	/** The definitions: their names, and how many `$ref`s lead to each. */
	readonly definitions: ReadonlyMap<SchemaNode, { readonly name: string; readonly referrers: number }>;
}

/** The schemas that a schema can evaluate, at the same location of the instance or at a child of it. */
export function* childrenOf(node: SchemaNode): Generator<SchemaNode> {
	const k = node.keywords;
	if (k.$ref !== undefined) yield k.$ref;
	for (const branches of [k.allOf, k.anyOf, k.oneOf, k.prefixItems]) if (branches !== undefined) yield* branches;
	for (const named of [k.properties, k.dependentSchemas]) if (named !== undefined) yield* named.values();
	for (const child of [k.not, k.if, k.additionalProperties, k.items, k.contains]) if (child !== undefined) yield child;
	// `then` and `else` without `if` are schema nodes that nothing evaluates (S13, W6).
	if (k.if !== undefined) for (const child of [k.then, k.else]) if (child !== undefined) yield child;
}
