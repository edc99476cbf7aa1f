/**
 * Run SDK/1 for component authors, without an environment: {@link createHandle} makes `handle` from a transport. The public
 * entry `millrace/sdk` is one of the thin modules in `adapters/` that hand it the streams of their runtime.
 */
export { type ChannelEndpoints, createEndpoints } from "./channels.ts";
export { CapabilityError, OperationError } from "./errors.ts";
export { createHandle, type SdkTransport } from "./handle.ts";
export type * from "./types.ts";
export type { ChannelWire } from "./wire.ts";
