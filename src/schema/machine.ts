/**
 * The evaluator with the exact meter (Schema/1 section 4). It keeps its own stack: schemas chained by references can be 4,096
 * deep, which no JavaScript stack is sure to bear. Nothing is short-circuited but the memoized pairs.
 */

import { type JsonValue, scalarLength } from "../json/index.ts";
import { fixedCharges, lengthKeyword } from "./charges.ts";
import type { Facts } from "./checks.ts";
import { limitError } from "./error.ts";
import { type Cause, Failure } from "./failure.ts";
import { type Kind, kindOf, OBJECT, STRING } from "./kinds.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import type { Keyword, SchemaNode } from "./node.ts";
import { pointerOf } from "./place.ts";
import type { Plan } from "./plan.ts";
import type { Frame, Step, Walk } from "./steps.ts";

/** Work units by keyword, those of the pairs themselves under `pair`. */
export type Profile = { [keyword in Keyword | "pair"]?: number };

/** What an evaluation is asked for beyond its verdict and its work. */
export interface Asked {
	readonly explain?: boolean;
	readonly profile?: boolean;
}

/** A location of the instance, where shared definitions remember their verdicts. Made only below schemas that need it. */
class Location {
	readonly verdicts: Map<Plan, Failure | null> = new Map();
	#children: Map<string | number, Location> | undefined;

	child(step: string | number): Location {
		this.#children ??= new Map();
		let child = this.#children.get(step);
		if (child === undefined) {
			child = new Location();
			this.#children.set(step, child);
		}
		return child;
	}
}

class MachineFrame implements Frame {
	plan: Plan;
	value: JsonValue;
	location: Location | undefined;
	steps: readonly Step[];
	/** Index of the current step. */
	step = 0;
	next = 0;
	hits = 0;
	/** The step of the instance to the child offered last. */
	key: string | number | undefined;
	names: readonly string[] = [];
	branches: Cause[] = [];
	failure: Failure | null;

	constructor(plan: Plan, value: JsonValue, kind: Kind, location: Location | undefined, failure: Failure | null) {
		this.plan = plan;
		this.value = value;
		this.location = location;
		this.steps = plan.steps[kind]!;
		this.failure = failure;
	}
}

/** Objects with more members than this have their count remembered for the whole evaluation. */
const LARGE = 64;

/** Stands for every failure while nothing is explained. */
const REJECTED = new Failure({ id: -1, place: { pointer: "" }, truth: false, keywords: {} } satisfies SchemaNode);

/** One evaluation of one instance. */
export class Machine implements Walk, Facts {
	readonly explaining: boolean;
	readonly profile: Profile | undefined;
	work = 0;
	length = 0;
	readonly #stack: MachineFrame[] = [];
	#plan!: Plan;
	#value: JsonValue = null;
	#key: string | number | undefined;
	#large: Map<JsonValue, number> | undefined;

	constructor(asked: Asked = {}) {
		this.explaining = asked.explain === true;
		this.profile = asked.profile === true ? {} : undefined;
	}

	/**
	 * Evaluates and returns null when the instance is valid. Throws `SCHEMA_LIMIT_EXCEEDED` as soon as the charge crosses
	 * the budget, whatever the verdict would be (W11).
	 */
	run(root: Plan, instance: JsonValue): Failure | null {
		const stack = this.#stack;
		let result = this.#enter(root, instance, root.located ? new Location() : undefined);
		while (stack.length > 0) {
			const frame = stack[stack.length - 1]!;
			const step = frame.steps[frame.step];
			if (step === undefined) {
				stack.pop();
				result = frame.failure;
				if (frame.plan.shared) frame.location!.verdicts.set(frame.plan, result);
				const parent = stack[stack.length - 1];
				if (parent !== undefined) parent.steps[parent.step]!.take(parent, result, this);
			} else if (step.offer(frame, this)) {
				const key = this.#key;
				frame.key = key;
				let location: Location | undefined;
				if (this.#plan.located) location = key === undefined ? frame.location : frame.location!.child(key);
				result = this.#enter(this.#plan, this.#value, location);
				if (result !== undefined) step.take(frame, result, this);
			} else {
				step.close?.(frame, this);
				frame.step++;
				frame.next = 0;
				frame.hits = 0;
				if (this.explaining) frame.branches = [];
			}
		}
		return result!;
	}

	/** Charges and checks a pair; undefined when its children are still to be evaluated. */
	#enter(plan: Plan, value: JsonValue, location: Location | undefined): Failure | null | undefined {
		if (plan.shared) {
			const known = location!.verdicts.get(plan);
			if (known !== undefined) return known;
		}
		const kind = kindOf(value);
		this.work += plan.charge[kind]!;
		if (this.profile !== undefined) this.#profilePair(plan, kind);
		if (kind === STRING && plan.bounded) {
			this.length = scalarLength(value as string);
			this.spend(this.length, lengthKeyword(plan.node.keywords)!, plan);
		} else if (kind === OBJECT && plan.node.keywords.dependentRequired !== undefined) {
			for (const [trigger, names] of plan.node.keywords.dependentRequired)
				if (Object.hasOwn(value as object, trigger)) this.spend(names.length, "dependentRequired", plan);
		}
		if (this.work > SCHEMA_LIMITS.work) throw limitError("work", pointerOf(plan.node.place));

		let failure: Failure | null = null;
		for (const check of plan.checks[kind]!) {
			if (check.passes(value, this)) continue;
			if (!this.explaining) {
				failure = REJECTED;
				break;
			}
			failure ??= new Failure(plan.node);
			failure.entries.push({ keyword: check.keyword, message: check.explain(value), branches: [] });
		}
		if (plan.steps[kind]!.length > 0) {
			this.#stack.push(new MachineFrame(plan, value, kind, location, failure));
			return undefined;
		}
		if (plan.shared) location!.verdicts.set(plan, failure);
		return failure;
	}

	offer(plan: Plan, value: JsonValue, step?: string | number): true {
		this.#plan = plan;
		this.#value = value;
		this.#key = step;
		return true;
	}

	spend(units: number, keyword: Keyword, plan: Plan): void {
		this.work += units;
		if (this.work > SCHEMA_LIMITS.work) throw limitError("work", pointerOf(plan.node.place));
		if (this.profile !== undefined && units > 0) this.profile[keyword] = (this.profile[keyword] ?? 0) + units;
	}

	inherit(frame: Frame, failure: Failure): void {
		const own = frame as MachineFrame;
		if (this.explaining) this.#failureOf(own).entries.push({ step: own.key, failure });
		else own.failure = REJECTED;
	}

	reject(frame: Frame, keyword: Keyword, message: string, branches: readonly Cause[] = []): void {
		const own = frame as MachineFrame;
		if (this.explaining) this.#failureOf(own).entries.push({ keyword, message, branches });
		else own.failure = REJECTED;
	}

	memberCount(value: JsonValue): number {
		const known = this.#large?.get(value);
		if (known !== undefined) return known;
		const count = Object.keys(value as object).length;
		if (count > LARGE) {
			this.#large ??= new Map();
			this.#large.set(value, count);
		}
		return count;
	}

	#failureOf(frame: MachineFrame): Failure {
		frame.failure ??= new Failure(frame.plan.node);
		return frame.failure;
	}

	#profilePair(plan: Plan, kind: Kind): void {
		const profile = this.profile!;
		profile.pair = (profile.pair ?? 0) + 1;
		for (const [keyword, units] of fixedCharges(plan.node.keywords, kind))
			if (units > 0) profile[keyword] = (profile[keyword] ?? 0) + units;
	}
}
