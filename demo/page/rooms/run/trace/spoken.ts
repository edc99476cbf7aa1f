/** Rows in words, for those who hear them and for the list. */
import type { Lane, Row } from "./model.ts";

const KINDS: Readonly<Record<Row["kind"], string>> = {
	request: "",
	response: "answer: ",
	failure: "failure: ",
	note: "",
	decision: "decided: ",
	fault: "fault: ",
};

/** "root to host: flow/run-child greeter (greet:1)". */
export function spoken({ from, to, kind, label }: Row, lanes: readonly Lane[]): string {
	const ends = from === to ? nameOf(lanes[from]) : `${nameOf(lanes[from])} to ${nameOf(lanes[to])}`;
	return `${ends}: ${KINDS[kind]}${label}`;
}

export function nameOf(lane: Lane | undefined): string {
	if (lane === undefined) return "?";
	return lane.kind === "run" && lane.detail !== "" && lane.detail !== "root"
		? `${lane.label} (${lane.detail})`
		: lane.label;
}

/** Milliseconds since the Run was asked for, short enough for a column. */
export function timeOf(atMs: number): string {
	return atMs < 100_000 ? atMs.toFixed(1) : String(Math.round(atMs));
}
