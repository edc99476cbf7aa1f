// Shared by the benches: interleaved rounds, medians, ratios to the first row, and what is left of them for a program.
import { readFileSync } from "node:fs";

/** Every row of this area so far: `{ name, ratio, goal, met, peers }`, what `--json` prints. */
export const rows = [];

/** Nanoseconds per call of `run`, over as many calls as fill `roundMs`. */
function timeRound(run, calls) {
	const start = process.hrtime.bigint();
	for (let call = 0; call < calls; call++) run();
	return Number(process.hrtime.bigint() - start) / calls;
}

/** The middle one of a list of numbers; sorts it. */
export function median(list) {
	return list.sort((a, b) => a - b)[list.length >> 1];
}

/**
 * Keeps one row. `ratio` is ours against the limit, `peers` the others' against it, by name. With a `goal`, whether it is
 * met: a ratio of at least the goal, or with `atMost` of no more.
 */
export function keep(name, ratio, peers = {}, { goal = null, atMost = false } = {}) {
	const met = goal === null ? null : atMost ? ratio <= goal : ratio >= goal;
	rows.push({ name, ratio, goal, ...(atMost ? { atMost } : {}), met, peers });
	return met;
}

/** A row that comes as a list of ratios by name, the limit first: ours is the one with our name, else the second. */
function keepRatios(name, ratios) {
	const [limit, ...others] = Object.keys(ratios);
	const ours = others.find((other) => /millrace|sessions|host\.run/.test(other)) ?? others[0] ?? limit;
	const { [limit]: _, [ours]: ratio, ...peers } = ratios;
	keep(name, ratio ?? 1, peers);
}

/**
 * Times named synchronous functions round after round in turn and prints each as a ratio of the first one's speed
 * (1.00 = as fast). `contenders` is a list of [name, function]; the first is the limit the others are held against.
 */
export function compare(title, contenders, { rounds = 7, roundMs = 40 } = {}) {
	const calls = contenders.map(([, run]) => {
		let count = 1;
		while (timeRound(run, count) * count < roundMs * 1e6 && count < 1e8) count *= 2;
		return count;
	});
	const samples = contenders.map(() => []);
	for (let round = 0; round < rounds; round++)
		contenders.forEach(([, run], index) => {
			samples[index].push(timeRound(run, calls[index]));
		});
	const medians = samples.map(median);
	const ratios = Object.fromEntries(contenders.map(([name], index) => [name, medians[0] / medians[index]]));
	const cells = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
	console.log(`${title.padEnd(34)} ${cells.join("   ")}`);
	keepRatios(title, ratios);
	return ratios;
}

/**
 * Like {@link compare} for work that is asynchronous or takes long: each contender runs once a round, after one round that
 * doesn't count, and prints its median in milliseconds with its ratio.
 */
export async function compareTasks(title, contenders, { rounds = 7 } = {}) {
	const samples = contenders.map(() => []);
	for (let round = -1; round < rounds; round++)
		for (const [index, [, run]] of contenders.entries()) {
			const start = process.hrtime.bigint();
			await run();
			if (round >= 0) samples[index].push(Number(process.hrtime.bigint() - start) / 1e6);
		}
	const medians = samples.map(median);
	console.log(title);
	for (const [index, [name]] of contenders.entries()) {
		const milliseconds = medians[index].toFixed(medians[index] < 10 ? 2 : 0);
		console.log(`  ${name.padEnd(40)} ${(medians[0] / medians[index]).toFixed(2)} ${milliseconds.padStart(8)} ms`);
	}
	const ratios = Object.fromEntries(contenders.map(([name], index) => [name, medians[0] / medians[index]]));
	keepRatios(title, ratios);
	return ratios;
}

/** The most memory this process has held so far, in MB; of this program alone where the system can tell (Linux). */
export function peakMemory() {
	try {
		return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
	} catch {
		return process.resourceUsage().maxRSS / 1024;
	}
}
