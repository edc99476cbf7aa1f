/** The six kinds of instance that keywords distinguish, and the bits of the seven type names; a kind indexes the tables of a plan. */

import type { JsonObject, JsonValue } from "../json/index.ts";
import type { TypeName } from "./node.ts";

export const NULL = 0;
export const BOOLEAN = 1;
export const NUMBER = 2;
export const STRING = 3;
export const ARRAY = 4;
export const OBJECT = 5;

/** How many kinds there are. */
export const KINDS = 6;

export type Kind = typeof NULL | typeof BOOLEAN | typeof NUMBER | typeof STRING | typeof ARRAY | typeof OBJECT;

/** The types an instance can have, and their bits; a number carries `number`, an integral one `integer` too. */
export const TYPE_BITS: { readonly [name in TypeName]: number } = {
	null: 1,
	boolean: 2,
	integer: 4,
	number: 8,
	string: 16,
	array: 32,
	object: 64,
};

/** The bit of {@link TYPE_BITS} that every value of a kind carries. */
export const KIND_BITS: Readonly<Record<Kind, number>> = {
	[NULL]: TYPE_BITS.null,
	[BOOLEAN]: TYPE_BITS.boolean,
	[NUMBER]: TYPE_BITS.number,
	[STRING]: TYPE_BITS.string,
	[ARRAY]: TYPE_BITS.array,
	[OBJECT]: TYPE_BITS.object,
};

/** The kind of a value. */
export function kindOf(value: JsonValue): Kind {
	switch (typeof value) {
		case "string":
			return STRING;
		case "number":
			return NUMBER;
		case "boolean":
			return BOOLEAN;
		default:
			return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT;
	}
}

/** The type name that messages use. */
export function typeNameOf(value: JsonValue): TypeName {
	const kind = kindOf(value);
	if (kind === NUMBER) return Number.isInteger(value) ? "integer" : "number";
	return (["null", "boolean", "number", "string", "array", "object"] as const)[kind];
}

/** The union of the bits of some type names. */
export function typeMask(names: readonly TypeName[]): number {
	let mask = 0;
	for (const name of names) mask |= TYPE_BITS[name];
	return mask;
}

/** An own member of an object. Only for names the object has. */
export function memberOf(value: JsonValue, name: string): JsonValue {
	return (value as JsonObject)[name]!;
}
