import { count, type Output, paint } from "./output.ts";

/** Does `work` on every item, `jobs` at once, and tells what came of each in the order of the items. Stops at the first error. */
export async function inOrder<T, R>(
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
export class CaseProgress {
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
