import { PackageError } from "../../src/package/index.ts";
import { checkOutput } from "./bounds.ts";
import { invalid } from "./errors.ts";
import type { Inflate } from "./inflate.ts";
import type { ArchiveLimits } from "./types.ts";

/** Bytes that are given to the decompressor at once: few, since a bomb makes a thousand times as many of them. */
const FEED_BYTES = 65_536;

/**
 * Unpacks a gzip file (RFC 1952) of exactly one member. A second member or anything else behind it is refused in every
 * runtime: some read on, some stop, and the two would see two archives.
 *
 * Throws `PACKAGE_ARCHIVE_INVALID` for a damaged, truncated or continued one, `PACKAGE_ARCHIVE_LIMIT` as soon as the output
 * crosses `outputBytes`, or `ratio`.
 */
export async function* gunzip(
	input: AsyncIterable<Uint8Array>,
	inflate: Inflate,
	limits: ArchiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
	const counted = { in: 0, out: 0 };
	let failed: { readonly error: unknown } | undefined;
	const feed = async function* (): AsyncGenerator<Uint8Array, void, void> {
		try {
			for await (const chunk of input) {
				for (let at = 0; at < chunk.length; at += FEED_BYTES) {
					const part = chunk.subarray(at, at + FEED_BYTES);
					counted.in += part.length;
					yield part;
				}
			}
		} catch (error) {
			failed = { error };
			throw error;
		}
	};
	try {
		for await (const chunk of inflate("gzip", feed())) {
			counted.out += chunk.length;
			checkOutput(counted.out, counted.in, limits);
			yield chunk;
		}
	} catch (error) {
		if (failed !== undefined) throw failed.error;
		if (error instanceof PackageError) throw error;
		throw invalid(
			"The gzip data is damaged or truncated, or something follows it (only one gzip member is read): unpack and pack it again.",
			undefined,
			error,
		);
	}
}
