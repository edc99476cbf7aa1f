import { fileURLToPath } from "node:url";
import type { EntryLanguage } from "../../../conformance/host/build.ts";
import type { HostCase } from "../../../conformance/host/plan.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { wordsOf } from "./command-line.ts";
import { type Adapter, programAdapter } from "./host-kit/host-process.ts";
import { type CaseReport, runHostCase } from "./host-kit/run-case.ts";
import { type Selection, selectCases } from "./host-kit/suites.ts";
import { answerTally, runSuites } from "./kit-run.ts";
import { type Output, paint } from "./output.ts";

export interface HostKitOptions extends Selection {
	/** The adapter's command line; ours unless given. */
	readonly host?: string;
	readonly entry: EntryLanguage;
	/** Milliseconds that a host has for one case. */
	readonly timeout: number;
	/** Cases at once. */
	readonly jobs: number;
}

interface Tally {
	passed: number;
	failed: number;
	tolerated: number;
	unsupported: number;
	readonly failures: Told[];
	readonly others: Told[];
}

interface Told {
	readonly name: string;
	readonly clause: string;
	readonly difference: string;
	readonly stood?: string;
}

const MARKS = {
	failed: (): string => paint.red("failed"),
	tolerated: (): string => paint.yellow("other reading"),
	unsupported: (): string => paint.dim("unsupported"),
};

/** `millrace conformance host`: every case of the host kit through a host's adapter; true when none failed. */
export async function hostKitCommand(options: HostKitOptions, signal: AbortSignal, output: Output): Promise<boolean> {
	const adapter = programAdapter(options.host === undefined ? OURS : wordsOf("--host", options.host));
	const suites = selectCases(options);
	const tally: Tally = { passed: 0, failed: 0, tolerated: 0, unsupported: 0, failures: [], others: [] };
	const work = (each: HostCase): Promise<CaseReport> => tryCase(each, adapter, options, signal);
	const told = (each: HostCase, report: CaseReport): void => record(tally, each, report, output);
	await runSuites({ suites, jobs: options.jobs, tally, work, record: told }, output);
	const { passed, failed, tolerated, unsupported } = tally;
	const summary = `${passed} passed, ${failed} failed, ${tolerated} with another reading, ${unsupported} unsupported`;
	return answerTally(summary, tally, output);
}

async function tryCase(
	each: HostCase,
	adapter: Adapter,
	{ entry, timeout }: HostKitOptions,
	signal: AbortSignal,
): Promise<CaseReport> {
	const report = await runHostCase(each, adapter, { entry, timeoutMs: timeout, signal });
	signal.throwIfAborted();
	if (report.startFailure !== undefined)
		throw Object.assign(new Error(report.verdict.difference, { cause: report.startFailure }), {
			code: "HOST_START_FAILED",
		});
	return report;
}

function record(tally: Tally, { name, clause }: HostCase, { verdict, stood }: CaseReport, output: Output): void {
	tally[verdict.status] += 1;
	if (verdict.status === "passed") return;
	const told: Told = { name, clause, difference: verdict.difference ?? "", ...(stood === undefined ? {} : { stood }) };
	(verdict.status === "failed" ? tally.failures : tally.others).push(told);
	output.note("", `${MARKS[verdict.status]()} ${name} [${clause}] ${escapeForDisplay(told.difference)}`);
	if (verdict.status === "failed" && stood !== undefined) output.note("", paint.dim(`  ${escapeForDisplay(stood)}`));
}

const OURS = [process.execPath, fileURLToPath(new URL("./main.js", import.meta.url)), "conformance", "host-job"];
