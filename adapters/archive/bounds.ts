import { beyond } from "./errors.ts";
import type { ArchiveLimits } from "./types.ts";

/** Below so many bytes no ratio is looked at: a small file of zeros is no bomb. */
const RATIO_FLOOR = 16_777_216;

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
