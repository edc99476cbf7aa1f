/**
 * The evaluator: closures that answer yes or no and add up what they charge (Schema/1 section 4). A verdict alone stops at the first
 * failure; with `full`, everything is evaluated. They call one another: only for schemas whose chains can't fill the stack.
 */

import type { JsonValue } from "../json/index.ts";
import { scalarLength } from "../text.ts";
import { arrayTest } from "./array.ts";
import { chargeOf } from "./charges.ts";
import { conjunction, type Test } from "./combine.ts";
import { ARRAY, KIND_BITS, KINDS, type Kind, kindOf, NUMBER, OBJECT, STRING, TYPE_BITS, typeMask } from "./kinds.ts";
import { childrenOf, type Keywords, type SchemaGraph, type SchemaNode } from "./node.ts";
import { objectTest } from "./object.ts";
import { alternatives } from "./unions.ts";

/** What is known of the schemas below one that is made into a test. */
export interface Below {
	(child: SchemaNode): Test;
	/** Whether a schema or one below it remembers verdicts, so that it must be told where it is. */
	located(child: SchemaNode): boolean;
}

/** The tests of a graph, by node id. */
export function testGraph(graph: SchemaGraph): readonly Test[] {
	const tests: Test[] = new Array(graph.nodes.length);
	const located = new Uint8Array(graph.nodes.length);
	const below: Below = Object.assign((child: SchemaNode) => tests[child.id]!, {
		located: (child: SchemaNode) => located[child.id] !== 0,
	});
	// Backwards, so that children and targets are ready before those who call them.
	for (let i = graph.order.length - 1; i >= 0; i--) {
		const node = graph.order[i]!;
		const test = testOf(node, below);
		// Met twice at one location can only be what more than one reference leads to (W2, W12).
		const shared = (graph.definitions.get(node)?.referrers ?? 0) > 1;
		tests[node.id] = shared ? memoized(node, test) : test;
		if (shared || [...childrenOf(node)].some(below.located)) located[node.id] = 1;
	}
	return tests;
}

function memoized(node: SchemaNode, test: Test): Test {
	return (value, meter, at) => {
		if (at === undefined) return test(value, meter, at);
		const known = at.verdictOf(node);
		if (known !== undefined) return known;
		const valid = test(value, meter, at);
		at.remember(node, valid);
		return valid;
	};
}

/** The test of one schema, from the tests of those it evaluates. */
function testOf(node: SchemaNode, below: Below): Test {
	const { keywords: k, truth } = node;
	const mask = truth === false ? 0 : k.type === undefined ? -1 : typeMask(k.type);
	const charge: number[] = [];
	const allowed: boolean[] = [];
	const own: (Test | undefined)[] = [];
	for (let kind = 0; kind < KINDS; kind++) {
		charge.push(chargeOf(k, kind as Kind));
		allowed.push((mask & KIND_BITS[kind as Kind]) !== 0);
		own.push(undefined);
	}
	const integral = (mask & TYPE_BITS.integer) !== 0 && !allowed[NUMBER];
	if (integral) allowed[NUMBER] = true;
	own[NUMBER] = numberTest(k, integral);
	own[STRING] = stringTest(k);
	own[ARRAY] = arrayTest(k, below);
	own[OBJECT] = objectTest(k, below);
	const anywhere = conjunction([...scalarTests(k), ...inPlaceTests(k, below)]);

	const only = allowed.indexOf(true);
	const base = charge[only === 0 ? 1 : 0]!;
	const alike = (kind: number): boolean => kind === only || (own[kind] === undefined && charge[kind] === base);
	if (anywhere === undefined && allowed.lastIndexOf(true) === only && charge.every((_, kind) => alike(kind)))
		return singleKind(only as Kind, only === NUMBER ? numberTest(k, false) : own[only], charge[only]!, base, integral);
	const units = charge[0]!;
	const all = !allowed.includes(false);
	if (charge.every((each) => each === units) && own.every((test) => test === undefined))
		return (value, meter, at) => {
			meter.work += units;
			const valid = all || allowed[kindOf(value)]!;
			if (!valid && !meter.full) return false;
			return (anywhere === undefined || anywhere(value, meter, at)) && valid;
		};
	return (value, meter, at) => {
		const kind = kindOf(value);
		meter.work += charge[kind]!;
		let valid = allowed[kind]!;
		if (!valid && !meter.full) return false;
		const test = own[kind];
		if (test !== undefined && !test(value, meter, at)) {
			if (!meter.full) return false;
			valid = false;
		}
		return (anywhere === undefined || anywhere(value, meter, at)) && valid;
	};
}

/** A schema that says nothing of kinds other than the one that it allows: what most are. The kind is tested once. */
function singleKind(kind: Kind, test: Test | undefined, units: number, base: number, integral: boolean): Test {
	switch (kind) {
		case STRING:
			return (value, meter, at) => {
				const fits = typeof value === "string";
				meter.work += fits ? units : base;
				return fits && (test === undefined || test(value, meter, at));
			};
		case NUMBER:
			return (value, meter, at) => {
				const fits = typeof value === "number";
				meter.work += fits ? units : base;
				return fits && (!integral || Number.isInteger(value)) && (test === undefined || test(value, meter, at));
			};
		case ARRAY:
			return (value, meter, at) => {
				const fits = Array.isArray(value);
				meter.work += fits ? units : base;
				return fits && (test === undefined || test(value, meter, at));
			};
		default:
			return (value, meter, at) => {
				const fits = kindOf(value) === kind;
				meter.work += fits ? units : base;
				return fits && (test === undefined || test(value, meter, at));
			};
	}
}

function scalarTests(k: Keywords): Test[] {
	const tests: Test[] = [];
	if (k.const !== undefined) {
		const constant = k.const;
		// `===` is JSON/1 equality on scalars: -0 equals 0.
		tests.push((value) => value === constant);
	}
	if (k.enum !== undefined) {
		const members = new Set<JsonValue>(k.enum);
		tests.push((value) => members.has(value));
	}
	return tests;
}

function inPlaceTests(k: Keywords, below: Below): Test[] {
	const tests: Test[] = [];
	if (k.$ref !== undefined) tests.push(below(k.$ref));
	if (k.allOf !== undefined) tests.push(allOf(k.allOf, below));
	if (k.anyOf !== undefined) tests.push(alternatives(k.anyOf, below, true));
	if (k.oneOf !== undefined) tests.push(alternatives(k.oneOf, below, false));
	if (k.not !== undefined) {
		const test = below(k.not);
		tests.push((value, meter, at) => !test(value, meter, at));
	}
	if (k.if !== undefined) {
		const condition = below(k.if);
		const whenTrue = k.then && below(k.then);
		const whenFalse = k.else && below(k.else);
		tests.push((value, meter, at) => {
			const branch = condition(value, meter, at) ? whenTrue : whenFalse;
			if (branch === undefined) return true;
			meter.work++;
			return branch(value, meter, at);
		});
	}
	return tests;
}

/** Branches that only refer to the same definition give one verdict: without a meter, one of them is asked. */
function allOf(branches: readonly SchemaNode[], below: Below): Test {
	const all = conjunction(branches.map(below))!;
	const distinct = new Map(branches.map((branch) => [targetOf(branch), branch]));
	if (distinct.size === branches.length) return all;
	const some = conjunction([...distinct.values()].map(below))!;
	return (value, meter, at) => (meter.full ? all : some)(value, meter, at);
}

function targetOf(node: SchemaNode): SchemaNode {
	return node.keywords.$ref !== undefined && Object.keys(node.keywords).length === 1 ? node.keywords.$ref : node;
}

/** A string has between half as many and as many scalars as UTF-16 units: often that settles it without counting. */
function stringTest({ minLength, maxLength }: Keywords): Test | undefined {
	if (minLength === undefined && maxLength === undefined) return undefined;
	const min = minLength ?? 0;
	const max = maxLength ?? Number.POSITIVE_INFINITY;
	return (value, meter) => {
		let length = (value as string).length;
		if (!meter.full && (length < min || length > 2 * max)) return false;
		if (meter.full || length > max || length < 2 * min) length = scalarLength(value as string);
		meter.work += length;
		return length >= min && length <= max;
	};
}

function numberTest(k: Keywords, integral: boolean): Test | undefined {
	const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = k;
	const tests: Test[] = [];
	if (integral) tests.push((value) => Number.isInteger(value));
	if (minimum !== undefined) tests.push((value) => (value as number) >= minimum);
	if (exclusiveMinimum !== undefined) tests.push((value) => (value as number) > exclusiveMinimum);
	if (maximum !== undefined) tests.push((value) => (value as number) <= maximum);
	if (exclusiveMaximum !== undefined) tests.push((value) => (value as number) < exclusiveMaximum);
	return conjunction(tests);
}
