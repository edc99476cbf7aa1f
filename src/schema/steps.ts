/**
 * Keywords that evaluate other schemas. Each is a step that offers its children one after the other and takes their results;
 * the machine does the walking, so that no step ever recurses.
 */

import type { JsonValue } from "../json/index.ts";
import type { Cause, Failure } from "./failure.ts";
import { memberOf } from "./kinds.ts";
import type { Keyword, Keywords, SchemaNode } from "./node.ts";
import type { Plan } from "./plan.ts";

/** A pair whose children are being evaluated. */
export interface Frame {
	readonly plan: Plan;
	readonly value: JsonValue;
	/** Position inside the current step. */
	next: number;
	/** Children of the current step that accepted. */
	hits: number;
	/** The member names that the current step walks. */
	names: readonly string[];
	/** Why children of the current step failed; only while explaining, empty otherwise. */
	branches: readonly Cause[];
}

/** The machine, as steps see it. */
export interface Walk {
	/** Whether failures are being explained; else a failure is only a fact. */
	readonly explaining: boolean;
	/** Offers a schema at a value, reached by a step of the instance (none for the same value). Always true. */
	offer(plan: Plan, value: JsonValue, step?: string | number): true;
	/** Charges units that the instance's content decides. */
	spend(units: number, keyword: Keyword, plan: Plan): void;
	/** The current pair fails because a child did. */
	inherit(frame: Frame, failure: Failure): void;
	/** A branch of the current step failed, which may be allowed. */
	lose(frame: Frame, failure: Failure): void;
	/** The current pair fails at a keyword. */
	reject(frame: Frame, keyword: Keyword, explain: () => string, branches?: readonly Cause[]): void;
}

/** One applicator keyword of one schema. */
export interface Step {
	/** Offers the next child; false when there is none left. */
	offer(frame: Frame, walk: Walk): boolean;
	/** Takes the result of the child offered last: null when it accepted. */
	take(frame: Frame, failure: Failure | null, walk: Walk): void;
	/** Judges after the last child. */
	readonly close: ((frame: Frame, walk: Walk) => void) | undefined;
}

type PlanOf = (child: SchemaNode) => Plan;

/** Steps at the same value, for every kind of instance. They come first. */
export function inPlaceSteps(k: Keywords, planOf: PlanOf): Step[] {
	const steps: Step[] = [];
	if (k.$ref !== undefined) steps.push(inPlace([planOf(k.$ref)]));
	if (k.allOf !== undefined) steps.push(inPlace(k.allOf.map(planOf)));
	if (k.anyOf !== undefined) steps.push(anyOf(k.anyOf.map(planOf)));
	if (k.oneOf !== undefined) steps.push(oneOf(k.oneOf.map(planOf)));
	if (k.not !== undefined) steps.push(not(planOf(k.not)));
	if (k.if !== undefined) steps.push(conditional(planOf(k.if), k.then && planOf(k.then), k.else && planOf(k.else)));
	return steps;
}

/** Steps for objects. */
export function objectSteps(k: Keywords, planOf: PlanOf): Step[] {
	const steps: Step[] = [];
	if (k.properties !== undefined && k.properties.size > 0) steps.push(properties(sorted(k.properties, planOf)));
	if (k.additionalProperties !== undefined)
		steps.push(additionalProperties(planOf(k.additionalProperties), k.properties ?? new Map()));
	if (k.dependentSchemas !== undefined && k.dependentSchemas.size > 0)
		steps.push(dependentSchemas(sorted(k.dependentSchemas, planOf)));
	return steps;
}

/** Steps for arrays. */
export function arraySteps(k: Keywords, planOf: PlanOf): Step[] {
	const steps: Step[] = [];
	if (k.prefixItems !== undefined) steps.push(prefixItems(k.prefixItems.map(planOf)));
	if (k.items !== undefined) steps.push(items(planOf(k.items), k.prefixItems?.length ?? 0));
	if (k.contains !== undefined) steps.push(contains(planOf(k.contains), k.minContains, k.maxContains));
	return steps;
}

type Entry = readonly [name: string, plan: Plan];

/** In RFC 8785 member order, whatever the order in the file. */
function sorted(map: ReadonlyMap<string, SchemaNode>, planOf: PlanOf): Entry[] {
	return [...map.keys()].sort().map((name) => [name, planOf(map.get(name)!)]);
}

/** Every child must accept. */
function takeAll(frame: Frame, failure: Failure | null, walk: Walk): void {
	if (failure !== null) walk.inherit(frame, failure);
}

/** Counts the children that accept, and remembers why others didn't. */
function takeCount(frame: Frame, failure: Failure | null, walk: Walk): void {
	if (failure === null) frame.hits++;
	else if (walk.explaining) walk.lose(frame, failure);
}

/** `$ref` and `allOf`: schemas at the same value. */
function inPlace(plans: readonly Plan[]): Step {
	return {
		offer: (frame, walk) => frame.next < plans.length && walk.offer(plans[frame.next++]!, frame.value),
		take: takeAll,
		close: undefined,
	};
}

const noneOf = (plans: readonly Plan[]) => (): string => `Matches none of the ${plans.length} alternatives`;

function anyOf(plans: readonly Plan[]): Step {
	const none = noneOf(plans);
	return {
		offer: (frame, walk) => frame.next < plans.length && walk.offer(plans[frame.next++]!, frame.value),
		take: takeCount,
		close: (frame, walk) => {
			if (frame.hits === 0) walk.reject(frame, "anyOf", none, frame.branches);
		},
	};
}

function oneOf(plans: readonly Plan[]): Step {
	const none = noneOf(plans);
	return {
		offer: (frame, walk) => frame.next < plans.length && walk.offer(plans[frame.next++]!, frame.value),
		take: takeCount,
		close: (frame, walk) => {
			if (frame.hits === 0) walk.reject(frame, "oneOf", none, frame.branches);
			else if (frame.hits > 1) {
				const { hits } = frame;
				walk.reject(frame, "oneOf", () => `Matches ${hits} of the ${plans.length} alternatives, not exactly one`);
			}
		},
	};
}

function not(plan: Plan): Step {
	return {
		offer: (frame, walk) => frame.next++ === 0 && walk.offer(plan, frame.value),
		take: (frame, failure, walk) => {
			if (failure === null) walk.reject(frame, "not", () => "Matches the schema that it must not match");
		},
		close: undefined,
	};
}

/** The condition is the first child; the branch it selects, if present, the second, at 1 unit more (W6). */
function conditional(condition: Plan, whenTrue: Plan | undefined, whenFalse: Plan | undefined): Step {
	return {
		offer: (frame, walk) => {
			const position = frame.next++;
			if (position === 0) return walk.offer(condition, frame.value);
			if (position > 1) return false;
			const branch = frame.hits > 0 ? whenTrue : whenFalse;
			if (branch === undefined) return false;
			walk.spend(1, "if", frame.plan);
			return walk.offer(branch, frame.value);
		},
		take: (frame, failure, walk) => {
			if (frame.next > 1) takeAll(frame, failure, walk);
			else if (failure === null) frame.hits = 1;
		},
		close: undefined,
	};
}

/** Offers the schema of the next declared name that the object has. */
function offerPresent(entries: readonly Entry[], frame: Frame, walk: Walk, descend: boolean): boolean {
	while (frame.next < entries.length) {
		const [name, plan] = entries[frame.next++]!;
		if (!Object.hasOwn(frame.value as object, name)) continue;
		return descend ? walk.offer(plan, memberOf(frame.value, name), name) : walk.offer(plan, frame.value);
	}
	return false;
}

function properties(entries: readonly Entry[]): Step {
	return { offer: (frame, walk) => offerPresent(entries, frame, walk, true), take: takeAll, close: undefined };
}

function dependentSchemas(entries: readonly Entry[]): Step {
	return { offer: (frame, walk) => offerPresent(entries, frame, walk, false), take: takeAll, close: undefined };
}

function additionalProperties(plan: Plan, declared: ReadonlyMap<string, unknown>): Step {
	return {
		offer: (frame, walk) => {
			if (frame.next === 0) {
				const names = Object.keys(frame.value as object);
				walk.spend(names.length, "additionalProperties", frame.plan);
				// The charge doesn't depend on the order, the first diagnostic would.
				frame.names = walk.explaining ? names.sort() : names;
			}
			while (frame.next < frame.names.length) {
				const name = frame.names[frame.next++]!;
				if (!declared.has(name)) return walk.offer(plan, memberOf(frame.value, name), name);
			}
			return false;
		},
		take: takeAll,
		close: undefined,
	};
}

function prefixItems(plans: readonly Plan[]): Step {
	return {
		offer: (frame, walk) => {
			const values = frame.value as readonly JsonValue[];
			const at = frame.next++;
			return at < plans.length && at < values.length && walk.offer(plans[at]!, values[at]!, at);
		},
		take: takeAll,
		close: undefined,
	};
}

function items(plan: Plan, first: number): Step {
	return {
		offer: (frame, walk) => {
			const values = frame.value as readonly JsonValue[];
			const at = first + frame.next++;
			return at < values.length && walk.offer(plan, values[at]!, at);
		},
		take: takeAll,
		close: undefined,
	};
}

/** Every item is charged and evaluated, also when `minContains` is 0 (W5). */
function contains(plan: Plan, min: number | undefined, max: number | undefined): Step {
	return {
		offer: (frame, walk) => {
			const values = frame.value as readonly JsonValue[];
			const at = frame.next++;
			if (at === 0) walk.spend(values.length, "contains", frame.plan);
			return at < values.length && walk.offer(plan, values[at]!, at);
		},
		take: (frame, failure) => {
			if (failure === null) frame.hits++;
		},
		close: (frame, walk) => {
			if (min === undefined && frame.hits === 0) walk.reject(frame, "contains", () => "No item matches");
			if (min !== undefined && frame.hits < min)
				walk.reject(frame, "minContains", () => `Fewer than ${min} items match`);
			if (max !== undefined && frame.hits > max)
				walk.reject(frame, "maxContains", () => `More than ${max} items match`);
		},
	};
}
