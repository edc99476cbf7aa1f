/**
 * The verdict alone: functions that answer yes or no and stop as soon as they know. What one schema says is written into the
 * function of the schema around it, so that a value's type is tested once and a member is read once.
 */

import { fixedCharges } from "../charges.ts";
import { ARRAY, type Kind, NULL, NUMBER, OBJECT, STRING } from "../kinds.ts";
import { SCHEMA_LIMITS } from "../limits.ts";
import { childrenOf, type Keywords, type Scalar, type SchemaGraph, type SchemaNode } from "../node.ts";
import { branchesByValue } from "../unions.ts";
import { inPlaceOf } from "./groups.ts";
import { ALL, bit, CHEAP, kindsOf, kindsOfTypes, kindsWanted, kindTest } from "./kinds.ts";
import { isInherited, literal, member, type Names } from "./text.ts";

/** Schemas nested deeper than this in one function get a function of their own. */
const NESTED = 12;
/** A definition of no more keywords, and no schema below, is repeated wherever it is referred to. */
const REPEATED = 5;
/** Objects with more known names are looked up in a table: engines don't optimize functions of thousands of reads. */
const NAMES_READ = 48;
/** Unions of more branches are looked up by the member that tells them apart, if one does. */
const BRANCHES_TRIED = 8;
/** More values than this are a set. */
const VALUES_LISTED = 8;

export class VerdictWriter {
	/** Declarations of the module: functions, sets and tables. */
	readonly declarations: string[] = [];
	readonly #graph: SchemaGraph;
	readonly #names: Names;
	readonly #functions = new Set<string>();
	readonly #waiting: { readonly name: string; readonly node: SchemaNode; readonly kinds: number }[] = [];
	readonly #costs: Float64Array;
	/** By node id: the schema itself, or for one that says `$ref` alone what it leads to. */
	readonly #meant: SchemaNode[] = [];
	#unions = 0;
	#locals = 0;
	#constants = 0;

	constructor(graph: SchemaGraph, names: Names) {
		this.#graph = graph;
		this.#names = names;
		this.#costs = new Float64Array(graph.nodes.length);
		for (let i = graph.order.length - 1; i >= 0; i--) {
			const node = graph.order[i]!;
			const { $ref } = node.keywords;
			const only = $ref !== undefined && Object.keys(node.keywords).length === 1;
			this.#meant[node.id] = only ? this.#meant[$ref.id]! : node;
			let cost = 1;
			for (const [, units] of fixedCharges(node.keywords, NULL)) cost += units;
			for (const child of inPlaceOf(node)) cost += this.#costs[child.id]!;
			this.#costs[node.id] = Math.min(cost, SCHEMA_LIMITS.work + 1);
		}
	}

	/** The name of the function that judges by a schema. */
	functionFor(node: SchemaNode, known: number = ALL): string {
		const kinds = CHEAP.has(known) ? known : ALL;
		const name = `is${node.id}${kinds === ALL ? "" : `_${kinds}`}`;
		if (!this.#functions.has(name)) {
			this.#functions.add(name);
			this.#waiting.push({ name, node, kinds });
		}
		return name;
	}

	/** Writes the functions that were named; one after the other, as a chain of definitions can be 4,096 long. */
	finish(): void {
		for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
			const body: string[] = [];
			this.#judge(next.node, "v", next.kinds, 0, body);
			this.declarations.push([`function ${next.name}(v) {`, ...body, "return true;", "}"].join("\n"));
		}
	}

	/** An expression that is true when the schema accepts. */
	accepts(schema: SchemaNode, value: string, known: number = ALL): string {
		const node = this.#meant[schema.id]!;
		if (node.truth !== undefined) return String(node.truth);
		return `${this.functionFor(node, known)}(${value})`;
	}

	/** Writes statements that return false unless the schema accepts; answers the kinds that are left. */
	#judge(node: SchemaNode, value: string, known: number, depth: number, out: string[]): number {
		if (node.truth === true) return known;
		if (node.truth === false) {
			out.push("return false;");
			return 0;
		}
		const k = node.keywords;
		let kinds = known;
		if (k.type !== undefined) {
			kinds &= kindsOfTypes(k.type);
			const integral = k.type.includes("integer") && !k.type.includes("number");
			const plain = integral ? kinds & ~bit(NUMBER) : kinds;
			const tests = [
				...(integral && (known & bit(NUMBER)) !== 0 ? [`isInteger(${value})`] : []),
				...(plain === 0 ? [] : [kindTest(value, plain, known)]),
			];
			if (tests.length === 0) {
				out.push("return false;");
				return 0;
			}
			if (!tests.includes("true")) out.push(`if (!(${tests.join(" || ")})) return false;`);
		}
		if (k.const !== undefined) {
			out.push(`if (${value} !== ${literal(k.const)}) return false;`);
			kinds &= kindsOf([k.const]);
		}
		if (k.enum !== undefined) {
			out.push(`if (${this.#outside(k.enum, value)}) return false;`);
			kinds &= kindsOf(k.enum);
		}
		if (kinds === 0) return 0;
		this.#ofKinds(k, value, kinds, depth, out);
		return this.#inPlace(node, value, kinds, depth, out);
	}

	#outside(values: readonly (null | boolean | number | string)[], value: string): string {
		const members = [...new Set(values)];
		if (members.length === 0) return "true";
		if (members.length <= VALUES_LISTED) return members.map((each) => `${value} !== ${literal(each)}`).join(" && ");
		return `!${this.#constant("values", `new Set([${members.map(literal).join(", ")}])`)}.has(${value})`;
	}

	#constant(what: string, expression: string): string {
		const name = `${what}${this.#constants++}`;
		this.declarations.push(`const ${name} = ${expression};`);
		return name;
	}

	#local(): string {
		return `x${this.#locals++}`;
	}

	/** The keywords of one kind each. */
	#ofKinds(k: Keywords, value: string, kinds: number, depth: number, out: string[]): void {
		const parts: [Kind, string[]][] = [];
		const write = (kind: Kind, body: (lines: string[]) => void): void => {
			if ((kinds & bit(kind)) === 0) return;
			const lines: string[] = [];
			body(lines);
			if (lines.length > 0) parts.push([kind, lines]);
		};
		write(STRING, (lines) => lengths(k, value, lines));
		write(NUMBER, (lines) => numbers(k, value, lines));
		write(ARRAY, (lines) => this.#array(k, value, depth, lines));
		write(OBJECT, (lines) => this.#object(k, value, depth, lines));
		for (const [kind, lines] of parts) {
			if (kinds === bit(kind)) out.push(...lines);
			else out.push(`if (${kindTest(value, bit(kind), kinds)}) {`, ...lines, "}");
		}
	}

	/** A schema inside another: in place, unless the function would get too deep. */
	#below(schema: SchemaNode, value: string, known: number, depth: number, out: string[]): number {
		const node = this.#meant[schema.id]!;
		const shared = (this.#graph.definitions.get(node)?.referrers ?? 0) > 1;
		if (node.truth === undefined && (depth >= NESTED || (shared && !isSmall(node)))) {
			out.push(`if (!${this.accepts(node, value, known)}) return false;`);
			return known;
		}
		return this.#judge(node, value, known, depth + 1, out);
	}

	#inPlace({ keywords: k }: SchemaNode, value: string, known: number, depth: number, out: string[]): number {
		let kinds = known;
		const all = [...(k.$ref === undefined ? [] : [k.$ref]), ...(k.allOf ?? [])];
		for (const child of new Set(all.map(({ id }) => this.#meant[id]!))) {
			kinds = this.#below(child, value, kinds, depth, out);
			if (kinds === 0) return 0;
		}
		for (const [branches, any] of [
			[k.anyOf, true],
			[k.oneOf, false],
		] as const) {
			if (branches === undefined) continue;
			kinds = this.#branchKinds(branches, value, kinds, out);
			if (branches.length <= BRANCHES_TRIED || !this.#lookUp(branches, any, value, kinds, out))
				this.#alternatives(branches, any, value, kinds, out);
		}
		if (k.not !== undefined) out.push(`if (${this.accepts(k.not, value, kinds)}) return false;`);
		if (k.if !== undefined && (k.then !== undefined || k.else !== undefined)) {
			const whenTrue: string[] = [];
			const whenFalse: string[] = [];
			if (k.then !== undefined) this.#below(k.then, value, kinds, depth, whenTrue);
			if (k.else !== undefined) this.#below(k.else, value, kinds, depth, whenFalse);
			const condition = this.accepts(k.if, value, kinds);
			if (whenTrue.length === 0) {
				if (whenFalse.length > 0) out.push(`if (!${condition}) {`, ...whenFalse, "}");
			} else {
				out.push(`if (${condition}) {`, ...whenTrue, "}");
				if (whenFalse.length > 0) out.push("else {", ...whenFalse, "}");
			}
		}
		return kinds;
	}

	/** Where every branch wants the same type, it is tested once for all of them. */
	#branchKinds(branches: readonly SchemaNode[], value: string, known: number, out: string[]): number {
		let wanted = 0;
		for (const branch of branches) wanted |= kindsWanted(branch);
		const kinds = known & wanted;
		if (kinds === known || !CHEAP.has(kinds)) return known;
		out.push(`if (!(${kindTest(value, kinds, known)})) return false;`);
		return kinds;
	}

	/** Tries branch by branch. */
	#alternatives(branches: readonly SchemaNode[], any: boolean, value: string, known: number, out: string[]): void {
		const tests = branches.map((branch) => this.accepts(branch, value, known));
		if (any || tests.length === 1) {
			if (!tests.includes("true")) out.push(`if (!(${[...new Set(tests)].join(" || ")})) return false;`);
			return;
		}
		const matched = this.#local();
		out.push(`let ${matched} = ${tests[0]};`);
		for (const test of tests.slice(1)) {
			out.push(`if (${test}) {`, `if (${matched}) return false;`, `${matched} = true;`, "}");
		}
		out.push(`if (!${matched}) return false;`);
	}

	/** Lets the member that tells the branches apart choose among them; false where none does. */
	#lookUp(branches: readonly SchemaNode[], any: boolean, value: string, known: number, out: string[]): boolean {
		const sorted = branchesByValue(branches);
		if (sorted === undefined) return false;
		const { name, byValue, open } = sorted;
		const union = (listed: readonly number[]): string =>
			this.#union(
				listed.map((i) => branches[i]!),
				any,
				bit(OBJECT),
			);
		const entries = Array.from(byValue, ([each, listed]) => `[${literal(each as Scalar)}, ${union(listed)}]`);
		const table = this.#constant("unions", `new Map([${entries.join(", ")}])`);
		const has = `${kindTest(value, bit(OBJECT), known)} && ${this.#names.has(value, name)}`;
		const chosen = `(${table}.get(${member(value, name)}) ?? ${union(open)})(${value})`;
		out.push(`if (!(${has} ? ${chosen} : ${this.#union(branches, any, known)}(${value}))) return false;`);
		return true;
	}

	/** A function over some branches of a union. */
	#union(branches: readonly SchemaNode[], any: boolean, known: number): string {
		const [only] = branches;
		if (only === undefined) return "no";
		if (branches.length === 1 && this.#meant[only.id]!.truth === undefined)
			return this.functionFor(this.#meant[only.id]!, known);
		const name = `union${this.#unions++}`;
		const lines: string[] = [];
		this.#alternatives(branches, any, "v", known, lines);
		this.declarations.push([`function ${name}(v) {`, ...lines, "return true;", "}"].join("\n"));
		return name;
	}

	#array(k: Keywords, value: string, depth: number, out: string[]): void {
		const prefix = k.prefixItems ?? [];
		if (k.minItems !== undefined && k.minItems > 0)
			out.push(`if (${value}.length < ${literal(k.minItems)}) return false;`);
		if (k.maxItems !== undefined) out.push(`if (${value}.length > ${literal(k.maxItems)}) return false;`);
		if (k.items?.truth === false) out.push(`if (${value}.length > ${prefix.length}) return false;`);
		prefix.forEach((child, i) => {
			if (child.truth === true) return;
			const local = this.#local();
			const lines: string[] = [];
			this.#below(child, local, ALL, depth, lines);
			if (lines.length === 0) return;
			const body = [`const ${local} = ${value}[${i}];`, ...lines];
			if ((k.minItems ?? 0) > i) out.push("{", ...body, "}");
			else out.push(`if (${value}.length > ${i}) {`, ...body, "}");
		});
		if (k.items !== undefined && k.items.truth === undefined) {
			const local = this.#local();
			const lines: string[] = [];
			this.#below(k.items, local, ALL, depth, lines);
			if (lines.length > 0) {
				this.#guard(k.items, `${value}.length`, out);
				const i = this.#local();
				out.push(`for (let ${i} = ${prefix.length}; ${i} < ${value}.length; ${i}++) {`);
				out.push(`const ${local} = ${value}[${i}];`, ...lines, "}");
			}
		}
		if (k.contains !== undefined) this.#contains(k.contains, k.minContains ?? 1, k.maxContains, value, out);
	}

	/** An array whose items alone cost more than the budget isn't looked at: the charge decides. */
	#guard(child: SchemaNode, count: string, out: string[]): void {
		out.push(`if ((least += ${count} * ${this.#costs[child.id]}) > FAR) return false;`);
	}

	#contains(child: SchemaNode, min: number, max: number | undefined, value: string, out: string[]): void {
		if (min === 0 && max === undefined) return;
		const count = this.#local();
		const each = this.#local();
		this.#guard(child, `${value}.length`, out);
		const enough = max === undefined ? `${count} >= ${literal(min)}` : `${count} > ${literal(max)}`;
		out.push(`let ${count} = 0;`, `for (let ${each} = 0; ${each} < ${value}.length; ${each}++) {`);
		out.push(`if (${this.accepts(child, `${value}[${each}]`)} && ++${count} && ${enough}) break;`, "}");
		if (min > 0) out.push(`if (${count} < ${literal(min)}) return false;`);
		if (max !== undefined) out.push(`if (${count} > ${literal(max)}) return false;`);
	}

	#object(k: Keywords, value: string, depth: number, out: string[]): void {
		const names = new Set([...(k.required ?? []), ...(k.properties?.keys() ?? [])]);
		if (names.size > NAMES_READ) this.#table(k, [...names], value, depth, out);
		else this.#members(k, [...names], value, depth, out);
		for (const [trigger, required] of k.dependentRequired ?? []) {
			if (required.length === 0) continue;
			const all = required.map((name) => this.#names.has(value, name)).join(" && ");
			out.push(`if (${this.#names.has(value, trigger)} && !(${all})) return false;`);
		}
		for (const [trigger, child] of k.dependentSchemas ?? []) {
			const lines: string[] = [];
			this.#below(child, value, bit(OBJECT), depth, lines);
			if (lines.length > 0) out.push(`if (${this.#names.has(value, trigger)}) {`, ...lines, "}");
		}
	}

	/** Every name read once: what is absent or constant first, then the count, then what lies deeper. */
	#members(k: Keywords, names: readonly string[], value: string, depth: number, out: string[]): void {
		const required = new Set(k.required);
		const other = k.additionalProperties;
		const closed = other?.truth === false;
		const constants: string[] = [];
		const reads: string[] = [];
		const nested: string[] = [];
		const optional: string[] = [];
		let surely = 0;
		for (const name of names) {
			const declared = k.properties?.get(name);
			const child = declared ?? other;
			const isRequired = required.has(name);
			const counted = closed && declared !== undefined;
			if (!isRequired && !counted && (child === undefined || child.truth === true)) continue;
			const local = this.#local();
			const inherited = isInherited(name);
			const has = this.#names.has(value, name, local);
			const present = inherited ? `${local} !== undefined` : has;
			// What an object doesn't own itself mustn't be read: it would be Object.prototype's.
			const read = inherited ? `${has} ? ${member(value, name)} : undefined` : member(value, name);
			const lines: string[] = [];
			if (child !== undefined) this.#below(child, local, ALL, depth, lines);
			const first = isRequired && lines.length === 1 && isComparison(lines[0]!) ? constants : reads;
			first.push(`const ${local} = ${read};`);
			if (!isRequired) {
				if (lines.length > 0) nested.push(`if (${present}) {`, ...lines, "}");
			} else if (first === constants) constants.push(...lines);
			else {
				if (!refusesAbsent(lines[0])) reads.push(`if (!(${present})) return false;`);
				nested.push(...lines);
			}
			if (!counted) continue;
			if (isRequired) surely++;
			else optional.push(present);
		}
		out.push(...constants, ...reads);
		this.#count(k, names, value, closed ? countOf(surely, optional) : undefined, depth, out);
		out.push(...nested);
	}

	/** The member count and the members that nobody declared. */
	#count(
		k: Keywords,
		names: readonly string[],
		value: string,
		expected: string | undefined,
		depth: number,
		out: string[],
	): void {
		const other = k.additionalProperties;
		const open = expected === undefined && other !== undefined && other.truth !== true;
		const bounded = (k.minProperties ?? 0) > 0 || k.maxProperties !== undefined;
		if (expected === undefined && !open && !bounded) return;
		const count = this.#local();
		const name = this.#local();
		if (expected !== undefined || bounded) out.push(`let ${count} = 0;`);
		out.push(`for (const ${name} in ${value}) {`);
		if (expected !== undefined || bounded) out.push(`${count}++;`);
		if (open) {
			const local = this.#local();
			const known = names.filter((each) => k.properties?.has(each) === true);
			if (known.length > 0) out.push(`if (${this.#isOneOf(name, known)}) continue;`);
			const lines: string[] = [];
			this.#below(other, local, ALL, depth, lines);
			this.#guard(other, "1", out);
			out.push(`const ${local} = ${value}[${name}];`, ...lines);
		}
		out.push("}");
		if (expected !== undefined) out.push(`if (${count} !== ${expected}) return false;`);
		if ((k.minProperties ?? 0) > 0) out.push(`if (${count} < ${literal(k.minProperties ?? 0)}) return false;`);
		if (k.maxProperties !== undefined) out.push(`if (${count} > ${literal(k.maxProperties)}) return false;`);
	}

	#isOneOf(name: string, known: readonly string[]): string {
		if (known.length <= VALUES_LISTED) return known.map((each) => `${name} === ${literal(each)}`).join(" || ");
		return `${this.#constant("names", `new Set([${known.map(literal).join(", ")}])`)}.has(${name})`;
	}

	/** Many names: one walk over the members that are there, each looked up. */
	#table(k: Keywords, names: readonly string[], value: string, depth: number, out: string[]): void {
		const required = new Set(k.required);
		const other = k.additionalProperties;
		const entries = names.map((name) => {
			const child = k.properties?.get(name) ?? other;
			const test =
				child === undefined || child.truth === true ? "yes" : child.truth === false ? "no" : this.functionFor(child);
			return `[${literal(name)}, ${test}]`;
		});
		const table = this.#constant("table", `new Map([${entries.join(", ")}])`);
		const [name, local, test, count, found] = [
			this.#local(),
			this.#local(),
			this.#local(),
			this.#local(),
			this.#local(),
		];
		const needed =
			required.size === 0 ? undefined : this.#constant("needed", `new Set([${[...required].map(literal).join(", ")}])`);
		out.push(`let ${count} = 0;`, ...(needed === undefined ? [] : [`let ${found} = 0;`]));
		out.push(`for (const ${name} in ${value}) {`, `${count}++;`);
		out.push(`const ${local} = ${value}[${name}];`, `const ${test} = ${table}.get(${name});`);
		const lines: string[] = [];
		if (other !== undefined) this.#below(other, local, ALL, depth, lines);
		out.push(`if (${test} !== undefined) {`, `if (!${test}(${local})) return false;`);
		if (needed !== undefined) out.push(`if (${needed}.has(${name})) ${found}++;`);
		out.push("}");
		if (lines.length > 0) {
			out.push("else {");
			this.#guard(other!, "1", out);
			out.push(...lines, "}");
		}
		out.push("}");
		if (needed !== undefined) out.push(`if (${found} !== ${required.size}) return false;`);
		if ((k.minProperties ?? 0) > 0) out.push(`if (${count} < ${literal(k.minProperties ?? 0)}) return false;`);
		if (k.maxProperties !== undefined) out.push(`if (${count} > ${literal(k.maxProperties)}) return false;`);
	}
}

function isSmall(node: SchemaNode): boolean {
	const { enum: values, required } = node.keywords;
	if ((values?.length ?? 0) > VALUES_LISTED || (required?.length ?? 0) > VALUES_LISTED) return false;
	return Object.keys(node.keywords).length <= REPEATED && childrenOf(node).next().done === true;
}

/** A statement that compares a local with scalars, and so refuses a member that is absent. */
function isComparison(line: string): boolean {
	return /^if \(x\d+ !== [^\n]* return false;$/.test(line);
}

/** Whether a statement refuses what is absent, so that nothing else need ask for its presence. */
function refusesAbsent(line: string | undefined): boolean {
	return line !== undefined && (isComparison(line) || /^if \(!\((?:typeof|is(?:Integer|Array)\()/.test(line));
}

function countOf(surely: number, optional: readonly string[]): string {
	if (optional.length === 0) return String(surely);
	return `${surely} + ${optional.map((present) => `(${present} ? 1 : 0)`).join(" + ")}`;
}

/** A string has between half as many and as many scalars as UTF-16 units: often that settles it without counting. */
function lengths({ minLength: min = 0, maxLength: max }: Keywords, value: string, out: string[]): void {
	const units = `${value}.length`;
	if (min === 1) out.push(`if (${units} < 1) return false;`);
	else if (min > 1)
		out.push(
			`if (${units} < ${literal(2 * min)} && (${units} < ${literal(min)} || size(${value}) < ${literal(min)})) return false;`,
		);
	if (max !== undefined)
		out.push(
			`if (${units} > ${literal(max)} && (${units} > ${literal(2 * max)} || size(${value}) > ${literal(max)})) return false;`,
		);
}

function numbers(
	{ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Keywords,
	value: string,
	out: string[],
): void {
	if (minimum !== undefined) out.push(`if (${value} < ${literal(minimum)}) return false;`);
	if (exclusiveMinimum !== undefined) out.push(`if (${value} <= ${literal(exclusiveMinimum)}) return false;`);
	if (maximum !== undefined) out.push(`if (${value} > ${literal(maximum)}) return false;`);
	if (exclusiveMaximum !== undefined) out.push(`if (${value} >= ${literal(exclusiveMaximum)}) return false;`);
}
