/** Object keywords, fused into one loop over the members that are there. */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { conjunction, type Meter, type Test } from "./combine.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import type { Keywords } from "./node.ts";
import type { Below } from "./tests.ts";

/** What is known of a member name. */
interface Member {
	readonly name: string;
	readonly test: Test | undefined;
	readonly located: boolean;
	/** 1 when the name is required. */
	readonly required: number;
	/** The member that usually comes next: objects mostly list their members in the schema's order. */
	next: Member | undefined;
}

/** What an object must be; undefined when nothing is said of objects. */
export function objectTest(k: Keywords, below: Below): Test | undefined {
	const tests: Test[] = [];
	if (k.additionalProperties !== undefined) tests.push(closedTest(k, below));
	else if (k.properties !== undefined || k.required !== undefined) tests.push(openTest(k, below));
	const { minProperties: min = 0, maxProperties: max = Number.POSITIVE_INFINITY } = k;
	if (min > 0 || k.maxProperties !== undefined)
		tests.push((value, meter) => {
			const count = countOf(value as JsonObject, meter);
			return count >= min && count <= max;
		});
	for (const [trigger, names] of k.dependentRequired ?? [])
		tests.push((value, meter) => {
			if (!Object.hasOwn(value as object, trigger)) return true;
			meter.work += names.length;
			return names.every((name) => Object.hasOwn(value as object, name));
		});
	for (const [trigger, child] of k.dependentSchemas ?? []) {
		const test = below(child);
		tests.push((value, meter, at) => !Object.hasOwn(value as object, trigger) || test(value, meter, at));
	}
	return conjunction(tests);
}

/**
 * `properties`, `required` and `additionalProperties`: one `for in` answers them all, and reads no member that the object doesn't
 * own. (Callers make sure that nothing enumerable is inherited.) Each member charges one unit, as it is walked.
 */
function closedTest(k: Keywords, below: Below): Test {
	const other = below(k.additionalProperties!);
	const otherLocated = below.located(k.additionalProperties!);
	const members = membersOf(k, below);
	const required = k.required?.length ?? 0;
	const first = members.values().next().value;
	return (value, meter, at) => {
		const object = value as JsonObject;
		let expected = first;
		let found = 0;
		let count = 0;
		let valid = true;
		for (const name in object) {
			if (meter.work > SCHEMA_LIMITS.work) return false;
			count++;
			const member: Member | undefined =
				expected !== undefined && expected.name === name ? expected : members.get(name);
			let test = other;
			let located = otherLocated;
			if (member !== undefined) {
				found += member.required;
				expected = member.next;
				if (member.test !== undefined) {
					test = member.test;
					located = member.located;
				}
			}
			if (test(object[name]!, meter, located ? at?.child(name) : undefined)) continue;
			if (!meter.full) return false;
			valid = false;
		}
		meter.work += count;
		return valid && found === required;
	};
}

/** `properties` and `required` alone: what isn't declared costs nothing, so declared names are looked up. */
function openTest(k: Keywords, below: Below): Test {
	const members = [...membersOf(k, below).values()];
	return (value, meter, at) => {
		const object = value as JsonObject;
		let valid = true;
		for (let i = 0; i < members.length; i++) {
			if (meter.work > SCHEMA_LIMITS.work) return false;
			const { name, test, located, required } = members[i]!;
			if (Object.hasOwn(object, name)) {
				if (test === undefined || test(object[name]!, meter, located ? at?.child(name) : undefined)) continue;
			} else if (required === 0) continue;
			if (!meter.full) return false;
			valid = false;
		}
		return valid;
	};
}

function membersOf(k: Keywords, below: Below): ReadonlyMap<string, Member> {
	const required = new Set(k.required);
	const members = new Map<string, Member>();
	let last: Member | undefined;
	for (const name of new Set([...(k.properties?.keys() ?? []), ...required])) {
		const child = k.properties?.get(name);
		const member: Member = {
			name,
			test: child && below(child),
			located: child !== undefined && below.located(child),
			required: required.has(name) ? 1 : 0,
			next: undefined,
		};
		if (last !== undefined) last.next = member;
		members.set(name, member);
		last = member;
	}
	return members;
}

/** Objects with more members than this have their count remembered for the whole evaluation. */
const LARGE = 64;

function countOf(object: JsonObject, meter: Meter): number {
	const known = meter.counts?.get(object);
	if (known !== undefined) return known;
	const count = Object.keys(object).length;
	if (count > LARGE) {
		meter.counts ??= new Map<JsonValue & object, number>();
		meter.counts.set(object, count);
	}
	return count;
}
