import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { errnoOf } from "./tree/errors.ts";

/** One process of `/proc` that is not a zombie. */
export interface ProcessSeen {
	readonly pid: number;
	readonly command: string;
}

/**
 * The process group of one component, led by it. On systems without groups (Windows, not tested) only the leader is reached.
 */
export class ProcessGroup {
	readonly leader: number;
	readonly #signalLeader: (signal: NodeJS.Signals) => void;
	#gone = false;

	constructor(leader: number, signalLeader: (signal: NodeJS.Signals) => void) {
		this.leader = leader;
		this.#signalLeader = signalLeader;
	}

	/**
	 * Sends a signal to every member. Once the group was seen empty nothing is sent any more: its number may belong to
	 * somebody else by then.
	 */
	signal(signal: NodeJS.Signals): void {
		if (this.#gone) return;
		if (process.platform === "win32") {
			this.#signalLeader(signal);
			return;
		}
		this.#send(signal);
	}

	/** Tells that the leader has been reaped; looks at once whether it left anybody. */
	leaderExited(): void {
		if (process.platform === "win32") this.#gone = true;
		else this.#send(0);
	}

	/** Whether nobody is left. Members that nobody reaps (zombies) don't count: they run nothing and hold nothing. */
	isGone(): boolean {
		if (!this.#gone && process.platform !== "win32") {
			this.#send(0);
			if (!this.#gone && this.members()?.length === 0) this.#gone = true;
		}
		return this.#gone;
	}

	/** Its live members, where the system shows them. */
	members(): ProcessSeen[] | undefined {
		return scan((pid, stat) => stat.group === this.leader && pid !== process.pid);
	}

	#send(signal: NodeJS.Signals | 0): void {
		try {
			process.kill(-this.leader, signal);
		} catch (error) {
			// EPERM means that members exist that aren't ours any more; anything else that there are none.
			if (errnoOf(error) !== "EPERM") this.#gone = true;
		}
	}
}

/** Processes that hold one of these descriptors' targets open (`socket:[…]`, `pipe:[…]`), where the system shows them. */
export function holdersOf(targets: ReadonlySet<string>): ProcessSeen[] {
	if (targets.size === 0) return [];
	return (
		scan((pid) => {
			if (pid === process.pid) return false;
			try {
				return readdirSync(`/proc/${pid}/fd`).some((fd) => targets.has(linkOf(`/proc/${pid}/fd/${fd}`) ?? ""));
			} catch {
				return false;
			}
		}) ?? []
	);
}

/** What a link under `/proc` leads to, or undefined. */
export function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

function scan(wanted: (pid: number, stat: { readonly group: number }) => boolean): ProcessSeen[] | undefined {
	if (process.platform !== "linux") return undefined;
	const seen: ProcessSeen[] = [];
	let names: string[];
	try {
		names = readdirSync("/proc");
	} catch {
		return undefined;
	}
	for (const name of names) {
		if (!/^[0-9]+$/.test(name)) continue;
		const pid = Number(name);
		let text: string;
		try {
			text = readFileSync(`/proc/${pid}/stat`, "latin1");
		} catch {
			continue;
		}
		// pid (command) state parent group …: the command may hold anything, so its end is the last parenthesis.
		const open = text.indexOf("(");
		const close = text.lastIndexOf(")");
		const [state, , group] = text.slice(close + 2).split(" ");
		if (state === "Z" || state === "X") continue;
		if (wanted(pid, { group: Number(group) })) seen.push({ pid, command: text.slice(open + 1, close) });
	}
	return seen;
}
