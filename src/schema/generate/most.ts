/** The most that a valid instance charges: often so little that nothing need be added up. */

import { fixedCharges } from "../charges.ts";
import { ARRAY, KINDS, type Kind, OBJECT, STRING } from "../kinds.ts";
import type { Keywords, SchemaGraph, SchemaNode } from "../node.ts";
import { type Caps, capsOf, largest, smallest } from "./caps.ts";
import { childrenOfGroup, closeGroup, positionsOf } from "./groups.ts";

const { POSITIVE_INFINITY: ANY } = Number;

/** What is known of a valid value: of each list, at least one schema accepts it. */
export type Known = readonly (readonly SchemaNode[])[];

/** Where looking for a bound stops being worth it. */
const STEPS = 20_000;

export class MostWriter {
	readonly #positions: Int32Array;
	readonly #caps: readonly Caps[];
	readonly #found = new Map<string, number>();
	#steps = 0;

	constructor(graph: SchemaGraph) {
		this.#positions = positionsOf(graph);
		this.#caps = capsOf(graph.order);
	}

	/** An upper bound on the charge of schemas that meet at a value of which something is known; infinite where there is none. */
	of(seed: readonly SchemaNode[], known: Known): number {
		if (seed.length === 0) return 0;
		this.#steps += seed.length + known.length;
		if (this.#steps > STEPS) return ANY;
		const key = `${seed.map(({ id }) => id).join()}/${known.map((list) => list.map(({ id }) => id).join()).join("/")}`;
		const made = this.#found.get(key);
		if (made !== undefined) return made;
		const units = this.#add(seed, known);
		this.#found.set(key, units);
		return units;
	}

	/** What is known of a value at a location, with all that follows from it there. */
	#follow(known: Known): (readonly SchemaNode[])[] {
		const all = [...known];
		const seen = new Set<SchemaNode>();
		for (let i = 0; i < all.length; i++) {
			const [only, ...more] = all[i]!;
			if (only === undefined || more.length > 0 || seen.has(only)) continue;
			seen.add(only);
			const k = only.keywords;
			if (k.$ref !== undefined) all.push([k.$ref]);
			for (const child of k.allOf ?? []) all.push([child]);
			for (const branches of [k.anyOf, k.oneOf]) if (branches !== undefined) all.push(branches);
		}
		this.#steps += all.length;
		return all;
	}

	/** The bounds that follow, for the array or object that a caller counts. */
	capsOf(known: Known): Caps {
		return smallest(this.#follow(known).map((list) => largest(list.map(({ id }) => this.#caps[id]!))));
	}

	/** What is known of the members of a name, or of the items at a position. */
	below(known: Known, at: string | number | undefined): Known {
		const found: SchemaNode[][] = [];
		for (const list of this.#follow(known)) {
			const children = list.map((node) => childAt(node, at));
			if (children.every((child) => child !== undefined)) found.push(children);
		}
		return found;
	}

	#add(seed: readonly SchemaNode[], known: Known): number {
		const group = closeGroup(withConditional(seed), this.#positions);
		this.#steps += group.length;
		const caps = this.capsOf(known);
		const { names, others, positions, rest } = childrenOfGroup(group);
		let most = 0;
		for (let kind = 0; kind < KINDS; kind++) {
			let units = group.length;
			for (const { keywords: k } of group) {
				for (const [, more] of fixedCharges(k, kind as Kind)) units += more;
				if (k.then !== undefined || k.else !== undefined) units++;
				if (kind === OBJECT) {
					if (k.additionalProperties !== undefined) units += caps.members;
					for (const required of k.dependentRequired?.values() ?? []) units += required.length;
				} else if (kind === ARRAY && k.contains !== undefined) units += caps.items;
				else if (kind === STRING && (k.minLength !== undefined || k.maxLength !== undefined)) units += caps.length;
			}
			if (kind === OBJECT && caps.members > 0) {
				for (const [name, child] of names) units += this.of(child, this.below(known, name));
				units += times(caps.members, this.of(others, this.below(known, undefined)));
			} else if (kind === ARRAY && caps.items > 0) {
				positions.forEach((child, i) => {
					units += this.of(child, this.below(known, i));
				});
				units += times(caps.items, this.of(rest, this.below(known, positions.length)));
			}
			most = Math.max(most, units);
		}
		return most;
	}
}

/** A seed with all that its schemas evaluate at the location on a condition. */
function withConditional(seed: readonly SchemaNode[]): Set<SchemaNode> {
	const all = new Set(seed);
	for (const node of all) {
		const k = node.keywords;
		if (k.$ref !== undefined) all.add(k.$ref);
		for (const branches of [k.allOf, k.anyOf, k.oneOf]) for (const child of branches ?? []) all.add(child);
		for (const child of k.dependentSchemas?.values() ?? []) all.add(child);
		if (k.not !== undefined) all.add(k.not);
		if (k.if !== undefined) for (const child of [k.if, k.then, k.else]) if (child !== undefined) all.add(child);
	}
	return all;
}

/** A schema that a valid value's child satisfies, where the schema or one that it refers to speaks of that child. */
function childAt(node: SchemaNode, at: string | number | undefined): SchemaNode | undefined {
	let by: SchemaNode | undefined = node;
	for (let hops = 0; by !== undefined && hops < 8; hops++) {
		const k: Keywords = by.keywords;
		const child: SchemaNode | undefined =
			typeof at === "number"
				? (k.prefixItems?.[at] ?? k.items)
				: ((at === undefined ? undefined : k.properties?.get(at)) ?? k.additionalProperties);
		if (child !== undefined) return child;
		by = k.$ref;
	}
	return undefined;
}

function times(count: number, units: number): number {
	return count === 0 || units === 0 ? 0 : count * units;
}
