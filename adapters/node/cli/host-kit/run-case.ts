import type { EntryLanguage } from "../../../../conformance/host/build.ts";
import type { Witness } from "../../../../conformance/host/evidence.ts";
import { type HostVerdict, judgeHost } from "../../../../conformance/host/judge.ts";
import type { HostCase } from "../../../../conformance/host/plan.ts";
import type { Adapter, AdapterEnd } from "./host-process.ts";
import { leftovers } from "./leftovers.ts";
import { Workplace } from "./workplace.ts";

export interface CaseOptions {
	readonly entry: EntryLanguage;
	/** Milliseconds for the whole case. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
}

/** A case's verdict, and where its components stood when it went wrong. */
export interface CaseReport {
	readonly verdict: HostVerdict;
	readonly stood?: string;
	/** The adapter could not be started: no case can be tried. */
	readonly startFailure?: Error;
}

/** Milliseconds after an adapter's end in which the system may still be ending what it killed. */
const GONE_MS = 3_000;

/** Writes one case out, runs it through a host's adapter, judges what happened, and leaves nothing behind. */
export async function runHostCase(each: HostCase, adapter: Adapter, options: CaseOptions): Promise<CaseReport> {
	const { entry, timeoutMs, signal } = options;
	// Components give up before the kit does, so that what they waited for is known.
	const place = new Workplace(each, entry, { patienceMs: timeoutMs / 3, lifetimeMs: timeoutMs * 2 });
	try {
		const started = performance.now();
		const end = await adapter(place.jobFile, { temporary: place.temporary, timeoutMs, signal });
		const tookMs = performance.now() - started;
		// Nobody who was killed can clean up any more.
		const left = await leftovers(place.evidence(), end.killed ? 0 : GONE_MS);
		if (end.startFailure !== undefined)
			return {
				verdict: failed(`the adapter can't be started: ${end.startFailure.message}`),
				startFailure: end.startFailure,
			};
		const witnesses = place.evidence();
		const answer = answerOf(end);
		const verdict =
			"fault" in answer ? failed(answer.fault) : judgeHost(each, { answer: answer.value, witnesses, left, tookMs });
		return verdict.status === "passed" ? { verdict } : { verdict, stood: whereTheyStood(witnesses) };
	} finally {
		place.remove();
	}
}

function failed(difference: string): HostVerdict {
	return { status: "failed", difference };
}

/** Exactly one line of JSON, and then the end. */
function answerOf(end: AdapterEnd): { readonly value: unknown } | { readonly fault: string } {
	const { stdout, how, stderr } = end;
	const said = stderr === "" ? "" : `; it said: ${stderr.trim().slice(-400)}`;
	if (stdout === undefined) return { fault: `the adapter ended ${how} and wrote no UTF-8 text${said}` };
	const lines = stdout.split("\n").filter((line) => line !== "");
	if (lines.length !== 1) return { fault: `the adapter ended ${how} and wrote ${lines.length} lines, not one${said}` };
	if (how !== "with exit code 0") return { fault: `the adapter ended ${how}${said}` };
	try {
		return { value: JSON.parse(lines[0]!) };
	} catch {
		return { fault: `the adapter's line is no JSON: ${lines[0]!.slice(0, 200)}` };
	}
}

/** The last step of each component, for whoever looks for the reason. */
function whereTheyStood(witnesses: ReadonlyMap<string, readonly Witness[]>): string {
	const stood = [...witnesses].flatMap(([name, processes]) =>
		processes.map(({ entries }) => {
			const step = entries.findLast(({ t }) => t === "step")?.step;
			const end = entries.findLast(({ t }) => t === "end");
			const ended =
				end === undefined ? "" : `, ended ${end.signal === undefined ? `with ${end.code}` : `by ${end.signal}`}`;
			return `${name} at ${String(step ?? "its start")}${ended}`;
		}),
	);
	return stood.length === 0 ? "no component was started" : stood.join("; ");
}
