import { count, grouped, type Output, paint } from "./output.ts";

/** How far a copy or a digest has come; the shape of `onProgress` of `digestPackage` and of `host.load`. */
export interface Progress {
	readonly files: number;
	readonly totalFiles: number;
	readonly bytes: number;
	readonly totalBytes: number;
}

const QUIET_MS = 500;
const REDRAW_MS = 100;

/**
 * Does `work` with a progress line on stderr once it has taken half a second; none under `--json` or where stderr is no
 * terminal. The line is gone afterwards, however the work ended.
 */
export async function withProgress<T>(
	output: Output,
	work: (onProgress: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
	if (output.json || process.stderr.isTTY !== true) return work(() => {});
	const started = performance.now();
	let drawn = 0;
	try {
		return await work((progress) => {
			const now = performance.now();
			if (now - started < QUIET_MS || now - drawn < REDRAW_MS) return;
			drawn = now;
			process.stderr.write(`\r\u001b[K${paint.dim(describe(progress))}`);
		});
	} finally {
		if (drawn !== 0) process.stderr.write("\r\u001b[K");
	}
}

function describe({ files, totalFiles, bytes, totalBytes }: Progress): string {
	const share = totalBytes === 0 ? 1 : bytes / totalBytes;
	return `${Math.floor(share * 100)} %: ${grouped(files)} of ${count(totalFiles, "file")}, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
}

/** Bytes for people, in binary units. */
export function formatBytes(bytes: number): string {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
	let value = bytes;
	let unit = 0;
	while (value >= 1024 && unit < units.length - 1) {
		value /= 1024;
		unit += 1;
	}
	return unit === 0 ? count(bytes, "byte") : `${value.toFixed(1)} ${units[unit]}`;
}
