/** Keywords that judge an instance by itself, without evaluating another schema. */

import { quoteForDisplay } from "../display.ts";
import type { JsonValue } from "../json/index.ts";
import { ARRAY, KIND_BITS, type Kind, NUMBER, OBJECT, STRING, TYPE_BITS, typeMask, typeNameOf } from "./kinds.ts";
import type { Keyword, Keywords } from "./node.ts";

/** What a check may need from the evaluation around it. */
export interface Facts {
	/** How many own members an object has; counted once per object, as a count costs one unit but takes time. */
	memberCount(value: JsonValue): number;
	/** The scalar length of the string at hand, already counted for its charge. */
	readonly length: number;
}

/** One keyword's judgement. */
export interface Check {
	/** Absent for the boolean schema `false`. */
	readonly keyword: Keyword | undefined;
	readonly passes: (value: JsonValue, facts: Facts) => boolean;
	/** Facts of the schema and type names only: a message never shows the instance. */
	readonly explain: (value: JsonValue) => string;
}

type Add = (keyword: Keyword, explain: string, passes: Check["passes"]) => void;

function collect(checks: Check[]): Add {
	return (keyword, explain, passes) => checks.push({ keyword, passes, explain: () => explain });
}

/** `const` and `enum`, which judge every kind alike. */
export function scalarChecks(k: Keywords): Check[] {
	const checks: Check[] = [];
	const add = collect(checks);
	if (k.const !== undefined) {
		const constant = k.const;
		// `===` is JSON/1 equality on scalars: -0 equals 0.
		add("const", "Not the constant of the schema", (value) => value === constant);
	}
	if (k.enum !== undefined) {
		const members = new Set<JsonValue>(k.enum);
		add("enum", `None of the ${k.enum.length} values the schema lists`, (value) => members.has(value));
	}
	return checks;
}

/** The checks of a schema for one kind of instance, in the order they are reported: `type`, the scalar checks, the rest. */
export function checksFor(k: Keywords, kind: Kind, scalars: readonly Check[]): Check[] {
	const type = typeCheck(k, kind);
	const checks = type === undefined ? [...scalars] : [type, ...scalars];
	const add = collect(checks);
	if (kind === OBJECT) objectChecks(k, checks, add);
	else if (kind === ARRAY) {
		const { minItems: min, maxItems: max } = k;
		if (min !== undefined) add("minItems", `Fewer than ${min} items`, (value) => lengthOf(value) >= min);
		if (max !== undefined) add("maxItems", `More than ${max} items`, (value) => lengthOf(value) <= max);
	} else if (kind === STRING) {
		const { minLength: min, maxLength: max } = k;
		if (min !== undefined) add("minLength", `Shorter than ${min} characters`, (_, facts) => facts.length >= min);
		if (max !== undefined) add("maxLength", `Longer than ${max} characters`, (_, facts) => facts.length <= max);
	} else if (kind === NUMBER) {
		const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = k;
		if (minimum !== undefined) add("minimum", `Less than ${minimum}`, (value) => (value as number) >= minimum);
		if (exclusiveMinimum !== undefined)
			add("exclusiveMinimum", `Not more than ${exclusiveMinimum}`, (value) => (value as number) > exclusiveMinimum);
		if (maximum !== undefined) add("maximum", `More than ${maximum}`, (value) => (value as number) <= maximum);
		if (exclusiveMaximum !== undefined)
			add("exclusiveMaximum", `Not less than ${exclusiveMaximum}`, (value) => (value as number) < exclusiveMaximum);
	}
	return checks;
}

/** The kind mostly decides: then there is no check left, or one that always fails. */
function typeCheck({ type }: Keywords, kind: Kind): Check | undefined {
	if (type === undefined) return undefined;
	const expected = type.join(" or ");
	const explain = (value: JsonValue): string => `Expected ${expected}, got ${typeNameOf(value)}`;
	const mask = typeMask(type);
	if ((mask & KIND_BITS[kind]) !== 0) return undefined;
	const integral = kind === NUMBER && (mask & TYPE_BITS.integer) !== 0;
	return { keyword: "type", passes: integral ? Number.isInteger : () => false, explain };
}

function lengthOf(value: JsonValue): number {
	return (value as readonly JsonValue[]).length;
}

function objectChecks(k: Keywords, checks: Check[], add: Add): void {
	if (k.required !== undefined && k.required.length > 0) {
		const names = k.required;
		const absent = (value: JsonValue): string | undefined =>
			names.find((name) => !Object.hasOwn(value as object, name));
		checks.push({
			keyword: "required",
			passes: (value) => absent(value) === undefined,
			explain: (value) => `The required member ${quoteForDisplay(absent(value) ?? "")} is missing`,
		});
	}
	const { minProperties: min, maxProperties: max } = k;
	if (min !== undefined)
		add("minProperties", `Fewer than ${min} members`, (value, facts) => facts.memberCount(value) >= min);
	if (max !== undefined)
		add("maxProperties", `More than ${max} members`, (value, facts) => facts.memberCount(value) <= max);
	if (k.dependentRequired !== undefined && k.dependentRequired.size > 0) {
		// In RFC 8785 member order, so that the same trigger is reported whatever the order in the file.
		const entries = [...k.dependentRequired].sort(([a], [b]) => (a < b ? -1 : 1));
		const unmet = (value: JsonValue): readonly [string, string] | undefined => {
			for (const [trigger, names] of entries) {
				if (!Object.hasOwn(value as object, trigger)) continue;
				for (const name of names) if (!Object.hasOwn(value as object, name)) return [trigger, name];
			}
			return undefined;
		};
		checks.push({
			keyword: "dependentRequired",
			passes: (value) => unmet(value) === undefined,
			explain: (value) => {
				const [trigger, name] = unmet(value) ?? ["", ""];
				return `With ${quoteForDisplay(trigger)}, the member ${quoteForDisplay(name)} is required`;
			},
		});
	}
}
