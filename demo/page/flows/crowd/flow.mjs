import { handle } from "@jigging/flow";

await handle(async (run) => {
	const { calls, atOnce } = run.input;
	let next = 1;
	let last = 0;
	async function work() {
		while (next <= calls) {
			const operationId = `count:${next}`;
			next += 1;
			const { value } = await run.callCapability({ operationId, slot: "counter", method: "next", input: null });
			last = Math.max(last, value);
		}
	}
	await Promise.all(Array.from({ length: atOnce }, work));
	return { outcome: "done", output: last };
});
