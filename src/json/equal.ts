/** JSON/1 equality. */

import type { JsonValue } from "./value.ts";

/**
 * Whether two admitted values are the same JSON/1 value (JSON/1 "Equality and canonical bytes"): numbers by value with
 * `-0` equal to `0`, arrays in order, objects by own names whatever their order. Iterative; linear in the smaller value.
 */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
	const stack: JsonValue[] = [a, b];
	while (stack.length > 0) {
		const right = stack.pop()!;
		const left = stack.pop()!;
		if (left === right) continue;
		if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
		if (Array.isArray(left)) {
			if (!Array.isArray(right) || left.length !== right.length) return false;
			for (let i = 0; i < left.length; i++) stack.push(left[i]!, right[i]!);
			continue;
		}
		if (Array.isArray(right)) return false;
		const names = Object.keys(left);
		if (Object.keys(right).length !== names.length) return false;
		const leftObject = left as { readonly [name: string]: JsonValue };
		const rightObject = right as { readonly [name: string]: JsonValue };
		for (const name of names) {
			if (!Object.hasOwn(right, name)) return false;
			stack.push(leftObject[name]!, rightObject[name]!);
		}
	}
	return true;
}
