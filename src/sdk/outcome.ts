/**
 * What a handler's end means for the Run (Run SDK/1 section 5, Run/1 section 7): a checked result, or the operational
 * failure that crosses the wire instead. Whatever the handler threw is only read here, never trusted: its members may be
 * accessors that throw, its message may be of any size.
 */
import { admitJson } from "../json/index.ts";
import type { Failure, RunResult } from "../run/index.ts";
// Not through the room's door: a component process loads neither the host's half of the machine nor a hash.
import { isFailure } from "../run/messages.ts";
import { OperationError } from "./errors.ts";

/** Diagnostics are bounded so that a huge thrown value can't fill the host's stderr buffer. */
const MAX_DIAGNOSTIC = 4_096;

/** An outcome for the wire and, where the author should hear about it, a bounded text for stderr. */
export interface HandlerOutcome {
	readonly finish: RunResult | { readonly failure: Failure };
	readonly diagnostic?: string;
}

/**
 * The handler fulfilled with `value`: exactly `{ outcome, output }` as plain data members, whose values the session checks,
 * snapshots and fits into their frame; anything else is `INVALID_RESULT`. Says what is wrong, never repeats the value.
 */
export function outcomeOfValue(value: unknown): HandlerOutcome {
	try {
		if (typeof value !== "object" || value === null) return invalidResult("the handler must return an object");
		for (const key of Reflect.ownKeys(value)) {
			if (key !== "outcome" && key !== "output") return invalidResult("only outcome and output belong in it");
		}
		const outcome = Object.getOwnPropertyDescriptor(value, "outcome")?.value;
		const output = Object.getOwnPropertyDescriptor(value, "output")?.value;
		if (output === undefined) return invalidResult("it has no output; use null for nothing to say");
		return { finish: { outcome, output } };
	} catch {
		return invalidResult("it could not be read");
	}
}

/**
 * The handler rejected with `error`: a wire-visible `OperationError` with valid metadata is preserved, everything else is
 * `EXECUTION_FAILED`. The text of a foreign exception stays on this side of the wire, on stderr: a caller of this Flow may
 * be under another authority.
 */
export function outcomeOfError(error: unknown): HandlerOutcome {
	const preserved = preservedFailure(error);
	if (preserved !== undefined) return { finish: { failure: preserved } };
	return {
		finish: {
			failure: {
				code: "EXECUTION_FAILED",
				message: "The handler threw an exception; its text is on the component's stderr.",
			},
		},
		diagnostic: bounded(`The handler threw: ${describe(error)}`, MAX_DIAGNOSTIC),
	};
}

function invalidResult(reason: string): HandlerOutcome {
	const message = `The handler's result is no { outcome, output }: ${reason}.`;
	return { finish: { failure: { code: "INVALID_RESULT", message } } };
}

function preservedFailure(error: unknown): Failure | undefined {
	try {
		if (!(error instanceof OperationError)) return undefined;
		const { code, message, details } = error as { code: unknown; message: unknown; details?: unknown };
		const failure = { code, message };
		if (!isFailure(failure)) return undefined;
		return details === undefined ? failure : { ...failure, details: admitJson(details) };
	} catch {
		return undefined;
	}
}

function describe(error: unknown): string {
	try {
		const text = String(error);
		if (!(error instanceof Error) || error.stack === undefined) return text;
		// V8's stack begins with the message, that of other engines has none.
		return error.stack.includes(error.message) ? error.stack : `${text}\n${error.stack}`;
	} catch {
		return "something that can't be shown";
	}
}

/** Cuts by UTF-16 units, which never makes more scalars than `limit`, and mends a pair that was cut in two. */
function bounded(text: string, limit: number): string {
	return text.slice(0, limit).toWellFormed();
}
