/** Sizes, counts and durations for people. English, wherever the page is read: it is written in English. */

/** Bytes with a binary unit: "512 B", "1.5 KiB", "20 MiB". */
export function formatBytes(bytes: number): string {
	let value = bytes;
	for (const unit of ["B", "KiB", "MiB"]) {
		if (value < 1_024) return `${unit === "B" || value >= 100 ? Math.round(value) : trim(value)} ${unit}`;
		value /= 1_024;
	}
	return `${trim(value)} GiB`;
}

function trim(value: number): string {
	return value.toFixed(1).replace(/\.0$/, "");
}

/** "1 file", "65,536 files". */
export function count(amount: number, one: string, many: string = `${one}s`): string {
	return `${formatNumber(amount)} ${amount === 1 ? one : many}`;
}

export function formatNumber(amount: number): string {
	return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Milliseconds as "40 ms", "2.4 s", "3 min 20 s". */
export function formatDuration(ms: number): string {
	if (ms < 1_000) return `${Math.round(ms)} ms`;
	const seconds = ms / 1_000;
	if (seconds < 60) return `${trim(seconds)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
