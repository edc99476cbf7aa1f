import { closeSync, ftruncateSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { escapeForDisplay } from "../../../src/display.ts";
import { encodeTraceLine, type RunEvent, traceHeader, traceTruncated } from "../../../src/host/index.ts";
import { FileError } from "./files.ts";
import { UsageError } from "./usage.ts";

/** A trace that grows to this ends with a line that says so; the Run goes on. */
const TRACE_BYTES = 268_435_456;

/** A trace being written. Neither method throws: a trace is an observer. */
export interface TraceFile {
	write(event: RunEvent): void;
	/** Ends the file, and warns on stderr when it is not whole. */
	close(): void;
}

/**
 * Creates FILE for a trace, readable by its owner only, refusing one that exists: an old trace is never mixed with a new
 * one. Lines are written as things happen, so that a crash keeps what came before it. Throws a `FileError`.
 */
export function openTrace(file: string, values: boolean, limit: number = TRACE_BYTES): TraceFile {
	let descriptor: number;
	try {
		descriptor = openSync(file, "wx", 0o600);
	} catch (error) {
		throw new FileError(file, error);
	}
	let bytes = 0;
	let problem: string | undefined;
	const room = limit - lineOf(traceTruncated(limit)).length;
	const put = (line: Uint8Array): void => {
		try {
			writeFileSync(descriptor, line);
			bytes += line.length;
		} catch (error) {
			problem = (error as Error).message;
			cutTo(descriptor, bytes);
		}
	};
	put(lineOf(traceHeader(values)));
	return {
		write(event) {
			if (problem !== undefined) return;
			const line = lineOf(encodeTraceLine(event, values));
			if (bytes + line.length <= room) return put(line);
			put(lineOf(traceTruncated(limit)));
			problem ??= `it reached ${limit} bytes`;
		},
		close() {
			closeSync(descriptor);
			if (problem !== undefined)
				process.stderr.write(`the trace ${escapeForDisplay(file)} is incomplete: ${escapeForDisplay(problem)}\n`);
		},
	};
}

function lineOf(text: string): Uint8Array {
	return Buffer.from(`${text}\n`);
}

/** Leaves whole lines where the last one could not be written to its end. */
function cutTo(descriptor: number, bytes: number): void {
	try {
		ftruncateSync(descriptor, bytes);
	} catch {
		// A reader sees half a line, and the warning has been said.
	}
}

/** Refuses a file that a Run writes inside one of the packages, where it would be package content. Throws `UsageError`. */
export function checkPlace(option: string, file: string, packages: readonly string[]): void {
	const place = real(dirname(resolve(file)));
	for (const each of packages) {
		const inside = relative(real(resolve(each)), place);
		if (inside === "" || !(inside === ".." || inside.startsWith(`..${sep}`) || resolve(inside) === inside))
			throw new UsageError(
				`${option} ${file} lies inside ${each}, where it would be part of the package; put it elsewhere`,
			);
	}
}

function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
