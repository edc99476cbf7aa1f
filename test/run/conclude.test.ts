import { describe, expect, it } from "vitest";
import { conclude, type Record as RunRecord } from "../../src/run/conclude.ts";
import type { ExitEvidence } from "../../src/run/index.ts";
import { DONE, verdict } from "./harness.ts";

const CLEAN: ExitEvidence = { exitCode: 0, signal: null, killed: false };
const NONZERO: ExitEvidence = { exitCode: 3, signal: null, killed: false };
const CRASHED: ExitEvidence = { exitCode: null, signal: "SIGSEGV", killed: false };
const KILLED: ExitEvidence = { exitCode: null, signal: "SIGKILL", killed: true };
const UNKNOWN: ExitEvidence = { exitCode: null, signal: null, killed: false };
const UNFENCED: ExitEvidence = { exitCode: null, signal: null, killed: true, fenceFailed: true };

const NOTHING: RunRecord = { ended: true, unsettled: 0 };
const ANSWERED: RunRecord = { ...NOTHING, answer: { result: DONE } };
const FAILED: RunRecord = { ...NOTHING, answer: { failure: { code: "INVALID_INPUT", message: "bad" } } };
const LATE: RunRecord = { ...NOTHING, condition: { code: "DEADLINE_EXCEEDED", message: "late" } };
const VIOLATION = { message: "garbage", truncated: false };
const TRUNCATED = { message: "half a frame", truncated: true };

describe("Run/1 section 9: the supervising host's classification", () => {
	it.each<[string, RunRecord, ExitEvidence, string]>([
		["an answer and a clean exit", ANSWERED, CLEAN, "done"],
		["a failure and a clean exit", FAILED, CLEAN, "INVALID_INPUT"],
		["a violation over everything", { ...ANSWERED, ...LATE, violation: VIOLATION }, UNFENCED, "PROTOCOL_ERROR"],
		["a half frame", { ...NOTHING, violation: TRUNCATED }, NONZERO, "PROTOCOL_ERROR"],
		["a half frame after a kill for another reason", { ...NOTHING, violation: TRUNCATED }, KILLED, "PROTOCOL_ERROR"],
		["a half frame after a kill at the deadline", { ...LATE, violation: TRUNCATED }, KILLED, "DEADLINE_EXCEEDED"],
		["a half frame at the deadline without a kill", { ...LATE, violation: TRUNCATED }, CLEAN, "PROTOCOL_ERROR"],
		["a failed fence", ANSWERED, UNFENCED, "EXECUTION_FAILED"],
		["a failed fence at the deadline", LATE, UNFENCED, "EXECUTION_FAILED"],
		["a deadline and a kill", LATE, KILLED, "DEADLINE_EXCEEDED"],
		["a deadline and an exit by itself", LATE, NONZERO, "DEADLINE_EXCEEDED"],
		["a deadline and a lost pipe", { ...LATE, lost: "EPIPE" }, CLEAN, "DEADLINE_EXCEEDED"],
		["a deadline and no exit evidence", LATE, UNKNOWN, "DEADLINE_EXCEEDED"],
		[
			"a crossed bound after an answer",
			{ ...ANSWERED, condition: { code: "RESOURCE_EXHAUSTED", message: "m" } },
			KILLED,
			"RESOURCE_EXHAUSTED",
		],
		["no exit evidence", ANSWERED, UNKNOWN, "CHANNEL_LOST"],
		["an answer and a kill", ANSWERED, KILLED, "EXECUTION_FAILED"],
		["an answer and a nonzero exit", ANSWERED, NONZERO, "EXECUTION_FAILED"],
		["an answer and a crash", ANSWERED, CRASHED, "EXECUTION_FAILED"],
		["a failure and a nonzero exit", FAILED, NONZERO, "EXECUTION_FAILED"],
		["an answer and a failed read", { ...ANSWERED, ended: false, lost: "EIO" }, CLEAN, "CHANNEL_LOST"],
		["an answer and a stdout that never ended", { ...ANSWERED, ended: false }, CLEAN, "CHANNEL_LOST"],
		["an answer over running work", { ...ANSWERED, unsettled: 1 }, CLEAN, "EXECUTION_FAILED"],
		["a nonzero exit before an answer", { ...NOTHING, lost: "EOF" }, NONZERO, "EXECUTION_FAILED"],
		["a crash before an answer", { ...NOTHING, lost: "EPIPE" }, CRASHED, "EXECUTION_FAILED"],
		["a zero exit before an answer", NOTHING, CLEAN, "CHANNEL_LOST"],
		["a kill after a lost channel", { ...NOTHING, lost: "EOF" }, KILLED, "CHANNEL_LOST"],
	])("%s", (_, record, evidence, expected) => {
		expect(verdict(conclude(record, evidence))).toBe(expected);
	});

	it("says what the component had answered when the way it ended outranks that", () => {
		expect(conclude(FAILED, NONZERO)).toMatchObject({
			message: "The component exited with code 3. Its answer was INVALID_INPUT: bad",
		});
	});
});
