/** Trace files, the same that `millrace run --trace` writes: read line by line, and written. */
import {
	decodeTraceLine,
	encodeTraceLine,
	type RunEvent,
	TRACE_FORMAT,
	traceHeader,
	traceTruncated,
} from "millrace/host";
import { isFields } from "./fields.ts";
import { type ModelLimits, SequenceModel } from "./model.ts";

/** Characters of one line: a maximal frame as base64, and what stands around it. */
const MAX_LINE = 33_554_432;

/** Lines after which the page gets its turn. */
const LINES_PER_TURN = 2_000;

/** Why a file is no trace: the line, counted from 1, and what to do. */
export class TraceFileError extends Error {
	override readonly name = "TraceFileError";
	readonly line: number;

	constructor(line: number, message: string) {
		super(message);
		this.line = line;
	}
}

export interface OpenedTrace {
	readonly model: SequenceModel;
	/** Values and frames are in it. */
	readonly values: boolean;
	/** It reached its bound when it was written: its end is missing. */
	readonly truncated: boolean;
}

export interface ReadingOptions {
	readonly signal?: AbortSignal;
	/** Bytes read so far, of `file.size`. */
	readonly onProgress?: (bytes: number) => void;
	readonly limits?: ModelLimits;
}

/** Whether a file begins as a trace does. */
export async function isTraceFile(file: Blob): Promise<boolean> {
	return /^\{\s*"millraceTrace"\s*:/.test(await file.slice(0, 64).text());
}

/**
 * Reads a trace, with values or without. Its lines are read one by one and the model keeps what its bounds admit, so that the
 * size of the file doesn't matter. Rejects with `TraceFileError`, or with the signal's reason.
 */
export async function readTraceFile(file: Blob, options: ReadingOptions = {}): Promise<OpenedTrace> {
	const { signal, onProgress } = options;
	const model = new SequenceModel(options.limits);
	let line = 0;
	let values = true;
	let truncated = false;
	for await (const { text, bytes } of linesOf(file)) {
		line += 1;
		if (line % LINES_PER_TURN === 0) {
			onProgress?.(bytes);
			await new Promise((resolve) => setTimeout(resolve));
			signal?.throwIfAborted();
		}
		if (text.trim() === "") continue;
		try {
			if (line === 1) values = readHeader(text);
			else if (text.startsWith('{"truncated":')) truncated = true;
			else model.add(values ? decodeTraceLine(text) : decodeElided(text));
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			if (line === 1) throw new TraceFileError(1, error.message);
			throw new TraceFileError(line, `Line ${line} can't be read: ${error.message}`);
		}
	}
	if (line === 0) throw new TraceFileError(1, "The file is empty: the first line of a trace says its version.");
	return { model, values, truncated };
}

function readHeader(line: string): boolean {
	let header: unknown;
	try {
		header = JSON.parse(line);
	} catch {
		// Then it is none.
	}
	if (!isFields(header) || !Object.hasOwn(header, "millraceTrace"))
		throw new SyntaxError("This is no trace: its first line is not the one that millrace run --trace FILE writes.");
	if (header.millraceTrace !== TRACE_FORMAT)
		throw new SyntaxError(`This is a trace of another version; this page reads version ${TRACE_FORMAT}.`);
	return header.values === true;
}

/** An event of a trace without values: lengths stand where frames and values were. */
function decodeElided(line: string): RunEvent {
	return JSON.parse(line) as RunEvent;
}

async function* linesOf(file: Blob): AsyncGenerator<{ readonly text: string; readonly bytes: number }> {
	const reader = file.stream().getReader();
	const decoder = new TextDecoder();
	let rest = "";
	let bytes = 0;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			bytes += value?.length ?? 0;
			const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
			const lines = text.split("\n");
			lines[0] = rest + lines[0]!;
			rest = lines.pop()!;
			if (rest.length > MAX_LINE)
				throw new TraceFileError(0, "It has a line that is longer than any event can be: it is no trace.");
			for (const line of lines) yield { text: line, bytes };
			if (done) break;
		}
		if (rest !== "") yield { text: rest, bytes };
	} finally {
		await reader.cancel().catch(() => undefined);
	}
}

/** The trace as text, in pieces: with values, and with the line that says where events are missing. */
export function* writeTrace(model: SequenceModel): Generator<string> {
	yield `${traceHeader(true)}\n`;
	for (const [index, event] of model.events.entries()) {
		if (index === model.droppedAt) yield `${traceTruncated(model.bytes)}\n`;
		yield `${encodeTraceLine(event, true)}\n`;
	}
	if (model.droppedAt === model.events.length) yield `${traceTruncated(model.bytes)}\n`;
}
