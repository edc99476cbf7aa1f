/** `millrace/sdk` under Deno: the surface of Run SDK/1, section 1, and nothing else. */
import { Console } from "node:console";
import process from "node:process";
import { createHandle } from "../../src/sdk/index.ts";
import type { RunHandler } from "../../src/sdk/types.ts";
import { processEnvironment } from "../node/component.ts";
import { type DenoInput, denoInput } from "./input.ts";
import { denoOutput } from "./output.ts";

export { CapabilityError, OperationError } from "../../src/sdk/errors.ts";
export type * from "../../src/sdk/types.ts";

/** As Node's `handle`. */
export const handle: (handler: RunHandler) => Promise<void> = createHandle(
	processEnvironment(process, Console, denoOutput, () => denoInput(process.stdin as unknown as DenoInput)),
);
