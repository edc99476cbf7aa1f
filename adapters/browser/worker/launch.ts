import {
	type ComponentProcess,
	type ExitEvidence,
	HostError,
	portTransport,
	type StderrSink,
} from "../../../src/host/index.ts";
import { encodeUtf8 } from "../../../src/web.ts";
import { type ControlMessage, FAULT_LENGTH, type FrameStart, type LinkedModule, STDERR_CHUNK } from "./messages.ts";
import { Meter, type WorkerLimits } from "./meter.ts";

/** Milliseconds that the frame and its Worker may take to begin. */
const START_MS = 20_000;

/** Milliseconds after the frame has loaded in which its script has to answer: it did before, but on another way. */
const ANSWER_MS = 2_000;

/** Milliseconds that the last bytes may take after the Worker has said that it is over. */
const LAST_BYTES_MS = 1_000;

/** Starts the Worker of one Run in a frame of its own. Rejects with a `HostError` `LAUNCH_FAILED`, and leaves no frame behind then. */
export async function launchWorker(
	frameUrl: string,
	entry: string,
	modules: readonly LinkedModule[],
	limits: WorkerLimits,
	signal: AbortSignal | undefined,
): Promise<ComponentProcess> {
	signal?.throwIfAborted();
	const frame = await openFrame(frameUrl, signal);
	const protocol = new MessageChannel();
	const control = new MessageChannel();
	const worker = new FramedWorker(frame, protocol.port1, control.port1, limits);
	const start: FrameStart = {
		millrace: "frame/1",
		entry,
		modules,
		protocol: protocol.port2,
		control: control.port2,
	};
	// An opaque origin has no name to address it by; the frame is the one that was just opened.
	frame.contentWindow?.postMessage(start, "*", [protocol.port2, control.port2]);
	try {
		await within(START_MS, worker.started, signal, "its Worker did not begin");
		return worker;
	} catch (error) {
		worker.kill();
		throw error;
	}
}

/** The hidden frame: no origin, scripts and nothing else. */
async function openFrame(url: string, signal: AbortSignal | undefined): Promise<HTMLIFrameElement> {
	const frame = document.createElement("iframe");
	frame.setAttribute("sandbox", "allow-scripts");
	frame.setAttribute("aria-hidden", "true");
	frame.hidden = true;
	frame.tabIndex = -1;
	frame.title = "A running Flow";
	frame.src = url;
	const silent = `nothing answers from ${url}; serve frame.html there, and let frame-src have it`;
	let listen = (_: MessageEvent): void => {};
	const answered = new Promise<void>((resolve) => {
		listen = ({ source, data }) => {
			if (source === frame.contentWindow && data?.millrace === "frame/1" && data.ready === true) resolve();
		};
	});
	// Browsers say that a frame has loaded where it shows their own page of an error, too.
	const loaded = new Promise<void>((resolve) => {
		frame.addEventListener("load", () => resolve(), { once: true });
	});
	addEventListener("message", listen);
	// Not in the body, which frameworks take for their own.
	document.documentElement.append(frame);
	let stop = (): void => {};
	const lost = new Promise<never>((_, reject) => {
		stop = whenRemoved(frame, () => reject(failed(LOST)));
	});
	try {
		const ready = loaded.then(() => within(ANSWER_MS, answered, undefined, silent));
		await within(START_MS, Promise.race([ready, lost]), signal, silent);
		return frame;
	} catch (error) {
		frame.remove();
		throw error;
	} finally {
		stop();
		removeEventListener("message", listen);
	}
}

/** Why a Worker is over whose frame somebody else has touched. */
const LOST = "its frame was taken out of the page, or given another document; leave the frames of Runs where they are";

/** Calls back when somebody removes the frame; no browser tells the ports of a Worker that ended with it. Returns what ends the watch. */
function whenRemoved(frame: HTMLIFrameElement, callback: () => void): () => void {
	const observer = new MutationObserver(() => {
		if (!frame.isConnected) callback();
	});
	observer.observe(document.documentElement, { childList: true });
	return () => observer.disconnect();
}

async function within(
	ms: number,
	work: Promise<void>,
	signal: AbortSignal | undefined,
	otherwise: string,
): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let abort = (): void => {};
	const stopped = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(failed(otherwise)), ms);
		abort = () => reject(signal?.reason);
	});
	signal?.addEventListener("abort", abort);
	if (signal?.aborted) abort();
	try {
		await Promise.race([work, stopped]);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", abort);
	}
}

function failed(what: string): HostError {
	return new HostError(`The Worker could not be started: ${what}.`, { code: "LAUNCH_FAILED", phase: "activation" });
}

/** A Worker in its frame. The frame is what is removed: with it everything in it ends, whatever it is doing. */
class FramedWorker implements ComponentProcess {
	readonly description = "a Worker of this page";
	readonly transport: ComponentProcess["transport"];
	readonly exited: Promise<ExitEvidence>;
	/** Fulfils when the Worker runs; rejects when the browser refuses it. */
	readonly started: Promise<void>;
	readonly #frame: HTMLIFrameElement;
	readonly #control: MessagePort;
	readonly #protocol: MessagePort;
	readonly #unwatch: () => void;
	#fault: (event: MessageEvent) => void;
	#exit: (evidence: ExitEvidence) => void = () => {};
	#sink: StderrSink | undefined;
	#early: Uint8Array[] = [];
	#stderrOver = false;
	#saysOver = false;
	#gone = false;

	constructor(frame: HTMLIFrameElement, protocol: MessagePort, control: MessagePort, limits: WorkerLimits) {
		this.#frame = frame;
		this.#control = control;
		this.#protocol = protocol;
		const meter = new Meter(limits, (words) => this.#endFor(words));
		this.transport = portTransport(meter.watch(protocol));
		this.exited = new Promise((resolve) => {
			this.#exit = resolve;
		});
		let begun = (): void => {};
		this.#fault = () => {};
		this.started = new Promise((resolve, reject) => {
			begun = resolve;
			this.#fault = ({ source, data }) => {
				if (source !== frame.contentWindow || data?.millrace !== "frame/1" || typeof data.fault !== "string") return;
				const fault = data.fault.slice(0, FAULT_LENGTH);
				reject(failed(fault));
				this.#say(`${fault}\n`);
				this.#end({ exitCode: 1, signal: null });
			};
		});
		this.started.catch(() => {});
		addEventListener("message", this.#fault);
		this.#unwatch = whenRemoved(frame, () => this.#endFor(LOST));
		// A second document: the Worker went with the first.
		frame.addEventListener("load", () => this.#endFor(LOST));
		control.addEventListener("message", ({ data }) => this.#hear(readControl(data), meter, begun));
		control.start();
	}

	#hear(message: ControlMessage | undefined, meter: Meter, begun: () => void): void {
		const fault = message && meter.control(message);
		if (message === undefined) this.#endFor("it sent what no Worker of ours sends");
		else if (fault !== undefined) this.#endFor(fault);
		else if ("started" in message) begun();
		else if ("stderr" in message) {
			this.#say(message.stderr);
			this.#control.postMessage({ taken: true });
		} else if (this.#saysOver) this.#endFor("it said twice that it is over");
		else {
			this.#saysOver = true;
			void this.#over(message.exit, meter);
		}
	}

	readonly stderr: ComponentProcess["stderr"] = {
		listen: (sink) => {
			this.#sink = sink;
			for (const bytes of this.#early.splice(0)) sink.chunk(bytes);
			if (this.#stderrOver) sink.ended();
		},
	};

	/** There are no signals for a Worker: the end of its input aborts `run.signal`. */
	terminate(): void {
		this.transport.end();
	}

	kill(): void {
		this.#end({ exitCode: null, signal: "SIGKILL" });
	}

	fence(): ReturnType<ComponentProcess["fence"]> {
		this.kill();
		return Promise.resolve({ gone: true });
	}

	/** The Worker says that it is over. Its last bytes come on another port, and may come after. */
	async #over(exitCode: 0 | 1, meter: Meter): Promise<void> {
		await Promise.race([meter.inputEnded, new Promise((resolve) => setTimeout(resolve, LAST_BYTES_MS))]);
		this.#end({ exitCode, signal: null });
	}

	/** Ends a Worker that does what none of ours would, and says why where its diagnostics are read. */
	#endFor(words: string): void {
		if (this.#gone) return;
		this.#say(`The Worker was ended: ${words}.\n`);
		this.kill();
	}

	#say(text: string): void {
		const bytes = encodeUtf8(text.toWellFormed());
		if (this.#sink === undefined) this.#early.push(bytes);
		else this.#sink.chunk(bytes);
	}

	#end(evidence: ExitEvidence): void {
		if (this.#gone) return;
		this.#gone = true;
		removeEventListener("message", this.#fault);
		this.#unwatch();
		this.#frame.remove();
		this.#control.close();
		this.#stderrOver = true;
		this.#sink?.ended();
		this.#exit(evidence);
		// Whoever still reads hears that there is nobody any more; closing our own end alone says nothing to us.
		this.#protocol.dispatchEvent(new Event("close"));
		this.#protocol.close();
	}
}

/** A message of the Worker, or undefined for what is none: a package can send what it likes. */
function readControl(data: unknown): ControlMessage | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { started, stderr, exit } = data as {
		readonly started?: unknown;
		readonly stderr?: unknown;
		readonly exit?: unknown;
	};
	if (typeof stderr === "string" && stderr.length <= STDERR_CHUNK) return { stderr };
	if (exit === 0 || exit === 1) return { exit };
	return started === true ? { started } : undefined;
}
