import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { writeTree } from "../node/fixtures.ts";

export { writeTree };

export const repository: string = fileURLToPath(new URL("../..", import.meta.url));
export const main: string = join(repository, "dist/adapters/node/cli/main.js");
export const flows: string = join(repository, "demo/flows");

const made: string[] = [];
const started: ChildProcess[] = [];

// Tests run beside each other here, so what they make is removed at the end of their file.
afterAll(() => {
	for (const child of started) child.kill("SIGKILL");
	for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** How one process of the command ended, and all that it said. */
export interface Finished {
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly stdout: string;
	readonly stderr: string;
	/** Exact bytes of stdout. */
	readonly bytes: Buffer;
}

export interface Settings {
	/** Standard input; nothing, and at its end, unless given. */
	readonly input?: string | Uint8Array;
	/** Leave standard input open, for the test to write to. */
	readonly open?: boolean;
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** Where temporary files go; a fresh directory unless given. */
	readonly temporary?: string;
	/** Options of Node itself. */
	readonly node?: readonly string[];
	/** Another user to run as. */
	readonly uid?: number;
}

/** A process of the command, under way. */
export interface Running {
	readonly process: ChildProcess;
	readonly finished: Promise<Finished>;
	readonly temporary: string;
	/** Waits until stderr (or stdout) holds `text`. */
	says(text: string): Promise<void>;
}

/** Starts the command as a user does: the built file, in a process of its own. */
export function start(words: readonly string[], settings: Settings = {}): Running {
	const temporary = settings.temporary ?? workspace();
	const { PATH = "", HOME = "/" } = process.env;
	const child = spawn(process.execPath, [...(settings.node ?? []), main, ...words], {
		cwd: settings.cwd ?? repository,
		env: { PATH, HOME, TMPDIR: temporary, ...settings.env },
		stdio: "pipe",
		...(settings.uid === undefined ? {} : { uid: settings.uid, gid: settings.uid }),
	});
	const out: Buffer[] = [];
	const err: Buffer[] = [];
	child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
	child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
	child.stdin.on("error", () => {}); // the command may end before it has read everything
	if (settings.open !== true) child.stdin.end(settings.input ?? "");
	const finished = new Promise<Finished>((resolve) => {
		child.once("close", (exitCode, signal) => {
			const bytes = Buffer.concat(out);
			resolve({ exitCode, signal, stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes });
		});
	});
	started.push(child);
	const said = (): string => Buffer.concat([...out, ...err]).toString();
	return { process: child, finished, temporary, says: (text) => until(() => said().includes(text)) };
}

/** Runs the command to its end. */
export function millrace(words: readonly string[], settings: Settings = {}): Promise<Finished> {
	return start(words, settings).finished;
}

/** Runs the command with `--json` and answers the exit code and the one object on stdout. */
export async function asked(
	words: readonly string[],
	settings: Settings = {},
): Promise<{ exitCode: number | null; answer: Record<string, unknown>; stderr: string }> {
	const { exitCode, stdout, stderr } = await millrace([...words, "--json"], settings);
	if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`stdout isn't exactly one object: ${stdout}\n${stderr}`);
	return { exitCode, answer: JSON.parse(stdout) as Record<string, unknown>, stderr };
}

/** A fresh directory that the end of the test file removes. */
export function workspace(): string {
	const path = mkdtempSync(join(realpathSync(tmpdir()), "millrace-cli-test-"));
	made.push(path);
	return path;
}

/** A package in a fresh directory whose entrypoint is `source`. */
export function packageOf(source: string, files: Readonly<Record<string, string>> = {}): string {
	const flowMd = "---\nname: sample\ndescription: A sample.\n---\n";
	return writeTree(join(workspace(), "sample"), { "FLOW.md": flowMd, "flow.mjs": source, ...files });
}

/** Private directories of the command that are left in its temporary directory. */
export function leftIn(temporary: string): string[] {
	return readdirSync(temporary);
}

/** Processes, other than this one, whose command line holds `text`. */
export function processesWith(text: string): number[] {
	if (!existsSync("/proc/self/cmdline")) return [];
	return readdirSync("/proc")
		.filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid))
		.filter((pid) => commandLine(pid).includes(text))
		.map(Number);
}

function commandLine(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
	} catch {
		return "";
	}
}

/** Waits until `condition` holds, for at most 20 seconds. */
export async function until(condition: () => boolean): Promise<void> {
	const late = performance.now() + 20_000;
	while (!condition()) {
		if (performance.now() > late) throw new Error("it did not come to hold within 20 s");
		await sleep(10);
	}
}
