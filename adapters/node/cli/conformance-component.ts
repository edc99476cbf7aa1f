import { fileURLToPath } from "node:url";
import type { ComponentCase } from "../../../conformance/component/plan.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { wordsOf } from "./command-line.ts";
import { type ComponentVerdict, runComponentCase } from "./component-kit/run-case.ts";
import { selectComponentCases } from "./component-kit/suites.ts";
import { CONFORMANCE, type Selection } from "./host-kit/suites.ts";
import { answerTally, runSuites } from "./kit-run.ts";
import { type Output, paint } from "./output.ts";

export interface ComponentKitOptions extends Selection {
	/** The component's command line; ours unless given. */
	readonly component?: string;
	/** Milliseconds that a component has for one case. */
	readonly timeout: number;
	/** Cases at once. */
	readonly jobs: number;
}

interface Told {
	readonly name: string;
	readonly clause: string;
	readonly difference: string;
	readonly stderr?: string;
}

interface Tally {
	passed: number;
	failed: number;
	tolerated: number;
	readonly failures: Told[];
	readonly others: Told[];
}

/** `millrace conformance component`: every case of the component kit; true when none failed. */
export async function componentKitCommand(
	options: ComponentKitOptions,
	signal: AbortSignal,
	output: Output,
): Promise<boolean> {
	const { component, jobs, timeout } = options;
	const command =
		component === undefined
			? [process.execPath, fileURLToPath(new URL("components/component.mjs", `file://${CONFORMANCE}`))]
			: wordsOf("--component", component);
	const suites = selectComponentCases(options);
	const tally: Tally = { passed: 0, failed: 0, tolerated: 0, failures: [], others: [] };
	const work = (each: ComponentCase): Promise<ComponentVerdict> => tryCase(each, command, timeout, signal);
	const told = (each: ComponentCase, verdict: ComponentVerdict): void => record(tally, each, verdict, output);
	await runSuites({ suites, jobs, tally, work, record: told }, output);
	const { passed, failed, tolerated } = tally;
	return answerTally(`${passed} passed, ${failed} failed, ${tolerated} with another reading`, tally, output);
}

async function tryCase(
	each: ComponentCase,
	command: readonly string[],
	timeout: number,
	signal: AbortSignal,
): Promise<ComponentVerdict> {
	const verdict = await runComponentCase(each, command, timeout, signal);
	signal.throwIfAborted();
	if (verdict.startFailure !== undefined) {
		const { message, cause } = { message: verdict.difference, cause: verdict.startFailure };
		throw Object.assign(new Error(message, { cause }), { code: "COMPONENT_START_FAILED" });
	}
	return verdict;
}

function record(tally: Tally, { name, clause }: ComponentCase, verdict: ComponentVerdict, output: Output): void {
	const { status, difference = "", stderr } = verdict;
	tally[status] += 1;
	if (status === "passed") return;
	const told: Told = { name, clause, difference, ...(stderr === undefined ? {} : { stderr }) };
	(status === "failed" ? tally.failures : tally.others).push(told);
	const mark = status === "failed" ? paint.red("failed") : paint.yellow("other reading");
	output.note("", `${mark} ${name} [${clause}] ${escapeForDisplay(difference)}`);
	if (status === "failed" && stderr !== undefined) output.note("", paint.dim(`  ${escapeForDisplay(stderr)}`));
}
