/** What a broker tells an observer: its decisions, as small plain data, in the order in which they were made. */

import type { WireCode } from "../codes.ts";

/**
 * One decision. `source` names the source inside the broker, endpoints are the tokens of their grants, and participants go by
 * their names. Values of items never appear.
 */
export type ChannelEvent =
	| {
			readonly type: "created";
			readonly source: string;
			readonly participant: string;
			readonly delivery: "direct" | "broadcast";
			readonly send: string;
			/** Of a direct source. */
			readonly receive?: string;
	  }
	| { readonly type: "subscribed"; readonly source: string; readonly endpoint: string; readonly startSequence: number }
	| { readonly type: "accepted"; readonly source: string; readonly sequence: number; readonly bytes: number }
	| { readonly type: "delivered"; readonly source: string; readonly endpoint: string; readonly sequence: number }
	/** A reader was given its clean end. */
	| { readonly type: "ended"; readonly source: string; readonly endpoint: string; readonly lastSequence: number }
	| { readonly type: "sealed"; readonly source: string; readonly lastSequence: number }
	/** Of the whole source; with `endpoint`, of that receiver alone. */
	| { readonly type: "failed"; readonly source: string; readonly code: WireCode; readonly endpoint?: string }
	| { readonly type: "lagged"; readonly source: string; readonly endpoint: string }
	| { readonly type: "disposed"; readonly source: string; readonly endpoint: string }
	| {
			readonly type: "moved";
			readonly source: string;
			readonly endpoint: string;
			readonly from: string;
			readonly to: string;
	  }
	/** A participant's duties were checked; `code` refuses its result. */
	| { readonly type: "finalised"; readonly participant: string; readonly code?: WireCode }
	| { readonly type: "over"; readonly participant: string };

/** Observes decisions; what it throws changes nothing. */
export type ObserveChannels = (event: ChannelEvent) => void;
