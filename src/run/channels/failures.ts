/** Why channel requests fail (Run/1 sections 5.1 and 7). */

import { escapeForDisplay } from "../../display.ts";
import type { JsonValue } from "../../json/index.ts";
import { type Schema, SchemaError } from "../../schema/index.ts";
import type { WireCode } from "../codes.ts";
import type { Failure } from "../ports.ts";

export function failure(code: WireCode, message: string, details?: JsonValue): Failure {
	return details === undefined ? { code, message } : { code, message, details };
}

/** A reference that gives its bearer nothing here: unknown, another's, moved on, or of the other direction. */
export function notHeld(right: "sender" | "receiver" | "source"): Failure {
	return failure("PERMISSION_DENIED", `The reference is no ${right} that this invocation holds.`);
}

export const OWNER_OVER: Failure = failure("OWNER_CLOSED", "The invocation has ended and admits no more channel work.");
export const SOURCE_REVOKED: Failure = failure("OWNER_CLOSED", "The invocation that owns the source has ended.");
export const SOURCE_ABORTED: Failure = failure(
	"OWNER_CLOSED",
	"The sender's invocation ended before it closed the source.",
);
export const SOURCE_SEALED: Failure = failure(
	"OWNER_CLOSED",
	"The source is closed: it takes no more items or readers.",
);
export const RECEIVER_GONE: Failure = failure("DISCONNECTED", "The receiver of this source was disposed.");
export const LAGGED: Failure = failure("LAGGED", "The reader fell behind further than its queue holds.");
export const READ_DROPPED: Failure = failure("CANCELLED", "The receiver was released while a read was waiting.");
export const CANCELLED: Failure = failure("CANCELLED", "The request was cancelled.");

/**
 * Why `value` doesn't fit an item schema: `INVALID_INPUT`, or `RESOURCE_EXHAUSTED` where the check crosses the work limit of
 * Schema/1; undefined when it fits. Details name places and rules, never the value.
 */
export function violation(schema: Schema | undefined, value: JsonValue): Failure | undefined {
	if (schema === undefined) return undefined;
	try {
		if (schema.accepts(value)) return undefined;
		const [first] = schema.evaluate(value).diagnostics;
		if (first === undefined) return failure("INVALID_INPUT", "The item does not fit the channel's schema.");
		const { code, instancePointer, schemaPointer, keyword, message } = first;
		const details = [{ code, instancePointer, schemaPointer, ...(keyword === undefined ? {} : { keyword }), message }];
		const sentence = `The item does not fit the channel's schema at ${place(instancePointer)}: ${message}.`;
		// A rule may name members, and names are long: the message keeps within Run/1's 1,024 scalars.
		return failure("INVALID_INPUT", sentence.slice(0, 1_000).toWellFormed(), details);
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return failure("RESOURCE_EXHAUSTED", "The item could not be checked against its schema within the work limit.");
	}
}

/** A pointer in a message: the beginning of it. */
function place(pointer: string): string {
	if (pointer === "") return "the root";
	return `${escapeForDisplay(pointer.slice(0, 80))}${pointer.length > 80 ? "…" : ""}`;
}
