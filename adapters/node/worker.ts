import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from "node:worker_threads";
import {
	type ComponentProcess,
	type ExitEvidence,
	HostError,
	type Launch,
	type LaunchRequest,
	portTransport,
	type StderrSink,
} from "../../src/host/index.ts";
import { encodeUtf8 } from "../../src/web.ts";
import { builtFile } from "./built.ts";
import { componentEnvironment } from "./environment.ts";
import { stripsTypes } from "./launchers.ts";
import { listenStderr, PipeReader } from "./process-transport.ts";

export interface WorkerLauncherOptions {
	/** What the thread may use of memory; more ends it, and the Run with `EXECUTION_FAILED`. */
	readonly resourceLimits?: ResourceLimits | undefined;
}

/** What a thread is started with. */
export interface WorkerData {
	readonly port: MessagePort;
	/** URL of the package's entrypoint, and of a module that makes its language loadable. */
	readonly entry: string;
	readonly loader: string | undefined;
}

const SUFFIXES = ["mjs", "js", "ts"];

/**
 * Runs components in threads of this program, for `host.load(source, { launch: workerLauncher() })`: without the start of a
 * process, over a message port. The package's own entrypoint runs, from its stage, with the SDK that stands there.
 *
 * A thread can always be ended, but nothing isolates it: it has this program's rights and its working directory, it can
 * start processes that outlive it, and a crash below JavaScript ends the whole program. Only for packages that are trusted as
 * the host itself is. Bun and Deno, and packages for other languages, need a process.
 */
export function workerLauncher(options: WorkerLauncherOptions = {}): Launch {
	return (request) => launch(request, options);
}

async function launch(request: LaunchRequest, { resourceLimits }: WorkerLauncherOptions): Promise<ComponentProcess> {
	const { staged, entrypoint, scratch, signal } = request;
	const { path, suffix, selector } = entrypoint;
	if (selector !== undefined && selector !== "node") {
		throw refused("SELECTOR_UNSUPPORTED", `${path} asks for "${selector}"; a worker thread runs "node" only.`);
	}
	if (!SUFFIXES.includes(suffix)) {
		throw refused("RUNTIME_UNSUPPORTED", `A worker thread doesn't run ".${suffix}" files (${path}).`);
	}
	signal?.throwIfAborted();
	const { port1, port2 } = new MessageChannel();
	const data: WorkerData = {
		port: port2,
		entry: pathToFileURL(join(staged.root, path)).href,
		loader:
			suffix === "ts" && !stripsTypes(process.versions.node) ? fileUrl("adapters/node/strip/register.js") : undefined,
	};
	const thread = new Thread(
		new Worker(new URL(fileUrl("adapters/node/worker-entry.js")), {
			workerData: data,
			transferList: [port2],
			stdout: true,
			stderr: true,
			env: componentEnvironment(scratch),
			argv: [],
			execArgv: [],
			...(resourceLimits === undefined ? {} : { resourceLimits }),
		}),
		port1,
	);
	await thread.online;
	if (signal?.aborted) {
		await thread.fence(ABORT_MS);
		throw signal.reason;
	}
	return thread;
}

/** Milliseconds an aborted activation waits for the thread it had already started. */
const ABORT_MS = 1_000;

function fileUrl(path: string): string {
	const file = builtFile(path);
	if (file !== undefined) return pathToFileURL(file).href;
	throw new HostError(`${path} is missing: build the library (npm run build).`, {
		code: "LAUNCH_FAILED",
		phase: "activation",
	});
}

function refused(code: "RUNTIME_UNSUPPORTED" | "SELECTOR_UNSUPPORTED", message: string): HostError {
	return new HostError(message, { code, phase: "activation" });
}

class Thread implements ComponentProcess {
	readonly description = "a worker thread of this program";
	readonly transport: ComponentProcess["transport"];
	readonly exited: Promise<ExitEvidence>;
	/** Settles when the thread runs, or has ended before it did. */
	readonly online: Promise<unknown>;
	readonly #worker: Worker;
	readonly #port: MessagePort;
	readonly #outputs: readonly PipeReader[];
	#hasExited = false;
	#sink: StderrSink | undefined;
	/** What ended it, in words, until somebody listens. */
	#words: Uint8Array | undefined;

	constructor(worker: Worker, port: MessagePort) {
		this.#worker = worker;
		this.#port = port;
		this.transport = portTransport(port);
		this.#outputs = [new PipeReader(worker.stderr), new PipeReader(worker.stdout)];
		worker.on("error", (error) =>
			this.#say(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
		);
		this.exited = new Promise((resolve) => {
			worker.once("exit", (exitCode) => {
				this.#hasExited = true;
				resolve({ exitCode, signal: null });
			});
		});
		this.online = Promise.race([new Promise((resolve) => worker.once("online", resolve)), this.exited]);
	}

	readonly stderr: ComponentProcess["stderr"] = { listen: (sink) => this.#listen(sink) };

	#listen(sink: StderrSink): void {
		let open = this.#outputs.length;
		this.#sink = sink;
		if (this.#words !== undefined) sink.chunk(this.#words);
		for (const output of this.#outputs) {
			listenStderr(output, {
				chunk: (bytes) => sink.chunk(bytes),
				ended: () => {
					open -= 1;
					if (open > 0) return;
					this.#sink = undefined;
					sink.ended();
				},
			});
		}
	}

	/** The thread can't say itself what it died of. */
	#say(text: string): void {
		const bytes = encodeUtf8(text.toWellFormed());
		if (this.#sink === undefined) this.#words = bytes;
		else this.#sink.chunk(bytes);
	}

	/** There are no signals between threads: the end of its input aborts `run.signal`. */
	terminate(): void {
		this.transport.end();
	}

	kill(): void {
		void this.#worker.terminate();
	}

	async fence(timeoutMs: number): ReturnType<ComponentProcess["fence"]> {
		this.kill();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, timeoutMs);
		});
		await Promise.race([Promise.all([this.exited, ...this.#outputs.map(({ closed }) => closed)]), late]);
		clearTimeout(timer);
		this.#port.close();
		for (const output of this.#outputs) output.destroy();
		if (this.#hasExited) return { gone: true };
		this.#worker.unref();
		return { gone: false, detail: "the worker thread did not end: it is held up below JavaScript" };
	}
}
