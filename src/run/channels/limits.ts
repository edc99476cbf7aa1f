/** The bounds a host puts on channels (Run/1 section 5.1: queues, payload, pending sends and lifetime allocations). */

/** What one broker bounds, each by a name; any of them may be given alone. Bytes are those of an item's canonical JSON. */
export interface ChannelLimits {
	/** Sources one participant may create in its lifetime; one more is `RESOURCE_EXHAUSTED`. Nothing gives one back. */
	readonly sources: number;
	/** Receivers one participant may allocate in its lifetime: one with every direct source, one with every subscription. */
	readonly receivers: number;
	/** Endpoints one participant may get in its lifetime, created, subscribed or granted; one more is `RESOURCE_EXHAUSTED`. */
	readonly endpoints: number;
	/** Bytes of one item; a bigger one fails its source. What can't wait in an empty direct queue is too big as well. */
	readonly itemBytes: number;
	/** Bytes one source may accept in its lifetime; the item that crosses it fails the source. */
	readonly sourceBytes: number;
	/** Accepted items a direct source holds back, the one in flight included; further sends wait. */
	readonly queuedItems: number;
	/** Bytes a direct source holds back, the item in flight included; further sends wait. */
	readonly queuedBytes: number;
	/** Sends that wait at once for one direct source; one more fails alone, with `RESOURCE_EXHAUSTED`. */
	readonly pendingSends: number;
	/** Bytes that wait at once for one direct source; a send beyond them fails alone, with `RESOURCE_EXHAUSTED`. */
	readonly pendingBytes: number;
	/** Items one subscription may be behind, the one in flight included; one more is `LAGGED`. */
	readonly readerItems: number;
	/** Bytes one subscription may be behind, the item in flight included; one more is `LAGGED`. */
	readonly readerBytes: number;
}

const MIB = 1_048_576;

/** The limits of a broker that names none. */
export const CHANNEL_LIMITS: ChannelLimits = Object.freeze({
	sources: 16,
	receivers: 16,
	endpoints: 512,
	itemBytes: MIB,
	sourceBytes: 64 * MIB,
	queuedItems: 16,
	queuedBytes: 4 * MIB,
	pendingSends: 16,
	pendingBytes: 4 * MIB,
	readerItems: 16,
	readerBytes: 4 * MIB,
});

/** Below one item, or one byte, a queue could never hand anything over. */
const LEAST: Partial<Record<keyof ChannelLimits, number>> = {
	itemBytes: 1,
	queuedItems: 1,
	queuedBytes: 1,
	readerItems: 1,
	readerBytes: 1,
};

/** Completes named limits with their defaults. Throws a `RangeError` that names the limit out of its domain. */
export function resolveChannelLimits(given: Partial<ChannelLimits> = {}): ChannelLimits {
	const limits: Record<keyof ChannelLimits, number> = { ...CHANNEL_LIMITS };
	for (const name of Object.keys(given) as (keyof ChannelLimits)[]) {
		if (!Object.hasOwn(CHANNEL_LIMITS, name)) throw new RangeError(`"${name}" is not a limit of channels.`);
		const value = given[name];
		if (value === undefined) continue;
		const least = LEAST[name] ?? 0;
		if (!Number.isSafeInteger(value) || value < least) {
			throw new RangeError(`limits.${name} must be an integer of at least ${least}.`);
		}
		limits[name] = value;
	}
	return Object.freeze(limits);
}
