/** Object keywords for the evaluator without a meter, fused into one loop over the members that are there. */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { always, type Test } from "./combine.ts";
import type { Keywords, SchemaNode } from "./node.ts";

/** What is known of a member name. */
interface Member {
	readonly name: string;
	readonly test: Test;
	/** 1 when the name is required. */
	readonly required: number;
	/** The member that usually comes next: objects mostly list their members in the schema's order. */
	next: Member | undefined;
}

/**
 * `properties`, `required`, `additionalProperties` and the member counts: one `for in` answers them all, and reads no member that
 * the object doesn't own. (Callers make sure that nothing enumerable is inherited.)
 */
export function objectTest(k: Keywords, of: (child: SchemaNode) => Test): Test {
	const other = k.additionalProperties === undefined ? always : of(k.additionalProperties);
	const members = membersOf(k, of, other);
	const required = k.required?.length ?? 0;
	const min = k.minProperties ?? 0;
	const max = k.maxProperties ?? Number.POSITIVE_INFINITY;
	const dependent = k.dependentRequired === undefined ? always : dependentTest(k.dependentRequired);
	const first = members.values().next().value;
	if (first === undefined && other === always && min === 0 && k.maxProperties === undefined) return dependent;
	return (value) => {
		const object = value as JsonObject;
		let expected = first;
		let found = 0;
		let count = 0;
		for (const name in object) {
			count++;
			const member: Member | undefined =
				expected !== undefined && expected.name === name ? expected : members.get(name);
			if (member === undefined) {
				if (other !== always && !other(object[name]!)) return false;
			} else {
				if (member.test !== always && !member.test(object[name]!)) return false;
				found += member.required;
				expected = member.next;
			}
		}
		return found === required && count >= min && count <= max && dependent(value);
	};
}

function membersOf(k: Keywords, of: (child: SchemaNode) => Test, other: Test): ReadonlyMap<string, Member> {
	const required = new Set(k.required);
	const members = new Map<string, Member>();
	let last: Member | undefined;
	for (const name of new Set([...(k.properties?.keys() ?? []), ...required])) {
		const child = k.properties?.get(name);
		const test = child === undefined ? other : of(child);
		const member: Member = { name, test, required: required.has(name) ? 1 : 0, next: undefined };
		if (last !== undefined) last.next = member;
		members.set(name, member);
		last = member;
	}
	return members;
}

function dependentTest(map: ReadonlyMap<string, readonly string[]>): Test {
	const entries = [...map];
	return (value: JsonValue) => {
		for (const [trigger, names] of entries) {
			if (!Object.hasOwn(value as object, trigger)) continue;
			for (const name of names) if (!Object.hasOwn(value as object, name)) return false;
		}
		return true;
	};
}
