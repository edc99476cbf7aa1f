/** How large a value can be that a schema accepts: what a valid instance charges at most, without looking at it. */

import type { Keywords, SchemaNode } from "../node.ts";

/** Inclusive maxima of what an accepted value has: scalars of a string, items of an array, members of an object. */
export interface Caps {
	readonly length: number;
	readonly items: number;
	readonly members: number;
}

const { POSITIVE_INFINITY: ANY } = Number;
const NOTHING: Caps = { length: 0, items: 0, members: 0 };

/** The caps of every schema of an ordered graph, by node id. */
export function capsOf(order: readonly SchemaNode[]): readonly Caps[] {
	const caps: Caps[] = [];
	// Backwards, so that children and targets come before those who evaluate them.
	for (let i = order.length - 1; i >= 0; i--) caps[order[i]!.id] = capsOfNode(order[i]!, (child) => caps[child.id]!);
	return caps;
}

function capsOfNode({ truth, keywords: k }: SchemaNode, of: (child: SchemaNode) => Caps): Caps {
	if (truth === false) return NOTHING;
	const all: Caps[] = [ownCaps(k)];
	if (k.$ref !== undefined) all.push(of(k.$ref));
	for (const child of k.allOf ?? []) all.push(of(child));
	for (const branches of [k.anyOf, k.oneOf]) if (branches !== undefined) all.push(largest(branches.map(of)));
	return smallest(all);
}

function ownCaps(k: Keywords): Caps {
	const scalars = k.const === undefined ? k.enum : [k.const];
	if (scalars !== undefined)
		return {
			...NOTHING,
			length: scalars.reduce<number>((most, each) => Math.max(most, typeof each === "string" ? each.length : 0), 0),
		};
	const allows = (name: "string" | "array" | "object"): boolean => k.type === undefined || k.type.includes(name);
	const closed = k.additionalProperties?.truth === false ? (k.properties?.size ?? 0) : ANY;
	const ended = k.items?.truth === false ? (k.prefixItems?.length ?? 0) : ANY;
	return {
		length: allows("string") ? (k.maxLength ?? ANY) : 0,
		items: allows("array") ? Math.min(k.maxItems ?? ANY, ended) : 0,
		members: allows("object") ? Math.min(k.maxProperties ?? ANY, closed) : 0,
	};
}

/** What holds where all of them hold. */
export function smallest(all: readonly Caps[]): Caps {
	return pick(all, Math.min, ANY);
}

/** What holds where one of them holds. */
export function largest(all: readonly Caps[]): Caps {
	return pick(all, Math.max, 0);
}

function pick(all: readonly Caps[], best: (a: number, b: number) => number, start: number): Caps {
	let [length, items, members] = [start, start, start];
	for (const each of all) {
		length = best(length, each.length);
		items = best(items, each.items);
		members = best(members, each.members);
	}
	return { length, items, members };
}
