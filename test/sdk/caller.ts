/** A handler that makes calls: what it says, and what it catches. */
import { OperationError, type RunContext } from "../../src/sdk/index.ts";
import { type MemoryHost, memoryHost } from "./memory-host.ts";

export const child = { operationId: "research:1", slot: "research", input: null };
export const capability = { operationId: "write:1", slot: "artifacts", method: "write", input: null };
export const done = { outcome: "done", output: null };

/** Runs `body` as the handler and gives back what it caught, next to the host. */
export function caught(body: (run: RunContext) => Promise<unknown>): { host: MemoryHost; error: Promise<unknown> } {
	let tell: (error: unknown) => void;
	const error = new Promise<unknown>((resolve) => {
		tell = resolve;
	});
	const host = memoryHost(async (run) => {
		try {
			await body(run);
			tell(undefined);
		} catch (reason) {
			tell(reason);
		}
		return done;
	});
	host.run();
	return { host, error };
}

export const codeOf = (error: unknown): unknown => (error instanceof OperationError ? error.code : error);
