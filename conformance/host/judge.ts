import { LOCAL_CODES, WIRE_CODES } from "../../src/run/index.ts";
import type { CaseVerdict } from "../corpus.ts";
import { type Fields, field, isFields } from "../data.ts";
import type { SeenFrame, Witness } from "./evidence.ts";
import { breachOf } from "./laws.ts";
import { differenceFrom, preview } from "./match.ts";
import type { Ending, HostCase } from "./plan.ts";

const RUN_CODES: ReadonlySet<unknown> = new Set([...WIRE_CODES, ...LOCAL_CODES]);

/** Everything the kit knows when a case is over. */
export interface Observation {
	/** The adapter's answer line, parsed. */
	readonly answer: unknown;
	/** By package name, in the order of the starts. */
	readonly witnesses: ReadonlyMap<string, readonly Witness[]>;
	/** Processes that were still there a while after the adapter had ended, in words. */
	readonly left: readonly string[];
	/** Milliseconds from the start of the adapter to its end. */
	readonly tookMs: number;
}

export type HostVerdict = CaseVerdict | { readonly status: "unsupported"; readonly difference: string };

/** Holds what happened against what a case demands. */
export function judgeHost(each: HostCase, seen: Observation): HostVerdict {
	const { answer } = seen;
	if (isFields(answer) && field(answer, "status") === "unsupported")
		return { status: "unsupported", difference: String(field(answer, "what") ?? "not said what") };
	const difference = firstDifference(each, seen);
	if (difference === undefined) return { status: "passed" };
	return { status: each.ambiguous === undefined ? "failed" : "tolerated", difference };
}

function firstDifference(each: HostCase, seen: Observation): string | undefined {
	const { answer, witnesses, left, tookMs } = seen;
	if (!isFields(answer)) return "the answer is no JSON object";
	return (
		faultOfPlayers(witnesses) ??
		endingDifference(each, answer, witnesses) ??
		brokenLaw(witnesses) ??
		startsDifference(each, witnesses) ??
		seesDifference(each, witnesses) ??
		reportDifference("calls", each.calls, answer, witnesses) ??
		reportDifference("channels", each.channels, answer, witnesses) ??
		(left.length > 0 && each.leaves !== true ? `left running: ${left.join(", ")}` : undefined) ??
		(each.withinMs !== undefined && tookMs > each.withinMs
			? `the Run took ${Math.round(tookMs)} ms; ${each.withinMs} ms are plenty`
			: undefined)
	);
}

/** A component that could not follow its script proves nothing; one that waited in vain says for what. */
function faultOfPlayers(witnesses: Observation["witnesses"]): string | undefined {
	for (const [name, processes] of witnesses)
		for (const { entries } of processes)
			for (const entry of entries) {
				if (entry.t === "fault") return `${name} could not follow its script: ${String(entry.message)}`;
				if (entry.t === "stuck") return `${name} waited in vain for ${String(entry.what)}`;
			}
	return undefined;
}

function endingDifference(each: HostCase, answer: Fields, witnesses: Observation["witnesses"]): string | undefined {
	const endings = (Array.isArray(each.expect) ? each.expect : [each.expect]) as readonly Ending[];
	const differences = endings.map((ending) => oneEnding(ending, answer, witnesses));
	return differences.includes(undefined) ? undefined : differences.join("; or ");
}

function oneEnding(ending: Ending, answer: Fields, witnesses: Observation["witnesses"]): string | undefined {
	const status = field(answer, "status");
	if (status !== "accepted" && status !== "refused") return `no verdict: ${preview(answer)}`;
	const code = field(answer, "code");
	const told = `${String(code)}: ${String(field(answer, "message") ?? "")}`;
	if ("accepted" in ending) {
		if (status === "refused") return `expected to be accepted, was refused (${told})`;
		return (
			differenceFrom(ending.outcome ?? "done", field(answer, "outcome"), "outcome", finder(witnesses)) ??
			("output" in ending
				? differenceFrom(ending.output, field(answer, "output"), "output", finder(witnesses))
				: undefined)
		);
	}
	if (status === "accepted") return `expected to be refused, was accepted with ${preview(field(answer, "output"))}`;
	const { refused, started } = ending;
	const codes = refused === true ? undefined : [refused].flat();
	if (codes !== undefined && !codes.includes(code as string)) return `expected ${codes.join(" or ")}, got ${told}`;
	if (codes === undefined && started !== false && !RUN_CODES.has(code as string))
		return `got no code of Run/1: ${told}`;
	const starts = witnesses.get("root")?.length ?? 0;
	if (started === false && starts > 0) return "the component was started";
	return undefined;
}

function brokenLaw(witnesses: Observation["witnesses"]): string | undefined {
	for (const [name, processes] of witnesses)
		for (const witness of processes) {
			const breach = breachOf(witness);
			if (breach !== undefined) return `${name}: ${breach}`;
		}
	return undefined;
}

function startsDifference(each: HostCase, witnesses: Observation["witnesses"]): string | undefined {
	for (const [name, times] of Object.entries(each.starts ?? {})) {
		const found = witnesses.get(name)?.length ?? 0;
		if (found !== times) return `${name} was started ${found} times, expected ${times}`;
	}
	return undefined;
}

function seesDifference(each: HostCase, witnesses: Observation["witnesses"]): string | undefined {
	const look = finder(witnesses);
	for (const [what, pattern] of Object.entries(each.sees ?? {})) {
		const difference = differenceFrom(shorthand(pattern), look(what), what, look);
		if (difference !== undefined) return difference;
	}
	return undefined;
}

/** `{failure: CODE}` and `{rpc: NUMBER}` stand for the error responses of Run/1; null for no answer at all. */
function shorthand(pattern: unknown): unknown {
	if (pattern === null) return { $absent: true };
	if (!isFields(pattern)) return pattern;
	const { failure, rpc, ...rest } = pattern;
	if (failure !== undefined) {
		const code = Array.isArray(failure) ? { $oneOf: failure } : failure;
		return { result: { $absent: true }, error: { code: -32_000, data: { code } }, ...rest };
	}
	return rpc === undefined ? pattern : { result: { $absent: true }, error: { code: rpc }, ...rest };
}

function reportDifference(
	name: "calls" | "channels",
	pattern: unknown,
	answer: Fields,
	witnesses: Observation["witnesses"],
): string | undefined {
	return pattern === undefined ? undefined : differenceFrom(pattern, field(answer, name), name, finder(witnesses));
}

/**
 * Finds `id`, `package/id` or a pseudo id, and members below it after dots: `c1.result.value`, `child/@root.params.input`.
 * Several processes of one package are `child#2`, from 1.
 */
function finder(witnesses: Observation["witnesses"]): (path: string) => unknown {
	return (path) => {
		const slash = path.indexOf("/");
		const [name = "", number = "1"] = (slash < 0 ? "root" : path.slice(0, slash)).split("#");
		const [id = "", ...members] = path.slice(slash + 1).split(".");
		let value = idIn(witnesses.get(name)?.[Number(number) - 1], id);
		for (const member of members)
			value = isFields(value) || Array.isArray(value) ? field(value as Fields, member) : undefined;
		return value;
	};
}

function idIn(witness: Witness | undefined, id: string): unknown {
	if (witness === undefined) return undefined;
	const { frames, entries } = witness;
	const framesWhere = (test: (frame: Fields) => boolean): SeenFrame["value"][] =>
		frames.flatMap(({ value }) => (isFields(value) && test(value) ? [value] : []));
	switch (id) {
		case "@root":
			return framesWhere((frame) => field(frame, "method") === "flow/run")[0];
		case "@cancels":
			return framesWhere((frame) => field(frame, "method") === "request/cancel");
		case "@errors":
			return framesWhere((frame) => field(frame, "id") === null && field(frame, "error") !== undefined);
		case "@notes":
			return entries.flatMap((entry) => (entry.t === "note" ? [entry.value] : []));
		case "@end":
			return entries.find(({ t }) => t === "end");
		// Whether stdin was still open when the component began to write its answer.
		case "@open": {
			const answering = entries.findIndex(({ t }) => t === "answering");
			const eof = entries.findIndex(({ t }) => t === "eof");
			return answering >= 0 && (eof < 0 || eof > answering);
		}
		default:
			return framesWhere((frame) => field(frame, "id") === id && !("method" in frame && frame.method !== null))[0];
	}
}
