/**
 * `anyOf` and `oneOf`. The meter wants every branch evaluated. For a verdict alone: where branches fix one member to certain
 * scalars, the instance's own member tells at once which branches can match at all; the others needn't be tried.
 */

import { isJsonObject, type JsonValue } from "../json/index.ts";
import type { Test } from "./combine.ts";
import type { Scalar, SchemaNode } from "./node.ts";

/** Unions with more fixed values are tried branch by branch, and those whose index would list more branches: it could outgrow the schema. */
const VALUES = 1_024;
const LISTED = 4_096;
/** How many declared names of a branch may turn out to be the one that tells the branches apart. */
const NAMES = 32;

/** Which branches can match an object, by the value of the one member that tells them apart; indices in order. */
export interface BranchesByValue {
	readonly name: string;
	/** By each value that some branch fixes the member to. */
	readonly byValue: ReadonlyMap<JsonValue, readonly number[]>;
	/** With any other value. */
	readonly open: readonly number[];
}

/** Sorts the branches of a union by what they fix; undefined where no member tells enough of them apart. */
export function branchesByValue(branches: readonly SchemaNode[]): BranchesByValue | undefined {
	const name = discriminatorOf(branches);
	if (name === undefined) return undefined;
	const open: number[] = [];
	const byValue = new Map<JsonValue, number[]>();
	for (const [i, branch] of branches.entries()) {
		const values = fixedValues(branch, name);
		if (values === undefined) {
			open.push(i);
			for (const listed of byValue.values()) listed.push(i);
		} else
			for (const value of new Set(values)) {
				const listed = byValue.get(value);
				if (listed === undefined) byValue.set(value, [...open, i]);
				else listed.push(i);
			}
		if (open.length * byValue.size > LISTED) return undefined;
	}
	return { name, byValue, open };
}

/** Any branch, or exactly one. */
export function alternatives(branches: readonly SchemaNode[], of: (child: SchemaNode) => Test, any: boolean): Test {
	const tests = branches.map(of);
	const all = judgeOf(tests, any);
	const sorted = branchesByValue(branches);
	if (sorted === undefined) return all;
	const { name, byValue, open } = sorted;
	const judgeListed = (listed: readonly number[]): Test =>
		judgeOf(
			listed.map((i) => tests[i]!),
			any,
		);
	const others = judgeListed(open);
	const judges = new Map(Array.from(byValue, ([value, listed]) => [value, judgeListed(listed)]));
	return (value, meter, at) => {
		// An array may own a "length", which no keyword looks at.
		if (meter.full || !isJsonObject(value) || !Object.hasOwn(value, name)) return all(value, meter, at);
		return (judges.get(value[name]!) ?? others)(value, meter, at);
	};
}

function judgeOf(tests: readonly Test[], any: boolean): Test {
	if (tests.length === 1) return tests[0]!;
	return (value, meter, at) => {
		let matched = 0;
		for (let i = 0; i < tests.length; i++)
			if (tests[i]!(value, meter, at) && ++matched > (any ? 0 : 1) && !meter.full) return any;
		return any ? matched > 0 : matched === 1;
	};
}

/** The member name that the most branches fix, if at least two do. */
function discriminatorOf(branches: readonly SchemaNode[]): string | undefined {
	const names = new Map<string, { branches: number; values: number }>();
	for (const branch of branches)
		for (const name of declaredBy(branch)) {
			const values = fixedValues(branch, name);
			if (values === undefined) continue;
			const sum = names.get(name) ?? { branches: 0, values: 0 };
			names.set(name, { branches: sum.branches + 1, values: sum.values + values.length });
		}
	let best: string | undefined;
	let most = 1;
	for (const [name, sum] of names)
		if (sum.branches > most && sum.values <= VALUES) {
			best = name;
			most = sum.branches;
		}
	return best;
}

/** A schema and those that its `$ref`s lead to: all of them must accept. */
function* chainOf(node: SchemaNode): Generator<SchemaNode> {
	// A few hops are what people write; a chain of thousands would make this quadratic.
	let at: SchemaNode | undefined = node;
	for (let hops = 0; at !== undefined && hops < 8; hops++) {
		yield at;
		at = at.keywords.$ref;
	}
}

function declaredBy(branch: SchemaNode): Set<string> {
	const names = new Set<string>();
	for (const { keywords } of chainOf(branch))
		for (const name of keywords.properties?.keys() ?? []) {
			if (names.size === NAMES) return names;
			names.add(name);
		}
	return names;
}

/** The scalars to which a branch fixes a member of an object that has it; undefined when it doesn't. */
function fixedValues(branch: SchemaNode, name: string): readonly Scalar[] | undefined {
	for (const { keywords } of chainOf(branch)) {
		const member = keywords.properties?.get(name);
		if (member === undefined) continue;
		for (const { keywords: k } of chainOf(member)) {
			if (k.const !== undefined) return [k.const];
			if (k.enum !== undefined) return k.enum;
		}
	}
	return undefined;
}
