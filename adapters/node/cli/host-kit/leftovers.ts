import { readFileSync } from "node:fs";
import { type KnownProcess, processesOf, type Witness } from "../../../../conformance/host/evidence.ts";

const POLL_MS = 20;

/**
 * Waits until every process that a case's components told of has ended, at most `ms` milliseconds. Gives those that are
 * still there, having killed them.
 */
export async function leftovers(witnesses: ReadonlyMap<string, readonly Witness[]>, ms: number): Promise<string[]> {
	const known = knownFrom(witnesses);
	const limit = performance.now() + ms;
	for (;;) {
		const alive = known.filter(isAlive);
		if (alive.length === 0) return [];
		if (performance.now() > limit) {
			for (const each of alive) kill(each);
			return alive.map(({ name, pid }) => `process ${pid} of ${name}`);
		}
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

/** Kills whatever is still there of a case, at once. */
export function killKnown(witnesses: ReadonlyMap<string, readonly Witness[]>): void {
	for (const each of knownFrom(witnesses)) if (isAlive(each)) kill(each);
}

function knownFrom(witnesses: ReadonlyMap<string, readonly Witness[]>): (KnownProcess & { readonly name: string })[] {
	return [...witnesses].flatMap(([name, each]) => processesOf(each).map((one) => ({ name, ...one })));
}

/** A zombie has ended: it waits for somebody to read its status. */
function isAlive({ pid, born }: KnownProcess): boolean {
	try {
		process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM" && born === null;
	}
	if (process.platform !== "linux") return true;
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return fields[0] !== "Z" && fields[0] !== "X" && (born === null || fields[19] === born);
	} catch {
		return false;
	}
}

/** Only what is proven to be the process that was told of: its number may be somebody else's by now. */
function kill(each: KnownProcess): void {
	if (each.born === null && process.platform === "linux") return;
	try {
		process.kill(each.pid, "SIGKILL");
	} catch {
		// It has ended meanwhile.
	}
}
