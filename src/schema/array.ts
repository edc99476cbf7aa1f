/** Array keywords: `prefixItems`, `items`, `contains` and the item counts. */

import type { JsonValue } from "../json/index.ts";
import { conjunction, type Test } from "./combine.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import type { Keywords, SchemaNode } from "./node.ts";
import type { Below } from "./tests.ts";

/** What an array must be; undefined when nothing is said of arrays. */
export function arrayTest(k: Keywords, below: Below): Test | undefined {
	const tests: Test[] = [];
	const { minItems: min = 0, maxItems: max = Number.POSITIVE_INFINITY } = k;
	if (min > 0 || k.maxItems !== undefined)
		tests.push((value) => {
			const { length } = value as readonly JsonValue[];
			return length >= min && length <= max;
		});
	if (k.prefixItems !== undefined || k.items !== undefined) tests.push(itemsTest(k.prefixItems ?? [], k.items, below));
	if (k.contains !== undefined) tests.push(containsTest(k.contains, k.minContains ?? 1, k.maxContains, below));
	return conjunction(tests);
}

function itemsTest(listed: readonly SchemaNode[], others: SchemaNode | undefined, below: Below): Test {
	const prefix = listed.map(below);
	const rest = others && below(others);
	const located = [...listed, ...(others === undefined ? [] : [others])].some(below.located);
	return (value, meter, at) => {
		const items = value as readonly JsonValue[];
		const end = rest === undefined ? Math.min(prefix.length, items.length) : items.length;
		let valid = true;
		for (let i = 0; i < end; i++) {
			if (meter.work > SCHEMA_LIMITS.work) return false;
			const test = i < prefix.length ? prefix[i]! : rest!;
			if (test(items[i]!, meter, located ? at?.child(i) : undefined)) continue;
			if (!meter.full) return false;
			valid = false;
		}
		return valid;
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
