import {
	drive,
	type HostPort,
	HostSession,
	type HostStop,
	type RootInvocation,
	type RunConclusion,
	type Transport,
} from "../run/index.ts";
import { type StderrTail, saying } from "./errors.ts";
import { afterGrace } from "./grace.ts";
import type { InvocationChannels } from "./invocation-channels.ts";
import type { HostLimits } from "./limits.ts";
import type { ComponentProcess, ExitEvidence, HostRuntime } from "./ports.ts";
import type { Stop, StopReason } from "./stop.ts";
import { TailBuffer } from "./tail.ts";
import type { HostEvent } from "./trace.ts";

/** What the supervisor needs from the Run around it. */
export interface SupervisorContext {
	readonly runtime: HostRuntime;
	readonly limits: HostLimits;
	readonly dispatch: HostPort["dispatch"];
	readonly abandon: HostPort["abandon"];
	readonly accept: HostPort["accept"];
	readonly channels: InvocationChannels;
	/** Asks dispatched work to stop and waits, in bounded time, until it has. */
	quiet(): Promise<void>;
	note(event: HostEvent): void;
	/** Whether anybody wants to see what the session does. */
	readonly traced: boolean;
	stderr(bytes: Uint8Array): void;
}

/** How one component ended. */
export interface Supervised {
	readonly conclusion: RunConclusion;
	/** Which root response was read, if any. */
	readonly answer: "result" | "failure" | undefined;
	/** The whole group and its pipes were seen to end. */
	readonly gone: boolean;
	readonly stderr: StderrTail;
}

/**
 * Keeps one component to Run/1 section 9 in bounded time: joins the session to the process, counts what it writes, and
 * ends it when it was told to, when it doesn't end by itself, or when its peer may no longer be trusted.
 *
 * | it | then |
 * | --- | --- |
 * | was cancelled or is late | `request/cancel`, `cancelGraceMs`, terminate, `killGraceMs`, kill |
 * | broke the protocol | stdin closed, terminate, `killGraceMs`, kill |
 * | answered, closed stdout, or lost a pipe | `exitGraceMs` for its exit, terminate, `killGraceMs`, kill |
 * | exited with stdout still open | `exitGraceMs` for the end of stdout, kill of what is left |
 * | flooded stdout or stderr | kill |
 *
 * Every way ends in `fence`, which proves that nothing is left or names what is.
 */
export class Supervisor {
	readonly #context: SupervisorContext;
	readonly #session: HostSession;
	readonly #tail: TailBuffer;
	readonly #timers = new Set<() => void>();
	#component: ComponentProcess | undefined;
	#driver: { wake(): void } | undefined;
	#resolve: (supervised: Supervised) => void = () => undefined;
	#stdoutBytes = 0;
	#stdoutEnded = false;
	#answer: Supervised["answer"];
	#evidence: ExitEvidence | undefined;
	#ending: "terminate" | "kill" | undefined;
	#waitingForExit = false;
	#held: string | undefined;
	#finishing = false;

	/** Throws what `HostSession` throws for a root request that breaks JSON/1 or Run/1; nothing has started then. */
	constructor(root: RootInvocation, context: SupervisorContext) {
		this.#context = context;
		this.#tail = new TailBuffer(context.limits.stderrTailBytes);
		const port: HostPort = {
			wake: () => this.#driver?.wake(),
			dispatch: context.dispatch,
			abandon: context.abandon,
			channel: (exchange) => context.channels.request(exchange),
			cancelChannel: (exchange) => context.channels.cancel(exchange),
			accept: context.accept,
			responded: (answer) => this.#answered(answer),
			failed: (why) => this.#failed(why),
		};
		if (context.traced) port.trace = (event) => context.note({ type: "session", event });
		this.#session = new HostSession(root, port, { retainedBytes: context.limits.retainedResultBytes });
		context.channels.attach((ids) => this.#session.reserve(ids));
	}

	/** Runs the component to its end. Never rejects. */
	run(component: ComponentProcess, stop: Stop): Promise<Supervised> {
		this.#component = component;
		return new Promise((resolve) => {
			this.#resolve = resolve;
			component.stderr.listen({ chunk: (bytes) => this.#diagnostics(bytes), ended: () => undefined });
			// The port says that neither this nor `fence` rejects; one that does must not leave the Run hanging.
			void component.exited.then(
				(evidence) => this.#exited(evidence),
				(error: unknown) => this.#exited({ exitCode: null, signal: null, error }),
			);
			this.#session.start();
			this.#driver = drive(this.#session, this.#counted(component.transport));
			this.#driver.wake();
			stop.listen((reason) => this.#stop(reason));
		});
	}

	#counted(transport: Transport): Transport {
		return {
			listen: (sink) =>
				transport.listen({
					chunk: (bytes) => {
						if (this.#finishing || this.#ending === "kill") return;
						this.#stdoutBytes += bytes.length;
						const most = this.#context.limits.stdoutBytes;
						if (this.#stdoutBytes > most) this.#flood(`The component wrote more than ${most} bytes to stdout.`);
						else sink.chunk(bytes);
					},
					ended: () => {
						this.#stdoutEnded = true;
						sink.ended();
						this.#settle();
					},
					failed: (error) => {
						this.#stdoutEnded = true;
						sink.failed(error);
						this.#settle();
					},
				}),
			write: (bytes, done) => transport.write(bytes, done),
			...(transport.writeText === undefined
				? {}
				: { writeText: (text: string, done: (error?: unknown) => void) => transport.writeText?.(text, done) }),
			end: () => transport.end(),
			stop: () => transport.stop(),
		};
	}

	#diagnostics(bytes: Uint8Array): void {
		if (this.#ending === "kill" && this.#tail.bytes > this.#context.limits.stderrBytes) return;
		this.#tail.push(bytes);
		this.#context.stderr(bytes);
		const most = this.#context.limits.stderrBytes;
		if (this.#tail.bytes > most) this.#flood(`The component wrote more than ${most} bytes to stderr.`);
	}

	#flood(message: string): void {
		this.#session.exhaust(message);
		this.#kill(message);
	}

	#stop(reason: StopReason): void {
		// A response has fixed the request's decision: what is left is the exit, which has its own grace.
		if (this.#answer !== undefined || this.#finishing || this.#ending !== undefined) return;
		this.#context.note({ type: "cancelling", reason });
		if (reason === "cancel") this.#session.cancel();
		else this.#session.expire();
		const { cancelGraceMs } = this.#context.limits;
		this.#after(cancelGraceMs, () => this.#terminate(`no answer within ${cancelGraceMs} ms of cancellation`));
	}

	#answered(answer: "result" | "failure"): void {
		this.#answer = answer;
		if (answer === "failure") this.#context.channels.end();
		this.#component?.transport.end();
		this.#awaitExit("the component answered but did not exit");
	}

	#failed(why: HostStop): void {
		this.#context.channels.end();
		if (why === "lost") {
			// Which end of which pipe was seen first says nothing: the exit status does (section 9).
			this.#awaitExit("the component lost a pipe but did not exit");
			return;
		}
		// Not at once: the driver's last write, the best-effort error, is still to begin.
		this.#after(0, () => {
			this.#component?.transport.end();
			this.#terminate(why === "violation" ? "the component broke the protocol" : "the Run was stopped");
		});
	}

	#exited(evidence: ExitEvidence): void {
		this.#evidence = evidence;
		this.#context.note({ type: "exited", exitCode: evidence.exitCode, signal: evidence.signal });
		this.#settle();
		if (this.#finishing) return;
		this.#after(this.#context.limits.exitGraceMs, () => {
			this.#held = "a descendant held stdout open after the component had exited";
			if (this.#answer !== undefined) this.#ending ??= "terminate";
			this.#finish();
		});
	}

	/** The natural end: the process has exited and stdout has ended. */
	#settle(): void {
		if (this.#evidence !== undefined && this.#stdoutEnded) this.#finish();
		else if (this.#stdoutEnded) this.#awaitExit("the component closed stdout but did not exit");
	}

	#awaitExit(reason: string): void {
		if (this.#waitingForExit) return;
		this.#waitingForExit = true;
		const { exitGraceMs } = this.#context.limits;
		this.#after(exitGraceMs, () => {
			if (this.#evidence === undefined) this.#terminate(`${reason} within ${exitGraceMs} ms`);
		});
	}

	#terminate(reason: string): void {
		if (this.#ending !== undefined || this.#finishing) return;
		this.#ending = "terminate";
		this.#context.note({ type: "stopping", step: "terminate", reason });
		this.#component?.terminate();
		this.#after(this.#context.limits.killGraceMs, () => this.#kill(reason));
	}

	#kill(reason: string): void {
		if (this.#ending === "kill" || this.#finishing) return;
		this.#ending = "kill";
		this.#context.note({ type: "stopping", step: "kill", reason });
		this.#component?.kill();
		this.#finish();
	}

	#after(ms: number, run: () => void): void {
		if (this.#finishing) return;
		const cancel = afterGrace(this.#context.runtime, ms, () => {
			this.#timers.delete(cancel);
			if (!this.#finishing) run();
		});
		this.#timers.add(cancel);
	}

	#finish(): void {
		if (this.#finishing) return;
		this.#finishing = true;
		for (const cancel of this.#timers) cancel();
		this.#timers.clear();
		void this.#conclude(this.#component!);
	}

	/** Proof that the component is gone, then that its owned work is at rest, then the verdict. */
	async #conclude(component: ComponentProcess): Promise<void> {
		const { limits, note } = this.#context;
		const { gone, detail } = await component
			.fence(limits.fenceMs)
			.catch((error: unknown) => ({ gone: false, detail: `fencing failed: ${saying(error)}` }));
		note({ type: "fenced", gone, detail });
		await this.#context.quiet();
		const conclusion = this.#session.exited({
			exitCode: this.#evidence?.exitCode ?? null,
			signal: this.#evidence?.signal ?? null,
			killed: this.#ending !== undefined,
			fenceFailed: !gone,
		});
		this.#resolve({
			conclusion: explain(conclusion, gone ? this.#held : (detail ?? this.#held)),
			answer: this.#answer,
			gone,
			stderr: this.#tail.read(),
		});
	}
}

/** Names the descendant that kept a Run from ending well. */
function explain(conclusion: RunConclusion, held: string | undefined): RunConclusion {
	if (held === undefined || conclusion.status === "succeeded" || conclusion.code !== "EXECUTION_FAILED")
		return conclusion;
	return { ...conclusion, message: `${conclusion.message} (${held})` };
}
