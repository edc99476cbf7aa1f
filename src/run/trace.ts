/** The trace of one session: plain data, enough to replay it to identical decisions. */

import type { JsonValue } from "../json/index.ts";
import type { LocalCode, WireCode } from "./codes.ts";
import type { HostSessionLimits } from "./limits.ts";
import type {
	CapabilityCall,
	ChannelRequest,
	ChildCall,
	ComponentEnd,
	ExitEvidence,
	Failure,
	HostStop,
	OperationOutcome,
	RootInvocation,
	RunConclusion,
	RunResult,
} from "./ports.ts";

/** The version of {@link TraceEvent}: raised when an event changes its meaning. */
export const TRACE_VERSION = 1;

/** What was done to the session. Values are recorded as the session understood them, after its checks. */
export type TraceInput =
	| { readonly type: "opened"; readonly role: "component" }
	| {
			readonly type: "opened";
			readonly role: "host";
			readonly root: RootInvocation;
			readonly limits: HostSessionLimits;
			/** The layer has channels. */
			readonly channels?: boolean;
	  }
	| { readonly type: "chunk"; readonly bytes: Uint8Array }
	| { readonly type: "input-ended" }
	| { readonly type: "read-failed"; readonly message: string }
	/** A frame left: its write begins. `frame` has no LF. */
	| { readonly type: "sent"; readonly frame: Uint8Array }
	| { readonly type: "written" }
	| { readonly type: "write-failed"; readonly message: string }
	/** `serial` numbers the calls of this session from 1, whether or not they reach the wire. */
	| { readonly type: "call"; readonly serial: number; readonly call: ChildCall | CapabilityCall }
	/** A channel request of the layer; `serial` counts on with the calls. */
	| { readonly type: "channel"; readonly serial: number; readonly request: ChannelRequest }
	| { readonly type: "cancel-call"; readonly serial: number }
	| { readonly type: "finish"; readonly end: RunResult | { readonly failure: Failure } }
	| { readonly type: "start" }
	| { readonly type: "cancel" }
	| { readonly type: "expire" }
	| { readonly type: "exhaust"; readonly message: string }
	| { readonly type: "settle"; readonly operationId: string; readonly outcome: OperationOutcome }
	/** The operation's id belongs to a call from before this session. */
	| { readonly type: "conflict"; readonly operationId: string }
	/** The answer of the layer to a channel request. */
	| {
			readonly type: "channel-settle";
			readonly requestId: string;
			readonly outcome: { readonly value: JsonValue } | { readonly failure: Failure };
	  }
	/** What ordinary admission leaves from now on. */
	| { readonly type: "reserve"; readonly ids: number }
	/** The layer's answer to `accept`. */
	| { readonly type: "verdict"; readonly failure?: Failure }
	| { readonly type: "exited"; readonly evidence: ExitEvidence };

/** What the session decided. */
export type TraceDecision =
	/** A complete frame arrived. `frame` has no LF. */
	| { readonly type: "received"; readonly frame: Uint8Array }
	/** A message that has no effect: an unknown notification, a cancellation that comes too late. */
	| { readonly type: "ignored"; readonly reason: string }
	/** A request was answered at once with an error. */
	| { readonly type: "refused"; readonly requestId: string; readonly code: WireCode | number }
	| { readonly type: "started" }
	| { readonly type: "settled"; readonly serial: number; readonly code?: WireCode | LocalCode }
	/** The root's terminal is ready, its write not yet begun. */
	| { readonly type: "ready" }
	| { readonly type: "closed"; readonly end: ComponentEnd }
	| { readonly type: "dispatched"; readonly operationId: string; readonly requestId: string }
	| { readonly type: "joined"; readonly operationId: string; readonly requestId: string }
	| { readonly type: "replayed"; readonly operationId: string; readonly requestId: string }
	| { readonly type: "detached"; readonly operationId: string; readonly requestId: string }
	| { readonly type: "abandoned"; readonly operationId: string }
	| { readonly type: "decided"; readonly operationId: string; readonly code?: WireCode }
	/** A channel request went to the layer; the component cancelled it there. */
	| { readonly type: "exchange"; readonly requestId: string; readonly method: string }
	| { readonly type: "exchange-cancelled"; readonly requestId: string }
	/** The first recorded condition that ends the root, or root cancellation on the component's side. */
	| {
			readonly type: "condition";
			readonly code: "CANCELLED" | "DEADLINE_EXCEEDED" | "RESOURCE_EXHAUSTED";
			readonly message: string;
	  }
	| { readonly type: "responded"; readonly code?: WireCode; readonly outcome?: string }
	| { readonly type: "fatal"; readonly code: LocalCode; readonly message: string }
	| { readonly type: "stopped"; readonly why: HostStop }
	| { readonly type: "concluded"; readonly conclusion: RunConclusion };

/**
 * One event. `sequence` counts from 0 without gaps. `during` is 0 for what the layer does by itself, else the number, counted
 * from 1, of the callback of the session inside which it happened.
 */
export type TraceEvent = {
	readonly version: typeof TRACE_VERSION;
	readonly sequence: number;
	readonly during: number;
} & (TraceInput | TraceDecision);
