import { admitJson, JsonError, type JsonObject, type JsonValue } from "../json/index.ts";
import { type ChannelOutcome, type ChannelParticipant, InvalidMessage, type Settlement } from "../run/index.ts";
import type { ChannelWire } from "../sdk/index.ts";

/**
 * The same objects for the host's program that a component's author has, over its participant: no frame is written, and the
 * same bounds hold. Creating channels is a component's business.
 */
export function localWire(participant: ChannelParticipant): ChannelWire {
	return {
		channel(request, settle) {
			const told = (outcome: ChannelOutcome): void => settle(settlementOf(outcome));
			switch (request.method) {
				case "channel/send":
					return participant.send(request.endpoint, admitItem(request.value), told);
				case "channel/next":
					return participant.next(request.endpoint, told);
				case "channel/close":
					told(participant.close(request.endpoint));
					return SETTLED;
				case "channel/release":
					told(participant.release(request.endpoint));
					return SETTLED;
				default:
					throw new InvalidMessage("", "A function of the host's program creates no channels.");
			}
		},
	};
}

const SETTLED = { cancel: () => undefined };

function settlementOf(outcome: ChannelOutcome): Settlement {
	return "failure" in outcome ? outcome : { value: outcome.result };
}

/** The value at the place it would have in its frame, so that the same depth and number of nodes are too much. */
function admitItem(value: unknown): JsonValue {
	try {
		const { params } = admitJson({ params: { value } }) as { readonly params: JsonObject };
		return params.value!;
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		const pointer = (error.pointer ?? "").replace(/^\/params/, "");
		throw new InvalidMessage(pointer, `Invalid params of channel/send: ${error.message}`, error);
	}
}
