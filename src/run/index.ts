/** Run/1: frames, messages, the state machine of both roles, and the transports it runs over. No I/O, no clock. */

export { admitOutcome } from "./admission.ts";
export { callParams, methodOf } from "./calls.ts";
export { ChannelBroker } from "./channels/broker.ts";
export type { ChannelEvent, ObserveChannels } from "./channels/events.ts";
export { CHANNEL_LIMITS, type ChannelLimits, resolveChannelLimits } from "./channels/limits.ts";
export type { ParticipantOptions } from "./channels/participant.ts";
export type { ChannelParticipant, ChannelWait, PortTerms, Settle, SourceTerms } from "./channels/ports.ts";
export {
	isWireCode,
	LOCAL_CODES,
	type LocalCode,
	OPERATIONAL_ERROR,
	type RunCode,
	STANDARD_ERRORS,
	WIRE_CODES,
	type WireCode,
} from "./codes.ts";
export { ComponentSession } from "./component.ts";
export { drive } from "./drive.ts";
export { CallRefused, InvalidMessage } from "./errors.ts";
export { FrameReader } from "./frames.ts";
export { HostSession } from "./host.ts";
export { HOST_SESSION_LIMITS, type HostSessionLimits, RUN_LIMITS } from "./limits.ts";
export { memoryPipe } from "./memory.ts";
export { checkMessage, isFailure } from "./messages.ts";
export { type MessagePortLike, portTransport } from "./port.ts";
export type {
	Attachment,
	CapabilityCall,
	ChannelExchange,
	ChannelGrant,
	ChannelOutcome,
	ChannelRequest,
	ChildCall,
	ComponentEnd,
	ComponentPort,
	ExitEvidence,
	Failure,
	HostPort,
	HostStop,
	LocalFailure,
	Operation,
	OperationOutcome,
	RootInvocation,
	RunConclusion,
	RunResult,
	Session,
	Settlement,
} from "./ports.ts";
export { type Divergence, type Replay, replay } from "./replay.ts";
export type { Fault } from "./shapes.ts";
export { streamTransport, type WritableStreamLike } from "./streams.ts";
export { TRACE_VERSION, type TraceDecision, type TraceEvent, type TraceInput } from "./trace.ts";
export type { Transport, TransportSink } from "./transport.ts";
