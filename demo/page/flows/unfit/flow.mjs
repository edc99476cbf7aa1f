import { handle } from "@jigging/flow";

await handle(async ({ input }) => {
	const total = input.reduce((sum, value) => sum + value, 0);
	// The mistake: a number was promised.
	return { outcome: "done", output: { total: `${total}` } };
});
