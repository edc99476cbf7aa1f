/** Where in an instance the machine is, for schemas that several paths can bring to one place. */

import type { Failure } from "./failure.ts";
import type { Plan } from "./plan.ts";

/** How many children a location keeps in a list before it makes a map. */
const FEW = 8;

/**
 * A location of the instance, where shared definitions remember their verdicts. Identity of values can't serve: scalars have
 * none, and one object may stand at two places. Mostly one definition meets a location, so the first one needs no map.
 */
export class Location {
	#plan: Plan | undefined;
	#verdict: Failure | null = null;
	#verdicts: Map<Plan, Failure | null> | undefined;
	#steps: (string | number)[] | undefined;
	#children: Location[] | undefined;
	#index: Map<string | number, Location> | undefined;

	/** The verdict of a definition that was evaluated here: null when it accepted, undefined when it wasn't evaluated. */
	verdictOf(plan: Plan): Failure | null | undefined {
		if (this.#plan === plan) return this.#verdict;
		return this.#verdicts?.get(plan);
	}

	remember(plan: Plan, verdict: Failure | null): void {
		if (this.#plan === undefined) {
			this.#plan = plan;
			this.#verdict = verdict;
		} else {
			this.#verdicts ??= new Map();
			this.#verdicts.set(plan, verdict);
		}
	}

	child(step: string | number): Location {
		if (this.#index !== undefined) {
			let child = this.#index.get(step);
			if (child === undefined) {
				child = new Location();
				this.#index.set(step, child);
			}
			return child;
		}
		this.#steps ??= [];
		this.#children ??= [];
		const steps = this.#steps;
		const children = this.#children;
		for (let i = 0; i < steps.length; i++) if (steps[i] === step) return children[i]!;
		const child = new Location();
		steps.push(step);
		children.push(child);
		if (steps.length > FEW) this.#index = new Map(steps.map((known, i) => [known, children[i]!]));
		return child;
	}
}
