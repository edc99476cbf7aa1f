/**
 * Deno's standard output, written without holding up the thread. Its `process.stdout` writes synchronously: while a host
 * doesn't read, the component would hear neither cancellation nor the end of its input (Run/1 section 1: both peers keep
 * their reader active).
 */
import { encodeUtf8 } from "../../src/web.ts";
import type { OutputStream } from "../node/stdio.ts";

/** The part of Deno's global that is used: one write takes some of the bytes and says how many. */
interface DenoGlobal {
	readonly stdout: { write(bytes: Uint8Array): Promise<number>; close(): void };
}

/** One write at a time, as a transport makes them. */
export function denoOutput(): OutputStream {
	const { stdout } = (globalThis as unknown as { readonly Deno: DenoGlobal }).Deno;

	async function writeAll(bytes: Uint8Array): Promise<void> {
		for (let at = 0; at < bytes.length; ) at += await stdout.write(bytes.subarray(at));
	}

	return {
		// A write that fails says so itself.
		on: () => undefined,
		write: (bytes, done) =>
			void writeAll(typeof bytes === "string" ? encodeUtf8(bytes) : bytes).then(() => done(), done),
		end: () => stdout.close(),
	};
}
