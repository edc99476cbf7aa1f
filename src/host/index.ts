/**
 * A Run from package to accepted result: staging, admission, launch, supervision, acceptance, cleanup.
 *
 * @module millrace/host
 */

export type { Entrypoint } from "../package/index.ts";
export type { ChannelEvent } from "../run/index.ts";
export {
	type Divergence,
	LOCAL_CODES,
	type LocalCode,
	type MessagePortLike,
	portTransport,
	type Replay,
	type RunCode,
	type RunResult,
	replay,
	streamTransport,
	type Transport,
	type TransportSink,
	WIRE_CODES,
	type WireCode,
	type WritableStreamLike,
} from "../run/index.ts";
export type {
	ChannelContractIdentity,
	ChannelEndpoint,
	ChannelReceiver,
	ChannelSender,
	RunHandler,
} from "../sdk/index.ts";
export type { DurableOptions } from "./durable.ts";
export {
	type FailureCode,
	type HostCode,
	HostError,
	type HostErrorFields,
	type Phase,
	RunFailure,
	type RunFailureFields,
	type StderrTail,
} from "./errors.ts";
export { createHost, type Host, type HostOptions, type LoadOptions } from "./host.ts";
export { HOST_LIMITS, type HostLimits } from "./limits.ts";
export type { LoadedPackage } from "./loaded.ts";
export type {
	CapabilityProvider,
	ChildBinding,
	ChildFunction,
	ChildFunctionCall,
	ChildTarget,
	ContextOptions,
	ProviderAnswer,
	ProviderCall,
	RootChannel,
	Run,
	RunOptions,
	RunReport,
} from "./options.ts";
export type {
	Access,
	AttachedRoot,
	AttachmentSource,
	AttachRequest,
	ComponentProcess,
	ExitEvidence,
	HostRuntime,
	Launch,
	LauncherChoice,
	LaunchRequest,
	ScratchDirectory,
	StagedPackage,
	StageOptions,
	StageProgress,
	StderrSink,
} from "./ports.ts";
export {
	type SequenceDiagram,
	type SequenceMessage,
	type SequenceParticipant,
	sequenceMermaid,
	sequenceOf,
	sequenceSvg,
	sequenceText,
} from "./sequence/index.ts";
export {
	type ClaimAnswer,
	deleteUnusedKeys,
	isRunKey,
	OPERATION_STORE_LIMITS,
	type OperationBinding,
	type OperationClaim,
	type OperationIntent,
	type OperationName,
	type OperationStore,
	type OperationStoreLimits,
	type RecordedOperation,
	resolveStoreLimits,
	type StoredKey,
	sameBinding,
} from "./store.ts";
export { type MemoryStoreOptions, memoryOperationStore } from "./store-memory.ts";
export type { DroppedEvents, HostEvent, RunEvent } from "./trace.ts";
export {
	decodeTraceLine,
	encodeTraceLine,
	readTrace,
	sessionsOf,
	TRACE_FORMAT,
	type Trace,
	traceHeader,
	traceTruncated,
} from "./trace-format.ts";
