/**
 * The closed code sets of Run/1 section 7, once. `run-1-errors.json` of the standard is the same list (a test compares them).
 */

/** The thirteen codes that may cross the wire in an operational error. */
export const WIRE_CODES = [
	"CANCELLED",
	"DEADLINE_EXCEEDED",
	"OWNER_CLOSED",
	"OPERATION_CONFLICT",
	"UNAVAILABLE",
	"PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED",
	"INVALID_INPUT",
	"INVALID_RESULT",
	"UNCERTAIN",
	"EXECUTION_FAILED",
	"LAGGED",
	"DISCONNECTED",
] as const;

/** Local terminal classifications: never written to a peer. */
export const LOCAL_CODES = ["PROTOCOL_ERROR", "CHANNEL_LOST"] as const;

export type WireCode = (typeof WIRE_CODES)[number];
export type LocalCode = (typeof LOCAL_CODES)[number];
export type RunCode = WireCode | LocalCode;

const WIRE: ReadonlySet<unknown> = new Set(WIRE_CODES);

/** Whether `code` is one of the thirteen wire-visible codes. */
export function isWireCode(code: unknown): code is WireCode {
	return WIRE.has(code);
}

/** The numeric code of every operational failure. */
export const OPERATIONAL_ERROR = -32000;

/** The standard JSON-RPC codes Run/1 uses, each with its standard meaning. */
export const STANDARD_ERRORS: {
	readonly parse: -32700;
	readonly invalidRequest: -32600;
	readonly methodNotFound: -32601;
	readonly invalidParams: -32602;
	readonly internal: -32603;
} = {
	parse: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
};
