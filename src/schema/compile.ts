/** From a parsed value to a checked graph of schemas: keywords, shapes, locations, references and limits. */

import { appendPointer, isJsonObject, type JsonObject, type JsonValue } from "../json/index.ts";
import { limitError, SchemaError } from "./error.ts";
import { type Cursor, isDefinitionName, READERS } from "./keywords.ts";
import { SCHEMA_LIMITS, SCHEMA_URI } from "./limits.ts";
import { noKeywords, type SchemaGraph, type SchemaNode } from "./node.ts";
import { type Place, pointerOf, rootPlace } from "./place.ts";
import { bindReferences, type Definition, orderDefinitions, type Reference } from "./references.ts";

/** Checks a file's root value (S6, S13). The byte limit and JSON/1 come before this. */
export function readFile(root: JsonValue): { root: SchemaNode; graph: SchemaGraph } {
	const place = rootPlace("");
	if (!isJsonObject(root))
		throw new SchemaError("SCHEMA_INVALID", "A schema file is a JSON object", { schemaPointer: "" });
	// Before any keyword: who wrote for another dialect is better told so than given its first foreign keyword.
	if (!Object.hasOwn(root, "$schema") || root.$schema !== SCHEMA_URI) {
		throw new SchemaError("SCHEMA_INVALID", `"$schema" must be exactly "${SCHEMA_URI}"`, {
			schemaPointer: "/$schema",
			keyword: "$schema",
		});
	}
	const graph = new GraphReader(true, true);
	const node = graph.schema(root, place, 1);
	return { root: node, graph: graph.finish() };
}

/** Checks an embedded root that stands alone and may declare its own `$defs`, but no `$schema` (C6). */
export function readInline(root: JsonValue, pointer: string): { root: SchemaNode; graph: SchemaGraph } {
	const graph = new GraphReader(false, true);
	const node = graph.schema(root, rootPlace(pointer), 1);
	return { root: node, graph: graph.finish() };
}

/** Checks embedded roots over one shared definition map; every root and definition has depth 1 (C4). */
export function readGraph(
	roots: readonly { readonly pointer: string; readonly schema: JsonValue }[],
	defs: JsonObject,
	defsPointer: string,
): { roots: SchemaNode[]; graph: SchemaGraph } {
	const graph = new GraphReader(false, false);
	graph.define(defs, (name) => rootPlace(appendPointer(defsPointer, name)), 1, "$defs");
	const nodes = roots.map(({ pointer, schema }) => graph.schema(schema, rootPlace(pointer), 1));
	return { roots: nodes, graph: graph.finish() };
}

class GraphReader {
	readonly #nodes: SchemaNode[] = [];
	readonly #references: Reference[] = [];
	readonly #definitions = new Map<string, Definition>();
	#depth = 0;
	/** Whether a root may say `$schema`. */
	readonly #declares: boolean;
	/** Whether a root may say `$defs`. */
	readonly #defines: boolean;

	constructor(declares: boolean, defines: boolean) {
		this.#declares = declares;
		this.#defines = defines;
	}

	/** Reads one schema and all below it; recursion ends at the depth limit. */
	schema(value: JsonValue, place: Place, depth: number): SchemaNode {
		const truth = typeof value === "boolean" ? value : undefined;
		if (truth === undefined && !isJsonObject(value))
			throw new SchemaError("SCHEMA_INVALID", "A schema is an object or a boolean", {
				schemaPointer: pointerOf(place),
			});
		if (depth > SCHEMA_LIMITS.depth) throw limitError("depth", pointerOf(place));
		if (this.#nodes.length === SCHEMA_LIMITS.nodes) throw limitError("nodes", pointerOf(place));
		const node: SchemaNode = { id: this.#nodes.length, place, truth, keywords: noKeywords() };
		this.#nodes.push(node);
		if (depth > this.#depth) this.#depth = depth;
		if (truth === undefined) this.#keywords(value as JsonObject, node, depth);
		return node;
	}

	/** Unknown keywords first, then each keyword's value, both in member order. */
	#keywords(value: JsonObject, node: SchemaNode, depth: number): void {
		const names = Object.keys(value);
		for (const name of names) {
			if (Object.hasOwn(READERS, name)) continue;
			throw new SchemaError("SCHEMA_KEYWORD_UNSUPPORTED", "A keyword that Schema/1 doesn't have", {
				schemaPointer: pointerOf(node.place, name),
				keyword: name,
			});
		}
		const keywords = node.keywords as Record<string, unknown>;
		for (const keyword of names) {
			const read = READERS[keyword]!(value[keyword]!, this.#cursor(node, keyword, depth));
			if (read !== undefined) keywords[keyword] = read;
		}
	}

	#cursor(node: SchemaNode, keyword: string, depth: number): Cursor {
		const { place } = node;
		const root = place.parent === undefined;
		return {
			place,
			keyword,
			declares: root && this.#declares,
			schema: (value, token) => this.schema(value, { parent: place, keyword, token }, depth + 1),
			reference: (name) => this.#references.push({ from: node, name }),
			definitions: (value) => {
				if (!root || !this.#defines) {
					const message = '"$defs" stands only at the root that owns the definitions';
					throw new SchemaError("SCHEMA_INVALID", message, { schemaPointer: pointerOf(place, keyword), keyword });
				}
				if (!isJsonObject(value))
					throw new SchemaError("SCHEMA_INVALID", '"$defs" must be an object', {
						schemaPointer: pointerOf(place, keyword),
						keyword,
					});
				this.define(value, (name) => ({ parent: place, keyword, token: name }), depth + 1, keyword);
			},
		};
	}

	/** Reads a definition map; a bad name is `SCHEMA_INVALID` (S6). */
	define(value: JsonObject, place: (name: string) => Place, depth: number, keyword: string): void {
		for (const [name, schema] of Object.entries(value)) {
			if (!isDefinitionName(name)) {
				const message = "A definition's name is a letter and at most 63 letters or digits";
				throw new SchemaError("SCHEMA_INVALID", message, { schemaPointer: pointerOf(place(name)), keyword });
			}
			const root = this.schema(schema, place(name), depth);
			this.#definitions.set(name, { root, end: this.#nodes.length });
		}
	}

	/** Binds the references and puts the graph in order. */
	finish(): SchemaGraph {
		bindReferences(this.#references, this.#definitions);
		const definitions = orderDefinitions(this.#references, this.#definitions);
		const defined = new Uint8Array(this.#nodes.length);
		for (const { root, end } of definitions) defined.fill(1, root.id, end);
		const order = this.#nodes.filter((node) => defined[node.id] === 0);
		for (const { root, end } of definitions) for (let id = root.id; id < end; id++) order.push(this.#nodes[id]!);
		const referrers = new Map<string, number>();
		for (const { name } of this.#references) referrers.set(name, (referrers.get(name) ?? 0) + 1);
		const named = new Map<SchemaNode, { name: string; referrers: number }>();
		for (const [name, { root }] of this.#definitions) named.set(root, { name, referrers: referrers.get(name) ?? 0 });
		return { nodes: this.#nodes, depth: this.#depth, order, definitions: named };
	}
}
