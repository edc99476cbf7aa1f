import { CapabilityError, handle, OperationError, type RunContext } from "@jigging/flow";

async function titleFor(run: RunContext, name: string): Promise<string | null> {
	try {
		const call = { operationId: "title:1", slot: "titles", method: "lookup", input: { name } };
		const found = await run.callCapability(call, { signal: run.signal });
		return (found as { title: string }).title;
	} catch (error) {
		// Nobody to ask and nobody by that name both mean no title; everything else is a failure of this method.
		if (error instanceof CapabilityError && error.errorName === "unknown-name") return null;
		if (error instanceof OperationError && error.code === "UNAVAILABLE") return null;
		throw error;
	}
}

await handle(async (run) => {
	const { name } = run.input as { name: string };
	const title = await titleFor(run, name);
	const child = await run.runChildFlow({
		operationId: "greet:1",
		slot: "greeter",
		intent: "Greet this person.",
		input: { name: title === null ? name : `${title} ${name}` },
	});
	const { greeting } = child.output as { greeting: string };
	return { outcome: "done", output: { greeting, title } };
});
