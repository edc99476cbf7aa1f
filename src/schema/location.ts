/** Where in an instance an evaluation is, for schemas that several ways can bring to one place. */

import type { SchemaNode } from "./node.ts";

/** How many children a location keeps in a list before it makes a map. */
const FEW = 8;

/**
 * A location of the instance, where shared definitions remember their verdicts. Identity of values can't serve: scalars have
 * none, and one object may stand at two places. Mostly one definition meets a location, so the first one needs no map.
 */
export class Location<Verdict> {
	#node: SchemaNode | undefined;
	#verdict: Verdict | undefined;
	#verdicts: Map<SchemaNode, Verdict> | undefined;
	#steps: (string | number)[] | undefined;
	#children: Location<Verdict>[] | undefined;
	#index: Map<string | number, Location<Verdict>> | undefined;

	/** The verdict of a definition that was evaluated here. */
	verdictOf(node: SchemaNode): Verdict | undefined {
		return this.#node === node ? this.#verdict : this.#verdicts?.get(node);
	}

	remember(node: SchemaNode, verdict: Verdict): void {
		if (this.#node === undefined) {
			this.#node = node;
			this.#verdict = verdict;
		} else {
			this.#verdicts ??= new Map();
			this.#verdicts.set(node, verdict);
		}
	}

	child(step: string | number): Location<Verdict> {
		this.#steps ??= [];
		this.#children ??= [];
		const steps = this.#steps;
		const children = this.#children;
		const known = this.#index === undefined ? children[steps.indexOf(step)] : this.#index.get(step);
		if (known !== undefined) return known;
		const child = new Location<Verdict>();
		if (this.#index !== undefined) this.#index.set(step, child);
		else {
			steps.push(step);
			children.push(child);
			if (steps.length > FEW) this.#index = new Map(steps.map((each, i) => [each, children[i]!]));
		}
		return child;
	}
}
