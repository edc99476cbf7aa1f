/** The verdict over a whole Run (Run/1 sections 7 and 9): a function of what was recorded and how the process ended. */

import type { RunCode } from "./codes.ts";
import type { ExitEvidence, Failure, RunConclusion, RunResult } from "./ports.ts";

/** What a host session recorded before its component was gone. */
export interface Record {
	/** A detected violation. `truncated`: the stream ended inside a frame, which a kill may have caused. */
	readonly violation?: { readonly message: string; readonly truncated: boolean } | undefined;
	/** A pipe failed. */
	readonly lost?: string | undefined;
	/** The first recorded condition, when it came before any response. */
	readonly condition?: Condition | undefined;
	readonly answer?: { readonly result: RunResult } | { readonly failure: Failure } | undefined;
	/** The component's stdout ended on a frame boundary. */
	readonly ended: boolean;
	/** Operations whose work has not settled. */
	readonly unsettled: number;
}

export interface Condition {
	readonly code: "CANCELLED" | "DEADLINE_EXCEEDED" | "RESOURCE_EXHAUSTED";
	readonly message: string;
}

/**
 * The first line that applies decides:
 *
 * | what | conclusion |
 * | --- | --- |
 * | a protocol violation; the stream ended inside a frame, unless a recorded condition had it killed | `PROTOCOL_ERROR` |
 * | the component could not be proven gone | `EXECUTION_FAILED` |
 * | a recorded cancellation, deadline or host bound | its code |
 * | how the process ended is not known | `CHANNEL_LOST` |
 * | an answer, and then a kill, a nonzero exit or a signal | `EXECUTION_FAILED` |
 * | an answer, but a pipe failed or stdout never ended | `CHANNEL_LOST` |
 * | an answer, but owned work has not settled | `EXECUTION_FAILED` |
 * | an answer | the answer |
 * | no answer, and a nonzero exit or signal of its own (whatever the pipes said first) | `EXECUTION_FAILED` |
 * | no answer | `CHANNEL_LOST` |
 */
export function conclude(record: Record, evidence: ExitEvidence): RunConclusion {
	const { violation, condition, answer } = record;
	const fenced = condition !== undefined && evidence.killed;
	if (violation !== undefined && !(violation.truncated && fenced)) return failed("PROTOCOL_ERROR", violation.message);
	if (evidence.fenceFailed) {
		return failed("EXECUTION_FAILED", `The component could not be proven gone.${afterAnswer(answer)}`);
	}
	if (condition !== undefined) return failed(condition.code, condition.message);
	const unknown = evidence.exitCode === null && evidence.signal === null;
	if (unknown) return failed("CHANNEL_LOST", `How the component ended is not known.${because(record.lost)}`);
	return answer === undefined ? withoutAnswer(record, evidence) : withAnswer(answer, record, evidence);
}

function withAnswer(answer: NonNullable<Record["answer"]>, record: Record, evidence: ExitEvidence): RunConclusion {
	if (evidence.killed) {
		return failed("EXECUTION_FAILED", `The component answered but had to be killed.${afterAnswer(answer)}`);
	}
	if (!isClean(evidence)) return failed("EXECUTION_FAILED", `The component ${exitOf(evidence)}.${afterAnswer(answer)}`);
	if (record.lost !== undefined) {
		return failed("CHANNEL_LOST", `The component answered, then its channel was lost: ${record.lost}.`);
	}
	if (!record.ended) return failed("CHANNEL_LOST", "The component answered, but its stdout was not read to its end.");
	if (record.unsettled > 0) {
		return failed("EXECUTION_FAILED", `The component answered while ${record.unsettled} operations were running.`);
	}
	if ("result" in answer) return { status: "succeeded", result: answer.result };
	return { status: "failed", ...answer.failure };
}

function withoutAnswer(record: Record, evidence: ExitEvidence): RunConclusion {
	if (!evidence.killed && !isClean(evidence)) {
		return failed("EXECUTION_FAILED", `The component ${exitOf(evidence)} before it answered.`);
	}
	const ending = evidence.killed ? "The component was lost and killed" : "The component exited";
	return failed("CHANNEL_LOST", `${ending} before it answered.${because(record.lost)}`);
}

function isClean(evidence: ExitEvidence): boolean {
	return evidence.exitCode === 0 && evidence.signal === null;
}

function exitOf(evidence: ExitEvidence): string {
	return evidence.signal === null ? `exited with code ${evidence.exitCode}` : `was ended by ${evidence.signal}`;
}

function because(lost: string | undefined): string {
	return lost === undefined ? "" : ` ${lost}.`;
}

/** The answer's own reason stays visible where the way the process ended outranks it. */
function afterAnswer(answer: Record["answer"]): string {
	if (answer === undefined || "result" in answer) return "";
	return ` Its answer was ${answer.failure.code}: ${answer.failure.message}`;
}

function failed(code: RunCode, message: string): RunConclusion {
	return { status: "failed", code, message };
}
