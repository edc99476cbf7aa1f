// Shared by the benches: interleaved rounds, medians, ratios to the first row, and what is left of them for a program.
import { readFileSync } from "node:fs";

/** A short run sees that the harness works; its ratios mean nothing. */
export const isShort = process.env.MILLRACE_BENCH === "short";
const ROUNDS = isShort ? 1 : 7;
const ROUND_MS = isShort ? 1 : 40;

/** Every row of this area so far: `{ name, ratio, goal, met, peers }`, what `--json` prints. */
export const rows = [];

/** Nanoseconds per call of `run`, over as many calls as fill `roundMs`. */
function timeRound(run, calls) {
	const start = process.hrtime.bigint();
	for (let call = 0; call < calls; call++) run();
	return Number(process.hrtime.bigint() - start) / calls;
}

/** How many calls fill a round. */
function callsFor(run, roundMs) {
	let count = 1;
	while (timeRound(run, count) * count < roundMs * 1e6 && count < 1e8) count *= 2;
	return count;
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
function keepRatios(name, ratios, goal) {
	const [limit, ...others] = Object.keys(ratios);
	const ours = others.find((other) => /millrace|sessions|host\.run/.test(other)) ?? others[0] ?? limit;
	const { [limit]: _, [ours]: ratio, ...peers } = ratios;
	return keep(name, ratio ?? 1, peers, goal);
}

/** What a row says of its goal, where it has one. */
function verdict(met, { goal = null, atMost = false } = {}) {
	return goal === null ? "" : `   goal ${atMost ? "<=" : ">="} ${Number(goal.toFixed(2))}: ${met ? "met" : "MISSED"}`;
}

/** Prints and keeps the geometric mean of ratios, which is what most goals are about. */
export function keepMean(name, ratios, goal) {
	const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
	const met = keep(name, mean, {}, goal);
	console.log(`${name.padEnd(34)} ${mean.toFixed(2)}${verdict(met, goal)}`);
	return mean;
}

/**
 * Times named synchronous functions round after round in turn and prints each as a ratio of the first one's speed
 * (1.00 = as fast). `contenders` is a list of [name, function]; the first is the limit the others are held against. `goal` and
 * `atMost` are those of {@link keep}.
 */
export function compare(title, contenders, { rounds = ROUNDS, roundMs = ROUND_MS, ...goal } = {}) {
	const calls = contenders.map(([, run]) => callsFor(run, roundMs));
	const samples = contenders.map(() => []);
	for (let round = 0; round < rounds; round++)
		contenders.forEach(([, run], index) => {
			samples[index].push(timeRound(run, calls[index]));
		});
	const medians = samples.map(median);
	const ratios = Object.fromEntries(contenders.map(([name], index) => [name, medians[0] / medians[index]]));
	const cells = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
	const met = keepRatios(title, ratios, goal);
	console.log(`${title.padEnd(34)} ${cells.join("   ")}${verdict(met, goal)}`);
	return ratios;
}

/**
 * Like {@link compare} for work that is asynchronous or takes long: each contender runs once a round, after one round that
 * doesn't count, and prints its median in milliseconds with its ratio.
 */
export async function compareTasks(title, contenders, { rounds = ROUNDS, ...goal } = {}) {
	const samples = contenders.map(() => []);
	for (let round = -1; round < rounds; round++)
		for (const [index, [, run]] of contenders.entries()) {
			const start = process.hrtime.bigint();
			await run();
			if (round >= 0) samples[index].push(Number(process.hrtime.bigint() - start) / 1e6);
		}
	const medians = samples.map(median);
	const ratios = Object.fromEntries(contenders.map(([name], index) => [name, medians[0] / medians[index]]));
	const met = keepRatios(title, ratios, goal);
	console.log(`${title}${verdict(met, goal)}`);
	for (const [index, [name]] of contenders.entries()) {
		const milliseconds = medians[index].toFixed(medians[index] < 10 ? 2 : 0);
		console.log(`  ${name.padEnd(40)} ${(medians[0] / medians[index]).toFixed(2)} ${milliseconds.padStart(8)} ms`);
	}
	return ratios;
}

/**
 * How the cost of one work grows: prints and keeps the time per unit at 4n and at 16n as ratios of the time per unit at n, which is 1
 * where the cost grows as the work does. `make(n)` gives the work for a size: `run`, called once a time, and `units`, what it is.
 */
export function compareGrowth(title, n, make, { rounds = ROUNDS, roundMs = ROUND_MS } = {}) {
	const shapes = [n, 4 * n, 16 * n].map((size) => [`at ${size}`, make(size)]);
	compareShapes(`${title}, time per unit`, shapes, { rounds, roundMs });
}

/**
 * Times works of several shapes and prints and keeps the time per unit of each as a ratio to the first one's, the plain case.
 * `shapes` is a list of [name, { run, units }]. With `atMost`, how dear another shape may be.
 */
export function compareShapes(title, shapes, { rounds = ROUNDS, roundMs = ROUND_MS, atMost } = {}) {
	const calls = shapes.map(([, { run }]) => callsFor(run, roundMs));
	const samples = shapes.map(() => []);
	for (let round = 0; round < rounds; round++)
		for (const [index, [, { run }]] of shapes.entries()) samples[index].push(timeRound(run, calls[index]));
	const perUnit = shapes.map(([, { units }], index) => median(samples[index]) / units);
	const goal = atMost === undefined ? {} : { goal: atMost, atMost: true };
	console.log(title);
	for (const [index, [name]] of shapes.entries()) {
		const ratio = perUnit[index] / perUnit[0];
		const met = index === 0 ? null : keep(`${title}: ${name}`, ratio, {}, goal);
		console.log(`  ${name.padEnd(40)} ${ratio.toFixed(2)}${index === 0 ? "" : verdict(met, goal)}`);
	}
}

/** The most memory this process has held so far, in MB; of this program alone where the system can tell (Linux). */
export function peakMemory() {
	try {
		return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
	} catch {
		return process.resourceUsage().maxRSS / 1024;
	}
}
