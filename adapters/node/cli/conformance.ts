import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CaseVerdict, type ConformanceCase, expandRules, judge, type Suite } from "../../../conformance/corpus.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { wordsOf } from "./command-line.ts";
import { DriverError, DriverProcess } from "./driver-process.ts";
import { Detailed } from "./failure.ts";
import { count, type Output, paint } from "./output.ts";
import { UsageError } from "./usage.ts";

/** The corpus lies in the package beside `dist`. */
const CASES = fileURLToPath(new URL("../../../../conformance/cases/", import.meta.url));

/** So many cases in a row without an answer, and the driver is given up. */
const FAILURES_IN_A_ROW = 3;

export interface ConformanceOptions {
	readonly driver?: string;
	/** Only the suite in the file of this name. */
	readonly suite?: string;
	/** Milliseconds that a driver has for one case. */
	readonly timeout: number;
}

interface Tally {
	passed: number;
	failed: number;
	tolerated: number;
	readonly failures: { readonly name: string; readonly clause: string; readonly difference: string }[];
}

/** `millrace conformance run`: every case of the corpus against a driver; true when none failed. */
export async function conformanceCommand(
	options: ConformanceOptions,
	signal: AbortSignal,
	output: Output,
): Promise<boolean> {
	const tally: Tally = { passed: 0, failed: 0, tolerated: 0, failures: [] };
	const suites = loadSuites(options.suite);
	const driver = new Driver(options, signal);
	try {
		for (const suite of suites) {
			const before = tally.passed;
			for (const each of suite.cases) record(tally, each, await driver.run(each), output);
			output.note("suite", `${suite.suite}: ${tally.passed - before} of ${count(suite.cases.length, "case")} passed`);
		}
	} catch (error) {
		throw new Detailed(error, { ...tally });
	} finally {
		await driver.close();
	}
	const { passed, failed, tolerated } = tally;
	await output.answer(`${passed} passed, ${failed} failed, ${tolerated} with another reading`, {
		...(failed === 0
			? { status: "succeeded" }
			: { status: "failed", code: "CONFORMANCE_FAILED", message: `${count(failed, "case")} failed.` }),
		...tally,
	});
	return failed === 0;
}

/** Every suite of the corpus, in the order of their file names, or one of them. */
function loadSuites(only: string | undefined): Suite[] {
	const names = readdirSync(CASES).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
	if (only !== undefined && !names.includes(only))
		throw new UsageError(`there is no suite "${only}"; the suites are ${names.sort().join(", ")}`);
	return (only === undefined ? names.sort() : [only]).map(
		(name) => JSON.parse(readFileSync(`${CASES}${name}.json`, "utf8")) as Suite,
	);
}

function record(tally: Tally, { name, clause }: ConformanceCase, verdict: CaseVerdict, output: Output): void {
	tally[verdict.status] += 1;
	if (verdict.status === "passed") return;
	const difference = verdict.difference ?? "";
	const failed = verdict.status === "failed";
	if (failed) tally.failures.push({ name, clause, difference });
	const mark = failed ? paint.red("failed") : paint.yellow("other reading");
	output.note("", `${mark} ${name} [${clause}] ${escapeForDisplay(difference)}`);
}

/** The driver under test, started again after a case that it did not survive. */
class Driver {
	readonly #command: readonly string[];
	readonly #timeout: number;
	readonly #signal: AbortSignal;
	#process: DriverProcess | undefined;
	#failuresInARow = 0;

	constructor({ driver, timeout }: ConformanceOptions, signal: AbortSignal) {
		this.#command = driver === undefined ? OURS : wordsOf("--driver", driver);
		this.#timeout = timeout;
		this.#signal = signal;
	}

	async run(each: ConformanceCase): Promise<CaseVerdict> {
		const request = JSON.stringify({ ...(expandRules(each.request) as object), id: each.name });
		try {
			this.#process ??= new DriverProcess(this.#command);
			const line = await this.#process.ask(request, this.#timeout, this.#signal);
			this.#failuresInARow = 0;
			return verdictOf(each, line);
		} catch (error) {
			if (!(error instanceof DriverError) || error.code === "DRIVER_START_FAILED") throw error;
			await this.close();
			this.#failuresInARow += 1;
			if (this.#failuresInARow === FAILURES_IN_A_ROW)
				throw new Detailed(error, {
					message: `${error.message}, ${FAILURES_IN_A_ROW} times in a row`,
					case: each.name,
				});
			return { status: "failed", difference: error.message };
		}
	}

	async close(): Promise<void> {
		await this.#process?.close();
		this.#process = undefined;
	}
}

function verdictOf(each: ConformanceCase, line: string): CaseVerdict {
	let answer: unknown;
	try {
		answer = JSON.parse(line);
	} catch {
		return { status: "failed", difference: `the answer is no JSON: ${line.slice(0, 200)}` };
	}
	return judge(each, answer);
}

const OURS = [process.execPath, fileURLToPath(new URL("./main.js", import.meta.url)), "conformance", "serve"];
