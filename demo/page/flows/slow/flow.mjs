import { handle } from "@jigging/flow";

/** Waits a second, or rejects with the signal's reason as soon as it is aborted. */
function second(signal) {
	return new Promise((resolve, reject) => {
		const abort = () => {
			clearTimeout(timer);
			reject(signal.reason);
		};
		const timer = setTimeout(() => {
			signal.removeEventListener("abort", abort);
			resolve();
		}, 1_000);
		signal.addEventListener("abort", abort, { once: true });
	});
}

await handle(async (run) => {
	const { seconds } = run.input;
	for (let counted = 1; counted <= seconds; counted += 1) {
		await second(run.signal);
		console.log(`${counted} of ${seconds}`);
	}
	return { outcome: "done", output: seconds };
});
