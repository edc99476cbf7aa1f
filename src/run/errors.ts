/** A call that this session can't admit now; nothing was queued (Run/1 sections 1 and 9). */
export class CallRefused extends Error {
	override readonly name: string = "CallRefused";
	readonly code: "OWNER_CLOSED" | "RESOURCE_EXHAUSTED";

	constructor(code: "OWNER_CLOSED" | "RESOURCE_EXHAUSTED", message: string) {
		super(message);
		this.code = code;
	}
}

/** Arguments that make no valid Run/1 message; nothing was queued. */
export class InvalidMessage extends TypeError {
	override readonly name: string = "InvalidMessage";
	/** JSON Pointer into the message's `params`; empty for the whole. */
	readonly pointer: string;

	constructor(pointer: string, message: string, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.pointer = pointer;
	}
}
