import { type Fields, field, isFields } from "./data.ts";

/** What a case shows of its clause: something admitted, something refused, or both sides of a limit. */
export type CaseKind = "accept" | "refuse" | "boundary";

/** One clause of a specification that the corpus covers. */
export interface Clause {
	readonly id: string;
	/** The specification's file and section, as `package-format.md §5`. */
	readonly where: string;
	/** What the clause demands, in one line. */
	readonly demands: string;
	/** The kinds of case that make sense for it; all three unless said. */
	readonly kinds?: readonly CaseKind[];
}

/** One item of a specification's own list of required conformance, and what proves it. */
export interface RequiredItem {
	/** As `package-format.md §7.1`. */
	readonly item: string;
	readonly demands: string;
	/** Clauses whose cases prove it. */
	readonly clauses: readonly string[];
	/** Tests of this repository, where it takes a file system or a host and no driver request can show it. */
	readonly tests?: readonly string[];
}

/** The answer a case demands: the members named must be equal; an answer may carry more. */
export type Expectation =
	| { readonly ok: true; readonly [member: string]: unknown }
	| {
			readonly ok: false;
			/** The codes that are defensible; only codes that a specification names are ever demanded. */
			readonly codes?: readonly string[];
	  };

export interface ConformanceCase {
	/** Unique in the corpus: `suite/name`. */
	readonly name: string;
	readonly clause: string;
	readonly kind: CaseKind;
	/** A driver request; strings may be given by rule, see {@link expandRules}. */
	readonly request: Fields;
	readonly expect: Expectation;
	/** Why another answer would be defensible too; such a case is reported, never failed. */
	readonly ambiguous?: string;
}

export interface Suite {
	readonly suite: string;
	readonly clauses: readonly Clause[];
	readonly required?: readonly RequiredItem[];
	readonly cases: readonly ConformanceCase[];
}

/**
 * Expands the strings, lists and objects that a case gives by rule, so that a case at a limit of megabytes stays a line:
 * `{"$repeat": [part, times]}` and `{"$concat": [part, …]}` build strings, `{"$list": [item, times]}` a list,
 * `{"$members": [prefix, times, value]}` an object with the members `prefix0`, `prefix1`, …; a count is an integer.
 */
export function expandRules(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(expandRules);
	if (!isFields(value)) return value;
	const names = Object.keys(value);
	const [rule] = names;
	if (names.length === 1 && rule !== undefined && Object.hasOwn(RULES, rule)) return RULES[rule]!(value[rule]);
	return Object.fromEntries(names.map((name) => [name, expandRules(value[name])]));
}

const RULES: { readonly [rule: string]: (argument: unknown) => unknown } = {
	$repeat: (argument) => {
		const [part, times] = argument as [unknown, number];
		return stringOf(part).repeat(times);
	},
	$concat: (argument) => (argument as unknown[]).map(stringOf).join(""),
	$list: (argument) => {
		const [item, times] = argument as [unknown, number];
		return Array.from({ length: times }, () => expandRules(item));
	},
	$members: (argument) => {
		const [prefix, times, value] = argument as [string, number, unknown];
		return Object.fromEntries(Array.from({ length: times }, (_, index) => [`${prefix}${index}`, expandRules(value)]));
	},
};

function stringOf(part: unknown): string {
	const text = expandRules(part);
	if (typeof text !== "string") throw new TypeError("a rule that builds a string has a part that is none");
	return text;
}

/** The verdict of one case: passed, failed with the difference, or tolerated because the case is marked ambiguous. */
export type CaseVerdict = { readonly status: "passed" | "failed" | "tolerated"; readonly difference?: string };

/** Holds an answer of a driver against what the case demands. */
export function judge(each: ConformanceCase, answer: unknown): CaseVerdict {
	const difference = differenceOf(each.expect, answer);
	if (difference === undefined) return { status: "passed" };
	return { status: each.ambiguous === undefined ? "failed" : "tolerated", difference };
}

function differenceOf(expect: Expectation, answer: unknown): string | undefined {
	if (!isFields(answer)) return "the answer is no JSON object";
	if (field(answer, "badRequest") !== undefined) return `badRequest: ${String(field(answer, "badRequest"))}`;
	if (field(answer, "ok") !== expect.ok) {
		const error = field(answer, "error");
		const told = isFields(error) ? ` (${String(field(error, "code"))}: ${String(field(error, "detail"))})` : "";
		return expect.ok ? `refused${told}, should be accepted` : "accepted, should be refused";
	}
	if (!expect.ok) return codeDifference(expect.codes, field(answer, "error"));
	for (const [name, wanted] of Object.entries(expect)) {
		const found = field(answer, name);
		if (!same(expandRules(wanted), found))
			return `${name}: expected ${preview(wanted)}, got ${found === undefined ? "nothing" : preview(found)}`;
	}
	return undefined;
}

function codeDifference(codes: readonly string[] | undefined, error: unknown): string | undefined {
	if (codes === undefined) return undefined;
	const code = isFields(error) ? field(error, "code") : undefined;
	const offered =
		isFields(error) && Array.isArray(field(error, "codes")) ? (field(error, "codes") as unknown[]) : [code];
	return offered.some((each) => codes.includes(each as string))
		? undefined
		: `code: expected ${codes.join(" or ")}, got ${String(code)}`;
}

function same(wanted: unknown, found: unknown): boolean {
	if (Array.isArray(wanted))
		return (
			Array.isArray(found) && wanted.length === found.length && wanted.every((each, index) => same(each, found[index]))
		);
	if (isFields(wanted)) {
		const names = Object.keys(wanted);
		return (
			isFields(found) &&
			Object.keys(found).length === names.length &&
			names.every((name) => same(wanted[name], field(found, name)))
		);
	}
	return wanted === found;
}

function preview(value: unknown): string {
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
