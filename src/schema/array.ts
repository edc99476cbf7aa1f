/** Array keywords: `prefixItems`, `items`, `contains` and the item counts. */

import type { JsonValue } from "../json/index.ts";
import type { Test } from "./combine.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import type { Keywords, SchemaNode } from "./node.ts";
import type { Below } from "./tests.ts";

/** What an array must be; undefined when nothing is said of arrays. */
export function arrayTest(k: Keywords, below: Below): Test | undefined {
	const listed = k.prefixItems ?? [];
	const prefix = listed.map(below);
	const rest = k.items && below(k.items);
	const located = [...listed, ...(k.items === undefined ? [] : [k.items])].some(below.located);
	const { minItems: min = 0, maxItems: max = Number.POSITIVE_INFINITY } = k;
	const contains = k.contains && containsTest(k.contains, k.minContains ?? 1, k.maxContains, below);
	if (min === 0 && k.maxItems === undefined && prefix.length === 0 && rest === undefined) return contains;
	return (value, meter, at) => {
		const items = value as readonly JsonValue[];
		const { length } = items;
		let valid = length >= min && length <= max;
		if (!valid && !meter.full) return false;
		const end = rest === undefined ? Math.min(prefix.length, length) : length;
		for (let i = 0; i < end; i++) {
			if (meter.work > SCHEMA_LIMITS.work) return false;
			const test = i < prefix.length ? prefix[i]! : rest!;
			if (test(items[i]!, meter, located ? at?.child(i) : undefined)) continue;
			if (!meter.full) return false;
			valid = false;
		}
		return (contains === undefined || contains(value, meter, at)) && valid;
	};
}

/** Every item is charged and, with a meter, evaluated, also when `minContains` is 0 (W5). */
function containsTest(node: SchemaNode, min: number, max: number | undefined, below: Below): Test {
	const test = below(node);
	const located = below.located(node);
	return (value, meter, at) => {
		const items = value as readonly JsonValue[];
		meter.work += items.length;
		let matched = 0;
		for (let i = 0; i < items.length && meter.work <= SCHEMA_LIMITS.work; i++) {
			if (!test(items[i]!, meter, located ? at?.child(i) : undefined)) continue;
			matched++;
			if (!meter.full && (max === undefined ? matched >= min : matched > max)) break;
		}
		return matched >= min && (max === undefined || matched <= max);
	};
}
