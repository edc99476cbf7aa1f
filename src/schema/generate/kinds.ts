/** Sets of kinds while code is written: what a value can still be, and how to ask for it. */

import { ARRAY, BOOLEAN, KINDS, type Kind, NULL, NUMBER, OBJECT, STRING } from "../kinds.ts";
import type { Keywords, Scalar, SchemaNode, TypeName } from "../node.ts";

/** A kind as a set. */
export const bit = (kind: Kind): number => 1 << kind;
/** Every kind. */
export const ALL: number = (1 << KINDS) - 1;
const CONTAINERS = bit(ARRAY) | bit(OBJECT);

const KIND_OF_TYPE: { readonly [name in TypeName]: Kind } = {
	null: NULL,
	boolean: BOOLEAN,
	integer: NUMBER,
	number: NUMBER,
	string: STRING,
	array: ARRAY,
	object: OBJECT,
};

/** The test for some kinds, given that the value is of one of the kinds `known`. */
export function kindTest(value: string, kinds: number, known: number = ALL): string {
	if ((known & ~kinds) === 0) return "true";
	const tests: string[] = [];
	const isContainer = `typeof ${value} === "object" && ${value} !== null`;
	if (kinds & bit(STRING)) tests.push(`typeof ${value} === "string"`);
	if (kinds & bit(NUMBER)) tests.push(`typeof ${value} === "number"`);
	if (kinds & bit(BOOLEAN)) tests.push(`typeof ${value} === "boolean"`);
	if (kinds & bit(NULL)) tests.push(`${value} === null`);
	if ((kinds & CONTAINERS) === CONTAINERS) tests.push(isContainer);
	else if (kinds & bit(ARRAY)) tests.push(`isArray(${value})`);
	else if (kinds & bit(OBJECT))
		tests.push((known & CONTAINERS) === bit(OBJECT) ? isContainer : `${isContainer} && !isArray(${value})`);
	return tests.length === 1 ? tests[0]! : tests.map((test) => (test.includes("&&") ? `(${test})` : test)).join(" || ");
}

/** The kinds of some types. */
export function kindsOfTypes(types: readonly TypeName[]): number {
	return types.reduce((kinds, name) => kinds | bit(KIND_OF_TYPE[name]), 0);
}

/** Sets of kinds whose test is one comparison or two. */
export const CHEAP: ReadonlySet<number> = new Set(([NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT] as const).map(bit));

/** The kinds that a schema may accept, as far as its own keywords and a few references tell. */
export function kindsWanted(node: SchemaNode): number {
	let kinds = node.truth === false ? 0 : ALL;
	let at: SchemaNode | undefined = node;
	for (let hops = 0; at !== undefined && hops < 8; hops++) {
		const { type, const: constant, enum: values, $ref }: Keywords = at.keywords;
		if (type !== undefined) kinds &= kindsOfTypes(type);
		if (constant !== undefined) kinds &= kindsOf([constant]);
		if (values !== undefined) kinds &= kindsOf(values);
		at = $ref;
	}
	return kinds;
}

/** The kinds of some scalars. */
export function kindsOf(values: readonly Scalar[]): number {
	let kinds = 0;
	for (const value of values)
		kinds |= bit(
			value === null ? NULL : typeof value === "string" ? STRING : typeof value === "number" ? NUMBER : BOOLEAN,
		);
	return kinds;
}
