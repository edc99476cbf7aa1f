/**
 * Which schemas meet at one location of an instance. The charge of a location is the sum over the schemas that meet there,
 * each once (W2): known groups need no memo.
 */

import type { SchemaGraph, SchemaNode } from "../node.ts";

/** Schemas that meet at one location, by how many ways lead to each. */
export type Group = ReadonlyMap<SchemaNode, number>;

/** Where the walk over all groups stops being worth it. */
const STEPS = 20_000;

/** How often one schema may be met at one location for a verdict without a memo. */
export const WAYS = 8;

/** The schemas that a schema always evaluates at its own location. */
export function* inPlaceOf({ keywords: k }: SchemaNode): Generator<SchemaNode> {
	if (k.$ref !== undefined) yield k.$ref;
	for (const branches of [k.allOf, k.anyOf, k.oneOf]) if (branches !== undefined) yield* branches;
	if (k.not !== undefined) yield k.not;
	if (k.if !== undefined) yield k.if;
}

/** Those that it evaluates there on a condition: the selected branch, and what depends on a member. */
export function* conditionalOf({ keywords: k }: SchemaNode): Generator<SchemaNode> {
	if (k.if !== undefined) for (const child of [k.then, k.else]) if (child !== undefined) yield child;
	if (k.dependentSchemas !== undefined) yield* k.dependentSchemas.values();
}

/** Positions in {@link SchemaGraph.order}, by node id. */
export function positionsOf(graph: SchemaGraph): Int32Array {
	const positions = new Int32Array(graph.nodes.length);
	graph.order.forEach((node, i) => {
		positions[node.id] = i;
	});
	return positions;
}

/** A group with everything that its schemas always evaluate at the same location. */
export function closeGroup(seed: Iterable<SchemaNode>, positions: Int32Array): SchemaNode[] {
	const members = new Set(seed);
	// A set hands out what is added while it is walked.
	for (const node of members) for (const child of inPlaceOf(node)) members.add(child);
	return [...members].sort((a, b) => positions[a.id]! - positions[b.id]!);
}

/** The schemas at the children of a location. */
export interface Children {
	readonly names: ReadonlyMap<string, readonly SchemaNode[]>;
	/** At a name that no schema of the group declares. */
	readonly others: readonly SchemaNode[];
	readonly positions: readonly (readonly SchemaNode[])[];
	/** At an item behind all positions. */
	readonly rest: readonly SchemaNode[];
}

/** What a closed group evaluates one step further down. */
export function childrenOfGroup(group: readonly SchemaNode[]): Children {
	const declared = new Set<string>();
	let prefix = 0;
	for (const { keywords: k } of group) {
		for (const name of k.properties?.keys() ?? []) declared.add(name);
		prefix = Math.max(prefix, k.prefixItems?.length ?? 0);
	}
	const names = new Map<string, SchemaNode[]>();
	for (const name of declared) names.set(name, childrenAt(group, name));
	const positions: SchemaNode[][] = [];
	for (let i = 0; i < prefix; i++) positions.push(itemsAt(group, i));
	return { names, others: childrenAt(group, undefined), positions, rest: itemsAt(group, prefix) };
}

function childrenAt(group: readonly SchemaNode[], name: string | undefined): SchemaNode[] {
	const found: SchemaNode[] = [];
	for (const { keywords: k } of group) {
		const child = (name === undefined ? undefined : k.properties?.get(name)) ?? k.additionalProperties;
		if (child !== undefined) found.push(child);
	}
	return found;
}

function itemsAt(group: readonly SchemaNode[], at: number): SchemaNode[] {
	const found: SchemaNode[] = [];
	for (const { keywords: k } of group) {
		const child = k.prefixItems?.[at] ?? k.items;
		if (child !== undefined) found.push(child);
		if (k.contains !== undefined) found.push(k.contains);
	}
	return found;
}

/** A schema at a location, under a condition ("" for none). */
type Met = Map<SchemaNode, { times: number; under: string }>;

/**
 * What can be told of the groups of a root without looking at an instance.
 *
 * - `certain`: all of them. No schema is met at a location both under a condition and without it, or under two.
 * - `conditional`: no schema is met at one location by more than a few ways.
 * - `unknown`: nothing, or there are too many groups.
 */
export type Groups = "certain" | "conditional" | "unknown";

export function groupsOf(root: SchemaNode, graph: SchemaGraph): Groups {
	const seen = new Set<string>();
	const found = { conditional: false };
	const positions = positionsOf(graph);
	let steps = 0;
	const waiting: Met[] = [new Map([[root, { times: 1, under: "" }]])];
	for (let seed = waiting.pop(); seed !== undefined; seed = waiting.pop()) {
		const group = closeMet(seed, positions, found);
		if (group === undefined) return "unknown";
		steps += group.size;
		if (steps > STEPS) return "unknown";
		for (const child of childrenOfMet(group, found)) {
			if (child === undefined) return "unknown";
			if (child.size === 0) continue;
			steps += child.size;
			if (steps > STEPS) return "unknown";
			const key = [...child].map(([node, { times, under }]) => `${node.id}*${times}?${under}`).join();
			if (seen.has(key)) continue;
			seen.add(key);
			waiting.push(child);
		}
	}
	return found.conditional ? "conditional" : "certain";
}

/** Adds a schema; false where too many ways lead to it. */
function meet(met: Met, node: SchemaNode, times: number, under: string, found: { conditional: boolean }): boolean {
	const known = met.get(node);
	if (known === undefined) {
		met.set(node, { times, under });
		return true;
	}
	known.times += times;
	if (known.under !== under) found.conditional = true;
	return known.times <= WAYS;
}

function closeMet(seed: Met, positions: Int32Array, found: { conditional: boolean }): Met | undefined {
	const all = new Set(seed.keys());
	for (const node of all) {
		for (const child of inPlaceOf(node)) all.add(child);
		for (const child of conditionalOf(node)) all.add(child);
	}
	const met: Met = new Map();
	for (const [node, { times, under }] of seed) met.set(node, { times, under });
	for (const node of [...all].sort((a, b) => positions[a.id]! - positions[b.id]!)) {
		const { times, under } = met.get(node)!;
		for (const child of inPlaceOf(node)) {
			// A condition is judged for the charge once more.
			if (!meet(met, child, child === node.keywords.if ? 2 * times : times, under, found)) return undefined;
		}
		for (const child of conditionalOf(node))
			if (!meet(met, child, times, `${under}/${child.id}`, found)) return undefined;
	}
	return met;
}

function* childrenOfMet(group: Met, found: { conditional: boolean }): Generator<Met | undefined> {
	const { names, others, positions, rest } = childrenOfGroup([...group.keys()]);
	const parents = new Map<SchemaNode, { times: number; under: string }[]>();
	for (const [node, how] of group)
		for (const child of belowOf(node)) parents.set(child, [...(parents.get(child) ?? []), how]);
	for (const seed of [...names.values(), others, ...positions, rest]) {
		const met: Met = new Map();
		let told = true;
		for (const child of seed)
			for (const { times, under } of parents.get(child)!) told &&= meet(met, child, times, under, found);
		yield told ? met : undefined;
	}
}

/** A schema's children one step down. Each has one parent: only definitions have more, and those are reached by `$ref`. */
function* belowOf({ keywords: k }: SchemaNode): Generator<SchemaNode> {
	if (k.properties !== undefined) yield* k.properties.values();
	if (k.prefixItems !== undefined) yield* k.prefixItems;
	for (const child of [k.additionalProperties, k.items, k.contains]) if (child !== undefined) yield child;
}
