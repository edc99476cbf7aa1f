/** The values and ports between the Run/1 session and the layers around it. */

import type { JsonObject, JsonValue } from "../json/index.ts";
import type { LocalCode, RunCode, WireCode } from "./codes.ts";
import type { TraceEvent } from "./trace.ts";

/** An operational error as it crosses the wire (section 7). `message` has 1 to 1,024 Unicode scalars. */
export interface Failure {
	readonly code: WireCode;
	readonly message: string;
	readonly details?: JsonValue;
}

/** The one-sided end of a channel that can no longer be trusted (section 7). */
export interface LocalFailure {
	readonly code: LocalCode;
	readonly message: string;
}

/** What `flow/run` and `flow/run-child` succeed with (section 3). */
export interface RunResult {
	readonly outcome: string;
	readonly output: JsonValue;
}

/** One prepared root (section 3). */
export interface Attachment {
	readonly path: string;
	readonly access: "read" | "read-write";
}

/** An endpoint grant (section 5.1). */
export interface ChannelGrant {
	readonly endpoint: string;
	readonly direction: "send" | "receive";
	readonly delivery: "direct" | "broadcast";
	readonly contract?: { readonly id: string; readonly version: string; readonly digest: string };
	/** Receivers only. */
	readonly startSequence?: number;
}

/** The complete context of one root invocation (section 3). */
export interface RootInvocation {
	readonly input: JsonValue;
	readonly settings: JsonObject;
	readonly attachments: Readonly<Record<string, Attachment>>;
	readonly scratch: string;
	readonly deadlineUnixMs: number;
	readonly channels: Readonly<Record<string, ChannelGrant>>;
}

/** A `flow/run-child` call (section 4). */
export interface ChildCall {
	readonly kind: "child";
	readonly operationId: string;
	readonly slot: string;
	readonly intent?: string;
	readonly input: JsonValue;
	readonly channels: Readonly<Record<string, string>>;
}

/** A `capability/call` (section 5). */
export interface CapabilityCall {
	readonly kind: "capability";
	readonly operationId: string;
	readonly slot: string;
	readonly method: string;
	readonly input: JsonValue;
	readonly channels: Readonly<Record<string, string>>;
}

/**
 * What both roles have in common; the layer around them pumps bytes. Synchronous and deterministic: no promise, timer or
 * clock inside. Every method may be called at any time, also from inside a port's callback, and after the end, when it
 * changes nothing.
 */
export interface Session {
	receive(chunk: Uint8Array): void;
	inputEnded(): void;
	readFailed(error?: unknown): void;
	/**
	 * The next complete frame (payload and LF), or undefined. Taking it IS the start of its write: publication of a root
	 * terminal is claimed here, a request counts as answered here, a call counts as sent here.
	 */
	takeFrame(): Uint8Array | undefined;
	/** As {@link takeFrame}, in text: whoever takes several encodes them together. */
	takeText(): string | undefined;
	/** Every frame taken so far is flushed. */
	written(): void;
	writeFailed(error?: unknown): void;
}

/** How a component's session ended. */
export type ComponentEnd = { readonly kind: "finished" } | ({ readonly kind: "fatal" } & LocalFailure);

/** What the component session asks of the layer above it. */
export interface ComponentPort {
	/** Frames are waiting. */
	wake(): void;
	/** A valid `flow/run` arrived. */
	start(invocation: RootInvocation): void;
	/** Root cancellation arrived. Once, before the pending calls settle with `CANCELLED`. */
	cancelled(): void;
	/**
	 * Once, last. `finished`: the terminal (or the `-32602` answer to an invalid root) is flushed. `fatal`: every pending call
	 * has settled, and the best-effort diagnostic, where one is due, is flushed or has failed. The layer then stops reading.
	 */
	closed(end: ComponentEnd): void;
	/** Observes frames, inputs and decisions; what it throws changes nothing. */
	trace?(event: TraceEvent): void;
}

/** How a call of the component ended. `declared` is an application error of the capability's contract. */
export type Settlement =
	| { readonly value: JsonValue }
	| { readonly failure: Failure | LocalFailure }
	| { readonly declared: { readonly name: string; readonly data: JsonValue } };

/** How the host's work for one operation ended: `result` for a child, `value` or `error` for a capability. */
export type OperationOutcome =
	| { readonly result: RunResult }
	| { readonly value: JsonValue }
	| { readonly error: { readonly name: string; readonly data: JsonValue } }
	| { readonly failure: Failure };

/** One piece of owned work: dispatched exactly once, whatever number of requests wait for it (section 6). */
export interface Operation {
	readonly call: ChildCall | CapabilityCall;
	/** Ends the operation; only the first call counts. An outcome that is not valid here becomes `INVALID_RESULT`. */
	settle(outcome: OperationOutcome): void;
	/**
	 * Instead of `settle`, for a host that remembers operations from before this session: the id belongs to another call.
	 * Whoever waits gets `OPERATION_CONFLICT`, and the session forgets this call, so that the other one still finds its
	 * result under the id (section 6). Called inside `dispatch`, before anything else can ask for the id.
	 */
	conflict(): void;
}

/** A channel request, as both ends of it understand it (section 5.1). */
export type ChannelRequest =
	| {
			readonly method: "channel/create";
			readonly delivery?: "direct" | "broadcast";
			/** Schema/1; excludes `contract`. */
			readonly schema?: JsonValue;
			/** A reference inside the invoking package; excludes `schema`. */
			readonly contract?: string;
	  }
	| { readonly method: "channel/subscribe"; readonly source: string }
	| { readonly method: "channel/send"; readonly endpoint: string; readonly value: JsonValue }
	| { readonly method: "channel/next" | "channel/close" | "channel/release"; readonly endpoint: string };

/** How a channel request ended: with exactly what its method gives on the wire, or with a failure. */
export type ChannelOutcome = { readonly result: JsonValue } | { readonly failure: Failure };

/** One channel request of a component under way at its host, answered exactly once. */
export interface ChannelExchange {
	readonly request: ChannelRequest;
	/** Answers it; only the first call counts. What is no valid outcome of its method becomes `EXECUTION_FAILED`. */
	settle(outcome: ChannelOutcome): void;
}

/**
 * Why the host session can't go on.
 *
 * - `violation`: the peer broke the protocol: fence it.
 * - `lost`: its output ended or a pipe failed before it answered. Its exit status decides between `EXECUTION_FAILED` and
 *   `CHANNEL_LOST` (section 9): leave it a moment to exit by itself, then fence it.
 * - `stopped`: cancelled or expired before the root was written, or a host bound was crossed: fence it.
 */
export type HostStop = "violation" | "lost" | "stopped";

/** What the host session asks of the layer above it. */
export interface HostPort {
	/** Frames are waiting. */
	wake(): void;
	/** Starts the work of one operation; exactly once per operation. What it throws makes it `EXECUTION_FAILED`. */
	dispatch(operation: Operation): void;
	/** The last live waiter was cancelled, or the Run is closing: ask the work to stop. It still settles. At most once. */
	abandon(operation: Operation): void;
	/**
	 * Takes a valid channel request, which it may answer at once or later. Absent: this host has no channels, and answers
	 * every channel request `UNAVAILABLE`. What it throws makes the answer `EXECUTION_FAILED`.
	 */
	channel?(exchange: ChannelExchange): void;
	/** The component cancelled a channel request that is under way. It still settles: whether with what it came to is decided here. */
	cancelChannel?(exchange: ChannelExchange): void;
	/** Declared outcome, result schema, channel eligibility: the failure that refuses `result`, or undefined. Synchronous. */
	accept(result: RunResult): Failure | undefined;
	/**
	 * A root response arrived, accepted or not: the layer closes stdin, drains, awaits exit within its grace. `answer` is what
	 * the component gave: a `result` may still have been refused by `accept`.
	 */
	responded(answer: "result" | "failure"): void;
	/** Once, after the last `wake`: nothing the component says counts any more; the layer fences it. */
	failed(why: HostStop): void;
	/** Observes frames, inputs and decisions; what it throws changes nothing. */
	trace?(event: TraceEvent): void;
}

/** What is known of the component process after it ended. */
export interface ExitEvidence {
	readonly exitCode: number | null;
	readonly signal: string | null;
	/** The host fenced it. */
	readonly killed: boolean;
	/** It could not be proven gone. */
	readonly fenceFailed?: boolean;
}

/** The verdict over a whole Run (section 9). */
export type RunConclusion =
	| { readonly status: "succeeded"; readonly result: RunResult }
	| { readonly status: "failed"; readonly code: RunCode; readonly message: string; readonly details?: JsonValue };
