import { PackageError } from "../../src/package/index.ts";
import { beyond, invalid } from "./errors.ts";
import type { Inflate } from "./inflate.ts";
import { type ArchiveLimits, RATIO_FLOOR } from "./types.ts";

/** Bytes that are given to the decompressor at once: few, since a bomb makes a thousand times as many of them. */
const FEED_BYTES = 65_536;

/**
 * Unpacks a gzip file (RFC 1952) of exactly one member. A second member or anything else behind it is refused in every
 * runtime: some read on, some stop, and the two would see two archives.
 *
 * Throws `PACKAGE_ARCHIVE_INVALID` for a damaged, truncated or continued one, `PACKAGE_ARCHIVE_LIMIT` as soon as the output
 * crosses `outputBytes`, or `ratio` beyond {@link RATIO_FLOOR}.
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

/** Bounds what compressed bytes may unpack to. Throws `PACKAGE_ARCHIVE_LIMIT`. */
export function checkOutput(unpacked: number, packed: number, { outputBytes, ratio }: ArchiveLimits): void {
	if (unpacked > outputBytes)
		throw beyond(
			"outputBytes",
			outputBytes,
			`The archive unpacks to more than ${outputBytes} bytes (limit "outputBytes").`,
		);
	if (unpacked <= RATIO_FLOOR || unpacked <= ratio * packed) return;
	throw beyond(
		"ratio",
		ratio,
		`The archive unpacks to more than ${ratio} times its size (limit "ratio"), as only a bomb or a file of zeros does.`,
	);
}
