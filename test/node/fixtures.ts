import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type NodeRuntime, type NodeRuntimeOptions, nodeRuntime } from "../../adapters/node/runtime.ts";
import type { ComponentProcess } from "../../src/host/index.ts";
import { memorySource } from "../../src/package/index.ts";

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

/** The private directories of this library that exist right now below `base`. */
export function privateDirectories(base: string): string[] {
	return readdirSync(base).filter((name) => name.startsWith("millrace-"));
}

/** A runtime whose private directories all lie in one workspace, so that a test can count them. */
export function countedRuntime(options: NodeRuntimeOptions = {}): {
	runtime: NodeRuntime;
	base: string;
	left: () => string[];
} {
	const base = workspace();
	const runtime = nodeRuntime({ temporary: base, ...options });
	return { runtime, base, left: () => privateDirectories(base) };
}

/** Runs `program` as its package's `flow.<suffix>`, staged and in scratch, and answers what it printed. */
export async function runToEnd(
	runtime: NodeRuntime,
	files: Readonly<Record<string, string>>,
	entry = "flow.mjs",
): Promise<{ out: string; err: string; exitCode: number | null; scratch: string }> {
	const staged = await runtime.stage(memorySource({ "FLOW.md": FLOW_MD, ...files }), {});
	const scratch = await runtime.scratch();
	try {
		const entrypoint = { path: entry, suffix: entry.slice(entry.indexOf(".") + 1) };
		const component = await runtime.launch({ staged, entrypoint, scratch: scratch.path });
		const printed = collect(component);
		component.transport.end();
		const { exitCode } = await component.exited;
		const { out, err } = await printed;
		await component.fence(5_000);
		return { out, err, exitCode, scratch: scratch.path };
	} finally {
		await scratch.dispose();
		await staged.dispose();
	}
}

/** Everything a component writes, once both of its pipes have ended. */
export async function collect(component: ComponentProcess): Promise<{ out: string; err: string }> {
	let out = "";
	let err = "";
	await Promise.all([
		new Promise<void>((resolve) =>
			component.transport.listen({
				chunk: (bytes) => {
					out += Buffer.from(bytes).toString("latin1");
				},
				ended: resolve,
				failed: () => resolve(),
			}),
		),
		new Promise<void>((resolve) =>
			component.stderr.listen({
				chunk: (bytes) => {
					err += Buffer.from(bytes).toString("latin1");
				},
				ended: resolve,
			}),
		),
	]);
	return { out, err };
}

/** Whether a process exists and is not just waiting to be reaped. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	try {
		return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
	} catch {
		return process.platform !== "linux";
	}
}

/** Waits until `condition` holds, for at most five seconds. */
export async function until(condition: () => boolean): Promise<void> {
	const late = performance.now() + 5_000;
	while (!condition()) {
		if (performance.now() > late) throw new Error("it did not come to hold within 5 s");
		await sleep(5);
	}
}

/** A started component with its private directories, which the test's end removes. */
export async function launched(
	source: string,
	options: { readonly runtime?: NodeRuntime } = {},
): Promise<{
	component: ComponentProcess;
	pid: number;
	scratch: string;
	close: () => Promise<void>;
	runtime: NodeRuntime;
}> {
	const runtime = options.runtime ?? countedRuntime().runtime;
	const staged = await runtime.stage(memorySource({ "FLOW.md": FLOW_MD, "flow.mjs": source }), {});
	const scratch = await runtime.scratch();
	const component = await runtime.launch({
		staged,
		entrypoint: { path: "flow.mjs", suffix: "mjs" },
		scratch: scratch.path,
	});
	const close = async (): Promise<void> => {
		await component.fence(2_000);
		await scratch.dispose();
		await staged.dispose();
	};
	onTestFinished(close);
	return { component, pid: pidOf(component), scratch: scratch.path, close, runtime };
}

/** The process id of a component, which its own interface doesn't need. */
function pidOf(component: ComponentProcess): number {
	return (component as unknown as { readonly pid: number }).pid;
}
