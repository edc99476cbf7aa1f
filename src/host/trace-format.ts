/** Traces as lines of text: what `--trace` writes and what a viewer or a replay reads. */

import { fromBase64, toBase64 } from "../base64.ts";
import type { TraceEvent } from "../run/index.ts";
import type { RunEvent } from "./trace.ts";

/** The version of the line format; the first line of a trace says it. */
export const TRACE_FORMAT = 1;

/** The first line of a trace: `{"millraceTrace": 1, "values": …}`. Only a trace with values can be replayed. */
export function traceHeader(values: boolean): string {
	return JSON.stringify({ millraceTrace: TRACE_FORMAT, values });
}

/** The last line of a trace that reached its bound: what came afterwards is not in it. */
export function traceTruncated(limit: number): string {
	return JSON.stringify({ truncated: true, limit });
}

/** Members that hold data of a caller, an author or a component, whatever its shape. */
const VALUES: ReadonlySet<string> = new Set([
	"input",
	"output",
	"settings",
	"value",
	"data",
	"details",
	"error",
	"schema",
]);

/** Members whose text is the protocol's or the host's own: words, ids, names, codes. All other text is elided. */
const PLAIN: ReadonlySet<string> = new Set([
	...["type", "role", "kind", "status", "code", "phase", "why", "step", "reason", "what", "signal", "digest"],
	...["operationId", "requestId", "slot", "method", "outcome", "package", "description", "target", "access"],
	...["source", "endpoint", "participant", "delivery", "direction", "send", "receive", "from", "to", "port"],
]);

/**
 * One event as one line of JSON without its line end. Bytes become `{"b64": …}`, what was thrown `{"name", "message"}`.
 *
 * Without `values`, `{"elided": N}` stands for every value, every message and all bytes (N: how long they are as text or
 * in bytes): the order, the sizes, the protocol's own words and the ids and names that a component chose stay. What isn't
 * known to be such a word is elided, so that an event which is new here gives nothing away.
 */
export function encodeTraceLine(event: RunEvent, values: boolean): string {
	return JSON.stringify(withPlainError(event), values ? keep : elide);
}

/** What a function or provider threw can be anything, and then isn't JSON. */
function withPlainError(event: RunEvent): unknown {
	if (!("error" in event.event)) return event;
	const thrown = event.event.error;
	const error =
		thrown instanceof Error
			? { name: thrown.name, message: thrown.message }
			: { name: typeof thrown, message: typeof thrown === "string" ? thrown : "" };
	return { ...event, event: { ...event.event, error } };
}

// A replacer looks at its holder: a Buffer's own toJSON has been called on `member` by then.

function keep(this: Fields, name: string, member: unknown): unknown {
	const original = this[name];
	return original instanceof Uint8Array ? { b64: toBase64(original) } : member;
}

function elide(this: Fields, name: string, member: unknown): unknown {
	const original = this[name];
	if (original instanceof Uint8Array) return { elided: original.length };
	if (VALUES.has(name) && member !== undefined) return { elided: JSON.stringify(member).length };
	if (typeof member !== "string" || PLAIN.has(name)) return member;
	// The only texts in a list are the operation ids of a path: lists inside values are gone with them.
	return Array.isArray(this) ? member : { elided: member.length };
}

/** A trace that was written with values, read back. */
export interface Trace {
	readonly events: readonly RunEvent[];
	/** It reached its bound: its end is missing. */
	readonly truncated: boolean;
}

/**
 * Reads a whole trace line by line. Throws `SyntaxError` for a trace of another version or without values, and for lines
 * that are none of a trace.
 */
export function readTrace(lines: Iterable<string>): Trace {
	const events: RunEvent[] = [];
	let started = false;
	let truncated = false;
	for (const line of lines) {
		if (line === "") continue;
		if (!started) {
			checkHeader(line);
			started = true;
		} else if (isTruncation(line)) truncated = true;
		else events.push(decodeTraceLine(line));
	}
	if (!started) throw new SyntaxError("An empty text is no trace: its first line says the version.");
	return { events, truncated };
}

function checkHeader(line: string): void {
	const header: unknown = JSON.parse(line);
	if (!isRecord(header) || header.millraceTrace !== TRACE_FORMAT)
		throw new SyntaxError(`The first line of a trace of version ${TRACE_FORMAT} is missing.`);
	if (header.values !== true) throw new SyntaxError("The trace was written without values: it can't be read back.");
}

function isTruncation(line: string): boolean {
	return line.startsWith('{"truncated":');
}

/** Reads back one event that was written with values, bytes included. Throws `SyntaxError` for anything else. */
export function decodeTraceLine(line: string): RunEvent {
	const parsed: unknown = JSON.parse(line);
	if (!isRecord(parsed) || !isRecord(parsed.event) || !Array.isArray(parsed.path))
		throw new SyntaxError("The line is no event of a trace.");
	restoreBytes(parsed.event);
	if (parsed.event.type === "session" && isRecord(parsed.event.event)) restoreBytes(parsed.event.event);
	return parsed as unknown as RunEvent;
}

/**
 * The sessions of a trace, each complete and in order, as `replay` takes them; by the operation ids that lead to them,
 * joined by spaces: the root's is `""`.
 */
export function sessionsOf(events: Iterable<RunEvent>): ReadonlyMap<string, readonly TraceEvent[]> {
	const sessions = new Map<string, TraceEvent[]>();
	for (const { path, event } of events) {
		if (event.type !== "session") continue;
		const key = path.join(" ");
		const session = sessions.get(key);
		if (session === undefined) sessions.set(key, [event.event]);
		else session.push(event.event);
	}
	return sessions;
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
		if (bytes === undefined) throw new SyntaxError("The trace has no bytes here: it was written without values.");
		event[name] = bytes;
	}
}
