import { existsSync } from "node:fs";
import type { Job } from "./job.ts";

const POLL_MS = 10;

/** Calls `cancel` once, when the job's condition has come true. The answer stops watching. */
export function watchCancellation(condition: Job["cancel"], cancel: () => void): () => void {
	if (condition === undefined) return () => undefined;
	const { afterFile, afterMs } = condition;
	if (afterFile === undefined) {
		const timer = setTimeout(cancel, afterMs ?? 0);
		return () => clearTimeout(timer);
	}
	const timer = setInterval(() => {
		if (!existsSync(afterFile)) return;
		clearInterval(timer);
		cancel();
	}, POLL_MS);
	return () => clearInterval(timer);
}
