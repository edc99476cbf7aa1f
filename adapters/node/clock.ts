/** The longest delay a timer of this runtime takes; beyond it, it would fire at once. */
const LONGEST = 2_147_483_647;

/**
 * Calls `run` once, `ms` milliseconds from now on the monotonic clock, never synchronously and never early; delays beyond
 * 2^31-1 ms are re-armed. The answer cancels it; cancelling twice, or after it ran, does nothing.
 */
export function schedule(ms: number, run: () => void): () => void {
	const due = performance.now() + ms;
	let timer: ReturnType<typeof setTimeout>;
	const arm = (): void => {
		const left = due - performance.now();
		timer = setTimeout(
			() => (performance.now() < due ? arm() : run()),
			Math.min(Math.max(Math.ceil(left), 0), LONGEST),
		);
	};
	arm();
	return () => clearTimeout(timer);
}
