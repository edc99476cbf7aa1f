/** The work a component owns through its host: operations, the requests that wait for them, and their end (Run/1 sections 4 to 8). */

import type { JsonObject, JsonValue } from "../json/index.ts";
import { operationTerminal } from "./admission.ts";
import { isEmpty, readCall } from "./calls.ts";
import type { WireCode } from "./codes.ts";
import type { Inbound, SessionCore } from "./core.ts";
import { operationalError } from "./encode.ts";
import { type Entry, NOBODY, OperationLedger } from "./ledger.ts";
import { type HostSessionLimits, RUN_LIMITS } from "./limits.ts";
import type { HostPort, Operation, OperationOutcome } from "./ports.ts";
import { isSettlement, ServedChannels } from "./served.ts";

const CONFLICT = "The operation id was used for another call.";
const NO_CHANNELS = "This host has no channels.";

export class OwnedWork {
	readonly #core: SessionCore;
	readonly #port: HostPort;
	readonly #ledger: OperationLedger;
	readonly channels: ServedChannels;
	/** Operations whose work runs. */
	readonly #operations = new Map<Entry, Operation>();

	constructor(core: SessionCore, port: HostPort, limits: HostSessionLimits) {
		this.#core = core;
		this.#port = port;
		this.#ledger = new OperationLedger(limits.retainedBytes);
		this.channels = new ServedChannels(core, port);
	}

	/** Operations whose work has not settled. */
	get unsettled(): number {
		return this.#ledger.unsettled;
	}

	/** A request of the component. `admitting`: the root still admits owned work. */
	request(request: Inbound, params: JsonValue | undefined, admitting: boolean): void {
		if (!this.#core.checkParams(request, params)) return;
		const { method } = request;
		const settlement = isSettlement(method);
		if (!admitting && !settlement) {
			this.#refuse(request, "OWNER_CLOSED", "The Run no longer admits owned work.");
			return;
		}
		if (this.#core.pendingInbound > RUN_LIMITS.pendingRequests) {
			this.#refuse(request, "RESOURCE_EXHAUSTED", `More than ${RUN_LIMITS.pendingRequests} requests are pending.`);
			return;
		}
		const refusal = settlement ? undefined : this.channels.refusal(method, params!);
		if (refusal !== undefined) this.#refuse(request, "RESOURCE_EXHAUSTED", refusal);
		else if (method === "flow/run-child" || method === "capability/call")
			this.#operation(request, params as JsonObject);
		else if (this.channels.served) this.channels.request(request, params as JsonObject);
		else this.#refuse(request, "UNAVAILABLE", NO_CHANNELS);
	}

	#operation(request: Inbound, params: JsonObject): void {
		const call = readCall(request.method, params);
		if (!this.channels.served && !isEmpty(call.channels)) {
			this.#refuse(request, "UNAVAILABLE", NO_CHANNELS);
			return;
		}
		const found = this.#ledger.find(request.method, params, request.bytes);
		if (found.kind === "conflict") {
			this.#refuse(request, "OPERATION_CONFLICT", CONFLICT);
			return;
		}
		if (found.kind === "full") {
			this.#refuse(request, "RESOURCE_EXHAUSTED", "The host holds no more calls of this Run.");
			return;
		}
		if (found.kind === "forgotten") {
			this.#refuse(request, "RESOURCE_EXHAUSTED", "The operation has ended; the host no longer keeps its result.");
			return;
		}
		const { entry } = found;
		if (this.#core.recorder.observed) {
			const type = found.kind === "new" ? "dispatched" : found.kind;
			this.#core.note({ type, operationId: entry.operationId, requestId: request.id });
		}
		if (entry.payload !== undefined) {
			this.#core.answer(request, entry.payload);
			return;
		}
		entry.waiters = entry.waiters.length === 0 ? [request] : [...entry.waiters, request];
		request.work = entry;
		if (found.kind === "new") this.#dispatch(entry, call);
	}

	#dispatch(entry: Entry, call: Operation["call"]): void {
		const operation: Operation = {
			call,
			settle: (outcome) => this.#settle(entry, outcome),
			conflict: () => this.#conflict(entry),
		};
		this.#operations.set(entry, operation);
		try {
			if (this.#core.recorder.observed) this.#core.recorder.nested(() => this.#port.dispatch(operation));
			else this.#port.dispatch(operation);
		} catch {
			const failure = { code: "EXECUTION_FAILED", message: "The host could not start the work." } as const;
			this.#settle(entry, { failure });
		}
	}

	/** The atomic decision of one operation: whoever waits gets it now, whoever repeats the call gets it later. */
	#settle(entry: Entry, outcome: OperationOutcome): void {
		if (!this.#operations.delete(entry)) return;
		const terminal = operationTerminal(entry.method, outcome);
		const { code, payload } = terminal;
		const { operationId } = entry;
		const { observed } = this.#core.recorder;
		if (observed) this.#core.note({ type: "settle", operationId, outcome: terminal.end });
		this.#ledger.settle(entry, payload);
		if (observed) this.#core.note({ type: "decided", operationId, ...(code === undefined ? {} : { code }) });
		const { waiters } = entry;
		entry.waiters = NOBODY;
		for (const request of waiters) this.#core.answer(request, payload);
	}

	/** The id belongs to a call from before this session: the waiters are refused, and this call leaves nothing behind. */
	#conflict(entry: Entry): void {
		if (!this.#operations.delete(entry)) return;
		this.#core.note({ type: "conflict", operationId: entry.operationId });
		this.#ledger.forget(entry);
		const { waiters } = entry;
		entry.waiters = NOBODY;
		for (const request of waiters) {
			// Where the channel has died, nobody is answered.
			if (this.#core.inbound(request.id) === request) this.#refuse(request, "OPERATION_CONFLICT", CONFLICT);
		}
	}

	/**
	 * `request/cancel`: settles one waiter of an operation, whose work is asked to stop when no other is left (section 6); a
	 * channel request is settled by the layer.
	 */
	cancel(requestId: string): void {
		if (this.channels.cancel(requestId)) return;
		const request = this.#core.inbound(requestId);
		const entry = request?.work as Entry | undefined;
		if (entry === undefined || request === undefined || !entry.waiters.includes(request)) {
			this.#core.note({ type: "ignored", reason: "a cancellation of nothing that is pending" });
			return;
		}
		entry.waiters = entry.waiters.filter((waiter) => waiter !== request);
		this.#core.note({ type: "detached", operationId: entry.operationId, requestId });
		this.#core.answer(request, operationalError("CANCELLED", "The call was cancelled."));
		if (entry.waiters.length === 0) this.#abandon(entry);
	}

	/** The Run is ending: asks all work that runs, and all that waits at a channel, to stop. */
	stop(): void {
		this.abandonAll();
		this.channels.cancelAll();
	}

	/** Asks all work that runs to stop. */
	abandonAll(): void {
		for (const entry of [...this.#operations.keys()]) this.#abandon(entry);
	}

	#abandon(entry: Entry): void {
		const operation = this.#operations.get(entry);
		if (operation === undefined || entry.abandoned) return;
		entry.abandoned = true;
		this.#core.note({ type: "abandoned", operationId: entry.operationId });
		this.#core.recorder.nested(() => this.#port.abandon(operation));
	}

	#refuse(request: Inbound, code: WireCode, message: string): void {
		this.#core.note({ type: "refused", requestId: request.id, code });
		this.#core.answer(request, operationalError(code, message));
	}
}
