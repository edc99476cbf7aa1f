import { UsageError } from "./usage.ts";

/** What every failure of a command carries for machines: a code, a sentence, and the place where there is one. */
export interface FailureReport {
	readonly status: "failed";
	readonly code: string;
	readonly message: string;
	readonly [place: string]: unknown;
}

/** An error with what a command knows besides: where a value came from, every diagnostic, a hint. */
export class Detailed extends Error {
	readonly details: Readonly<Record<string, unknown>>;

	constructor(cause: unknown, details: Readonly<Record<string, unknown>>) {
		super(cause instanceof Error ? cause.message : String(cause), { cause });
		this.details = details;
	}
}

/** Runs `act` and names `source` (a file, `stdin`, an option) in whatever it throws. */
export async function within<T>(source: string, act: () => T | Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		throw new Detailed(error, { source });
	}
}

/** The members that this library's typed errors locate themselves with, copied as they are. */
const PLACES = [
	...["phase", "path", "otherPath", "offset", "line", "column", "pointer", "schemaPointer", "keyword", "schemaCode"],
	...["limit", "details", "diagnostics", "expected", "actual", "stderr", "result", "digest"],
] as const;

/** Describes any thrown value; what has no code is reported as `INTERNAL`: it is a fault of this program. */
export function describeFailure(error: unknown): FailureReport {
	if (error instanceof Detailed) return { ...describeFailure(error.cause), ...error.details };
	if (error instanceof UsageError) return { status: "failed", code: "USAGE", message: error.message };
	if (!(error instanceof Error)) return { status: "failed", code: "INTERNAL", message: String(error) };
	const { code = "INTERNAL", phase, ...rest } = described(error);
	return {
		status: "failed",
		code: String(code),
		...(phase === undefined ? {} : { phase }),
		message: error.message,
		...rest,
	};
}

function described(error: Error): Record<string, unknown> {
	const record = error as Error & Record<string, unknown>;
	const report: Record<string, unknown> = typeof record.code === "string" ? { code: record.code } : {};
	report.message = error.message;
	for (const place of PLACES) if (record[place] !== undefined) report[place] = record[place];
	if (typeof record.durationMs === "number") report.durationMs = Math.round(record.durationMs);
	if (!(error.cause instanceof Error)) return report;
	const cause = described(error.cause);
	// A cause with the same code is the same fault, told by the room that found it: its place is the place.
	return cause.code !== undefined && cause.code === report.code ? { ...cause, ...report } : { ...report, cause };
}
