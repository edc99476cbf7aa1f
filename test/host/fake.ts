import {
	type AttachRequest,
	type ComponentProcess,
	type ExitEvidence,
	HostError,
	type HostRuntime,
	type LauncherChoice,
	type LaunchRequest,
	type StagedPackage,
	type StderrSink,
} from "../../src/host/index.ts";
import type { PackageSource } from "../../src/package/index.ts";
import { memorySource } from "../../src/package/index.ts";
import type { Transport, TransportSink } from "../../src/run/index.ts";
import { portableSha256 } from "../../src/sha256.ts";

/** Lets everything that is ready happen: microtasks and what they cause. */
export async function settle(): Promise<void> {
	for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A clock that only moves when told. */
export class ManualClock {
	ms = 1_000;
	readonly #pending = new Set<{ readonly at: number; readonly run: () => void; readonly hosts: boolean }>();

	/** Timers of the host. */
	get pending(): number {
		return [...this.#pending].filter((timer) => timer.hosts).length;
	}

	/** `hosts` is false for what a component waits for. */
	schedule(ms: number, run: () => void, hosts = true): () => void {
		const timer = { at: this.ms + ms, run, hosts };
		this.#pending.add(timer);
		return () => this.#pending.delete(timer);
	}

	/** Moves on, firing what falls due in order. */
	async advance(ms: number): Promise<void> {
		const end = this.ms + ms;
		await settle();
		for (;;) {
			const due = [...this.#pending].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
			if (due === undefined) break;
			this.#pending.delete(due);
			this.ms = Math.max(this.ms, due.at);
			due.run();
			await settle();
		}
		this.ms = end;
	}
}

export interface Message {
	readonly id?: string;
	readonly method?: string;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the frame holds
	readonly params?: any;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the frame holds
	readonly result?: any;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the frame holds
	readonly error?: any;
}

export type Script = (component: FakeComponent) => unknown;

/** A component made of a script: what it reads are messages, what it writes are bytes. */
export class FakeComponent implements ComponentProcess {
	readonly description = "/fake/runtime";
	readonly transport: Transport;
	readonly stderr: { listen(sink: StderrSink): void };
	readonly exited: Promise<ExitEvidence>;
	readonly request: LaunchRequest;
	/** What the host wrote, as text. */
	heard = "";
	stdinEnded = false;
	readonly signals: string[] = [];
	ignoresTerminate = false;
	/** Never takes what the host writes. */
	stalled = false;
	/** A descendant out of reach holds stdout. */
	held = false;
	/** A descendant in the group holds stdout: killing the group frees it. */
	heldInGroup = false;
	fenced = 0;
	readonly clock: ManualClock;
	readonly #messages: Message[] = [];
	readonly #readers: ((message: Message) => void)[] = [];
	#partial = "";
	#sink: TransportSink | undefined;
	#early: ((sink: TransportSink) => void)[] = [];
	#stderrSink: StderrSink | undefined;
	#earlyStderr: ((sink: StderrSink) => void)[] = [];
	#resolve: (evidence: ExitEvidence) => void = () => undefined;
	#gone = false;
	#stdoutClosed = false;

	constructor(request: LaunchRequest, clock: ManualClock) {
		this.request = request;
		this.clock = clock;
		this.exited = new Promise((resolve) => {
			this.#resolve = resolve;
		});
		this.transport = {
			listen: (sink) => {
				this.#sink = sink;
				for (const event of this.#early.splice(0)) event(sink);
			},
			write: (bytes, done) => {
				if (this.stalled) return;
				if (this.#gone) {
					queueMicrotask(() => done(new Error("EPIPE")));
					return;
				}
				this.#hear(new TextDecoder().decode(bytes));
				queueMicrotask(() => done());
			},
			end: () => {
				this.stdinEnded = true;
			},
			stop: () => undefined,
		};
		this.stderr = {
			listen: (sink) => {
				this.#stderrSink = sink;
				for (const event of this.#earlyStderr.splice(0)) event(sink);
			},
		};
	}

	#hear(text: string): void {
		this.heard += text;
		const lines = (this.#partial + text).split("\n");
		this.#partial = lines.pop()!;
		for (const line of lines) {
			const message = JSON.parse(line) as Message;
			const reader = this.#readers.shift();
			if (reader === undefined) this.#messages.push(message);
			else reader(message);
		}
	}

	/** The next message of the host. */
	next(): Promise<Message> {
		const message = this.#messages.shift();
		return message === undefined ? new Promise((resolve) => this.#readers.push(resolve)) : Promise.resolve(message);
	}

	/** Does something later, on the Run's own clock. */
	later(ms: number, run: () => void): void {
		this.clock.schedule(ms, run, false);
	}

	#deliver(event: (sink: TransportSink) => void): void {
		if (this.#sink === undefined) this.#early.push(event);
		else event(this.#sink);
	}

	/** Writes bytes, or text, or one value as a frame. */
	write(what: Uint8Array | string | object): void {
		const bytes =
			what instanceof Uint8Array
				? what
				: new TextEncoder().encode(typeof what === "string" ? what : `${JSON.stringify(what)}\n`);
		this.#deliver((sink) => sink.chunk(bytes));
	}

	answer(id: string | undefined, result: unknown): void {
		this.write({ jsonrpc: "2.0", id, result });
	}

	complain(text: string | Uint8Array): void {
		const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
		this.#diagnose((sink) => sink.chunk(bytes));
	}

	#diagnose(event: (sink: StderrSink) => void): void {
		if (this.#stderrSink === undefined) this.#earlyStderr.push(event);
		else event(this.#stderrSink);
	}

	closeStdout(): void {
		if (this.#stdoutClosed) return;
		this.#stdoutClosed = true;
		this.#deliver((sink) => sink.ended());
	}

	exit(exitCode: number | null, signal: string | null = null): void {
		if (this.#gone) return;
		this.#gone = true;
		if (!this.held && !this.heldInGroup) this.closeStdout();
		this.#diagnose((sink) => sink.ended());
		this.#resolve({ exitCode, signal });
	}

	terminate(): void {
		this.signals.push("terminate");
		if (!this.ignoresTerminate) this.exit(null, "SIGTERM");
	}

	kill(): void {
		this.signals.push("kill");
		this.exit(null, "SIGKILL");
	}

	async fence(timeoutMs: number): Promise<{ gone: boolean; detail?: string }> {
		this.fenced += 1;
		this.exit(null, "SIGKILL");
		if (this.heldInGroup) this.closeStdout();
		if (!this.held) return { gone: true };
		await new Promise<void>((resolve) => this.later(timeoutMs, resolve));
		return { gone: false, detail: "a descendant holds stdout" };
	}
}

/** An environment in memory, with a manual clock, that counts what is left behind. */
export class FakeRuntime implements HostRuntime {
	readonly clock = new ManualClock();
	readonly sha256 = portableSha256;
	readonly scripts: Record<string, Script> = {};
	readonly components: FakeComponent[] = [];
	/** What exists now: `stage`, `scratch`, `attachment`. */
	readonly left: string[] = [];
	/** Steps that fail, by name. */
	readonly failing: Partial<Record<"stage" | "verify" | "scratch" | "attach" | "launch" | "scratch-removal", Error>> =
		{};
	readonly attached: AttachRequest[] = [];
	/** Holds the launch back until it is called. */
	launching: Promise<void> | undefined;
	#count = 0;

	#make(what: string): { readonly path: string; dispose(): Promise<void> } {
		const path = `/${what}/${++this.#count}`;
		this.left.push(path);
		return {
			path,
			dispose: async () => {
				const error = what === "scratch" ? this.failing["scratch-removal"] : undefined;
				if (error !== undefined) throw error;
				this.left.splice(this.left.indexOf(path), 1);
			},
		};
	}

	async stage(source: unknown): Promise<StagedPackage> {
		if (this.failing.stage !== undefined) throw this.failing.stage;
		const { path, dispose } = this.#make("stage");
		return {
			source: source as PackageSource,
			root: path,
			dispose,
			verify: async () => {
				if (this.failing.verify !== undefined) throw this.failing.verify;
			},
		};
	}

	launcherFor({ suffix, selector }: { suffix: string; selector?: string | undefined }): LauncherChoice {
		if (selector !== undefined && selector !== "fake") {
			return { ok: false, code: "SELECTOR_UNSUPPORTED", message: `No launcher for the selector "${selector}".` };
		}
		if (suffix !== "fake") return { ok: false, code: "RUNTIME_UNSUPPORTED", message: `No launcher for .${suffix}.` };
		return { ok: true, description: "/fake/runtime" };
	}

	async launch(request: LaunchRequest): Promise<ComponentProcess> {
		await this.launching;
		if (this.failing.launch !== undefined) throw this.failing.launch;
		const component = new FakeComponent(request, this.clock);
		this.components.push(component);
		const { entrypoint } = request;
		const bytes = await read(request.staged.source, entrypoint.path);
		const script = this.scripts[bytes.trim()];
		if (script === undefined) throw new HostError("no such script", { code: "LAUNCH_FAILED", phase: "activation" });
		void (async () => script(component))();
		return component;
	}

	async scratch(): Promise<{ path: string; dispose(): Promise<void> }> {
		if (this.failing.scratch !== undefined) throw this.failing.scratch;
		return this.#make("scratch");
	}

	async attach(
		request: AttachRequest,
	): Promise<{ path: string; access: "read" | "read-write"; dispose(): Promise<void> }> {
		if (this.failing.attach !== undefined) throw this.failing.attach;
		this.attached.push(request);
		return { ...this.#make("attachment"), access: request.access };
	}

	now(): number {
		return 1_787_000_000_000 + this.clock.ms;
	}

	monotonic(): number {
		return this.clock.ms;
	}

	schedule(ms: number, run: () => void): () => void {
		return this.clock.schedule(ms, run);
	}
}

async function read(source: PackageSource, path: string): Promise<string> {
	const reader = (await source.open(path)).getReader();
	let text = "";
	for (;;) {
		const step = await reader.read();
		if (step.done) return text;
		text += new TextDecoder().decode(step.value);
	}
}

/** A package whose `flow.fake` names a script of the runtime. */
export function fakePackage(script: string, frontmatter = "", files: Record<string, string> = {}): PackageSource {
	return memorySource({
		"FLOW.md": `---\nname: ${script}\ndescription: A scripted component.\n${frontmatter}---\n`,
		"flow.fake": script,
		...files,
	});
}
