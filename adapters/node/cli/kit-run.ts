import { Detailed } from "./failure.ts";
import { count, type Output, paint } from "./output.ts";

/** Does `work` on every item, `jobs` at once, and tells what came of each in the order of the items. Stops at the first error. */
async function inOrder<T, R>(
	items: readonly T[],
	jobs: number,
	work: (item: T) => Promise<R>,
	tell: (item: T, result: R) => void,
): Promise<void> {
	const done = new Map<number, R>();
	let next = 0;
	let told = 0;
	let broken: { readonly error: unknown } | undefined;
	const worker = async (): Promise<void> => {
		while (next < items.length && broken === undefined) {
			const index = next;
			next += 1;
			try {
				done.set(index, await work(items[index]!));
			} catch (error) {
				broken ??= { error };
			}
			for (; done.has(told); told += 1) tell(items[told]!, done.get(told)!);
		}
	};
	await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker));
	if (broken !== undefined) throw broken.error;
}

/** One line that says how far it is, on a terminal only. */
class CaseProgress {
	readonly #total: number;
	readonly #shown: boolean;
	#done = 0;
	#drawn = false;

	constructor(total: number, output: Output) {
		this.#total = total;
		this.#shown = !output.json && process.stderr.isTTY === true;
	}

	step(): void {
		this.#done += 1;
		if (!this.#shown) return;
		process.stderr.write(`\r\u001b[K${paint.dim(`${this.#done} of ${count(this.#total, "case")}`)}`);
		this.#drawn = true;
	}

	clear(): void {
		if (this.#drawn) process.stderr.write("\r\u001b[K");
		this.#drawn = false;
	}
}

/** A kit's suites on their way: how a case is tried, how what came of it is recorded, and where it is counted. */
export interface KitRun<T, R> {
	readonly suites: readonly { readonly suite: string; readonly cases: readonly T[] }[];
	readonly jobs: number;
	readonly tally: { readonly passed: number; readonly failed: number };
	work(item: T): Promise<R>;
	record(item: T, result: R): void;
}

/** Tries every case, and says suite by suite how many passed. An error stops it, and carries what was counted so far. */
export async function runSuites<T, R>(
	{ suites, jobs, tally, work, record }: KitRun<T, R>,
	output: Output,
): Promise<void> {
	const progress = new CaseProgress(
		suites.reduce((sum, { cases }) => sum + cases.length, 0),
		output,
	);
	try {
		for (const { suite, cases } of suites) {
			const before = tally.passed;
			await inOrder(cases, jobs, work, (item, result) => {
				progress.clear();
				record(item, result);
				progress.step();
			});
			progress.clear();
			output.note("suite", `${suite}: ${tally.passed - before} of ${count(cases.length, "case")} passed`);
		}
	} catch (error) {
		throw new Detailed(error, { ...tally });
	} finally {
		progress.clear();
	}
}

/** The one answer of a kit: its summary, and its tally for machines. True when nothing failed. */
export async function answerTally(
	summary: string,
	tally: KitRun<never, never>["tally"],
	output: Output,
): Promise<boolean> {
	const { failed } = tally;
	await output.answer(summary, {
		...(failed === 0
			? { status: "succeeded" }
			: { status: "failed", code: "CONFORMANCE_FAILED", message: `${count(failed, "case")} failed.` }),
		...tally,
	});
	return failed === 0;
}
