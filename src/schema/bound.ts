/**
 * What can be said of a schema before there is an instance. Mostly a bound on what it can charge, from the size of the instance
 * alone: where that stays within the budget, exhaustion is impossible, so an evaluator that stops at the first failure and
 * meters nothing is conforming (Schema/1 section 4).
 */

import { JSON_LIMITS, type JsonObject, type JsonValue } from "../json/index.ts";
import { chargeOf, lengthKeyword } from "./charges.ts";
import { KINDS, type Kind, OBJECT } from "./kinds.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { childrenOf, type Keywords, type SchemaGraph, type SchemaNode } from "./node.ts";

/** Work is at most `perNode` times the values of an instance plus `perUnit` times the UTF-16 units of its strings. */
export interface Bound {
	readonly perNode: number;
	readonly perUnit: number;
	/** The longest chain of schemas from the root, over references: how deep an evaluator that calls itself can get. */
	readonly reach: number;
	/** Whether several ways may lead to one schema at one location, so that the exact charge takes a memo. */
	readonly repeats: boolean;
	/**
	 * Whether nothing repeats and an evaluation that accepts has evaluated everything: then it has counted at least what the
	 * meter would, and needs no bound.
	 */
	readonly plain: boolean;
}

/** Large enough for any bound to fail, small enough for sums and products to stay exact in order. */
const MANY = 1e12;

/** The bound of one root: every way to a schema is an occurrence, and each is evaluated at most once per value. */
export function boundOf(root: SchemaNode, graph: SchemaGraph): Bound {
	const occurrences = new Map([[root, 1]]);
	const depths = new Map([[root, 1]]);
	const byKind = new Array<number>(KINDS).fill(0);
	let perChild = 0;
	let perUnit = 0;
	let reach = 0;
	let shares = false;
	let forks = false;
	let chooses = false;
	// In this order, every way to a schema is known before its own turn.
	for (const node of graph.order) {
		const times = occurrences.get(node);
		if (times === undefined) continue;
		const { keywords: k } = node;
		for (let kind = 0; kind < KINDS; kind++) byKind[kind]! += times * mostOf(k, kind as Kind);
		if (k.additionalProperties !== undefined) perChild += times;
		if (k.contains !== undefined) perChild += times;
		if (lengthKeyword(k) !== undefined) perUnit += times;
		const depth = depths.get(node)!;
		reach = Math.max(reach, depth);
		shares ||= (graph.definitions.get(node)?.referrers ?? 0) > 1;
		chooses ||= (k.anyOf ?? k.oneOf ?? k.not ?? k.if ?? k.contains) !== undefined;
		// Two schemas at the location itself, or one there and one below: what both lead to can be met twice.
		const below = k.properties ?? k.additionalProperties ?? k.prefixItems ?? k.items;
		forks ||= chooses || (k.allOf ?? k.dependentSchemas ?? (k.$ref && below)) !== undefined;
		for (const child of childrenOf(node)) {
			occurrences.set(child, Math.min(MANY, (occurrences.get(child) ?? 0) + times));
			depths.set(child, Math.max(depths.get(child) ?? 0, depth + 1));
		}
	}
	const repeats = shares && forks;
	return { perNode: Math.max(...byKind) + perChild, perUnit, reach, repeats, plain: !repeats && !chooses };
}

/** What a pair charges at most, but for what its value's members, items and units add. */
function mostOf(k: Keywords, kind: Kind): number {
	let units = chargeOf(k, kind);
	if (k.if !== undefined) units++;
	if (kind === OBJECT) for (const names of k.dependentRequired?.values() ?? []) units += names.length;
	return units;
}

/** Whether an instance is so small that the budget can't be exhausted. */
export function fits({ perNode, perUnit }: Bound, instance: JsonValue): boolean {
	const size = { nodes: 1, units: 0, most: Math.floor(SCHEMA_LIMITS.work / perNode) };
	return measure(instance, size, 0) && perNode * size.nodes + perUnit * size.units <= SCHEMA_LIMITS.work;
}

interface Size {
	nodes: number;
	units: number;
	readonly most: number;
}

/**
 * Adds up what is below a value; false as soon as it has too many nodes, or is deeper than JSON/1 allows: that was never admitted
 * (it may even contain itself) and goes to the metered evaluator. `for in` may count inherited members too: still a bound.
 */
function measure(value: JsonValue, size: Size, depth: number): boolean {
	if (typeof value === "string") size.units += value.length;
	if (typeof value !== "object" || value === null) return true;
	if (depth === JSON_LIMITS.depth) return false;
	if (Array.isArray(value)) {
		size.nodes += value.length;
		if (size.nodes > size.most) return false;
		for (let i = 0; i < value.length; i++) {
			const item: JsonValue = value[i];
			if (typeof item === "string") size.units += item.length;
			else if (typeof item === "object" && !measure(item, size, depth + 1)) return false;
		}
		return true;
	}
	const object = value as JsonObject;
	for (const name in object) {
		if (++size.nodes > size.most) return false;
		const member = object[name]!;
		if (typeof member === "string") size.units += member.length;
		else if (typeof member === "object" && !measure(member, size, depth + 1)) return false;
	}
	return true;
}
