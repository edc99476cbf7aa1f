/** What a row is about; a row can be about several things: an answer `CANCELLED` is one of a call, and of its cancellation. */
export const GROUPS = ["calls", "channels", "cancellation", "decisions", "process"] as const;
export type Group = (typeof GROUPS)[number];

export const CALLS = 1;
export const CHANNELS = 2;
export const CANCELLATION = 4;
export const DECISIONS = 8;
export const PROCESS = 16;

/** The bit of a group in a row's `groups`. */
export function bitOf(group: Group): number {
	return 1 << GROUPS.indexOf(group);
}

/** How a row is drawn: an arrow of one of three kinds, or a mark on one lane; `fault` marks what went wrong. */
export type RowKind = "request" | "response" | "failure" | "note" | "decision" | "fault";

/** What one event says, before it is known between whom. */
export interface Saying {
	readonly kind: RowKind;
	readonly groups: number;
	readonly label: string;
	/** The operation id that it names, of the Run whose session says it. */
	readonly operationId?: string | undefined;
}
