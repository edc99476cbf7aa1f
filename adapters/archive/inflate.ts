import type { ReadableStreamLike } from "../../src/web.ts";
import { unsupported } from "./errors.ts";

/** What is decompressed: one gzip member, or raw deflate data as a zip has it. */
export type Compression = "gzip" | "deflate-raw";

/**
 * Decompresses `input`, which has to be exactly one stream of `format`, whole and with nothing behind it: what is left over
 * is a fault, since readers differ in whether they read on. Throws whatever the runtime says otherwise. Chunks of the input
 * are used up before the next is asked for; what has been given is the caller's.
 */
export type Inflate = (format: Compression, input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

interface WriterLike {
	write(chunk: Uint8Array): Promise<void>;
	close(): Promise<void>;
	abort(reason?: unknown): Promise<void>;
}

interface DecompressionStreamLike {
	readonly readable: ReadableStreamLike<Uint8Array>;
	readonly writable: { getWriter(): WriterLike };
}

const web = globalThis as unknown as { DecompressionStream?: new (format: Compression) => DecompressionStreamLike };

/** Decompresses with the runtime's `DecompressionStream`. Throws `PACKAGE_ARCHIVE_UNSUPPORTED` where that one forgives. */
export const nativeInflate: Inflate = async function* (format, input) {
	await requireStrict();
	yield* stream(format, input);
};

async function* stream(format: Compression, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
	const { DecompressionStream } = web;
	if (DecompressionStream === undefined)
		throw unsupported("This runtime has no DecompressionStream, so only archives that aren't compressed can be read.");
	const { readable, writable } = new DecompressionStream(format);
	const reader = readable.getReader();
	let stopped = false;
	const feeding = feed(writable.getWriter(), input, () => stopped);
	// It is awaited below; should reading fail first, the reason is the same one.
	feeding.catch(() => {});
	let whole = false;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			yield value as Uint8Array;
		}
		await feeding;
		whole = true;
	} finally {
		stopped = true;
		if (!whole) reader.cancel().catch(() => {});
	}
}

async function feed(writer: WriterLike, input: AsyncIterable<Uint8Array>, stopped: () => boolean): Promise<void> {
	try {
		for await (const chunk of input) {
			if (stopped()) return;
			await writer.write(chunk);
		}
		await writer.close();
	} catch (error) {
		// So that the reading side hears why the input ended.
		writer.abort(error).catch(() => {});
		throw error;
	}
}

/** "a" as a gzip member, and as raw deflate data. */
const GZIP = [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 75, 4, 0, 67, 190, 183, 232, 1, 0, 0, 0];
const RAW = [75, 4, 0];

let strict: Promise<boolean> | undefined;

/** The standard has a stream refuse what follows its end; Node before 24, for one, reads a second gzip member and skips other things. */
async function requireStrict(): Promise<void> {
	strict ??= isStrict();
	if (await strict) return;
	throw unsupported(
		"The DecompressionStream of this runtime accepts what follows the end of compressed data, so that an archive could have two readings here; use millrace/node, or a newer runtime.",
	);
}

async function isStrict(): Promise<boolean> {
	if (web.DecompressionStream === undefined) return true;
	const [gzip, twice, raw, followed] = await Promise.all([
		accepts("gzip", GZIP),
		accepts("gzip", [...GZIP, ...GZIP]),
		accepts("deflate-raw", RAW),
		accepts("deflate-raw", [...RAW, 0]),
	]);
	return gzip && raw && !twice && !followed;
}

async function accepts(format: Compression, bytes: readonly number[]): Promise<boolean> {
	try {
		for await (const _ of stream(format, once(Uint8Array.from(bytes))));
		return true;
	} catch {
		return false;
	}
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
	yield chunk;
}
