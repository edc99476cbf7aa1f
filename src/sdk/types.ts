/**
 * The types of Run SDK/1, sections 2 and 9, under the specification's own names. They describe what component code sees;
 * what the wire carries is checked at run time against JSON/1 whatever the types say.
 */
import type { JsonValue } from "../json/index.ts";
import type { AbortSignal } from "../web.ts";

export type { JsonValue };

/** What an invocation ends with: an outcome name (`LocalName`) and a JSON/1 value. It is itself a `JsonValue`. */
export type RunResult = {
	readonly outcome: string;
	readonly output: JsonValue;
};

/** One prepared root inside the sandbox, with the access that the outer execution envelope enforces. */
export interface Attachment {
	readonly path: string;
	readonly access: "read" | "read-write";
}

/** Aborting `signal` cancels this one wait: the promise rejects with `OperationError` `CANCELLED`. */
export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
}

/** A request for the Flow that the host admitted under `slot`. The caller owns `operationId` (Run/1 section 6). */
export interface ChildFlowRequest {
	readonly operationId: string;
	readonly slot: string;
	/** 1 to 16,384 Unicode scalars describing the wanted work; it grants nothing. */
	readonly intent?: string | undefined;
	readonly input: JsonValue;
	readonly channels?: Readonly<Record<string, ChannelEndpoint>> | undefined;
}

/** One call of a method of the capability that `FLOW.md` declares under `uses.<slot>`. */
export interface CapabilityCall {
	readonly operationId: string;
	readonly slot: string;
	readonly method: string;
	readonly input: JsonValue;
	readonly channels?: Readonly<Record<string, ChannelEndpoint>> | undefined;
}

/** Exact identity of a Channel Contract/1 descriptor. */
export interface ChannelContractIdentity {
	readonly id: string;
	readonly version: string;
	readonly digest: string;
}

/** How a channel is created; `schema` and `contract` exclude each other, an explicit `schema: true` included. */
export type ChannelOptions = {
	readonly schema?: JsonValue | undefined;
	readonly contract?: string | undefined;
} & ({ readonly delivery?: "direct" | undefined } | { readonly delivery: "broadcast" });

/** The writing end of a channel. `send` resolves on the host's acceptance, which proves no processing. */
export interface ChannelSender {
	readonly direction: "send";
	readonly delivery: "direct" | "broadcast";
	readonly contract?: ChannelContractIdentity;
	send(value: JsonValue, options?: CallOptions): Promise<void>;
	close(options?: CallOptions): Promise<void>;
}

/** The reading end of a channel: one iterator, one pending read, no prefetch. */
export interface ChannelReceiver extends AsyncIterableIterator<JsonValue> {
	readonly direction: "receive";
	readonly delivery: "direct" | "broadcast";
	readonly contract?: ChannelContractIdentity;
	readonly startSequence: number;
	next(options?: CallOptions): Promise<IteratorResult<JsonValue>>;
	close(options?: CallOptions): Promise<void>;
}

export type ChannelEndpoint = ChannelSender | ChannelReceiver;

/** Both ends of a direct channel. */
export interface ChannelPair {
	readonly send: ChannelSender;
	readonly receive: ChannelReceiver;
}

/** A broadcast source: its writer, and the creator's authority to subscribe. */
export interface ChannelBroadcast {
	readonly send: ChannelSender;
	subscribe(options?: CallOptions): Promise<ChannelReceiver>;
}

/** What the host supplied for this invocation, and the calls that it may make while it runs. */
export interface RunContext {
	readonly input: JsonValue;
	readonly settings: Readonly<Record<string, JsonValue>>;
	readonly attachments: Readonly<Record<string, Attachment>>;
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	/** Path of a private read-write directory. */
	readonly scratch: string;
	/** UTC Unix epoch milliseconds; the host enforces it, no timer runs here. */
	readonly deadlineUnixMs: number;
	/** Aborted when the host cancels this Run, or when the connection to it is lost. */
	readonly signal: AbortSignal;

	/** Runs a child Flow. Rejects with `OperationError`; with `TypeError` for a call that can't be sent. */
	runChildFlow(call: ChildFlowRequest, options?: CallOptions): Promise<RunResult>;

	/** Calls a capability method. Rejects with `CapabilityError` for an error its contract declares, else as above. */
	callCapability(call: CapabilityCall, options?: CallOptions): Promise<JsonValue>;

	channel(options: ChannelOptions & { delivery: "broadcast" }, callOptions?: CallOptions): Promise<ChannelBroadcast>;
	channel(
		options?: ChannelOptions & { delivery?: "direct" | undefined },
		callOptions?: CallOptions,
	): Promise<ChannelPair>;
	channel(options: ChannelOptions, callOptions?: CallOptions): Promise<ChannelPair | ChannelBroadcast>;
}

/** The author's one function. */
export type RunHandler = (context: RunContext) => Promise<RunResult>;
