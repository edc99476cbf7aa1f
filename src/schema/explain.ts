/** From a failed evaluation to diagnostics (Schema/1 section 5). */

import { quoteForDisplay } from "../display.ts";
import { appendPointer } from "../json/index.ts";
import type { Cause, Failure, Fault } from "./failure.ts";
import { typeNameOf } from "./kinds.ts";
import type { SchemaNode } from "./node.ts";
import { pointerOf } from "./place.ts";
import { RANGES } from "./ranges.ts";

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
				message: sentenceOf(top.failure.node, entry),
			});
			if (branches.length > 0) stack.push({ failure: top.failure, entries: branches, next: 0, pointer: top.pointer });
		}
	}
	return found;
}

/** Facts of the schema and type names only: a message never shows the instance. */
function sentenceOf({ keywords: k }: SchemaNode, { keyword, value, matched }: Fault): string {
	const missing = (names: readonly string[] | undefined): string | undefined =>
		names?.find((name) => !Object.hasOwn(value as object, name));
	switch (keyword) {
		case undefined:
			return "Nothing is allowed here";
		case "type":
			return `Expected ${k.type!.join(" or ")}, got ${typeNameOf(value)}`;
		case "const":
			return "Not the constant of the schema";
		case "enum":
			return `None of the ${k.enum!.length} values the schema lists`;
		case "anyOf":
		case "oneOf": {
			const alternatives = `of the ${k[keyword]!.length} alternatives`;
			return matched === 0 ? `Matches none ${alternatives}` : `Matches ${matched} ${alternatives}, not exactly one`;
		}
		case "not":
			return "Matches the schema that it must not match";
		case "required":
			return `The required member ${quoteForDisplay(missing(k.required)!)} is missing`;
		case "dependentRequired": {
			// In RFC 8785 member order, so that the same trigger is reported whatever the order in the file.
			const triggers = [...k.dependentRequired!.keys()].sort();
			const unmet = (trigger: string): string | undefined =>
				Object.hasOwn(value as object, trigger) ? missing(k.dependentRequired!.get(trigger)) : undefined;
			const trigger = triggers.find((each) => unmet(each) !== undefined)!;
			return `With ${quoteForDisplay(trigger)}, the member ${quoteForDisplay(unmet(trigger)!)} is required`;
		}
		case "contains":
			return "No item matches";
		case "minContains":
			return `Fewer than ${k.minContains} items match`;
		case "maxContains":
			return `More than ${k.maxContains} items match`;
		default: {
			const range = RANGES.find((each) => each.keyword === keyword)!;
			return range.sentence.replace("#", String(k[range.keyword]));
		}
	}
}
