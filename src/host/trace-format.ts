/** Traces as lines of text: what `--trace` writes and what a viewer or a replay reads. */

import { fromBase64, toBase64 } from "../base64.ts";
import type { RunEvent } from "./trace.ts";

/** The version of the line format; the first line of a trace says it. */
export const TRACE_FORMAT = 1;

/** The first line of a trace: `{"millraceTrace": 1, "values": …}`. Only a trace with values can be replayed. */
export function traceHeader(values: boolean): string {
	return JSON.stringify({ millraceTrace: TRACE_FORMAT, values });
}

/** Members that carry a caller's or a component's data rather than the protocol's own. */
const VALUE_MEMBERS: ReadonlySet<string> = new Set([
	"input",
	"output",
	"settings",
	"value",
	"data",
	"details",
	"error",
]);

/**
 * One event as one line of JSON without its line end. Bytes become `{"b64": …}`. Without `values`, every value that an
 * author, a caller or a component supplied is replaced by `{"elided": N}` (N: its size in UTF-16 units as JSON), and bytes
 * by `{"elided": N}` (N: their count): the order, names, ids, codes and sizes of everything stay.
 */
export function encodeTraceLine(event: RunEvent, values: boolean): string {
	return JSON.stringify(event, function (this: unknown, name: string, member: unknown) {
		if (member instanceof Uint8Array) return values ? { b64: toBase64(member) } : { elided: member.length };
		if (member instanceof Error) return values ? { name: member.name, message: member.message } : { name: member.name };
		if (!values && VALUE_MEMBERS.has(name) && isValueHolder(name, member))
			return { elided: (JSON.stringify(member) ?? "").length };
		return member;
	});
}

/** `error` is data only where it is a wire object; elsewhere it is a code or an `Error` handled above. */
function isValueHolder(name: string, member: unknown): boolean {
	return name !== "error" || (typeof member === "object" && member !== null);
}

/** Reads back a line that was written with values: the very event, bytes included. Throws `SyntaxError` for anything else. */
export function decodeTraceLine(line: string): RunEvent {
	const parsed: unknown = JSON.parse(line);
	if (!isRecord(parsed) || !isRecord(parsed.event)) throw new SyntaxError("the line is no trace event");
	restoreBytes(parsed.event);
	if (parsed.event.type === "session" && isRecord(parsed.event.event)) restoreBytes(parsed.event.event);
	return parsed as unknown as RunEvent;
}

type Fields = Record<string, unknown>;

function isRecord(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Bytes stand only in these two members of an event itself; a value inside may have members of the same names. */
function restoreBytes(event: Fields): void {
	for (const name of ["bytes", "frame"]) {
		if (!Object.hasOwn(event, name)) continue;
		const member = event[name];
		const text = isRecord(member) ? member.b64 : undefined;
		const bytes = typeof text === "string" ? fromBase64(text) : undefined;
		if (bytes === undefined) throw new SyntaxError("the trace holds no bytes here: it was written without values");
		event[name] = bytes;
	}
}
