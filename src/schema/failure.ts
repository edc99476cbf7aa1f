/** Why a pair of schema and instance failed, as a graph that diagnostics are read from. */

import type { JsonValue } from "../json/index.ts";
import type { Keyword, SchemaNode } from "./node.ts";

/** A child that failed, and the step of the instance that leads to it; no step when it judged the same value. */
export interface Cause {
	readonly step: string | number | undefined;
	readonly failure: Failure;
}

/** A keyword that judged against the instance. The sentence is built only for faults that are reported. */
export interface Fault {
	/** What tells a fault from a cause. */
	readonly failure: undefined;
	/** Absent for the boolean schema `false`. */
	readonly keyword: Keyword | undefined;
	readonly value: JsonValue;
	/** For alternatives: how many matched. */
	readonly matched: number;
	/** For alternatives of which none matched: why each didn't. */
	readonly branches: readonly Cause[];
}

/** What failed in one pair, in the order it is reported. One object a pair: two referrers of a definition share it. */
export interface Failure {
	readonly node: SchemaNode;
	readonly entries: (Fault | Cause)[];
}
