/** The two error classes of Run SDK/1, section 5. Authors branch on their named fields, never on the message. */
import type { JsonValue } from "../json/index.ts";
import type { RunCode } from "../run/index.ts";

/**
 * An operational failure: of a child or capability call, of the connection, or thrown by a handler to fail its Run.
 *
 * The thirteen Run/1 codes cross the wire when a handler throws them; `PROTOCOL_ERROR` and `CHANNEL_LOST` are local
 * classifications and never do. `message` is human text of 1 to 1,024 Unicode scalars; `details` is JSON/1, omitted when
 * undefined. A handler that throws one with other contents fails as `EXECUTION_FAILED`.
 */
export class OperationError extends Error {
	override readonly name: string = "OperationError";
	readonly code: RunCode;
	declare readonly details?: JsonValue;

	constructor(code: RunCode, message?: string, details?: JsonValue) {
		super(message ?? code);
		this.code = code;
		if (details !== undefined) this.details = details;
	}
}

/** An application error that the capability's contract declares: its name and its data. */
export class CapabilityError extends Error {
	override readonly name: string = "CapabilityError";
	readonly errorName: string;
	readonly data: JsonValue;

	constructor(errorName: string, data: JsonValue) {
		super(`The capability answered with its declared error "${errorName}".`);
		this.errorName = errorName;
		this.data = data;
	}
}
