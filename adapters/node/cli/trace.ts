import { closeSync, openSync, writeFileSync } from "node:fs";
import { encodeTraceLine, type RunEvent, traceHeader } from "../../../src/host/index.ts";

/** A trace ends here with a line that says so; the Run goes on. */
const TRACE_BYTES = 256 * 1024 * 1024;

/** A trace being written: `write` never throws into the Run, and `problem` says afterwards what went wrong. */
export interface TraceFile {
	readonly write: (event: RunEvent) => void;
	close(): void;
	/** The first failure to write, if any. */
	problem(): Error | undefined;
}

/**
 * Creates FILE for a trace, readable by its owner only, refusing one that exists (an old trace is never mixed with a new
 * one). Lines are written as they happen, so that a crash keeps what came before it.
 */
export function openTrace(file: string, values: boolean, limit: number = TRACE_BYTES): TraceFile {
	const descriptor = openSync(file, "wx", 0o600);
	let bytes = 0;
	let failure: Error | undefined;
	let full = false;
	const line = (text: string) => {
		try {
			writeFileSync(descriptor, `${text}\n`);
			bytes += text.length + 1;
		} catch (error) {
			failure ??= error as Error;
		}
	};
	line(traceHeader(values));
	return {
		write(event) {
			if (full || failure !== undefined) return;
			const text = encodeTraceLine(event, values);
			if (bytes + text.length > limit) {
				full = true;
				line(JSON.stringify({ truncated: true, limit }));
			} else line(text);
		},
		close: () => closeSync(descriptor),
		problem: () => failure,
	};
}
