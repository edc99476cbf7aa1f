import { count, paint } from "./output.ts";

/** How far a digest has come; the shape of `onProgress` of `digestPackage`. */
export interface DigestProgress {
	readonly files: number;
	readonly totalFiles: number;
	readonly bytes: number;
	readonly totalBytes: number;
}

const QUIET_MS = 500;
const REDRAW_MS = 100;

/**
 * A progress line on stderr for work that takes longer than half a second; nothing where stderr is no terminal.
 * Call `done` in any case: it clears the line.
 */
export function progressLine(enabled: boolean): { update(progress: DigestProgress): void; done(): void } {
	const started = Date.now();
	let drawn = 0;
	const active = enabled && process.stderr.isTTY === true;
	return {
		update(progress) {
			const now = Date.now();
			if (!active || now - started < QUIET_MS || now - drawn < REDRAW_MS) return;
			drawn = now;
			const share = progress.totalBytes === 0 ? 1 : progress.bytes / progress.totalBytes;
			const left = share === 0 ? "" : `, ${Math.ceil(((now - started) / share - (now - started)) / 1000)} s left`;
			const text = `digest ${Math.floor(share * 100)} % of ${count(progress.totalFiles, "file")} (${formatBytes(progress.bytes)}${left})`;
			process.stderr.write(`\r\u001b[K${paint.dim(text)}`);
		},
		done() {
			if (drawn !== 0) process.stderr.write("\r\u001b[K");
		},
	};
}

/** Bytes for people, in binary units. */
export function formatBytes(bytes: number): string {
	const units = ["bytes", "KiB", "MiB", "GiB"];
	let value = bytes;
	let unit = 0;
	while (value >= 1024 && unit < units.length - 1) {
		value /= 1024;
		unit += 1;
	}
	return unit === 0 ? count(bytes, "byte") : `${value.toFixed(1)} ${units[unit]}`;
}
