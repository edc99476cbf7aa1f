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

/** The writing end of a channel. `send` resolves on the host's acceptance, which proves no processing. Nothing is sealed unasked. */
export interface ChannelSender {
	readonly direction: "send";
	readonly delivery: "direct" | "broadcast";
	readonly contract?: ChannelContractIdentity;
	/**
	 * Sends one JSON/1 value, as it is now. Rejects with `TypeError` for a value that can't be sent, else with `OperationError`:
	 * `DISCONNECTED` where nobody can receive any more, `INVALID_INPUT` for a value that the channel's schema refuses. A
	 * cancelled send takes its value back unless it was accepted before.
	 */
	send(value: JsonValue, options?: CallOptions): Promise<void>;
	/**
	 * Seals the channel: nothing follows what was accepted. Rejects with `INVALID_INPUT` while a send is under way. Aborting
	 * `signal`, before or after, ends this wait alone: the channel is sealed all the same.
	 */
	close(options?: CallOptions): Promise<void>;
}

/**
 * The reading end of a channel: one iterator, one pending read, no prefetch; more of either is a `TypeError`. Leaving a
 * `for await` early gives it up. A receiver that was used, granted or subscribed must come to its end, fail, or be closed
 * before the handler returns.
 */
export interface ChannelReceiver extends AsyncIterableIterator<JsonValue> {
	readonly direction: "receive";
	readonly delivery: "direct" | "broadcast";
	readonly contract?: ChannelContractIdentity;
	/** Sequence number of the first value this reader can receive, from 1. */
	readonly startSequence: number;
	/**
	 * The next value, or the end; the end also once it was given up. Rejects with `OperationError`: what ended the channel
	 * without an end, each time (`LAGGED` where a broadcast overran this reader), or as a call. Cancelling a read gives the
	 * receiver up: an item may have been on its way.
	 */
	next(options?: CallOptions): Promise<IteratorResult<JsonValue>>;
	/**
	 * Gives the reader up, whatever is still to come, and awaits that. Rejects with what had ended the channel without an end,
	 * unless an operation has rejected with it before. Aborting `signal`, before or after, ends this wait alone.
	 */
	close(options?: CallOptions): Promise<void>;
}

/** Either end of a channel, as the host granted it or this Run created it; a call may hand it on. */
export type ChannelEndpoint = ChannelSender | ChannelReceiver;

/** Both ends of a direct channel. */
export interface ChannelPair {
	readonly send: ChannelSender;
	readonly receive: ChannelReceiver;
}

/** A broadcast source: its writer, and the creator's authority to subscribe. */
export interface ChannelBroadcast {
	readonly send: ChannelSender;
	/** A further reader, from the next value on; what was sent before is not kept for it. */
	subscribe(options?: CallOptions): Promise<ChannelReceiver>;
}

/** What the host supplied for this invocation, and the calls that it may make while it runs. */
export interface RunContext {
	/** Valid under the package's input schema. */
	readonly input: JsonValue;
	/** Valid under the package's settings schema; `{}` where it has none. */
	readonly settings: Readonly<Record<string, JsonValue>>;
	/** By the names that `FLOW.md` declares. */
	readonly attachments: Readonly<Record<string, Attachment>>;
	/** By the names that `FLOW.md` declares; an optional port that nobody connected is absent. */
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	/** Path of a private read-write directory. */
	readonly scratch: string;
	/** UTC Unix epoch milliseconds; the host enforces it, no timer runs here. */
	readonly deadlineUnixMs: number;
	/** Aborted when the host cancels this Run, or when the connection to it is lost. */
	readonly signal: AbortSignal;

	/**
	 * Runs a child Flow and gives its whole result. Rejects with `TypeError` for a call that can't be sent, else with
	 * `OperationError`: `CANCELLED` when `signal` was aborted, `OWNER_CLOSED` when this Run takes no calls any more,
	 * `RESOURCE_EXHAUSTED` beyond 64 live calls, the child's own failure, or `PROTOCOL_ERROR` and `CHANNEL_LOST`.
	 */
	runChildFlow(call: ChildFlowRequest, options?: CallOptions): Promise<RunResult>;

	/** Calls a capability method. Rejects with `CapabilityError` for an error its contract declares, else as above. */
	callCapability(call: CapabilityCall, options?: CallOptions): Promise<JsonValue>;

	/**
	 * Creates a channel, `direct` unless said. Rejects with `TypeError` for bad options, else with `OperationError`: what the
	 * host answers (`INVALID_INPUT` for a schema or a contract that it can't use, `UNAVAILABLE` where it has no channels), or
	 * as above. What is still granted after the wait was cancelled is given back.
	 */
	channel(options: ChannelOptions & { delivery: "broadcast" }, callOptions?: CallOptions): Promise<ChannelBroadcast>;
	channel(
		options?: ChannelOptions & { delivery?: "direct" | undefined },
		callOptions?: CallOptions,
	): Promise<ChannelPair>;
	channel(options: ChannelOptions, callOptions?: CallOptions): Promise<ChannelPair | ChannelBroadcast>;
}

/**
 * The author's one function. Where branches return outputs of different shapes, annotate it (`async (run): Promise<RunResult>
 * => …`): TypeScript otherwise merges the shapes into one with `undefined` members, which are no JSON.
 */
export type RunHandler = (context: RunContext) => Promise<RunResult>;
