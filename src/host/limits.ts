import { CHANNEL_LIMITS, type ChannelLimits, RUN_LIMITS } from "../run/index.ts";

/** What one host bounds, each by a name. Every field of {@link HostOptions.limits} may be given alone. */
export interface HostLimits {
	/** Bytes one component may write to stdout before it is stopped with `RESOURCE_EXHAUSTED`. */
	readonly stdoutBytes: number;
	/** Bytes one component may write to stderr before it is stopped with `RESOURCE_EXHAUSTED`. */
	readonly stderrBytes: number;
	/** Bytes kept from the end of stderr for failures. */
	readonly stderrTailBytes: number;
	/**
	 * JSON text of running calls and of results kept for replay during one Run. The oldest results give way to new ones: a
	 * repetition of their call is then `RESOURCE_EXHAUSTED`, as is a call that doesn't fit at all.
	 */
	readonly retainedResultBytes: number;
	/** The deadline of a Run that names none, in milliseconds. */
	readonly defaultDeadlineMs: number;
	/** The longest deadline a Run may ask for, in milliseconds. */
	readonly maxDeadlineMs: number;
	/** Milliseconds a component has to answer after `request/cancel`, before it is asked to terminate. */
	readonly cancelGraceMs: number;
	/** Milliseconds between asking a process to terminate and killing it. */
	readonly killGraceMs: number;
	/** Milliseconds a component has to exit and close its pipes after its root response, or after it closed stdout. */
	readonly exitGraceMs: number;
	/** Milliseconds to wait for proof that a killed group is gone and its pipes have ended. */
	readonly fenceMs: number;
	/** Child packages running at once below one root Run, at any depth; one more call is `RESOURCE_EXHAUSTED`. */
	readonly concurrentChildren: number;
	/** Nesting of child packages below one root Run. */
	readonly childDepth: number;
	/** Channels that one invocation may create in its lifetime; nothing gives one back. One more is `RESOURCE_EXHAUSTED`. */
	readonly channelSources: number;
	/** Receivers that one invocation may allocate in its lifetime: one with every direct channel, one with every subscription. */
	readonly channelReceivers: number;
	/** Endpoints that one invocation, function or provider may get in its lifetime, created, subscribed or granted. */
	readonly channelEndpoints: number;
	/** Bytes of one item as canonical JSON; a bigger one fails its channel with `RESOURCE_EXHAUSTED`. */
	readonly channelItemBytes: number;
	/** Bytes that one channel may accept in its lifetime; the item that crosses it fails the channel. */
	readonly channelSourceBytes: number;
	/** Accepted items that a direct channel holds back; further sends wait. */
	readonly channelQueuedItems: number;
	/** Bytes that a direct channel holds back; further sends wait. */
	readonly channelQueuedBytes: number;
	/** Sends that wait at once for one direct channel; one more fails alone, with `RESOURCE_EXHAUSTED`. */
	readonly channelPendingSends: number;
	/** Bytes that wait at once for one direct channel; a send beyond them fails alone. */
	readonly channelPendingBytes: number;
	/** Items that one reader of a broadcast channel may be behind; one more is `LAGGED`. */
	readonly channelReaderItems: number;
	/** Bytes that one reader of a broadcast channel may be behind. */
	readonly channelReaderBytes: number;
	/** Trace events an iterator may fall behind before it drops the oldest. */
	readonly traceEvents: number;
	/** Frame bytes an iterator may hold back before it drops the oldest events. */
	readonly traceBytes: number;
}

const MIB = 1_048_576;

/** The limits of a host that names none. */
export const HOST_LIMITS: HostLimits = Object.freeze({
	stdoutBytes: 64 * MIB,
	stderrBytes: 16 * MIB,
	stderrTailBytes: 65_536,
	retainedResultBytes: 32 * MIB,
	defaultDeadlineMs: 300_000,
	maxDeadlineMs: 7 * 86_400_000,
	cancelGraceMs: 1_000,
	killGraceMs: 1_000,
	exitGraceMs: 2_000,
	fenceMs: 2_000,
	concurrentChildren: 16,
	childDepth: 16,
	channelSources: CHANNEL_LIMITS.sources,
	channelReceivers: CHANNEL_LIMITS.receivers,
	channelEndpoints: CHANNEL_LIMITS.endpoints,
	channelItemBytes: CHANNEL_LIMITS.itemBytes,
	channelSourceBytes: CHANNEL_LIMITS.sourceBytes,
	channelQueuedItems: CHANNEL_LIMITS.queuedItems,
	channelQueuedBytes: CHANNEL_LIMITS.queuedBytes,
	channelPendingSends: CHANNEL_LIMITS.pendingSends,
	channelPendingBytes: CHANNEL_LIMITS.pendingBytes,
	channelReaderItems: CHANNEL_LIMITS.readerItems,
	channelReaderBytes: CHANNEL_LIMITS.readerBytes,
	traceEvents: 4_096,
	traceBytes: 32 * MIB,
});

/** A maximal frame and its LF (Run/1 section 1): a host that takes less could not receive a conforming answer. */
const MAX_FRAME = 16_777_217;

const LEAST: Partial<Record<keyof HostLimits, number>> = {
	stdoutBytes: MAX_FRAME,
	stderrTailBytes: 0,
	defaultDeadlineMs: 1,
	maxDeadlineMs: 1,
	cancelGraceMs: 0,
	killGraceMs: 0,
	exitGraceMs: 1,
	fenceMs: 1,
	concurrentChildren: 0,
	childDepth: 0,
	channelItemBytes: 1,
	channelQueuedItems: 1,
	channelQueuedBytes: 1,
	channelReaderItems: 1,
	channelReaderBytes: 1,
	traceEvents: 1,
};

const MOST: Partial<Record<keyof HostLimits, number>> = {
	// What an item has around it in the answer that delivers it, with the longest request id and sequence, is 210 bytes.
	channelItemBytes: RUN_LIMITS.frameBytes - 256,
};

/** The bounds of a broker, from those of its host. */
export function channelLimits(limits: HostLimits): ChannelLimits {
	return {
		sources: limits.channelSources,
		receivers: limits.channelReceivers,
		endpoints: limits.channelEndpoints,
		itemBytes: limits.channelItemBytes,
		sourceBytes: limits.channelSourceBytes,
		queuedItems: limits.channelQueuedItems,
		queuedBytes: limits.channelQueuedBytes,
		pendingSends: limits.channelPendingSends,
		pendingBytes: limits.channelPendingBytes,
		readerItems: limits.channelReaderItems,
		readerBytes: limits.channelReaderBytes,
	};
}

/** Completes named limits with their defaults. Throws a `RangeError` that names the limit out of its domain. */
export function resolveLimits(given: Partial<HostLimits> = {}): HostLimits {
	const limits: Record<keyof HostLimits, number> = { ...HOST_LIMITS };
	for (const name of Object.keys(HOST_LIMITS) as (keyof HostLimits)[]) {
		const value = Object.hasOwn(given, name) ? given[name] : undefined;
		if (value === undefined) continue;
		const least = LEAST[name] ?? 0;
		if (!Number.isSafeInteger(value) || value < least) {
			throw new RangeError(`limits.${name} must be an integer of at least ${least}.`);
		}
		const most = MOST[name];
		if (most !== undefined && value > most) throw new RangeError(`limits.${name} must be at most ${most}.`);
		limits[name] = value;
	}
	for (const name of Object.keys(given)) {
		if (!Object.hasOwn(HOST_LIMITS, name)) throw new RangeError(`"${name}" is not a limit of a host.`);
	}
	if (limits.defaultDeadlineMs > limits.maxDeadlineMs) {
		if (given.defaultDeadlineMs !== undefined) {
			throw new RangeError("limits.defaultDeadlineMs must not exceed limits.maxDeadlineMs.");
		}
		limits.defaultDeadlineMs = limits.maxDeadlineMs;
	}
	return Object.freeze(limits);
}
