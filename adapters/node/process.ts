import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { escapeForDisplay } from "../../src/display.ts";
import type { ComponentProcess, ExitEvidence } from "../../src/host/index.ts";
import type { AbortSignal } from "../../src/web.ts";
import { withOnlyStdio } from "./descriptors.ts";
import { holdersOf, linkOf, ProcessGroup, type ProcessSeen } from "./group.ts";
import { listenStderr, PipeReader, PipeWriter, pipeTransport } from "./process-transport.ts";

/** A program to start: absolute, without a shell, with its whole environment. */
export interface Command {
	readonly executable: string;
	readonly arguments: readonly string[];
	readonly directory: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** The components of one runtime that have not been fenced yet. */
export type LiveProcesses = Set<{ killNow(): void }>;

type Child = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable; pid: number };

/**
 * Starts a component in a process group of its own, with pipes for stdin, stdout and stderr and nothing else inherited.
 * Resolves once the system has started the program. Rejects with the system's error (ENOENT, EACCES, EMFILE …), or with
 * the signal's reason when it is aborted by then; nothing is left running in either case.
 *
 * When this host dies, the component sees the end of its stdin: that is all a host that was killed can promise.
 */
export async function startComponent(
	command: Command,
	live: LiveProcesses,
	signal?: AbortSignal,
): Promise<ComponentProcess> {
	signal?.throwIfAborted();
	const child = withOnlyStdio((stdio) =>
		spawn(command.executable, command.arguments, {
			cwd: command.directory,
			env: command.environment,
			stdio,
			detached: true,
			shell: false,
			windowsHide: true,
		}),
	) as Child;
	// Attached before anything can happen, and for good: an error event that nobody hears ends the program.
	const failure = new Promise<never>((_, reject) => child.on("error", reject));
	const started = new Promise<void>((resolve) => child.once("spawn", resolve));
	failure.catch(() => undefined);
	const component = child.pid === undefined ? undefined : new Component(child, command.executable, live);
	await Promise.race([started, failure]);
	if (component === undefined) return failure;
	component.remember();
	if (signal?.aborted === true) {
		await component.fence(ABORT_MS);
		throw signal.reason;
	}
	return component;
}

/** Milliseconds an aborted activation waits for the process it had already started. */
const ABORT_MS = 1_000;

class Component implements ComponentProcess {
	readonly description: string;
	readonly pid: number;
	readonly transport: ComponentProcess["transport"];
	readonly stderr: ComponentProcess["stderr"];
	readonly exited: Promise<ExitEvidence>;
	readonly #child: Child;
	readonly #group: ProcessGroup;
	readonly #live: LiveProcesses;
	readonly #input: PipeWriter;
	readonly #output: PipeReader;
	readonly #errors: PipeReader;
	readonly #targets = new Map<"stdout" | "stderr", string>();
	#hasExited = false;
	#fence: ReturnType<ComponentProcess["fence"]> | undefined;

	constructor(child: Child, description: string, live: LiveProcesses) {
		this.#child = child;
		this.#live = live;
		this.description = description;
		this.pid = child.pid;
		this.#group = new ProcessGroup(child.pid, (signal) => child.kill(signal));
		this.#input = new PipeWriter(child.stdin);
		this.#output = new PipeReader(child.stdout);
		this.#errors = new PipeReader(child.stderr);
		this.transport = pipeTransport(this.#output, this.#input);
		this.stderr = { listen: (sink) => listenStderr(this.#errors, sink) };
		this.exited = new Promise((resolve) => {
			child.once("exit", (exitCode, signal) => {
				this.#hasExited = true;
				this.#group.leaderExited();
				resolve({ exitCode, signal });
			});
		});
		live.add(this);
	}

	/** Notes which pipes the component was given, so that whoever holds them at the end can be named. */
	remember(): void {
		for (const [fd, name] of [
			[1, "stdout"],
			[2, "stderr"],
		] as const) {
			const target = linkOf(`/proc/${this.pid}/fd/${fd}`);
			if (target !== undefined) this.#targets.set(name, target);
		}
	}

	terminate(): void {
		this.#group.signal("SIGTERM");
	}

	kill(): void {
		this.#group.signal("SIGKILL");
	}

	/** For the very end of the program: kills without waiting for anything. */
	killNow(): void {
		this.kill();
		this.#close();
	}

	fence(timeoutMs: number): ReturnType<ComponentProcess["fence"]> {
		this.#fence ??= this.#fenceOnce(timeoutMs);
		return this.#fence;
	}

	async #fenceOnce(timeoutMs: number): ReturnType<ComponentProcess["fence"]> {
		const until = performance.now() + timeoutMs;
		this.kill();
		await atMost(Promise.all([this.exited, this.#output.closed, this.#errors.closed]), timeoutMs);
		for (let pause = 1; this.#hasExited && !this.#group.isGone(); pause = Math.min(pause * 2, 50)) {
			const left = until - performance.now();
			if (left <= 0) break;
			this.kill();
			await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
		}
		const detail = this.#whatStayed();
		this.#close();
		this.#live.delete(this);
		return detail === undefined ? { gone: true } : { gone: false, detail };
	}

	/** What outlived the fence, in words, or undefined. */
	#whatStayed(): string | undefined {
		if (!this.#hasExited) return `the component (process ${this.pid}) did not end when it was killed`;
		if (!this.#group.isGone()) return `processes of the component's group remain${named(this.#group.members() ?? [])}`;
		const held = [
			...(this.#output.isClosed ? [] : (["stdout"] as const)),
			...(this.#errors.isClosed ? [] : (["stderr"] as const)),
		];
		if (held.length === 0) return undefined;
		const targets = held.flatMap((name) => this.#targets.get(name) ?? []);
		return `a descendant outside the component's process group holds ${held.join(" and ")} open${named(holdersOf(new Set(targets)))}`;
	}

	#close(): void {
		this.#input.destroy();
		this.#output.destroy();
		this.#errors.destroy();
		// A process that can't be killed must not keep this program alive as well.
		if (!this.#hasExited) this.#child.unref();
	}
}

function named(processes: readonly ProcessSeen[]): string {
	if (processes.length === 0) return "";
	const first = processes.slice(0, 4).map(({ pid, command }) => `${pid} (${escapeForDisplay(command)})`);
	return `: process ${first.join(", ")}${processes.length > 4 ? " and more" : ""}`;
}

/** Turns of the event loop in which a program that was held up beyond its timer sees the exit and the ends that came in time. */
const TURNS = 3;

async function atMost(settled: Promise<unknown>, ms: number): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	}).then(async () => {
		for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
	});
	await Promise.race([settled, late]);
	clearTimeout(timer);
}
