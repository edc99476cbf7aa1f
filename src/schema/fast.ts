/**
 * The evaluator without a meter: closures that answer yes or no and stop as soon as they know. Only for instances of which
 * `bound.ts` has proved that they can't exhaust the budget, and schemas whose chains are too short to fill the stack.
 */

import { isJsonObject, type JsonValue } from "../json/index.ts";
import { scalarLength } from "../text.ts";
import { always, both, conjunction, never, type Test } from "./combine.ts";
import { TYPE_BITS, typeMask } from "./kinds.ts";
import type { Keywords, SchemaGraph, SchemaNode } from "./node.ts";
import { objectTest } from "./object.ts";
import { alternatives } from "./unions.ts";

/** The tests of a graph, by node id. */
export function testGraph(graph: SchemaGraph): readonly Test[] {
	const tests: Test[] = new Array(graph.nodes.length);
	// Backwards, so that children and targets are ready before those who call them.
	for (let i = graph.order.length - 1; i >= 0; i--) {
		const node = graph.order[i]!;
		tests[node.id] = testOf(node, (child) => tests[child.id]!);
	}
	return tests;
}

/** The test of one schema, from the tests of those it evaluates. */
function testOf(node: SchemaNode, of: (child: SchemaNode) => Test): Test {
	if (node.truth !== undefined) return node.truth ? always : never;
	const k = node.keywords;
	const mask = k.type === undefined ? ALL : typeMask(k.type);
	const anywhere = [...scalarTests(k), ...inPlaceTests(k, of)];
	return both(byType(mask, k, of), conjunction(anywhere));
}

const ALL = 127;
const { array: ARRAY, object: OBJECT, string: STRING, number: NUMBER, integer: INTEGER } = TYPE_BITS;

/** What the type allows, and what the keywords of that type say. */
function byType(mask: number, k: Keywords, of: (child: SchemaNode) => Test): Test {
	const object = objectTest(k, of);
	const array = arrayTest(k, of);
	const string = stringTest(k);
	const number = numberTest(k);
	if (mask === ALL && object === always && array === always && string === always && number === always) return always;
	switch (mask) {
		case OBJECT:
			return (value) => typeof value === "object" && value !== null && !Array.isArray(value) && object(value);
		case ARRAY:
			return (value) => Array.isArray(value) && array(value);
		case STRING:
			return string === always ? isString : (value) => typeof value === "string" && string(value);
		case NUMBER:
		case NUMBER | INTEGER:
			return number === always ? isNumber : (value) => typeof value === "number" && number(value);
		case INTEGER:
			return number === always ? Number.isInteger : (value) => Number.isInteger(value) && number(value);
		case TYPE_BITS.boolean:
			return (value) => typeof value === "boolean";
		case TYPE_BITS.null:
			return (value) => value === null;
	}
	const forNumber = mask & NUMBER ? number : mask & INTEGER ? both(Number.isInteger, number) : never;
	const forString = mask & STRING ? string : never;
	const forArray = mask & ARRAY ? array : never;
	const forObject = mask & OBJECT ? object : never;
	const forBoolean = (mask & TYPE_BITS.boolean) !== 0;
	const forNull = (mask & TYPE_BITS.null) !== 0;
	return (value) => {
		switch (typeof value) {
			case "string":
				return forString(value);
			case "number":
				return forNumber(value);
			case "boolean":
				return forBoolean;
			default:
				return value === null ? forNull : Array.isArray(value) ? forArray(value) : forObject(value);
		}
	};
}

const isString: Test = (value) => typeof value === "string";
const isNumber: Test = (value) => typeof value === "number";

function scalarTests(k: Keywords): Test[] {
	const tests: Test[] = [];
	if (k.const !== undefined) {
		const constant = k.const;
		tests.push((value) => value === constant);
	}
	if (k.enum !== undefined) {
		const members = new Set<JsonValue>(k.enum);
		tests.push((value) => members.has(value));
	}
	return tests;
}

function inPlaceTests(k: Keywords, of: (child: SchemaNode) => Test): Test[] {
	const tests: Test[] = [];
	if (k.$ref !== undefined) tests.push(of(k.$ref));
	for (const child of k.allOf ?? []) tests.push(of(child));
	if (k.anyOf !== undefined) tests.push(alternatives(k.anyOf, of, true));
	if (k.oneOf !== undefined) tests.push(alternatives(k.oneOf, of, false));
	if (k.not !== undefined) {
		const test = of(k.not);
		tests.push((value) => !test(value));
	}
	if (k.if !== undefined && (k.then !== undefined || k.else !== undefined)) {
		const condition = of(k.if);
		const whenTrue = k.then === undefined ? always : of(k.then);
		const whenFalse = k.else === undefined ? always : of(k.else);
		tests.push((value) => (condition(value) ? whenTrue(value) : whenFalse(value)));
	}
	if (k.dependentSchemas !== undefined) {
		for (const [trigger, child] of k.dependentSchemas) {
			const test = of(child);
			tests.push((value) => !isJsonObject(value) || !Object.hasOwn(value, trigger) || test(value));
		}
	}
	return tests;
}

function arrayTest(k: Keywords, of: (child: SchemaNode) => Test): Test {
	const min = k.minItems ?? 0;
	const max = k.maxItems ?? Number.POSITIVE_INFINITY;
	const prefix = (k.prefixItems ?? []).map(of);
	const rest = k.items === undefined ? always : of(k.items);
	const contains = k.contains === undefined ? always : containsTest(of(k.contains), k.minContains ?? 1, k.maxContains);
	if (min === 0 && k.maxItems === undefined && prefix.length === 0 && rest === always) return contains;
	return (value) => {
		const items = value as readonly JsonValue[];
		const length = items.length;
		if (length < min || length > max) return false;
		const listed = Math.min(prefix.length, length);
		for (let i = 0; i < listed; i++) if (!prefix[i]!(items[i]!)) return false;
		if (rest !== always) for (let i = listed; i < length; i++) if (!rest(items[i]!)) return false;
		return contains(value);
	};
}

function containsTest(test: Test, min: number, max: number | undefined): Test {
	return (value) => {
		let matched = 0;
		for (const item of value as readonly JsonValue[]) {
			if (!test(item)) continue;
			matched++;
			if (max === undefined ? matched >= min : matched > max) break;
		}
		return matched >= min && (max === undefined || matched <= max);
	};
}

/** A string has between half as many and as many scalars as UTF-16 units: often that settles it without counting. */
function stringTest({ minLength, maxLength }: Keywords): Test {
	if (minLength === undefined && maxLength === undefined) return always;
	const min = minLength ?? 0;
	const max = maxLength ?? Number.POSITIVE_INFINITY;
	return (value) => {
		const units = (value as string).length;
		if (units < min || units > 2 * max) return false;
		if (units <= max && units >= 2 * min) return true;
		const length = scalarLength(value as string);
		return length >= min && length <= max;
	};
}

function numberTest(k: Keywords): Test {
	const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = k;
	const tests: Test[] = [];
	if (minimum !== undefined) tests.push((value) => (value as number) >= minimum);
	if (exclusiveMinimum !== undefined) tests.push((value) => (value as number) > exclusiveMinimum);
	if (maximum !== undefined) tests.push((value) => (value as number) <= maximum);
	if (exclusiveMaximum !== undefined) tests.push((value) => (value as number) < exclusiveMaximum);
	return conjunction(tests);
}
