/** From what was dropped to a source that can be examined. */
import type { PackageSource } from "millrace";
import { archive } from "millrace/browser";
import type { PackageInput } from "../../parts/input.ts";

/** How far reading has come, in whatever is known by then. */
export interface Stage {
	readonly doing: "listing" | "reading";
	readonly files: number;
	readonly totalFiles?: number;
	readonly bytes: number;
	readonly totalBytes?: number;
}

export interface OpenedInput {
	readonly source: PackageSource;
	/** The prefix to offer, once the source was listed. */
	readonly offered: () => string | undefined;
	readonly dispose: () => void;
}

export function openInput(
	input: PackageInput,
	prefix: string | undefined,
	signal: AbortSignal,
	onStage: (stage: Stage) => void,
): OpenedInput {
	if (input.kind === "folder") {
		input.listing.signal = signal;
		input.listing.onProgress = ({ files }) => onStage({ doing: "listing", files, bytes: 0 });
		return { source: input.source, offered: () => undefined, dispose: () => {} };
	}
	const source = archive(input.file, {
		prefix,
		signal,
		onProgress: ({ entries, bytes, totalBytes }) =>
			onStage({ doing: "listing", files: entries, bytes, ...(totalBytes === undefined ? {} : { totalBytes }) }),
	});
	return { source, offered: () => source.commonPrefix, dispose: () => void source.dispose().catch(() => {}) };
}
