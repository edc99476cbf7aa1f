/** The port below the channel endpoints of Run SDK/1 section 9: a component session, or a participant of a host's broker. */
import type { ChannelRequest, Settlement } from "../run/index.ts";

/**
 * Carries channel requests (Run/1 section 5.1).
 *
 * `settle` is called exactly once, also from inside `channel` or `cancel`: with `{ value }`, exactly what the method gives
 * on the wire, or with `{ failure }`. `value` of a send is snapshotted before `channel` returns. Throws `InvalidMessage` for
 * a request that can't be sent, `CallRefused` for one that isn't admitted; then nothing happened.
 *
 * `cancel` settles the wait with `CANCELLED` at once, unless it has settled. Beyond that, cancelling
 *
 * - a read disposes its receiver: a release made later joins that disposal;
 * - a send takes an unaccepted value back;
 * - a creation or a subscription disposes what is still granted for it;
 * - a close or a release stops the wait alone, never the settlement.
 *
 * A release settles when the disposal and every prior read have; it can be repeated, with the same answer. Its `failed`
 * is the first terminal cause of the receiver, also one that came to a read whose wait was cancelled.
 */
export interface ChannelWire {
	channel(request: ChannelRequest, settle: (settlement: Settlement) => void): { cancel(): void };
}
