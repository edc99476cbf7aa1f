import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

const CLOEXEC = 0o2000000;

let found: readonly number[] | undefined;

/**
 * Descriptors above stderr that a started program would inherit: those this process was itself started with. Node marks
 * its own to be closed, and of the inherited ones only those without a gap in their numbers (a shell's descriptor 251 stays
 * open). Looked up once, on Linux; other systems close by default. A native addon that opens some later isn't seen. Deno
 * takes no descriptors to put in their place, so a host under Deno hands such ones on.
 */
function inheritable(): readonly number[] {
	if (found !== undefined) return found;
	const numbers: number[] = [];
	if (process.platform === "linux" && process.versions.deno === undefined) {
		try {
			for (const name of readdirSync("/proc/self/fdinfo")) {
				const fd = Number(name);
				if (fd > 2 && !closesOnExec(fd)) numbers.push(fd);
			}
		} catch {
			// Without /proc there is nothing to look at; what Node closes stays closed.
		}
	}
	found = numbers;
	return numbers;
}

function closesOnExec(fd: number): boolean {
	try {
		const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"));
		return flags?.[1] === undefined || (Number.parseInt(flags[1], 8) & CLOEXEC) !== 0;
	} catch {
		return true;
	}
}

/**
 * Calls `start` with a `stdio` list of three pipes in which every descriptor that would leak is replaced by the null
 * device: Node can't close it in the child, but it can put another in its place.
 */
export function withOnlyStdio<T>(start: (stdio: ("pipe" | "ignore" | number)[]) => T): T {
	const stdio: ("pipe" | "ignore" | number)[] = ["pipe", "pipe", "pipe"];
	const leaks = inheritable();
	if (leaks.length === 0) return start(stdio);
	const nothing = openSync("/dev/null", "r+");
	try {
		for (const fd of leaks) {
			while (stdio.length <= fd) stdio.push("ignore");
			stdio[fd] = nothing;
		}
		return start(stdio);
	} finally {
		closeSync(nothing);
	}
}
