// Shared by the benches: interleaved rounds, medians, ratios to the first row.

/** Nanoseconds per call of `run`, over as many calls as fill `roundMs`. */
function timeRound(run, calls) {
	const start = process.hrtime.bigint();
	for (let call = 0; call < calls; call++) run();
	return Number(process.hrtime.bigint() - start) / calls;
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
	const medians = samples.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
	const ratios = Object.fromEntries(contenders.map(([name], index) => [name, medians[0] / medians[index]]));
	const cells = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
	console.log(`${title.padEnd(34)} ${cells.join("   ")}`);
	return ratios;
}
