/** What a holder owes before its result counts (Run/1 section 9). */

import type { Failure } from "../ports.ts";
import { failure, RECEIVER_GONE } from "./failures.ts";
import type { Right } from "./rights.ts";

/**
 * The first duty that is not done: a receiver that is somebody's work and neither ended, failed nor disposed, or a sender with
 * sends that wait. A failure that was settled is no duty: ordinary recovery is the handler's business.
 */
export function findAbandoned(rights: Iterable<Right>): Failure | undefined {
	for (const right of rights) {
		if (right.direction === "receive" && right.isOpen && isActivated(right.source)) {
			return failure(
				"EXECUTION_FAILED",
				`The receiver ${right.endpoint} was neither read to its end nor released before the result.`,
			);
		}
		if (right.direction === "send" && right.source.waiting > 0) {
			return failure("EXECUTION_FAILED", `The sender ${right.endpoint} had sends that waited when the result came.`);
		}
	}
	return undefined;
}

/** Seals the healthy senders, and lets go of the pairs that nobody touched. Only after `findAbandoned` found nothing. */
export function settleHeld(rights: Iterable<Right>): void {
	for (const right of rights) {
		if (right.direction !== "send") continue;
		const { source } = right;
		if (!isActivated(source)) for (const receiver of source.live) source.dispose(receiver, RECEIVER_GONE);
		else if (source.state.kind === "open" && source.disconnected === undefined) source.seal();
	}
}

/** A subscription is work from its birth; a direct pair once either end was used or moved. */
function isActivated(source: Right["source"]): boolean {
	return source.delivery === "broadcast" || source.touched;
}
