/** From what was dropped to a source that can be examined. */
import type { PackageEntry, PackageSource } from "millrace";
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
	/** The prefix that a whole archive lies below, once it was listed. */
	readonly offered: () => string | undefined;
	/** Whether any folder of it can be taken for the package; of an archive, only the one that everything lies below. */
	readonly chooses: boolean;
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
		const source = prefix === undefined ? input.source : below(input.source, prefix);
		return { source, offered: () => undefined, chooses: true, dispose: () => {} };
	}
	const source = archive(input.file, {
		prefix,
		signal,
		onProgress: ({ entries, bytes, totalBytes }) =>
			onStage({ doing: "listing", files: entries, bytes, ...(totalBytes === undefined ? {} : { totalBytes }) }),
	});
	return {
		source,
		offered: () => source.commonPrefix,
		chooses: false,
		dispose: () => void source.dispose().catch(() => {}),
	};
}

/** The folder `prefix` of a source, as if it had been given alone. */
function below(source: PackageSource, prefix: string): PackageSource {
	return {
		async list(): Promise<readonly PackageEntry[]> {
			const inside = (await source.list()).filter(({ path }) => path.startsWith(prefix));
			return inside.map(({ path, size }) => ({ path: path.slice(prefix.length), size }));
		},
		open: (path) => source.open(prefix + path),
	};
}
