import type { CapabilityContract, ContractIdentity } from "../contract/index.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import type { RunResult } from "../run/index.ts";
import type { ChannelEndpoint, ChannelReceiver, ChannelSender } from "../sdk/index.ts";
import type { Digest } from "../sha256.ts";
import type { AbortSignal } from "../web.ts";
import type { DurableOptions } from "./durable.ts";
import type { StderrTail } from "./errors.ts";
import type { LoadedPackage } from "./loaded.ts";
import type { AttachmentSource } from "./ports.ts";
import type { DroppedEvents, RunEvent } from "./trace.ts";

/** A call of a child slot that is bound to a function of the host's program. */
export interface ChildFunctionCall {
	readonly slot: string;
	readonly operationId: string;
	/** What the caller says it wants: for the host's choice, never delivered to a child package (Run/1 section 4). */
	readonly intent?: string | undefined;
	readonly input: JsonValue;
	/**
	 * The endpoints that the caller mapped, by the names it chose: a function declares no ports. They are its own until it
	 * settles: a result that leaves a receiver unfinished is `EXECUTION_FAILED`, and a sender left open is closed.
	 */
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	/** Aborts when no waiter is left or the Run is closing: stop, and settle. */
	readonly signal: AbortSignal;
}

/**
 * A child implemented in the host's program. What it throws fails that operation only: an error with an own `code` of
 * Run/1's wire codes keeps its code, message and details, anything else is `EXECUTION_FAILED` without a word of it. The
 * host's program finds what was thrown in the trace, as `error` of the event `operation-failed`.
 */
export type ChildFunction = (call: ChildFunctionCall) => RunResult | PromiseLike<RunResult>;

/** A child package with the context the host gives it: nothing is inherited but the deadline. */
export interface ChildTarget extends ContextOptions {
	readonly package: LoadedPackage;
}

export type ChildBinding = LoadedPackage | ChildTarget | ChildFunction;

/** One call of a capability method. `input` has passed the contract's schema. */
export interface ProviderCall {
	readonly slot: string;
	readonly method: string;
	readonly operationId: string;
	readonly input: JsonValue;
	/**
	 * By the ports that the contract's method declares; a local slot declares none, and gets what was mapped as it comes.
	 * Otherwise as with {@link ChildFunctionCall}.
	 */
	readonly channels: Readonly<Record<string, ChannelEndpoint>>;
	readonly signal: AbortSignal;
}

/** What a method gives: a value, or an application error that the contract declares (Run/1 section 5). */
export type ProviderAnswer =
	| { readonly value: JsonValue }
	| { readonly error: { readonly name: string; readonly data: JsonValue } };

/**
 * An implementation of a capability. With `contract` it claims that exact interface (id, version and digest) and fits
 * only slots that name it; without, it fits only `local: true` slots. Throwing is as with {@link ChildFunction}.
 */
export interface CapabilityProvider {
	readonly contract?: ContractIdentity | CapabilityContract | JsonObject | undefined;
	call(call: ProviderCall): ProviderAnswer | PromiseLike<ProviderAnswer>;
}

/** What one invocation is given, root or child. Names are own enumerable properties. */
export interface ContextOptions {
	/** The complete settings object; `{}` by default. */
	readonly settings?: JsonObject | undefined;
	readonly attachments?: Readonly<Record<string, AttachmentSource>> | undefined;
	readonly children?: Readonly<Record<string, ChildBinding>> | undefined;
	readonly capabilities?: Readonly<Record<string, CapabilityProvider>> | undefined;
}

/**
 * The other end of one of the root's ports.
 *
 * - The Flow receives there: what it receives, one JSON/1 value after the other, as fast as it takes them; or a function that
 *   sends and closes.
 * - The Flow sends there: a function that reads. `result` waits until it is done, at most until the deadline or `cancel`.
 *
 * What goes wrong here ends the channel for the Flow and is the event `channel-failed`; it never fails the Run by itself.
 */
export type RootChannel =
	| Iterable<JsonValue>
	| AsyncIterable<JsonValue>
	| ((sender: ChannelSender) => unknown)
	| ((receiver: ChannelReceiver) => unknown);

/** Options of `host.run`. */
export interface RunOptions extends ContextOptions {
	readonly input: JsonValue;
	/** Milliseconds from now until the host ends the Run; fixed once, inherited by children. */
	readonly deadlineMs?: number | undefined;
	/**
	 * The root's channels by the names that FLOW.md declares; a required one that is absent is `CHANNEL_UNCONNECTED`, a name
	 * that isn't declared `CHANNEL_UNDECLARED`, before anything starts.
	 */
	readonly channels?: Readonly<Record<string, RootChannel>> | undefined;
	/**
	 * Keeps this Run's operations, and those of every child package below it, beyond the Run: a later Run with the same key
	 * gives its component the results they had, answers `UNCERTAIN` what may have been dispatched without a result on record,
	 * and dispatches nothing twice. The component itself runs again. Without it nothing outlives the Run.
	 *
	 * The key is bound to the package, the input and the settings; for others it is refused with `OPERATION_KEY_MISMATCH`
	 * before anything starts. A Run that takes a key supersedes the one that has it, which ends `OPERATION_KEY_SUPERSEDED`.
	 */
	readonly operations?: DurableOptions | undefined;
	/** Aborting it is `cancel(signal.reason)`. */
	readonly signal?: AbortSignal | undefined;
	/** Sees every event as it happens. Whatever it does changes nothing. */
	readonly onTrace?: ((event: RunEvent) => unknown) | undefined;
	/** Sees the root component's stderr as it comes. Whatever it does changes nothing. */
	readonly onStderr?: ((bytes: Uint8Array) => unknown) | undefined;
}

/** An accepted result (Run/1 section 9), and what the host knows about its Run. */
export interface RunReport {
	readonly outcome: string;
	readonly output: JsonValue;
	readonly digest: Digest;
	readonly durationMs: number;
	readonly stderr: StderrTail;
}

/** One Run under way. */
export interface Run {
	/** The accepted result, or a `RunFailure`. A rejection nobody looks at stays silent. */
	readonly result: Promise<RunReport>;
	/**
	 * Events from now on, in a queue bounded by `limits.traceEvents` and `limits.traceBytes`; `{ dropped }` stands where a
	 * slow reader lost some. Ends when the Run has ended. Call it at once after `host.run` to see everything.
	 */
	trace(): AsyncIterableIterator<RunEvent | DroppedEvents>;
	/**
	 * Asks the component to stop, and ends it if it doesn't. Harmless when repeated or late. `reason` is the `cause` of the
	 * `CANCELLED` failure; the component doesn't hear it.
	 */
	cancel(reason?: unknown): void;
}
