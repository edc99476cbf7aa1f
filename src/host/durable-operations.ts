import { canonicalText, type JsonValue, parseJson } from "../json/index.ts";
import { admitOutcome, type Operation, type OperationOutcome } from "../run/index.ts";
import type { DurableRun, Standing } from "./durable.ts";
import { failure } from "./failures.ts";
import type { Operations } from "./operations.ts";
import type { OperationIntent } from "./store.ts";
import type { HostEvent } from "./trace.ts";

export interface DurableContext {
	readonly durable: DurableRun;
	/** The operation ids that lead from the root Run to the one whose calls these are. */
	readonly scope: readonly string[];
	/** Does what is recorded. */
	readonly work: Operations;
	note(event: HostEvent): void;
	/** Calls `over` when the Run's grace for work that was asked to stop has passed; the answer cancels it. */
	grace(over: () => void): () => void;
}

/**
 * - `recording`: the store is asked to record the intent; nothing has started.
 * - `working`: dispatched.
 * - `recording-end`: the work has ended; the store is asked to record how.
 * - `recalling`: known from an earlier incarnation; nothing is started.
 */
type Step = "recording" | "working" | "recording-end" | "recalling";

interface Pending {
	readonly operation: Operation;
	/** The same call as the work below sees it: it settles here first. */
	readonly below: Operation;
	step: Step;
	abandoned: boolean;
}

const CANCELLED = failure("CANCELLED", "The call was cancelled before anything was started.");
const UNCERTAIN = failure("UNCERTAIN", "The call may have been dispatched, and what it came to can't be proven.");

/**
 * Owned work whose operations outlive the host (Run/1 section 6). Takes the place of {@link Operations} in front of a
 * session and puts the store around it, in this order:
 *
 * | step | then, where the store fails | where another host holds the key |
 * | --- | --- | --- |
 * | the intent is durable | `UNAVAILABLE`, not dispatched | the same, and the Run ends `OPERATION_KEY_SUPERSEDED` |
 * | dispatch, with the transfer of channel rights, in one synchronous step | | |
 * | the outcome is durable | `UNCERTAIN` | `UNCERTAIN`, and the Run ends `OPERATION_KEY_SUPERSEDED` |
 * | whoever waits is answered | | |
 *
 * An intent whose recording failed may be on record all the same: after a restart it is then `UNCERTAIN`, which is what an
 * intent without an outcome always is. A call that is cancelled while its intent is being recorded is not dispatched, and
 * is recorded as settled with `CANCELLED`.
 */
export class DurableOperations {
	readonly #context: DurableContext;
	readonly #pending = new Map<Operation, Pending>();
	#quiet: (() => void) | undefined;
	#doubt = false;
	#forsaken = false;

	constructor(context: DurableContext) {
		this.#context = context;
	}

	/** As {@link Operations.doubt}. */
	get doubt(): boolean {
		return this.#doubt || this.#context.work.doubt;
	}

	dispatch(operation: Operation): void {
		const { durable, scope } = this.#context;
		const standing = durable.find(scope, operation.call);
		if (standing.kind === "conflict") {
			this.#recalled(operation, "conflict");
			operation.conflict();
			return;
		}
		const pending: Pending = {
			operation,
			below: {
				call: operation.call,
				settle: (outcome) => void this.#ended(pending, outcome),
				conflict: () => void this.#ended(pending, failure("OPERATION_CONFLICT", "The operation id is in use.")),
			},
			step: standing.kind === "new" ? "recording" : "recalling",
			abandoned: false,
		};
		this.#pending.set(operation, pending);
		if (standing.kind === "new") void this.#begin(pending, standing.intent);
		else void this.#recall(pending, standing);
	}

	abandon(operation: Operation): void {
		const pending = this.#pending.get(operation);
		if (pending !== undefined) this.#abandon(pending);
	}

	abandonAll(): void {
		for (const pending of [...this.#pending.values()]) this.#abandon(pending);
	}

	get idle(): boolean {
		return this.#pending.size === 0;
	}

	/** Resolves when no work is left, and all that came of it is on record or given up. */
	quiet(): Promise<void> {
		if (this.idle) return Promise.resolve();
		return new Promise((resolve) => {
			this.#quiet = resolve;
		});
	}

	/** As {@link Operations.forsake}; a store that doesn't answer is given up like work that doesn't stop. */
	forsake(): void {
		this.#forsaken = true;
		this.#context.work.forsake();
		for (const pending of [...this.#pending.values()]) {
			if (pending.step !== "working") this.#giveUp(pending);
			else if (!this.#context.work.holds(pending.below)) this.#remove(pending);
		}
	}

	#abandon(pending: Pending): void {
		pending.abandoned = true;
		if (pending.step === "working") this.#context.work.abandon(pending.below);
	}

	/** Records the intent, then dispatches. Never rejects. */
	async #begin(pending: Pending, intent: OperationIntent): Promise<void> {
		let answer: "recorded" | "superseded" | "full" | "failed";
		try {
			answer = await this.#context.durable.begin(intent);
		} catch (error) {
			this.#unrecorded(pending, "begin", error);
			answer = "failed";
		}
		if (answer !== "recorded") {
			this.#answer(pending, notBegun(answer));
			return;
		}
		pending.step = "working";
		if (pending.abandoned) {
			await this.#ended(pending, CANCELLED);
			return;
		}
		try {
			this.#context.work.dispatch(pending.below);
		} catch {
			// As the session does it where nothing is recorded.
			await this.#ended(pending, failure("EXECUTION_FAILED", "The host could not start the work."));
		}
	}

	/** The work has ended: records how, then answers. Only the first end counts. Never rejects. */
	async #ended(pending: Pending, outcome: OperationOutcome): Promise<void> {
		if (pending.step !== "working") return;
		pending.step = "recording-end";
		const late = this.#forsaken && this.#holds(pending);
		const cancel = late ? this.#context.grace(() => this.#giveUp(pending)) : undefined;
		const end = admitOutcome(pending.operation.call, outcome);
		const recorded = await this.#record(pending, end);
		cancel?.();
		this.#answer(pending, recorded ? end : UNCERTAIN);
	}

	/** Answers a call that an earlier incarnation recorded. Never rejects. */
	async #recall(pending: Pending, standing: Exclude<Standing, { kind: "new" | "conflict" }>): Promise<void> {
		let outcome: OperationOutcome;
		if (standing.kind === "settled") {
			outcome = await this.#outcome(pending);
		} else {
			this.#recalled(pending.operation, "uncertain");
			// On record or not, the answer is the same at every restart.
			if (!standing.settled) await this.#record(pending, UNCERTAIN);
			outcome = UNCERTAIN;
		}
		this.#answer(pending, outcome);
	}

	async #outcome(pending: Pending): Promise<OperationOutcome> {
		const { durable, scope } = this.#context;
		const { call } = pending.operation;
		try {
			const text = await durable.outcome({ scope, operationId: call.operationId });
			if (text === undefined) {
				this.#recalled(pending.operation, "forgotten");
				return failure("RESOURCE_EXHAUSTED", "The operation has ended; the store doesn't keep its result.");
			}
			const outcome = parseJson(text) as unknown as OperationOutcome;
			const end = admitOutcome(call, outcome);
			if (canonicalText(end as unknown as JsonValue) !== text) throw new TypeError("It is no outcome of this call.");
			this.#recalled(pending.operation, "settled");
			return end;
		} catch (error) {
			// It has ended, but no trustworthy result can be proven (Run/1 section 7).
			this.#unrecorded(pending, "recall", error);
			return UNCERTAIN;
		}
	}

	/** Whether `outcome` is on record now. */
	async #record({ operation }: Pending, outcome: OperationOutcome): Promise<boolean> {
		const { durable, scope } = this.#context;
		try {
			const text = canonicalText(outcome as unknown as JsonValue);
			return (await durable.settle({ scope, operationId: operation.call.operationId }, text)) === "recorded";
		} catch (error) {
			this.#unrecorded({ operation }, "settle", error);
			return false;
		}
	}

	/** Answers whoever waits, unless the operation was given up. */
	#answer(pending: Pending, outcome: OperationOutcome): void {
		if (!this.#holds(pending)) return;
		if ("failure" in outcome && outcome.failure.code === "UNCERTAIN") this.#doubt = true;
		pending.operation.settle(outcome);
		this.#remove(pending);
	}

	#giveUp(pending: Pending): void {
		if (!this.#holds(pending)) return;
		// An intent that is still being recorded: whatever the store says, nothing will start.
		pending.abandoned = true;
		if (pending.step !== "recording") this.#doubt = true;
		const { operationId, slot } = pending.operation.call;
		this.#context.note({ type: "abandoned", operationId, slot });
		this.#remove(pending);
	}

	#holds(pending: Pending): boolean {
		return this.#pending.has(pending.operation);
	}

	#remove(pending: Pending): void {
		this.#pending.delete(pending.operation);
		if (this.idle) this.#quiet?.();
	}

	#recalled({ call }: Operation, status: "settled" | "forgotten" | "uncertain" | "conflict"): void {
		this.#context.note({ type: "operation-recalled", operationId: call.operationId, slot: call.slot, status });
	}

	#unrecorded({ operation }: Pick<Pending, "operation">, step: "begin" | "settle" | "recall", error: unknown): void {
		const { operationId, slot } = operation.call;
		this.#context.note({ type: "operation-unrecorded", operationId, slot, step, error });
	}
}

function notBegun(answer: "superseded" | "full" | "failed"): OperationOutcome {
	switch (answer) {
		case "full":
			return failure("RESOURCE_EXHAUSTED", "The store holds no more operations of this Run.");
		case "superseded":
			return failure("UNAVAILABLE", "Another host holds the key of this Run: nothing was started.");
		default:
			return failure("UNAVAILABLE", "The operation could not be recorded: nothing was started.");
	}
}
