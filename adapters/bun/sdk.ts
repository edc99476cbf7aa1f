/** `millrace/sdk` under Bun: Node's entry, whose streams and console behave alike here. */
export * from "../node/sdk.ts";
