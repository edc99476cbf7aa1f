import { type ChannelReceiver, handle } from "@jigging/flow";

await handle(async (run) => {
	let count = 0;
	let sum = 0;
	let warmest = Number.NEGATIVE_INFINITY;
	for await (const item of run.channels.readings as ChannelReceiver) {
		const { celsius } = item as { celsius: number };
		count += 1;
		sum += celsius;
		warmest = Math.max(warmest, celsius);
	}
	const output =
		count === 0
			? { readings: 0, mean: null, warmest: null }
			: { readings: count, mean: Math.round((sum / count) * 1_000) / 1_000, warmest };
	return { outcome: "done", output };
});
