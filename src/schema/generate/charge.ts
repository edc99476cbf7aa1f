/**
 * The exact charge, apart from the verdict: a walk over the locations of an instance that adds up what the schemas that meet there
 * cost. Nothing is judged but the conditions of `if`. Where the module doesn't ask for exactness, UTF-16 units stand for scalars: an
 * upper bound, which needs no counting.
 */

import { fixedCharges } from "../charges.ts";
import { ARRAY, KINDS, type Kind, OBJECT, STRING } from "../kinds.ts";
import type { SchemaGraph, SchemaNode } from "../node.ts";
import { type Children, childrenOfGroup, closeGroup, positionsOf } from "./groups.ts";
import { kindTest } from "./kinds.ts";
import { isInherited, literal, member, type Names } from "./text.ts";
import type { VerdictWriter } from "./verdict.ts";

/** Objects with more known names are looked up in a table. */
const NAMES_READ = 48;

export class ChargeWriter {
	readonly declarations: string[] = [];
	readonly #positions: Int32Array;
	readonly #names: Names;
	readonly #verdict: VerdictWriter;
	/** By the ids of the seed: the constant charge, or the name of the function. */
	readonly #known = new Map<string, number | string>();
	#made = 0;

	constructor(graph: SchemaGraph, names: Names, verdict: VerdictWriter) {
		this.#positions = positionsOf(graph);
		this.#names = names;
		this.#verdict = verdict;
	}

	/** An expression: what schemas charge that meet at a value; a number where the value doesn't matter. */
	charge(seed: readonly SchemaNode[], value: string): string {
		const known = this.of(seed);
		return typeof known === "number" ? String(known) : `${known}(${value})`;
	}

	/** The constant charge of schemas that meet, or the function that tells it. Recursion ends with the depth of schemas. */
	of(seed: readonly SchemaNode[]): number | string {
		if (seed.length === 0) return 0;
		const key = seed
			.map(({ id }) => id)
			.sort((a, b) => a - b)
			.join();
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		const group = closeGroup(seed, this.#positions);
		const made = this.#constantOf(group) ?? this.#write(group);
		this.#known.set(key, made);
		return made;
	}

	/** The charge where it is the same for every value. */
	#constantOf(group: readonly SchemaNode[]): number | undefined {
		const first = base(group, 0);
		for (let kind = 1; kind < KINDS; kind++) if (base(group, kind as Kind) !== first) return undefined;
		for (const { keywords: k } of group) {
			if (k.minLength !== undefined || k.maxLength !== undefined || k.properties !== undefined) return undefined;
			if (k.additionalProperties !== undefined || k.items !== undefined || k.contains !== undefined) return undefined;
			if (k.then !== undefined || k.else !== undefined || k.prefixItems !== undefined) return undefined;
			if (k.dependentSchemas !== undefined || k.dependentRequired !== undefined) return undefined;
		}
		return first;
	}

	#write(group: readonly SchemaNode[]): string {
		const children = childrenOfGroup(group);
		const name = `charge${this.#made++}`;
		const lines: string[] = [`let u = 0;`];
		for (const { keywords: k } of group) {
			if (k.if === undefined || (k.then === undefined && k.else === undefined)) continue;
			const [whenTrue, whenFalse] = [k.then, k.else].map((child) =>
				child === undefined ? "0" : `1 + ${this.charge([child], "v")}`,
			);
			lines.push(`u += ${this.#verdict.accepts(k.if, "v")} ? ${whenTrue} : ${whenFalse};`);
		}
		const bounded = group.filter(({ keywords: k }) => k.minLength !== undefined || k.maxLength !== undefined).length;
		if (bounded > 0)
			lines.push(
				`if (typeof v === "string") return u + ${base(group, STRING)} + ${bounded} * (exact ? size(v) : v.length);`,
			);
		const array: string[] = [];
		this.#array(group, children, array);
		if (array.length > 0) lines.push("if (isArray(v)) {", `u += ${base(group, ARRAY)};`, ...array, "return u;", "}");
		const object: string[] = [];
		this.#object(group, children, object);
		if (object.length > 0)
			lines.push(
				`if (typeof v === "object" && v !== null${array.length > 0 ? "" : " && !isArray(v)"}) {`,
				`u += ${base(group, OBJECT)};`,
				...object,
				"return u;",
				"}",
			);
		lines.push(`return u + ${this.#baseOf(group)};`);
		this.declarations.push([`function ${name}(v) {`, ...lines, "}"].join("\n"));
		return name;
	}

	/** What the kind alone decides, as an expression. */
	#baseOf(group: readonly SchemaNode[]): string {
		const byUnits = new Map<number, number>();
		for (let kind = 0; kind < KINDS; kind++) {
			const units = base(group, kind as Kind);
			byUnits.set(units, (byUnits.get(units) ?? 0) | (1 << kind));
		}
		// What most kinds charge comes last, as it needs no test.
		const parts = [...byUnits].sort(([, a], [, b]) => countBits(a) - countBits(b));
		return parts.reduceRight(
			(rest, [units, kinds], i) =>
				i === parts.length - 1 ? String(units) : `(${kindTest("v", kinds)} ? ${units} : ${rest})`,
			"",
		);
	}

	#array(group: readonly SchemaNode[], { positions, rest }: Children, out: string[]): void {
		const contains = group.filter(({ keywords: k }) => k.contains !== undefined).length;
		if (contains > 0) out.push(`u += ${contains} * v.length;`);
		positions.forEach((seed, i) => {
			if (seed.length > 0) out.push(`if (v.length > ${i}) u += ${this.charge(seed, `v[${i}]`)};`);
		});
		const units = this.of(rest);
		if (units === 0) return;
		const first = positions.length;
		if (typeof units === "number") out.push(`if (v.length > ${first}) u += ${units} * (v.length - ${first});`);
		else out.push(`for (let i = ${first}; i < v.length && u <= MOST; i++) u += ${units}(v[i]);`);
	}

	#object(group: readonly SchemaNode[], { names, others }: Children, out: string[]): void {
		for (const { keywords: k } of group) {
			for (const [trigger, required] of k.dependentRequired ?? [])
				if (required.length > 0) out.push(`if (${this.#names.has("v", trigger)}) u += ${required.length};`);
			for (const [trigger, child] of k.dependentSchemas ?? [])
				out.push(`if (${this.#names.has("v", trigger)}) u += ${this.charge([child], "v")};`);
		}
		const each = group.filter(({ keywords: k }) => k.additionalProperties !== undefined).length;
		const other = this.of(others);
		if (names.size > NAMES_READ) this.#table(names, each, other, out);
		else if (typeof other === "number") this.#few(names, each, other, out);
		else {
			out.push("for (const k in v) {", "if (u > MOST) return u;");
			if (each > 0) out.push(`u += ${each};`);
			const cases = [...names].map(
				([name, seed]) => `case ${literal(name)}: u += ${this.charge(seed, "v[k]")}; break;`,
			);
			if (cases.length === 0) out.push(`u += ${other}(v[k]);`);
			else out.push("switch (k) {", ...cases, `default: u += ${other}(v[k]);`, "}");
			out.push("}");
		}
	}

	/** What stands at a name that nothing declares costs the same everywhere: such members are counted, not visited. */
	#few(names: Children["names"], each: number, other: number, out: string[]): void {
		if (each + other > 0) out.push(`for (const _ in v) u += ${each + other};`);
		for (const [name, seed] of names) {
			const units = this.of(seed);
			const present = this.#names.has("v", name);
			const less = other === 0 ? "" : ` - ${other}`;
			if (typeof units === "number") {
				if (units !== other) out.push(`if (${present}) u += ${units - other};`);
			} else if (isInherited(name)) out.push(`if (${present}) u += ${units}(${member("v", name)})${less};`);
			else out.push("{", `const x = ${member("v", name)};`, `if (x !== undefined) u += ${units}(x)${less};`, "}");
		}
	}

	#table(names: Children["names"], each: number, other: number | string, out: string[]): void {
		const table = `units${this.#made++}`;
		const entries = [...names].map(([name, seed]) => `[${literal(name)}, ${this.of(seed)}]`);
		this.declarations.push(`const ${table} = new Map([${entries.join(", ")}]);`);
		out.push("for (const k in v) {", "if (u > MOST) return u;", `const t = ${table}.get(k);`);
		out.push(
			`u += ${each} + (t === undefined ? ${typeof other === "number" ? other : `${other}(v[k])`} : typeof t === "number" ? t : t(v[k]));`,
			"}",
		);
	}
}

function countBits(set: number): number {
	return set === 0 ? 0 : (set & 1) + countBits(set >> 1);
}

/** What the pairs of a group and their keywords charge to a kind. */
function base(group: readonly SchemaNode[], kind: Kind): number {
	let units = group.length;
	for (const { keywords } of group) for (const [, more] of fixedCharges(keywords, kind)) units += more;
	return units;
}
