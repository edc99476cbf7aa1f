import { handle } from "@jigging/flow";

await handle(async ({ input: { lines } }) => {
	for (let line = 1; line <= lines; line += 1) {
		console.log(`Line ${line} of ${lines}: there is a great deal to say, and nobody asked for any of it.`);
		// A turn now and then, so that what was said can leave.
		if (line % 200 === 0) await new Promise((resolve) => setTimeout(resolve));
	}
	return { outcome: "done", output: lines };
});
