import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import {
	readTrace,
	type SequenceDiagram,
	sequenceMermaid,
	sequenceOf,
	sequenceSvg,
	sequenceText,
} from "../../../src/host/index.ts";
import { FileError } from "./files.ts";
import type { Output } from "./output.ts";

type SequenceFormat = "text" | "mermaid" | "svg";

export interface SequenceOptions {
	readonly format: SequenceFormat;
	readonly limit: number;
}

const RENDERERS: Record<SequenceFormat, (diagram: SequenceDiagram) => string> = {
	text: sequenceText,
	mermaid: sequenceMermaid,
	svg: sequenceSvg,
};

/** `millrace sequence TRACE`: who said what to whom, from a trace that was written with values. */
export async function sequenceCommand(file: string, options: SequenceOptions, output: Output): Promise<void> {
	const { events, truncated } = parse(file, await readLines(file));
	const diagram = sequenceOf(events, { limit: options.limit });
	if (truncated) output.note("trace", "it reached its bound: its end is missing");
	const text = RENDERERS[options.format](diagram);
	await output.answer(text.trimEnd(), { status: "succeeded", truncated, ...diagram });
}

/** The file is no trace, or one that was written without values. */
class TraceError extends Error {
	override readonly name = "TraceError";
	readonly code = "TRACE_INVALID";
	readonly path: string;

	constructor(path: string, cause: Error) {
		super(`This is no trace to draw (${cause.message}); run writes one with --trace FILE --trace-values.`, { cause });
		this.path = path;
	}
}

function parse(file: string, lines: readonly string[]): ReturnType<typeof readTrace> {
	try {
		return readTrace(lines);
	} catch (error) {
		if (error instanceof SyntaxError) throw new TraceError(file, error);
		throw error;
	}
}

async function readLines(file: string): Promise<readonly string[]> {
	const lines: string[] = [];
	const stream = file === "-" ? process.stdin : createReadStream(file);
	try {
		for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) lines.push(line);
	} catch (error) {
		throw new FileError(file, error);
	}
	return lines;
}
