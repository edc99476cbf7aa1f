/**
 * Verdict and charge together, with a memo, for schemas whose groups can't be told without looking at an instance. One function
 * a schema; nothing is short-circuited but the memoized pairs.
 */

import { fixedCharges } from "../charges.ts";
import { ARRAY, BOOLEAN, type Kind, NULL, NUMBER, OBJECT, STRING } from "../kinds.ts";
import { childrenOf, type Keywords, type SchemaGraph, type SchemaNode } from "../node.ts";
import { kindTest } from "./kinds.ts";
import { literal, member, type Names } from "./text.ts";

/**
 * What the functions share: the charge so far, and locations of the instance, which remember the verdicts of shared definitions.
 * Identity of values can't serve: scalars have none, and one object may stand at two places.
 */
export const METERED_RUNTIME = `let spent = 0;
const EXHAUSTED = {};
function spend(units) {
	spent += units;
	if (spent > MOST) throw EXHAUSTED;
}
function at(l, step) {
	l.below ??= new Map();
	let child = l.below.get(step);
	if (child === undefined) l.below.set(step, (child = { below: undefined, known: undefined }));
	return child;
}
function remember(l, id, verdict) {
	l.known ??= new Map();
	l.known.set(id, verdict);
	return verdict;
}`;

/** Declares the functions of a root and all that it leads to, and names the root's. */
export function writeMetered(
	root: SchemaNode,
	graph: SchemaGraph,
	names: Names,
): { declarations: string[]; name: string } {
	const reached = new Set([root]);
	// A set hands out what is added while it is walked.
	for (const node of reached) for (const child of childrenOf(node)) reached.add(child);
	const declarations = [...reached].map((node) =>
		functionOf(node, (graph.definitions.get(node)?.referrers ?? 0) > 1, names),
	);
	return { declarations, name: nameOf(root) };
}

function nameOf(node: SchemaNode): string {
	return `meter${node.id}`;
}

function call(node: SchemaNode, value = "v", location = "l"): string {
	return `${nameOf(node)}(${value}, ${location})`;
}

function functionOf(node: SchemaNode, shared: boolean, names: Names): string {
	const k = node.keywords;
	const lines: string[] = [];
	if (shared) lines.push(`const known = l.known?.get(${node.id});`, "if (known !== undefined) return known;");
	lines.push(`spend(${chargeOf(k, NULL)});`, `let ok = ${node.truth ?? true};`);
	if (k.type !== undefined) lines.push(`if (!(${typeTest(k)})) ok = false;`);
	if (k.const !== undefined) lines.push(`if (v !== ${literal(k.const)}) ok = false;`);
	if (k.enum !== undefined)
		lines.push(
			`if (!(${k.enum.length === 0 ? "false" : k.enum.map((each) => `v === ${literal(each)}`).join(" || ")})) ok = false;`,
		);
	inPlace(k, lines);
	ofKind(k, STRING, stringLines(k), lines);
	ofKind(k, NUMBER, numberLines(k), lines);
	ofKind(k, ARRAY, arrayLines(k), lines);
	ofKind(k, OBJECT, objectLines(k, names), lines);
	lines.push(shared ? `return remember(l, ${node.id}, ok);` : "return ok;");
	return [`function ${nameOf(node)}(v, l) {`, ...lines, "}"].join("\n");
}

function chargeOf(k: Keywords, kind: Kind): number {
	return fixedCharges(k, kind).reduce((sum, [, units]) => sum + units, 1);
}

function typeTest({ type = [] }: Keywords): string {
	const kinds = { null: NULL, boolean: BOOLEAN, number: NUMBER, string: STRING, array: ARRAY, object: OBJECT };
	return type
		.map((name) => (name === "integer" ? "isInteger(v)" : `(${kindTest("v", 1 << kinds[name])})`))
		.join(" || ");
}

function ofKind(k: Keywords, kind: Kind, body: readonly string[], out: string[]): void {
	const more = chargeOf(k, kind) - chargeOf(k, NULL);
	const lines = [...(more > 0 ? [`spend(${more});`] : []), ...body];
	if (lines.length > 0) out.push(`if (${kindTest("v", 1 << kind)}) {`, ...lines, "}");
}

function inPlace(k: Keywords, out: string[]): void {
	for (const child of [...(k.$ref === undefined ? [] : [k.$ref]), ...(k.allOf ?? [])])
		out.push(`if (!${call(child)}) ok = false;`);
	for (const [branches, test] of [
		[k.anyOf, "=== 0"],
		[k.oneOf, "!== 1"],
	] as const) {
		if (branches === undefined) continue;
		out.push(
			"{",
			"let n = 0;",
			...branches.map((child) => `if (${call(child)}) n++;`),
			`if (n ${test}) ok = false;`,
			"}",
		);
	}
	if (k.not !== undefined) out.push(`if (${call(k.not)}) ok = false;`);
	if (k.if === undefined) return;
	out.push(`if (${call(k.if)}) {`, ...selected(k.then), "} else {", ...selected(k.else), "}");
}

function selected(child: SchemaNode | undefined): string[] {
	return child === undefined ? [] : ["spend(1);", `if (!${call(child)}) ok = false;`];
}

function stringLines({ minLength, maxLength }: Keywords): string[] {
	if (minLength === undefined && maxLength === undefined) return [];
	const lines = ["const n = size(v);", "spend(n);"];
	if (minLength !== undefined) lines.push(`if (n < ${literal(minLength)}) ok = false;`);
	if (maxLength !== undefined) lines.push(`if (n > ${literal(maxLength)}) ok = false;`);
	return lines;
}

function numberLines({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Keywords): string[] {
	const lines: string[] = [];
	if (minimum !== undefined) lines.push(`if (v < ${literal(minimum)}) ok = false;`);
	if (exclusiveMinimum !== undefined) lines.push(`if (v <= ${literal(exclusiveMinimum)}) ok = false;`);
	if (maximum !== undefined) lines.push(`if (v > ${literal(maximum)}) ok = false;`);
	if (exclusiveMaximum !== undefined) lines.push(`if (v >= ${literal(exclusiveMaximum)}) ok = false;`);
	return lines;
}

function arrayLines(k: Keywords): string[] {
	const lines: string[] = [];
	if (k.minItems !== undefined) lines.push(`if (v.length < ${literal(k.minItems)}) ok = false;`);
	if (k.maxItems !== undefined) lines.push(`if (v.length > ${literal(k.maxItems)}) ok = false;`);
	const prefix = k.prefixItems ?? [];
	prefix.forEach((child, i) => {
		lines.push(`if (v.length > ${i} && !${call(child, `v[${i}]`, `at(l, ${i})`)}) ok = false;`);
	});
	if (k.items !== undefined)
		lines.push(
			`for (let i = ${prefix.length}; i < v.length; i++) if (!${call(k.items, "v[i]", "at(l, i)")}) ok = false;`,
		);
	if (k.contains !== undefined) {
		lines.push(
			"spend(v.length);",
			"let n = 0;",
			`for (let i = 0; i < v.length; i++) if (${call(k.contains, "v[i]", "at(l, i)")}) n++;`,
		);
		lines.push(`if (n < ${literal(k.minContains ?? 1)}) ok = false;`);
		if (k.maxContains !== undefined) lines.push(`if (n > ${literal(k.maxContains)}) ok = false;`);
	}
	return lines;
}

function objectLines(k: Keywords, names: Names): string[] {
	const lines: string[] = [];
	for (const name of k.required ?? []) lines.push(`if (!(${names.has("v", name)})) ok = false;`);
	if (k.minProperties !== undefined || k.maxProperties !== undefined || k.additionalProperties !== undefined)
		lines.push("const own = keys(v);");
	if (k.minProperties !== undefined) lines.push(`if (own.length < ${literal(k.minProperties)}) ok = false;`);
	if (k.maxProperties !== undefined) lines.push(`if (own.length > ${literal(k.maxProperties)}) ok = false;`);
	for (const [trigger, required] of k.dependentRequired ?? []) {
		if (required.length === 0) continue;
		const all = required.map((name) => names.has("v", name)).join(" && ");
		lines.push(`if (${names.has("v", trigger)}) {`, `spend(${required.length});`, `if (!(${all})) ok = false;`, "}");
	}
	for (const [name, child] of k.properties ?? [])
		lines.push(
			`if (${names.has("v", name)} && !${call(child, member("v", name), `at(l, ${literal(name)})`)}) ok = false;`,
		);
	if (k.additionalProperties !== undefined) {
		lines.push("spend(own.length);", "for (let i = 0; i < own.length; i++) {", "const k = own[i];", "switch (k) {");
		for (const name of k.properties?.keys() ?? []) lines.push(`case ${literal(name)}:`);
		if ((k.properties?.size ?? 0) > 0) lines.push("break;");
		lines.push("default:", `if (!${call(k.additionalProperties, "v[k]", "at(l, k)")}) ok = false;`, "}", "}");
	}
	for (const [trigger, child] of k.dependentSchemas ?? [])
		lines.push(`if (${names.has("v", trigger)} && !${call(child)}) ok = false;`);
	return lines;
}
