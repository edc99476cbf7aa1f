/** The work table of Schema/1 section 4: what a pair of schema and instance costs, apart from its children. */

import { ARRAY, type Kind, OBJECT } from "./kinds.ts";
import type { Keyword, Keywords } from "./node.ts";
import { RANGES } from "./ranges.ts";

/** Units, by the keyword they are charged to. */
export type Charge = readonly [keyword: Keyword, units: number];

/**
 * The charges that the kind of the instance alone decides. What depends on its content is charged where it is met:
 *
 * - 1 per member for `additionalProperties`, declared members too (W7);
 * - 1 per item for `contains`;
 * - the scalar length, once, when there is a `minLength` or a `maxLength` (W10);
 * - 1 per name that a present trigger of `dependentRequired` requires;
 * - 1 when the branch that `if` selects is present (W6).
 */
export function fixedCharges(k: Keywords, kind: Kind): Charge[] {
	const charges: Charge[] = [];
	const add = (keyword: Keyword, units: number | undefined): void => {
		if (units !== undefined) charges.push([keyword, units]);
	};
	/** 1 when the keyword is there. */
	const one = (keyword: Keyword): void => add(keyword, k[keyword] === undefined ? undefined : 1);

	one("$ref");
	add("type", k.type?.length);
	one("const");
	add("enum", k.enum?.length);
	add("allOf", k.allOf?.length);
	add("anyOf", k.anyOf?.length);
	add("oneOf", k.oneOf?.length);
	one("not");
	one("if");
	for (const range of RANGES) if (range.kind === kind) one(range.keyword);
	if (kind === OBJECT) {
		add("properties", k.properties?.size);
		add("required", k.required?.length);
		add("dependentRequired", k.dependentRequired?.size);
		add("dependentSchemas", k.dependentSchemas?.size);
	} else if (kind === ARRAY) {
		add("prefixItems", k.prefixItems?.length);
		one("items");
		if (k.contains !== undefined) {
			one("minContains");
			one("maxContains");
		}
	}
	return charges;
}

/** The keyword that the string length is charged to: the first of the two bounds that is present. */
export function lengthKeyword(k: Keywords): "minLength" | "maxLength" | undefined {
	return k.minLength !== undefined ? "minLength" : k.maxLength !== undefined ? "maxLength" : undefined;
}

/** What a pair charges by itself, its keywords included, as far as the kind of the instance decides. */
export function chargeOf(k: Keywords, kind: Kind): number {
	let units = 1;
	for (const [, more] of fixedCharges(k, kind)) units += more;
	return units;
}
