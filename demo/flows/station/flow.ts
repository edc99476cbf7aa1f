import { type ChannelSender, handle } from "@jigging/flow";

await handle(async (run) => {
	const { celsius } = run.input as { celsius: readonly number[] };
	const readings = run.channels.readings as ChannelSender;
	for (const [hour, degrees] of celsius.entries()) await readings.send({ hour, celsius: degrees });
	await readings.close();
	return { outcome: "done", output: celsius.length };
});
