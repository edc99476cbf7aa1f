/** The bounds that Run/1 fixes beside those of its names (`NAME_LIMITS`). All are inclusive maxima. */
export const RUN_LIMITS: {
	/** Bytes of one frame before its LF (section 1). */
	readonly frameBytes: 16_777_216;
	/** Component-originated requests that await a response at once (section 1). */
	readonly pendingRequests: 64;
	/** Request-form messages that one sender originates during one channel (section 1). */
	readonly lifetimeRequests: 65_536;
	/** Attachments of one Run (section 3). */
	readonly attachments: 256;
	/** Entries of one channel map (section 3). */
	readonly channels: 256;
	/** Unicode scalars of a child call's intent (section 4). */
	readonly intentScalars: 16_384;
	/** Unicode scalars of an error message (section 7). */
	readonly messageScalars: 1_024;
	/** Unicode scalars of a channel contract reference (machine schema, `channelCreateParams`). */
	readonly referenceScalars: 4_096;
} = {
	frameBytes: 16_777_216,
	pendingRequests: 64,
	lifetimeRequests: 65_536,
	attachments: 256,
	channels: 256,
	intentScalars: 16_384,
	messageScalars: 1_024,
	referenceScalars: 4_096,
};

/** The bounds a host puts on one session beyond Run/1; crossing one is `RESOURCE_EXHAUSTED` (section 4). */
export interface HostSessionLimits {
	/**
	 * JSON text of running calls, and of settled results kept for replay. The oldest results make room for new ones (a
	 * repetition of their call is then refused, not dispatched again); a call that still doesn't fit is refused.
	 */
	readonly retainedBytes: number;
}

/** Room for a maximal call and a maximal result beside ordinary traffic. */
export const HOST_SESSION_LIMITS: HostSessionLimits = { retainedBytes: 67_108_864 };
