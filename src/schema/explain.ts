/** From a failed evaluation to diagnostics (Schema/1 section 5). */

import { appendPointer } from "../json/index.ts";
import type { Cause, Failure, Fault } from "./failure.ts";
import { pointerOf } from "./place.ts";

/** The boundary at which an instance is refused (Schema/1 section 5). */
export type BoundaryCode = "INVALID_INPUT" | "INVALID_SETTINGS" | "INVALID_RESULT";

/** One reason why an instance is refused. Never contains the rejected value. */
export interface Diagnostic {
	readonly code: BoundaryCode;
	/** RFC 6901 pointer into the instance; empty when no location applies. */
	readonly instancePointer: string;
	/** RFC 6901 pointer of the schema object that holds the keyword (W13); behind a `$ref` it is the definition's. */
	readonly schemaPointer: string;
	/** Absent when the schema is `false`, and when the instance is no JSON/1 value. */
	readonly keyword?: string;
	/** For people; wording may change. */
	readonly message: string;
}

/**
 * Reads up to `max` diagnostics from a failure, in the order: what a schema's own keywords say, then its children's, members
 * in RFC 8785 order, items by index. Under an `anyOf` or `oneOf` that nothing matched, the reasons of each branch follow.
 */
export function diagnose(root: Failure, code: BoundaryCode, max: number): Diagnostic[] {
	const found: Diagnostic[] = [];
	// A pair that two paths reach is reported once; without that, shared definitions would multiply it.
	const seen = new Set<Failure>([root]);
	const stack = [{ failure: root, entries: root.entries as readonly (Fault | Cause)[], next: 0, pointer: "" }];
	for (let top = stack.at(-1); top !== undefined && found.length < max; top = stack.at(-1)) {
		const entry = top.entries[top.next++];
		if (entry === undefined) {
			stack.pop();
		} else if (entry.failure !== undefined) {
			if (seen.has(entry.failure)) continue;
			seen.add(entry.failure);
			const pointer = entry.step === undefined ? top.pointer : appendPointer(top.pointer, entry.step);
			stack.push({ failure: entry.failure, entries: entry.failure.entries, next: 0, pointer });
		} else {
			const { keyword, branches } = entry;
			const schemaPointer = pointerOf(top.failure.node.place);
			found.push({
				code,
				instancePointer: top.pointer,
				schemaPointer,
				...(keyword === undefined ? {} : { keyword }),
				message: entry.explain(entry.value),
			});
			if (branches.length > 0) stack.push({ failure: top.failure, entries: branches, next: 0, pointer: top.pointer });
		}
	}
	return found;
}
