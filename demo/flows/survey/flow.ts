import { handle, type JsonValue } from "@jigging/flow";

await handle(async (run) => {
	const { place, celsius } = run.input as { place: string; celsius: readonly number[] };
	const readings = await run.channel({ delivery: "broadcast", contract: "./contracts/readings.channel.json" });
	// A broadcast keeps nothing for those who come late: whoever needs the beginning is there before it.
	const forSummary = await readings.subscribe();
	const forArchive = await readings.subscribe();
	const [, summary, archived] = await Promise.all([
		run.runChildFlow({
			operationId: "read",
			slot: "station",
			input: { celsius },
			channels: { readings: readings.send },
		}),
		run.runChildFlow({
			operationId: "summarize",
			slot: "summary",
			input: null,
			channels: { readings: forSummary },
		}),
		run.callCapability({
			operationId: "archive",
			slot: "archive",
			method: "record",
			input: { place },
			channels: { readings: forArchive },
		}),
	]);
	const { recorded } = archived as { recorded: number };
	return { outcome: "done", output: { place, summary: summary.output, recorded } satisfies JsonValue };
});
