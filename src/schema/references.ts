/** References: every `$ref` names a definition, and no definition leads back to itself (Schema/1 section 3). */

import { SchemaError } from "./error.ts";
import type { SchemaNode } from "./node.ts";
import { pointerOf } from "./place.ts";

/** A `$ref` and the definition it names. */
export interface Reference {
	readonly from: SchemaNode;
	readonly name: string;
}

/** A definition: its schema, and the half-open range of the ids of all schemas in it. */
export interface Definition {
	readonly root: SchemaNode;
	readonly end: number;
}

function refuse(from: SchemaNode, message: string): never {
	throw new SchemaError("SCHEMA_REFERENCE_INVALID", message, {
		schemaPointer: pointerOf(from.place, "$ref"),
		keyword: "$ref",
	});
}

/** Binds each reference to its target. Throws `SCHEMA_REFERENCE_INVALID` for a missing one. */
export function bindReferences(references: readonly Reference[], definitions: ReadonlyMap<string, Definition>): void {
	for (const { from, name } of references) {
		const target = definitions.get(name);
		if (target === undefined) refuse(from, `"$ref" names "${name}", which "$defs" doesn't define`);
		from.keywords.$ref = target.root;
	}
}

/**
 * The definitions in an order where each stands before those it refers to, from anywhere inside it. Throws
 * `SCHEMA_REFERENCE_INVALID` at the `$ref` that closes a cycle (S7). Keeps its own stack: a chain may be 4,095 long.
 */
export function orderDefinitions(
	references: readonly Reference[],
	definitions: ReadonlyMap<string, Definition>,
): Definition[] {
	const all = [...definitions.values()].sort((a, b) => a.root.id - b.root.id);
	const outgoing = new Map<Definition, Reference[]>(all.map((definition) => [definition, []]));
	// References come in the order of ids and definitions hold contiguous ids, so one merge sorts them.
	let i = 0;
	for (const reference of [...references].sort((a, b) => a.from.id - b.from.id)) {
		while (i < all.length && all[i]!.end <= reference.from.id) i++;
		const definition = all[i];
		if (definition !== undefined && definition.root.id <= reference.from.id) outgoing.get(definition)!.push(reference);
	}
	const finished: Definition[] = [];
	const state = new Map<Definition, "open" | "done">();
	for (const start of all) {
		if (state.has(start)) continue;
		state.set(start, "open");
		const stack = [{ definition: start, next: 0 }];
		for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
			const reference = outgoing.get(top.definition)![top.next++];
			if (reference === undefined) {
				state.set(top.definition, "done");
				finished.push(top.definition);
				stack.pop();
				continue;
			}
			const target = definitions.get(reference.name)!;
			const seen = state.get(target);
			if (seen === "open")
				refuse(reference.from, `"$ref" to "${reference.name}" closes a cycle; recursion isn't supported`);
			if (seen === "done") continue;
			state.set(target, "open");
			stack.push({ definition: target, next: 0 });
		}
	}
	return finished.reverse();
}
