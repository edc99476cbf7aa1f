// How far a process grows over one frame of 16 MiB, in frames. Needs /proc (Linux).
import { readFileSync } from "node:fs";

const FRAME = 16_777_216;

function statusOf(name) {
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1_024;
}

/** A value whose frame is as large as one may be, less its envelope: two strings, since one holds at most 8 MiB. */
export function largest() {
	const half = Buffer.alloc(FRAME / 2 - 256, "x").toString("latin1");
	return [half, half];
}

/** From what is held now to the most that was ever held, in frames; the value that `run` makes counts. */
export async function growthOf(run) {
	const before = statusOf("VmRSS");
	await run();
	return (statusOf("VmHWM") - before) / FRAME;
}
