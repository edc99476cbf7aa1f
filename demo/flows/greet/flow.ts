import { handle } from "@jigging/flow";

await handle(async (run) => {
	// input.schema.json was checked by the host before this started.
	const { name } = run.input as { name: string };
	return { outcome: "done", output: { greeting: `Hello, ${name}!`, received: run.input } };
});
