/**
 * What a component is written with where it runs in a Worker of a page. The surface is that of Run SDK/1, section 1, as
 * everywhere; its connection is lent by who starts the Worker (`browserRuntime`).
 *
 * @module millrace/sdk
 */
import { createHandle, type SdkTransport } from "../../src/sdk/index.ts";
import type { RunHandler } from "../../src/sdk/types.ts";
import { lentEnvironment } from "../node/lent.ts";

export { CapabilityError, OperationError } from "../../src/sdk/errors.ts";
export type * from "../../src/sdk/types.ts";

/** Nobody started this page or Worker as a component: there is no host to speak to. */
const nobody: SdkTransport = {
	open() {
		throw new Error(
			"There is no host here: a Flow runs in a Worker that browserRuntime of millrace/browser has started.",
		);
	},
	report() {},
	failed() {},
};

/**
 * Receives this Flow's one invocation, runs `handler`, and gives back its result or failure. Rejects with `OperationError`
 * `PROTOCOL_ERROR` or `CHANNEL_LOST` when the connection to the host ends fatally; the Worker then ends with 1.
 */
export const handle: (handler: RunHandler) => Promise<void> = createHandle(lentEnvironment() ?? nobody);
