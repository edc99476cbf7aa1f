/** What evaluating a schema takes, prepared once: per kind of instance the charge, the checks and the steps. */

import { fixedCharges, lengthKeyword } from "./charges.ts";
import { type Check, checksFor, scalarChecks } from "./checks.ts";
import { ARRAY, KINDS, type Kind, OBJECT } from "./kinds.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";
import { arraySteps, inPlaceSteps, objectSteps, type Step } from "./steps.ts";

/** One schema, ready for the machine. Arrays are indexed by kind. */
export interface Plan {
	readonly node: SchemaNode;
	/** Units of the pair itself and of the keywords whose charge the kind decides. */
	readonly charge: readonly number[];
	readonly checks: readonly (readonly Check[])[];
	readonly steps: readonly (readonly Step[])[];
	/** Whether a string's length is charged and judged. */
	readonly bounded: boolean;
	readonly dependentRequired: ReadonlyMap<string, readonly string[]> | undefined;
	/** Whether a pair of this schema may be met twice: the target of more than one reference (W2, W12). */
	readonly shared: boolean;
	/** Whether this schema or one below it is shared, so that the machine must know where in the instance it is. */
	readonly located: boolean;
}

const NOTHING: Check = { keyword: undefined, passes: () => false, explain: () => "Nothing is allowed here" };

/** The plans of a graph, by node id. */
export function planGraph(graph: SchemaGraph): readonly Plan[] {
	const plans: Plan[] = new Array(graph.nodes.length);
	// Backwards, so that children and targets are ready before those who evaluate them.
	for (let i = graph.order.length - 1; i >= 0; i--) {
		const node = graph.order[i]!;
		plans[node.id] = planNode(node, (child) => plans[child.id]!, (graph.definitions.get(node)?.referrers ?? 0) > 1);
	}
	return plans;
}

function planNode(node: SchemaNode, planOf: (child: SchemaNode) => Plan, shared: boolean): Plan {
	const k = node.keywords;
	const charge: number[] = [];
	const checks: Check[][] = [];
	const steps: Step[][] = [];
	let located = shared;
	const below = (child: SchemaNode): Plan => {
		const plan = planOf(child);
		located ||= plan.located;
		return plan;
	};
	const scalars = scalarChecks(k);
	const anywhere = inPlaceSteps(k, below);
	for (let i = 0; i < KINDS; i++) {
		const kind = i as Kind;
		let units = 1;
		for (const [, more] of fixedCharges(k, kind)) units += more;
		charge.push(units);
		checks.push(node.truth === false ? [NOTHING] : checksFor(k, kind, scalars));
		const own = kind === OBJECT ? objectSteps(k, below) : kind === ARRAY ? arraySteps(k, below) : [];
		steps.push(own.length === 0 ? anywhere : [...anywhere, ...own]);
	}
	const bounded = lengthKeyword(k) !== undefined;
	return { node, charge, checks, steps, bounded, dependentRequired: k.dependentRequired, shared, located };
}
