// What the child of every round-trip contender does: asks its parent for one job after the other, through its own calls.

/** Keeps `inFlight` calls of `value` going until `count` were answered; resolves to the milliseconds it took. */
function round(call, { count, inFlight, value }) {
	return new Promise((resolve, reject) => {
		const start = performance.now();
		let made = 0;
		let answered = 0;
		const answer = (given) => {
			answered += 1;
			if (typeof given !== typeof value) reject(new Error(`an echo of ${typeof value} came as ${typeof given}`));
			else if (made < count) next();
			else if (answered === count) resolve(performance.now() - start);
		};
		const next = () => {
			made += 1;
			call("echo", value, answer);
		};
		while (made < inFlight) next();
	});
}

/** Does jobs until there is none. `call(method, input, done)` makes one call; `done` gets its answer. */
export async function work(call) {
	for (let report = null; ; ) {
		const job = await new Promise((resolve) => {
			call("turn", report, resolve);
		});
		if (job === null) return;
		report = await round(call, job);
	}
}

/** Ends the child with a message when a call fails: a bench that goes on without an answer hangs. */
export function fail(error) {
	console.error(error);
	process.exit(1);
}
