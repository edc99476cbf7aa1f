import { fromBase64 } from "../../src/base64.ts";
import { parseJson } from "../../src/json/index.ts";
import { type Fields, field, isFields } from "../data.ts";

/** One line that a component wrote about itself: `t` says what kind. */
export type Entry = Fields & { readonly pid: number; readonly t: string };

/** A process that the kit knows of; `born` tells it from a later one with the same id, where the system says. */
export interface KnownProcess {
	readonly pid: number;
	readonly born: string | null;
}

/** A frame that a component read: its bytes where they are few, else its size and envelope. */
export interface SeenFrame {
	readonly bytes: Uint8Array | undefined;
	/** The parsed frame, or the envelope of a large one; undefined where it is no JSON. */
	readonly value: unknown;
}

/** What one process of a package saw and did, in its own order. */
export interface Witness {
	readonly process: KnownProcess;
	readonly entries: readonly Entry[];
	readonly frames: readonly SeenFrame[];
}

/** Reads a package's log: one witness for each process, in the order of their starts. A torn last line is left out. */
export function readEvidence(log: string): Witness[] {
	const byProcess = new Map<number, Entry[]>();
	for (const line of log.split("\n")) {
		const entry = parsed(line);
		if (!isFields(entry) || typeof entry.pid !== "number" || typeof entry.t !== "string") continue;
		const entries = byProcess.get(entry.pid);
		if (entries === undefined) byProcess.set(entry.pid, [entry as Entry]);
		else entries.push(entry as Entry);
	}
	return [...byProcess].map(([pid, entries]) => ({
		process: {
			pid,
			born: textOrNull(
				entries.find(({ t }) => t === "start"),
				"born",
			),
		},
		entries,
		frames: entries.filter(({ t }) => t === "in").map(frameOf),
	}));
}

/** Every process a log tells of: the components and what they left behind. */
export function processesOf(witnesses: readonly Witness[]): KnownProcess[] {
	return witnesses.flatMap(({ process, entries }) => [
		process,
		...entries.flatMap((entry) =>
			entry.t === "spawned" ? [{ pid: entry.of as number, born: textOrNull(entry, "born") }] : [],
		),
	]);
}

function frameOf(entry: Entry): SeenFrame {
	const bytes = typeof entry.b64 === "string" ? fromBase64(entry.b64) : undefined;
	if (bytes === undefined)
		return { bytes, value: { id: field(entry, "id"), method: field(entry, "method"), large: field(entry, "bytes") } };
	try {
		return { bytes, value: parseJson(bytes) };
	} catch {
		return { bytes, value: undefined };
	}
}

function textOrNull(entry: Fields | undefined, name: string): string | null {
	const value = entry === undefined ? undefined : field(entry, name);
	return typeof value === "string" ? value : null;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
