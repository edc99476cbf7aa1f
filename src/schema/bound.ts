/**
 * A bound on what a schema can charge, from the size of the instance alone. Where it stays within the budget, exhaustion is
 * impossible, so an evaluator that stops at the first failure and meters nothing is conforming (Schema/1 section 4).
 */

import { JSON_LIMITS, type JsonObject, type JsonValue } from "../json/index.ts";
import { fixedCharges, lengthKeyword } from "./charges.ts";
import { KINDS, type Kind, OBJECT } from "./kinds.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { childrenOf, type SchemaGraph, type SchemaNode } from "./node.ts";

/** Work is at most `perNode` times the values of an instance plus `perUnit` times the UTF-16 units of its strings. */
export interface Bound {
	readonly perNode: number;
	readonly perUnit: number;
	/** The longest chain of schemas from the root, over references: how deep an evaluator that calls itself can get. */
	readonly reach: number;
}

/** Where the location walk stops being worth it; beyond, the bound is looser. */
const STEPS = 20_000;

/** How often each schema is evaluated at one location, when nothing is memoized. */
type Group = Map<SchemaNode, number>;

/** The bound of one root. */
export function boundOf(root: SchemaNode, graph: SchemaGraph): Bound {
	const position = new Int32Array(graph.nodes.length);
	graph.order.forEach((node, i) => {
		position[node.id] = i;
	});
	const reachable = reachableFrom(root).sort((a, b) => position[a.id]! - position[b.id]!);
	const reach = longestChain(reachable);
	const costs = new Map(reachable.map((node) => [node, costOf(node)]));
	return { ...(boundByLocation(root, position, costs) ?? boundByOccurrence(root, reachable, costs)), reach };
}

/** Whether an instance is so small that the budget can't be exhausted. */
export function fits(bound: Bound, instance: JsonValue): boolean {
	const size = { nodes: 0, units: 0, most: Math.floor(SCHEMA_LIMITS.work / bound.perNode) };
	return measure(instance, size, 0) && bound.perNode * size.nodes + bound.perUnit * size.units <= SCHEMA_LIMITS.work;
}

interface Size {
	nodes: number;
	units: number;
	readonly most: number;
}

/**
 * Adds up a value; false as soon as it has too many nodes, or is deeper than JSON/1 allows: that was never admitted (it may even
 * contain itself) and goes to the metered evaluator. `for in` may count inherited members too: still a bound.
 */
function measure(value: JsonValue, size: Size, depth: number): boolean {
	if (++size.nodes > size.most) return false;
	if (typeof value === "string") size.units += value.length;
	else if (typeof value === "object" && value !== null) {
		if (depth === JSON_LIMITS.depth) return false;
		if (Array.isArray(value)) {
			for (let i = 0; i < value.length; i++) if (!measure(value[i], size, depth + 1)) return false;
		} else {
			const members = value as JsonObject;
			for (const name in members) if (!measure(members[name]!, size, depth + 1)) return false;
		}
	}
	return true;
}

function reachableFrom(root: SchemaNode): SchemaNode[] {
	const seen = new Set([root]);
	// A set hands out what is added while it is walked.
	for (const node of seen) for (const child of childrenOf(node)) seen.add(child);
	return [...seen];
}

function longestChain(ordered: readonly SchemaNode[]): number {
	const below = new Map<SchemaNode, number>();
	let longest = 0;
	for (let i = ordered.length - 1; i >= 0; i--) {
		let length = 0;
		for (const child of childrenOf(ordered[i]!)) length = Math.max(length, below.get(child)!);
		below.set(ordered[i]!, length + 1);
		longest = length + 1;
	}
	return longest;
}

/** Charges of one schema at one location: the most over the kinds, what each child adds, what each unit adds. */
interface Cost {
	readonly byKind: readonly number[];
	readonly perChild: number;
	readonly perUnit: number;
}

function costOf(node: SchemaNode): Cost {
	const k = node.keywords;
	const byKind: number[] = [];
	for (let kind = 0; kind < KINDS; kind++) {
		let units = 1;
		for (const [, more] of fixedCharges(k, kind as Kind)) units += more;
		if (k.if !== undefined && (k.then !== undefined || k.else !== undefined)) units++;
		if (kind === OBJECT && k.dependentRequired !== undefined)
			for (const names of k.dependentRequired.values()) units += names.length;
		byKind.push(units);
	}
	const perChild = (k.additionalProperties === undefined ? 0 : 1) + (k.contains === undefined ? 0 : 1);
	return { byKind, perChild, perUnit: lengthKeyword(k) === undefined ? 0 : 1 };
}

/** The sum over a group, per location. */
function costOfGroup(
	group: Group,
	costs: ReadonlyMap<SchemaNode, Cost>,
): { own: number; perChild: number; perUnit: number } {
	const byKind = new Array<number>(KINDS).fill(0);
	let perChild = 0;
	let perUnit = 0;
	for (const [node, times] of group) {
		const cost = costs.get(node)!;
		for (let kind = 0; kind < KINDS; kind++) byKind[kind]! += times * cost.byKind[kind]!;
		perChild += times * cost.perChild;
		perUnit += times * cost.perUnit;
	}
	return { own: Math.max(...byKind), perChild, perUnit };
}

/**
 * Walks the groups of schemas that can meet at one location, from the root down. The dearest group bounds what one value
 * charges, and the charges per member and item are put on the children. Undefined when there are too many groups.
 */
function boundByLocation(
	root: SchemaNode,
	position: Int32Array,
	costs: ReadonlyMap<SchemaNode, Cost>,
): Omit<Bound, "reach"> | undefined {
	let own = 0;
	let perChild = 0;
	let perUnit = 0;
	let steps = 0;
	const seen = new Set<string>();
	const waiting: Group[] = [new Map([[root, 1]])];
	for (let seed = waiting.pop(); seed !== undefined; seed = waiting.pop()) {
		const group = inPlace(seed, position);
		steps += group.size;
		const cost = costOfGroup(group, costs);
		own = Math.max(own, cost.own);
		perChild = Math.max(perChild, cost.perChild);
		perUnit = Math.max(perUnit, cost.perUnit);
		for (const child of childGroups(group)) {
			if (child.size === 0) continue;
			steps += child.size;
			if (steps > STEPS) return undefined;
			const key = keyOf(child);
			if (seen.has(key)) continue;
			seen.add(key);
			waiting.push(child);
		}
	}
	return { perNode: own + perChild, perUnit };
}

function keyOf(group: Group): string {
	return [...group]
		.map(([node, times]) => `${node.id}*${times}`)
		.sort()
		.join();
}

/** Large enough for any bound to fail, small enough for sums and products to stay exact in order. */
const MANY = 1e12;

function add(group: Group, node: SchemaNode, times: number): void {
	group.set(node, Math.min(MANY, (group.get(node) ?? 0) + times));
}

/** A group with everything that its schemas evaluate at the same location. */
function inPlace(seed: Group, position: Int32Array): Group {
	const members = new Set(seed.keys());
	for (const node of members) for (const child of sameLocation(node)) members.add(child);
	const group: Group = new Map(seed);
	for (const node of [...members].sort((a, b) => position[a.id]! - position[b.id]!)) {
		const times = group.get(node)!;
		for (const child of sameLocation(node)) add(group, child, times);
	}
	return group;
}

function* sameLocation(node: SchemaNode): Generator<SchemaNode> {
	const k = node.keywords;
	if (k.$ref !== undefined) yield k.$ref;
	for (const branches of [k.allOf, k.anyOf, k.oneOf]) if (branches !== undefined) yield* branches;
	if (k.not !== undefined) yield k.not;
	if (k.if !== undefined) for (const child of [k.if, k.then, k.else]) if (child !== undefined) yield child;
	if (k.dependentSchemas !== undefined) yield* k.dependentSchemas.values();
}

/** The groups at the children of a location: one per declared name, one per prefix position, one each for all others. */
function* childGroups(group: Group): Generator<Group> {
	const names = new Map<string, Group>();
	const positions: Group[] = [];
	const open: Group = new Map();
	const rest: Group = new Map();
	for (const [node, times] of group) {
		const k = node.keywords;
		if (k.additionalProperties !== undefined) add(open, node, times);
		if (k.items !== undefined || k.contains !== undefined) add(rest, node, times);
		for (const [name, child] of k.properties ?? []) {
			const at = names.get(name) ?? new Map<SchemaNode, number>();
			add(at, child, times);
			names.set(name, at);
		}
		for (const [i, child] of (k.prefixItems ?? []).entries()) {
			positions[i] ??= new Map();
			add(positions[i], child, times);
		}
	}
	const others: Group = new Map();
	for (const [node, times] of open) add(others, node.keywords.additionalProperties!, times);
	yield others;
	for (const [name, at] of names) {
		for (const [node, times] of open)
			if (node.keywords.properties?.has(name) !== true) add(at, node.keywords.additionalProperties!, times);
		yield at;
	}
	for (const i of [...positions.keys(), positions.length]) {
		const at: Group = positions[i] ?? new Map();
		for (const [{ keywords: k }, times] of rest) {
			if (k.items !== undefined && i >= (k.prefixItems?.length ?? 0)) add(at, k.items, times);
			if (k.contains !== undefined) add(at, k.contains, times);
		}
		yield at;
	}
}

/** Every way to a schema is an occurrence; each is evaluated at most once per value. */
function boundByOccurrence(
	root: SchemaNode,
	ordered: readonly SchemaNode[],
	costs: ReadonlyMap<SchemaNode, Cost>,
): Omit<Bound, "reach"> {
	const occurrences: Group = new Map([[root, 1]]);
	for (const node of ordered) {
		const times = occurrences.get(node)!;
		for (const child of childrenOf(node)) add(occurrences, child, times);
	}
	const { own, perChild, perUnit } = costOfGroup(occurrences, costs);
	return { perNode: own + perChild, perUnit };
}
