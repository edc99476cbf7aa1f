/**
 * Evaluation as Schema/1 section 4 tells it, keyword by keyword: it finds what each keyword charged and why an instance failed.
 * Every pair is a generator on a stack of its own: schemas chained by references can be 4,096 deep, which no JavaScript stack is
 * sure to bear. Where none of this is asked for, `tests.ts` gives the same verdict and the same charge in a fraction of the time.
 */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { scalarLength } from "../text.ts";
import { fixedCharges, lengthKeyword } from "./charges.ts";
import { limitError } from "./error.ts";
import type { Cause, Failure, Fault } from "./failure.ts";
import { ARRAY, KIND_BITS, type Kind, kindOf, NUMBER, OBJECT, STRING, TYPE_BITS, typeMask } from "./kinds.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { Location } from "./location.ts";
import { type Keyword, type Keywords, noKeywords, type SchemaGraph, type SchemaNode } from "./node.ts";
import { pointerOf, rootPlace } from "./place.ts";
import { RANGES } from "./ranges.ts";

/** Work units by keyword, those of the pairs themselves under `pair`. */
export type Profile = { [keyword in Keyword | "pair"]?: number };

/** What is asked for beyond the verdict. */
export interface Asked {
	readonly profile?: boolean;
	/** Why the instance failed; else every failure is the same. Nothing is charged then: only for instances within the budget. */
	readonly explain?: "first" | "all" | undefined;
	/** A shorter way to tell that a pair holds. */
	readonly holds?: (node: SchemaNode, value: JsonValue) => boolean;
}

/** A pair under evaluation: hands out the pairs it depends on, or their verdicts where those are known, and takes the verdicts. */
type Pair = Generator<Pair | Failure | null, Failure | null, Failure | null>;
type At = Location<Failure | null> | undefined;

/** Down to this many pairs, the shorter way is asked first: at each it costs as much as all below. */
const ASKED_FIRST = 8;

const NO_CAUSES: readonly Cause[] = [];

/** Stands for every failure while nothing is explained. */
const REJECTED: Failure = {
	node: { id: -1, place: rootPlace(""), truth: false, keywords: noKeywords() },
	entries: [],
};

/** One evaluation of one instance. */
export class Judge {
	readonly profile: Profile | undefined;
	work = 0;
	readonly #graph: SchemaGraph;
	readonly #asked: Asked;
	readonly #stack: Pair[] = [];
	/** Counts of the members of large objects: a count charges one unit but takes time. */
	readonly #counts = new Map<JsonValue, number>();

	constructor(graph: SchemaGraph, asked: Asked = {}) {
		this.#graph = graph;
		this.#asked = asked;
		this.profile = asked.profile === true ? {} : undefined;
	}

	/**
	 * Evaluates and returns null when the instance is valid. Throws `SCHEMA_LIMIT_EXCEEDED` as soon as the charge crosses
	 * the budget, whatever the verdict would be (W11).
	 */
	run(root: SchemaNode, instance: JsonValue): Failure | null {
		const stack = this.#stack;
		const shares = [...this.#graph.definitions.values()].some(({ referrers }) => referrers > 1);
		let verdict = this.#pair(root, instance, shares ? new Location() : undefined);
		for (;;) {
			if (verdict !== null && "next" in verdict) {
				stack.push(verdict);
				verdict = null;
			}
			const top = stack.at(-1);
			if (top === undefined) return verdict;
			const { done, value } = top.next(verdict);
			verdict = value;
			if (done) stack.pop();
		}
	}

	/** The verdict of a pair, or the pair to evaluate when it takes others. */
	#pair(node: SchemaNode, value: JsonValue, at: At): Pair | Failure | null {
		const { holds, explain } = this.#asked;
		if (holds !== undefined && this.#stack.length < ASKED_FIRST && holds(node, value)) return null;
		const memo = (this.#graph.definitions.get(node)?.referrers ?? 0) > 1 ? at : undefined;
		const known = memo?.verdictOf(node);
		if (known !== undefined) return known;
		const kind = kindOf(value);
		const failure = this.#own(node, value, kind);
		if (!takesOthers(node.keywords, kind) || (failure !== null && explain === "first")) {
			memo?.remember(node, failure);
			return failure;
		}
		return this.#others(node, value, kind, at, memo, failure);
	}

	/** Charges a pair and judges it by the keywords that need no other schema. */
	#own(node: SchemaNode, value: JsonValue, kind: Kind): Failure | null {
		const { keywords: k } = node;
		let failure: Failure | null = null;
		const fault = (keyword: Keyword | undefined): void => {
			failure = this.#fail(failure, node, { failure: undefined, keyword, value, matched: 0, branches: NO_CAUSES });
		};
		if (this.#asked.explain === undefined) {
			this.#spend(1, "pair", node);
			for (const [keyword, units] of fixedCharges(k, kind)) this.#spend(units, keyword, node);
		}
		if (node.truth === false) fault(undefined);
		if (k.type !== undefined && !isOneOf(typeMask(k.type), kind, value)) fault("type");
		// `===` is JSON/1 equality on scalars: -0 equals 0.
		if (k.const !== undefined && value !== k.const) fault("const");
		if (k.enum !== undefined && !(k.enum as readonly JsonValue[]).includes(value)) fault("enum");
		if (kind === OBJECT && k.required?.some((name) => !Object.hasOwn(value as object, name))) fault("required");
		let measure: number | undefined;
		for (const { kind: judged, keyword, holds } of RANGES) {
			const bound = judged === kind ? (k[keyword] as number | undefined) : undefined;
			if (bound === undefined) continue;
			if (measure === undefined) {
				measure = this.#measure(value, kind);
				if (kind === STRING) this.#spend(measure, lengthKeyword(k)!, node);
			}
			if (!holds(measure, bound)) fault(keyword);
		}
		if (kind === OBJECT && k.dependentRequired !== undefined) {
			let unmet = false;
			for (const [trigger, names] of k.dependentRequired) {
				if (!Object.hasOwn(value as object, trigger)) continue;
				this.#spend(names.length, "dependentRequired", node);
				unmet ||= names.some((name) => !Object.hasOwn(value as object, name));
			}
			if (unmet) fault("dependentRequired");
		}
		return failure;
	}

	/** Judges a pair by the keywords that take other schemas; `failure` is what its own ones found. */
	*#others(node: SchemaNode, value: JsonValue, kind: Kind, at: At, memo: At, own: Failure | null): Pair {
		const { keywords: k } = node;
		const { explain } = this.#asked;
		let failure = own;
		const fault = (keyword: Keyword, matched = 0, branches = NO_CAUSES): void => {
			failure = this.#fail(failure, node, { failure: undefined, keyword, value, matched, branches });
		};
		const inherit = (failed: Failure | null, step?: string | number): void => {
			if (failed !== null) failure = this.#fail(failure, node, { step, failure: failed });
		};

		if (k.$ref !== undefined) inherit(yield this.#pair(k.$ref, value, at));
		for (const child of k.allOf ?? []) inherit(yield this.#pair(child, value, at));
		for (const keyword of ["anyOf", "oneOf"] as const) {
			const branches = k[keyword];
			if (branches === undefined) continue;
			const lost: Cause[] = [];
			let matched = 0;
			for (const branch of branches) {
				const failed = yield this.#pair(branch, value, at);
				if (failed === null) matched++;
				else if (explain !== undefined) lost.push({ step: undefined, failure: failed });
			}
			if (matched === 0) fault(keyword, matched, lost);
			else if (matched > 1 && keyword === "oneOf") fault(keyword, matched);
		}
		if (k.not !== undefined && (yield this.#pair(k.not, value, at)) === null) fault("not");
		if (k.if !== undefined) {
			const branch = (yield this.#pair(k.if, value, at)) === null ? k.then : k.else;
			if (branch !== undefined) {
				this.#spend(1, "if", node);
				inherit(yield this.#pair(branch, value, at));
			}
		}

		if (kind === OBJECT) {
			const object = value as JsonObject;
			for (const name of sorted(k.properties))
				if (Object.hasOwn(object, name))
					inherit(yield this.#pair(k.properties!.get(name)!, object[name]!, at?.child(name)), name);
			if (k.additionalProperties !== undefined) {
				const names = Object.keys(object);
				this.#spend(names.length, "additionalProperties", node);
				for (const name of names.sort())
					if (!k.properties?.has(name))
						inherit(yield this.#pair(k.additionalProperties, object[name]!, at?.child(name)), name);
			}
			for (const trigger of sorted(k.dependentSchemas))
				if (Object.hasOwn(object, trigger)) inherit(yield this.#pair(k.dependentSchemas!.get(trigger)!, value, at));
		} else if (kind === ARRAY) {
			const items = value as readonly JsonValue[];
			const prefix = k.prefixItems ?? [];
			for (let i = 0; i < items.length; i++) {
				const child = prefix[i] ?? k.items;
				if (child === undefined || (failure !== null && explain === "first")) break;
				inherit(yield this.#pair(child, items[i]!, at?.child(i)), i);
			}
			if (k.contains !== undefined) {
				this.#spend(items.length, "contains", node);
				let matched = 0;
				for (let i = 0; i < items.length; i++)
					if ((yield this.#pair(k.contains, items[i]!, at?.child(i))) === null) matched++;
				if (k.minContains === undefined && matched === 0) fault("contains");
				if (matched < (k.minContains ?? 0)) fault("minContains");
				if (matched > (k.maxContains ?? matched)) fault("maxContains");
			}
		}
		memo?.remember(node, failure);
		return failure;
	}

	#fail(failure: Failure | null, node: SchemaNode, entry: Fault | Cause): Failure {
		if (this.#asked.explain === undefined) return REJECTED;
		if (failure === null) return { node, entries: [entry] };
		failure.entries.push(entry);
		return failure;
	}

	#spend(units: number, keyword: keyof Profile, node: SchemaNode): void {
		if (this.#asked.explain !== undefined) return;
		this.work += units;
		if (this.work > SCHEMA_LIMITS.work) throw limitError("work", pointerOf(node.place));
		const { profile } = this;
		if (profile !== undefined && units > 0)
			profile[keyword] = (Object.hasOwn(profile, keyword) ? profile[keyword]! : 0) + units;
	}

	/** What the bounds of a kind compare. */
	#measure(value: JsonValue, kind: Kind): number {
		if (kind === STRING) return scalarLength(value as string);
		if (kind === NUMBER) return value as number;
		if (kind === ARRAY) return (value as readonly JsonValue[]).length;
		let count = this.#counts.get(value);
		if (count === undefined) {
			count = Object.keys(value as object).length;
			this.#counts.set(value, count);
		}
		return count;
	}
}

/** Whether a schema has keywords that evaluate other schemas for a kind of instance. */
function takesOthers(k: Keywords, kind: Kind): boolean {
	const below =
		kind === OBJECT
			? (k.properties ?? k.additionalProperties ?? k.dependentSchemas)
			: kind === ARRAY
				? (k.prefixItems ?? k.items ?? k.contains)
				: undefined;
	return (k.$ref ?? k.allOf ?? k.anyOf ?? k.oneOf ?? k.not ?? k.if ?? below) !== undefined;
}

/** Whether a value is of one of the types of a mask. */
function isOneOf(mask: number, kind: Kind, value: JsonValue): boolean {
	return (mask & KIND_BITS[kind]) !== 0 || ((mask & TYPE_BITS.integer) !== 0 && Number.isInteger(value));
}

/** Names in RFC 8785 member order, whatever the order in the file. */
function sorted(map: ReadonlyMap<string, SchemaNode> | undefined): string[] {
	return map === undefined ? [] : [...map.keys()].sort();
}
