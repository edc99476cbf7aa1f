/**
 * The evaluator with the exact meter (Schema/1 section 4). It keeps its own stack: schemas chained by references can be 4,096
 * deep, which no JavaScript stack is sure to bear. Nothing is short-circuited but the memoized pairs.
 */

import type { JsonValue } from "../json/index.ts";
import { scalarLength } from "../text.ts";
import { fixedCharges, lengthKeyword } from "./charges.ts";
import type { Facts } from "./checks.ts";
import { limitError } from "./error.ts";
import { type Cause, Failure } from "./failure.ts";
import { type Kind, kindOf, OBJECT, STRING } from "./kinds.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { Location } from "./location.ts";
import { type Keyword, noKeywords, type SchemaNode } from "./node.ts";
import { pointerOf, rootPlace } from "./place.ts";
import type { Plan } from "./plan.ts";
import type { Frame, Step, Walk } from "./steps.ts";

/** Work units by keyword, those of the pairs themselves under `pair`. */
export type Profile = { [keyword in Keyword | "pair"]?: number };

/** What an evaluation is asked for beyond its verdict and its work. */
export interface Asked {
	readonly explain?: boolean;
	readonly profile?: boolean;
}

const NO_NAMES: readonly string[] = [];
const NO_CAUSES: readonly Cause[] = [];

/** One level of the machine's stack; reused by every pair that comes to stand at that level. */
class MachineFrame implements Frame {
	plan!: Plan;
	value: JsonValue = null;
	location: Location | undefined;
	steps: readonly Step[] = [];
	/** Index of the current step. */
	step = 0;
	next = 0;
	hits = 0;
	/** The step of the instance to the child offered last. */
	key: string | number | undefined;
	names: readonly string[] = NO_NAMES;
	branches: readonly Cause[] = NO_CAUSES;
	failure: Failure | null = null;
}

/** Objects with more members than this have their count remembered for the whole evaluation. */
const LARGE = 64;

/** Stands for every failure while nothing is explained. */
const REJECTED = new Failure({
	id: -1,
	place: rootPlace(""),
	truth: false,
	keywords: noKeywords(),
} satisfies SchemaNode);

/** One evaluation of one instance. */
export class Machine implements Walk, Facts {
	readonly explaining: boolean;
	readonly profile: Profile | undefined;
	work = 0;
	length = 0;
	readonly #frames: MachineFrame[] = [];
	#height = 0;
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
		const frames = this.#frames;
		let result = this.#enter(root, instance, root.located ? new Location() : undefined);
		while (this.#height > 0) {
			const frame = frames[this.#height - 1]!;
			const step = frame.steps[frame.step];
			if (step === undefined) {
				result = frame.failure;
				if (frame.plan.shared) frame.location!.remember(frame.plan, result);
				this.#height--;
				if (this.#height > 0) {
					const parent = frames[this.#height - 1]!;
					parent.steps[parent.step]!.take(parent, result, this);
				}
			} else if (step.offer(frame, this)) {
				const plan = this.#plan;
				const key = this.#key;
				frame.key = key;
				let location: Location | undefined;
				if (plan.located) location = key === undefined ? frame.location : frame.location!.child(key);
				result = this.#enter(plan, this.#value, location);
				if (result !== undefined) step.take(frame, result, this);
			} else {
				step.close?.(frame, this);
				frame.step++;
				frame.next = 0;
				frame.hits = 0;
				frame.branches = NO_CAUSES;
			}
		}
		return result!;
	}

	/** Charges and checks a pair; undefined when its children are still to be evaluated. */
	#enter(plan: Plan, value: JsonValue, location: Location | undefined): Failure | null | undefined {
		if (plan.shared) {
			const known = location!.verdictOf(plan);
			if (known !== undefined) return known;
		}
		const kind = kindOf(value);
		this.work += plan.charge[kind]!;
		if (this.profile !== undefined) this.#profilePair(plan, kind);
		if (kind === STRING && plan.bounded) {
			this.length = scalarLength(value as string);
			this.spend(this.length, lengthKeyword(plan.node.keywords)!, plan);
		} else if (kind === OBJECT && plan.dependentRequired !== undefined) {
			for (const [trigger, names] of plan.dependentRequired)
				if (Object.hasOwn(value as object, trigger)) this.spend(names.length, "dependentRequired", plan);
		}
		if (this.work > SCHEMA_LIMITS.work) throw limitError("work", pointerOf(plan.node.place));

		let failure: Failure | null = null;
		const checks = plan.checks[kind]!;
		for (let i = 0; i < checks.length; i++) {
			const check = checks[i]!;
			if (check.passes(value, this)) continue;
			if (!this.explaining) {
				failure = REJECTED;
				break;
			}
			failure ??= new Failure(plan.node);
			failure.entries.push({
				failure: undefined,
				keyword: check.keyword,
				explain: check.explain,
				value,
				branches: NO_CAUSES,
			});
		}
		const steps = plan.steps[kind]!;
		if (steps.length > 0) {
			this.#push(plan, value, steps, location, failure);
			return undefined;
		}
		if (plan.shared) location!.remember(plan, failure);
		return failure;
	}

	#push(
		plan: Plan,
		value: JsonValue,
		steps: readonly Step[],
		location: Location | undefined,
		failure: Failure | null,
	): void {
		let frame = this.#frames[this.#height];
		if (frame === undefined) {
			frame = new MachineFrame();
			this.#frames.push(frame);
		}
		this.#height++;
		frame.plan = plan;
		frame.value = value;
		frame.steps = steps;
		frame.location = location;
		frame.failure = failure;
		frame.step = 0;
		frame.next = 0;
		frame.hits = 0;
		frame.branches = NO_CAUSES;
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
		if (this.profile !== undefined) record(this.profile, keyword, units);
	}

	inherit(frame: Frame, failure: Failure): void {
		const own = frame as MachineFrame;
		if (this.explaining) this.#failureOf(own).entries.push({ step: own.key, failure });
		else own.failure = REJECTED;
	}

	reject(frame: Frame, keyword: Keyword, explain: () => string, branches: readonly Cause[] = NO_CAUSES): void {
		const own = frame as MachineFrame;
		if (this.explaining)
			this.#failureOf(own).entries.push({ failure: undefined, keyword, explain, value: own.value, branches });
		else own.failure = REJECTED;
	}

	lose(frame: Frame, failure: Failure): void {
		const cause: Cause = { step: undefined, failure };
		if (frame.branches.length === 0) frame.branches = [cause];
		else (frame.branches as Cause[]).push(cause);
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
		record(profile, "pair", 1);
		for (const [keyword, units] of fixedCharges(plan.node.keywords, kind)) record(profile, keyword, units);
	}
}

function record(profile: Profile, keyword: keyof Profile, units: number): void {
	if (units > 0) profile[keyword] = (Object.hasOwn(profile, keyword) ? profile[keyword]! : 0) + units;
}
