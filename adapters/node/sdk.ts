/**
 * What a component is written with, under Node, Deno and Bun: the surface of Run SDK/1, section 1, and nothing else.
 *
 * @module millrace/sdk
 */
import { createHandle } from "../../src/sdk/index.ts";
import type { RunHandler } from "../../src/sdk/types.ts";
import { processEnvironment } from "./component.ts";
import { lentEnvironment } from "./lent.ts";

export { CapabilityError, OperationError } from "../../src/sdk/errors.ts";
export type * from "../../src/sdk/types.ts";

/**
 * Receives this Flow's one invocation from stdin, runs `handler`, and writes its result or failure to stdout. Once called,
 * stdin and stdout belong to the protocol and the global console writes to stderr. Rejects with `OperationError`
 * `PROTOCOL_ERROR` or `CHANNEL_LOST` when the connection to the host ends fatally; the process then exits with 1.
 */
export const handle: (handler: RunHandler) => Promise<void> = createHandle(
	// Node's globals, not its modules: an import evaluates everything that they give, whether it is used or not.
	lentEnvironment() ?? processEnvironment(process, console.Console),
);
