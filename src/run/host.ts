/** The host's role machine: one root Run of one component, from its request to the verdict (Run/1 sections 1 and 3 to 9). */

import { admitRoot } from "./admission.ts";
import { readRoot } from "./calls.ts";
import { type Condition, conclude, type Record as RunRecord } from "./conclude.ts";
import { type Answer, type Role, SessionCore } from "./core.ts";
import type { Call } from "./encode.ts";
import { HOST_SESSION_LIMITS, type HostSessionLimits } from "./limits.ts";
import { isFailure } from "./messages.ts";
import type {
	ExitEvidence,
	Failure,
	HostPort,
	HostStop,
	RootInvocation,
	RunConclusion,
	RunResult,
	Session,
} from "./ports.ts";
import { readRequest } from "./requests.ts";
import type { Outbound } from "./sender.ts";
import { OwnedWork } from "./work.ts";

/**
 * - `new`: not started.
 * - `queued`: the root request waits to be written.
 * - `running`: its write has begun; the component owns the Run.
 * - `answered`: a root response was read.
 * - `over`: nothing that comes counts any more; only the verdict is still due.
 */
type Phase = "new" | "queued" | "running" | "answered" | "over";

/** The host's side of one Run/1 channel. */
export class HostSession implements Session {
	readonly #port: HostPort;
	readonly #core: SessionCore;
	readonly #work: OwnedWork;
	readonly #root: Call;
	#request: Outbound | undefined;
	#phase: Phase = "new";
	#condition: Condition | undefined;
	#answer: RunRecord["answer"];
	#violation: RunRecord["violation"];
	#truncated = false;
	#lost: string | undefined;
	#ended = false;
	#conclusion: RunConclusion | undefined;

	/**
	 * Throws {@link InvalidMessage} when the complete root request breaks JSON/1 or Run/1; its values are copied. `limits`
	 * lowers or raises this host's own bounds.
	 */
	constructor(root: RootInvocation, port: HostPort, limits: Partial<HostSessionLimits> = {}) {
		this.#port = port;
		const bounds = { ...HOST_SESSION_LIMITS, ...limits };
		this.#core = new SessionCore(this.#role(), port);
		this.#root = admitRoot(root, this.#core.out.nextId);
		this.#work = new OwnedWork(this.#core, port, bounds);
		this.#core.note({
			type: "opened",
			role: "host",
			root: readRoot(this.#root.params),
			limits: bounds,
			...(port.channel === undefined ? {} : { channels: true }),
		});
	}

	receive(chunk: Uint8Array): void {
		this.#core.receive(chunk);
	}

	inputEnded(): void {
		this.#core.inputEnded();
	}

	readFailed(error?: unknown): void {
		this.#core.readFailed(error);
	}

	takeFrame(): Uint8Array | undefined {
		return this.#core.out.take();
	}

	takeText(): string | undefined {
		return this.#core.out.takeText();
	}

	written(): void {
		this.#core.written();
	}

	writeFailed(error?: unknown): void {
		this.#core.writeFailed(error);
	}

	/** Queues `flow/run`. Once. */
	start(): void {
		if (this.#phase !== "new") return;
		this.#core.note({ type: "start" });
		this.#phase = "queued";
		this.#request = this.#core.out.request(this.#root, () => {
			this.#phase = "running";
		});
	}

	/** The user cancels the Run. The first recorded of `cancel`, `expire` and `exhaust` wins; after a response, no effect. */
	cancel(): void {
		this.#end("cancel", { code: "CANCELLED", message: "The Run was cancelled." });
	}

	/** The deadline has passed. As {@link cancel}. */
	expire(): void {
		this.#end("expire", { code: "DEADLINE_EXCEEDED", message: "The Run's deadline passed." });
	}

	/**
	 * A host bound was crossed, which `message` names. Unlike cancellation this also counts after a response, and ends the
	 * session at once.
	 */
	exhaust(message: string): void {
		if (this.#phase === "over") return;
		this.#core.note({ type: "exhaust", message });
		if (this.#condition === undefined) this.#record({ code: "RESOURCE_EXHAUSTED", message });
		this.#stop("stopped");
	}

	/**
	 * What the component must still be able to say about the endpoints it holds: `ids` requests, and one pending slot where
	 * that is above 0. Ordinary requests that would take them are refused (section 1).
	 */
	reserve(ids: number): void {
		if (this.#phase !== "over") this.#work.channels.reserve(ids);
	}

	/** Operations whose work has not settled. A layer waits for them, within its grace, before it calls {@link exited}. */
	get unsettled(): number {
		return this.#work.unsettled;
	}

	/** The component is gone, or could not be proven gone: the evidence decides (section 9). Later calls repeat the verdict. */
	exited(evidence: ExitEvidence): RunConclusion {
		if (this.#conclusion !== undefined) return this.#conclusion;
		this.#core.note({ type: "exited", evidence });
		this.#phase = "over";
		this.#core.stopReading();
		this.#core.out.close();
		this.#work.channels.close();
		this.#work.abandonAll();
		const conclusion = conclude(
			{
				violation: this.#violation,
				lost: this.#lost,
				condition: this.#condition,
				answer: this.#answer,
				ended: this.#ended,
				unsettled: this.#work.unsettled,
			},
			evidence,
		);
		this.#conclusion = conclusion;
		this.#core.note({ type: "concluded", conclusion });
		return conclusion;
	}

	#role(): Role {
		return {
			name: "host",
			usual: readRequest,
			silence: () => this.#silence(),
			request: (request, params) => this.#work.request(request, params, this.#condition === undefined),
			cancel: (requestId) => this.#work.cancel(requestId),
			response: (_, answer) => this.#responded(answer),
			inputEnded: () => {
				this.#ended = true;
				if (this.#phase !== "answered") this.#lose("Its stdout ended");
			},
			truncated: (message) => {
				this.#truncated = true;
				this.#core.fail("PROTOCOL_ERROR", message);
			},
			readFailed: (message) => this.#lose(`Reading from it failed: ${message}`),
			died: (failure) => {
				this.#violation = { message: failure.message, truncated: this.#truncated };
				this.#over("violation");
			},
			flushed: () => undefined,
			writeFailed: (message) => this.#writeFailed(message),
			wake: () => {
				if (this.#core.recorder.observed) this.#core.recorder.nested(() => this.#port.wake());
				else this.#port.wake();
			},
		};
	}

	#silence(): string | undefined {
		if (this.#phase === "running") return undefined;
		return this.#phase === "answered" ? "Output after the root response" : "Output before the root request";
	}

	#end(type: "cancel" | "expire", condition: Condition): void {
		if (this.#phase === "answered" || this.#phase === "over" || this.#condition !== undefined) return;
		this.#core.note({ type });
		this.#record(condition);
		if (this.#phase !== "running" || this.#request === undefined) {
			// Nothing was written, and nothing will be.
			this.#stop("stopped");
			return;
		}
		this.#core.out.cancel(this.#request);
		this.#work.stop();
	}

	#record(condition: Condition): void {
		this.#condition = condition;
		this.#core.note({ type: "condition", ...condition });
	}

	/** A root response: it fixes the request's decision, unless a condition was recorded before it (section 7). */
	#responded(answer: Answer): void {
		const pending = this.#core.pendingInbound;
		if (pending > 0) {
			this.#core.fail(
				"PROTOCOL_ERROR",
				`The component answered the root with ${pending} of its requests still pending.`,
			);
			return;
		}
		this.#phase = "answered";
		if (this.#condition === undefined) this.#answer = this.#accepted(answer);
		const decided = this.#answer;
		this.#core.note({
			type: "responded",
			...(decided === undefined
				? {}
				: "result" in decided
					? { outcome: decided.result.outcome }
					: { code: decided.failure.code }),
		});
		this.#work.abandonAll();
		const kind = "failure" in answer ? "failure" : "result";
		this.#core.recorder.nested(() => this.#port.responded(kind));
	}

	#accepted(answer: Answer): NonNullable<RunRecord["answer"]> {
		if ("failure" in answer) return answer;
		const result = answer.result as unknown as RunResult;
		const failure = this.#verdict(result);
		this.#core.note(failure === undefined ? { type: "verdict" } : { type: "verdict", failure });
		return failure === undefined ? { result } : { failure };
	}

	#verdict(result: RunResult): Failure | undefined {
		try {
			const failure = this.#core.recorder.nested(() => this.#port.accept(result));
			if (failure === undefined || isFailure(failure)) return failure;
		} catch {
			// As below: the acceptance itself is broken, and a result that was not checked is no success.
		}
		return { code: "EXECUTION_FAILED", message: "The host could not check the result." };
	}

	/** A pipe is gone. After the answer, the component's exit still decides (section 9). */
	#lose(why: string): void {
		this.#lost = why;
		if (this.#phase !== "answered") this.#stop("lost");
	}

	/**
	 * After the answer a component need not read; and after a recorded condition only the cancellation is left to write, and the
	 * answer that crosses it is still to be read.
	 */
	#writeFailed(message: string): void {
		if (this.#phase === "over") return;
		if (this.#phase === "answered" || this.#condition !== undefined) this.#core.out.close();
		else this.#lose(`Writing to it failed: ${message}`);
	}

	#stop(why: HostStop): void {
		this.#core.stopReading();
		this.#core.out.close();
		this.#over(why);
	}

	#over(why: HostStop): void {
		this.#phase = "over";
		this.#core.note({ type: "stopped", why });
		this.#work.channels.close();
		this.#work.abandonAll();
		this.#core.recorder.nested(() => this.#port.failed(why));
	}
}
