/**
 * The environment of a component process for `createHandle`, shared by Node, Deno and Bun: all three have the streams of
 * `node:process`, and `adapters/node/stdio.ts` uses only what behaves alike on them.
 */
import type { SdkTransport } from "../../src/sdk/index.ts";
import { type ConsoleClass, redirectConsole } from "./console.ts";
import { type InputStream, type OutputStream, stdioTransport } from "./stdio.ts";

/** What of `node:process` is used. */
export interface ProcessStreams {
	readonly stdin: InputStream;
	readonly stdout: OutputStream;
	readonly stderr: NodeJS.WritableStream;
	exitCode?: number | string | null | undefined;
}

/**
 * Protocol on stdin and stdout, diagnostics on stderr, exit code 1 after a fatal end; the process then ends by itself.
 * `output` is asked once, for a runtime whose `process.stdout` holds up its reader, and `input`, for one whose `process.stdin`
 * holds its process.
 */
export function processEnvironment(
	process: ProcessStreams,
	Console: ConsoleClass,
	output: () => OutputStream = () => process.stdout,
	input: () => InputStream = () => process.stdin,
): SdkTransport {
	return {
		open() {
			const transport = stdioTransport(input(), output());
			// Whoever reads our diagnostics may go away before we do.
			process.stderr.on("error", () => {});
			redirectConsole(Console, process.stderr);
			return transport;
		},
		report(text) {
			process.stderr.write(`${text}\n`);
		},
		failed() {
			process.exitCode = 1;
		},
	};
}
