import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";

export const FLOW_MD = "---\nname: sample\ndescription: A sample.\n---\n\nBody.\n";

/** A fresh directory that the test's end removes. */
export function workspace(): string {
	const path = mkdtempSync(join(realpathSync(tmpdir()), "node-adapter-test-"));
	onTestFinished(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

/** Writes files below `root`, making their directories. */
export function writeTree(root: string, files: Readonly<Record<string, string | Uint8Array>>): string {
	for (const [path, content] of Object.entries(files)) {
		const target = join(root, path);
		mkdirSync(dirname(target), { recursive: true });
		writeFileSync(target, content);
	}
	return root;
}

/** What this process holds open, as far as the system shows it: files and directories, no sockets or inner handles. */
export async function openFiles(): Promise<string[]> {
	for (let index = 0; index < 4; index += 1) await turn();
	if (!existsSync("/proc/self/fd")) return [];
	const open: string[] = [];
	for (const fd of readdirSync("/proc/self/fd")) {
		try {
			const target = readlinkSync(`/proc/self/fd/${fd}`);
			if (target.startsWith("/") && !target.startsWith("/proc/") && !target.startsWith("/dev/")) open.push(target);
		} catch {}
	}
	return open.sort();
}

/** The `code` of whatever an action throws or rejects with. */
export async function codeOf(action: () => unknown): Promise<unknown> {
	return (await errorOf(action)).code;
}

/** The error of whatever an action throws or rejects with. */
export async function errorOf(action: () => unknown): Promise<Error & Record<string, unknown>> {
	try {
		await action();
	} catch (error) {
		return error as Error & Record<string, unknown>;
	}
	throw new Error("nothing was thrown");
}
