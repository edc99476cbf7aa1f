/** `millrace/sdk` under Deno: Node's entry, whose streams and console behave alike here. */
export * from "../node/sdk.ts";
