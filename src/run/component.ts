/** The component's role machine: one root Run from its request to its flushed terminal (Run/1 sections 3 to 9). */

import type { JsonValue } from "../json/index.ts";
import { admitOperation, rootTerminal, type Terminal } from "./admission.ts";
import { isEmpty, readRoot } from "./calls.ts";
import { STANDARD_ERRORS } from "./codes.ts";
import { type Answer, type Inbound, paramsFault, type Role, SessionCore } from "./core.ts";
import { operationalError, type Payload, responseFrame, standardError } from "./encode.ts";
import { CallRefused, InvalidMessage } from "./errors.ts";
import { Exchanges } from "./exchanges.ts";
import { describe, pointerOf } from "./messages.ts";
import type {
	CapabilityCall,
	ChannelRequest,
	ChildCall,
	ComponentEnd,
	ComponentPort,
	Failure,
	LocalFailure,
	RunResult,
	Session,
	Settlement,
} from "./ports.ts";
import type { Outbound } from "./sender.ts";
import { CANCELLED, type Wait, Waits } from "./waits.ts";

/**
 * - `waiting`: no root yet.
 * - `running`: the handler works.
 * - `settling`: it ended; its remaining calls are cancelled and their responses awaited.
 * - `ready`: the terminal waits to be written.
 * - `refusing`: the root was invalid; its `-32602` answer waits to be written.
 * - `published`: its write has begun; what comes in is no longer read.
 * - `over`
 */
type Phase = "waiting" | "running" | "settling" | "ready" | "refusing" | "published" | "over";

/** One call, until its response: when the caller has its answer, the entry stays as a tombstone. */
interface Pending {
	readonly wait: Wait;
	/** The endpoints that it maps. */
	readonly channels: Readonly<Record<string, string>>;
}

/** The component's side of one Run/1 channel. */
export class ComponentSession implements Session {
	readonly #port: ComponentPort;
	readonly #core: SessionCore;
	readonly #waits: Waits;
	readonly #calls = new Map<Outbound, Pending>();
	readonly #exchanges: Exchanges;
	#phase: Phase = "waiting";
	#rootId: string | undefined;
	#cancelled = false;
	#terminal: Payload = "";
	#succeeds = false;
	#ended: ComponentEnd | undefined;

	constructor(port: ComponentPort) {
		this.#port = port;
		this.#core = new SessionCore(this.#role(), port);
		this.#waits = new Waits(this.#core.recorder);
		this.#exchanges = new Exchanges(this.#core, this.#waits, {
			admits: () => this.#admits,
			settles: () => (this.#phase === "running" || this.#phase === "settling") && !this.#core.dead,
			changed: () => this.#whenQuiescent(),
		});
		this.#core.note({ type: "opened", role: "component" });
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

	/**
	 * Admits a call, with a snapshot of its values; `settle` is called exactly once, later or within `cancel`.
	 *
	 * Throws {@link InvalidMessage} for arguments that make no valid frame, and for mapped endpoints that this Run doesn't hold,
	 * has used, or maps twice; else {@link CallRefused}: `OWNER_CLOSED` when the root doesn't admit calls (not started,
	 * cancelled, or its handler has ended), `RESOURCE_EXHAUSTED` at 64 pending calls (cancelled ones count until their
	 * response) or 65,536 in all, less what endpoints need for their settlement. Nothing was queued then.
	 */
	call(call: ChildCall | CapabilityCall, settle: (settlement: Settlement) => void): { cancel(): void } {
		const { request, snapshot } = admitOperation(call, this.#core.out.nextId);
		const { channels } = snapshot;
		const { table } = this.#exchanges;
		const maps = !isEmpty(channels);
		const fault = maps ? table.offerFault(channels) : undefined;
		if (fault !== undefined) {
			throw new InvalidMessage(pointerOf(fault), `Invalid params of ${request.method}:${describe(fault)}.`);
		}
		if (!this.#admits) throw new CallRefused("OWNER_CLOSED", "The Run no longer admits calls.");
		const refusal = this.#core.out.refusal();
		if (refusal !== undefined) throw new CallRefused("RESOURCE_EXHAUSTED", refusal);
		const wait = this.#waits.open(settle);
		const pending: Pending = { wait, channels };
		if (this.#core.recorder.observed) this.#core.note({ type: "call", serial: wait.serial, call: snapshot });
		if (maps) table.offer(channels, 1);
		const outbound = this.#core.out.request(request);
		this.#calls.set(outbound, pending);
		return { cancel: () => this.#cancelCall(outbound, pending) };
	}

	/**
	 * Admits a channel request (section 5.1), with a snapshot of its value; `settle` is called exactly once, also from inside
	 * this call: with `{ value }`, the method's result, or `{ failure }`.
	 *
	 * Throws as {@link call} does; {@link InvalidMessage} also for an endpoint that this Run doesn't hold in that direction,
	 * for a second pending read, and for a read of a receiver that has ended or was disposed. The first close or release of an
	 * endpoint has its reserve: it is admitted until the terminal is ready, and written before ordinary frames. One that is
	 * under way is joined; a known outcome is repeated without a request. A release also awaits the read before it.
	 *
	 * `cancel` ends the wait with `CANCELLED` at once. A read that is cancelled disposes its receiver, a creation or a
	 * subscription what is still granted for it (if that fails, the Run ends `UNCERTAIN`), a close or a release nothing: it
	 * goes on. What this starts is awaited before the terminal.
	 */
	channel(request: ChannelRequest, settle: (settlement: Settlement) => void): { cancel(): void } {
		return this.#exchanges.begin(request, settle);
	}

	get #admits(): boolean {
		return this.#phase === "running" && !this.#cancelled && !this.#core.dead;
	}

	/**
	 * The handler has ended. Closes admission, records whether it abandoned live requests or unfinished receivers, cancels the
	 * former, and queues the terminal when every response has come. Abandonment turns a result into `EXECUTION_FAILED`
	 * (section 9); root cancellation, up to the moment of publication, turns anything into `CANCELLED` (section 7).
	 */
	finish(end: RunResult | { readonly failure: Failure }): void {
		if (this.#phase !== "running" || this.#core.dead || this.#rootId === undefined) return;
		const terminal = rootTerminal(end, this.#rootId);
		this.#core.note({ type: "finish", end: terminal.end });
		this.#judge(terminal);
		this.#phase = "settling";
		this.#cancelCalls();
		this.#exchanges.cancelAll(false);
		this.#whenQuiescent();
	}

	#judge(terminal: Terminal<unknown>): void {
		this.#terminal = terminal.payload;
		this.#succeeds = terminal.code === undefined;
		const calls = [...this.#calls.values()].filter(({ wait }) => wait.settle !== undefined).length;
		const live = calls + this.#exchanges.live;
		if (live > 0) this.#unsuccessful(`The handler returned with ${live} of its calls still live.`);
		this.#judgeReceivers("The handler returned with");
	}

	/** Twice: when the handler ends, and when what was started by then has settled, in case a disposal has failed. */
	#judgeReceivers(when: string): void {
		const { abandoned } = this.#exchanges.table;
		if (abandoned > 0) this.#unsuccessful(`${when} ${abandoned} of its channel receivers unfinished.`);
	}

	#unsuccessful(message: string): void {
		if (!this.#succeeds) return;
		this.#succeeds = false;
		this.#terminal = operationalError("EXECUTION_FAILED", message);
	}

	#role(): Role {
		return {
			name: "component",
			silence: () => undefined,
			request: (request, params) => this.#request(request, params),
			cancel: (requestId) => this.#cancelRoot(requestId),
			response: (outbound, answer) => this.#response(outbound, answer),
			inputEnded: () => this.#core.fail("CHANNEL_LOST", "The host closed the channel before the Run ended."),
			truncated: (message) => this.#core.fail("PROTOCOL_ERROR", message),
			readFailed: (message) => this.#core.fail("CHANNEL_LOST", `Reading from the host failed: ${message}`),
			died: (failure, diagnosed) => this.#died(failure, diagnosed),
			flushed: () => this.#flushed(),
			writeFailed: (message) => this.#writeFailed(message),
			wake: () => {
				if (this.#core.recorder.observed) this.#core.recorder.nested(() => this.#port.wake());
				else this.#port.wake();
			},
		};
	}

	#request(request: Inbound, params: JsonValue | undefined): void {
		// The one method a host may send: its second use is a violation whatever its params (section 1, state table).
		if (this.#rootId !== undefined) {
			const answer = standardError(STANDARD_ERRORS.invalidRequest, "A channel has one flow/run.");
			this.#core.fail("PROTOCOL_ERROR", "The host sent a second flow/run.", responseFrame(request.id, answer));
			return;
		}
		this.#rootId = request.id;
		const fault = paramsFault(request, params);
		if (fault !== undefined) {
			this.#core.note({ type: "refused", requestId: request.id, code: STANDARD_ERRORS.invalidParams });
			this.#terminal = standardError(STANDARD_ERRORS.invalidParams, fault);
			this.#ready("refusing");
			return;
		}
		this.#phase = "running";
		const invocation = readRoot(params as Parameters<typeof readRoot>[0]);
		this.#exchanges.table.granted(invocation.channels);
		this.#core.note({ type: "started" });
		this.#core.recorder.nested(() => this.#port.start(invocation));
	}

	#cancelRoot(requestId: string): void {
		const open = this.#phase === "running" || this.#phase === "settling" || this.#phase === "ready";
		if (requestId !== this.#rootId || !open || this.#cancelled) {
			this.#core.note({ type: "ignored", reason: "a cancellation of nothing that is pending" });
			return;
		}
		this.#cancelled = true;
		this.#core.note({ type: "condition", code: "CANCELLED", message: "The host cancelled the Run." });
		this.#core.recorder.nested(() => this.#port.cancelled());
		this.#cancelCalls();
		this.#exchanges.cancelAll(true);
	}

	#response(outbound: Outbound, answer: Answer): void {
		const pending = this.#calls.get(outbound);
		this.#calls.delete(outbound);
		if (pending !== undefined) this.#waits.settle(pending.wait, settlementOf(outbound, answer));
		else this.#exchanges.answer(outbound, answer);
		this.#whenQuiescent();
	}

	#cancelCall(outbound: Outbound, pending: Pending): void {
		if (pending.wait.settle === undefined) return;
		this.#core.note({ type: "cancel-call", serial: pending.wait.serial });
		this.#cancel(outbound, pending);
		this.#whenQuiescent();
	}

	#cancelCalls(): void {
		for (const [outbound, pending] of [...this.#calls]) {
			if (pending.wait.settle !== undefined) this.#cancel(outbound, pending);
		}
	}

	/** The caller has its answer at once; on the wire the request is dropped, or cancelled and awaited. */
	#cancel(outbound: Outbound, pending: Pending): void {
		if (this.#core.out.cancel(outbound)) {
			this.#calls.delete(outbound);
			this.#exchanges.table.offer(pending.channels, -1);
		}
		this.#waits.settle(pending.wait, CANCELLED);
	}

	#whenQuiescent(): void {
		if (this.#phase !== "settling" || this.#core.dead || this.#calls.size + this.#exchanges.pending > 0) return;
		this.#judgeReceivers("The Run could not dispose");
		if (this.#exchanges.uncertain) {
			const message = "A channel that was granted to a cancelled wait could not be disposed.";
			this.#terminal = operationalError("UNCERTAIN", message);
		}
		this.#ready("ready");
	}

	#ready(phase: "ready" | "refusing"): void {
		this.#phase = phase;
		this.#core.note({ type: "ready" });
		this.#core.out.terminal(() => this.#publish());
	}

	/** The claim of publication: from here on nothing that comes in counts (section 9). */
	#publish(): string {
		this.#phase = "published";
		this.#core.stopReading();
		this.#core.out.close();
		const payload = this.#cancelled ? operationalError("CANCELLED", "The Run was cancelled.") : this.#terminal;
		return responseFrame(this.#rootId ?? null, payload);
	}

	#flushed(): void {
		if (this.#phase === "published") this.#close({ kind: "finished" });
		else if (this.#ended !== undefined && this.#core.out.queued === 0) this.#close(this.#ended);
	}

	#writeFailed(message: string): void {
		const text = `Writing to the host failed: ${message}`;
		if (this.#phase === "published") this.#close({ kind: "fatal", code: "CHANNEL_LOST", message: text });
		else if (this.#ended !== undefined) this.#close(this.#ended);
		else this.#core.fail("CHANNEL_LOST", text);
	}

	#died(failure: LocalFailure, diagnosed: boolean): void {
		this.#ended = { kind: "fatal", ...failure };
		const calls = [...this.#calls.values()];
		this.#calls.clear();
		for (const pending of calls) this.#waits.settle(pending.wait, { failure });
		this.#exchanges.fail(failure);
		if (!diagnosed) this.#close(this.#ended);
	}

	#close(end: ComponentEnd): void {
		if (this.#phase === "over") return;
		this.#phase = "over";
		this.#core.stopReading();
		this.#core.out.close();
		this.#core.note({ type: "closed", end });
		this.#core.recorder.nested(() => this.#port.closed(end));
	}
}

function settlementOf(outbound: Outbound, answer: Answer): Settlement {
	if ("failure" in answer) return { failure: answer.failure };
	if (outbound.call.method === "flow/run-child") return { value: answer.result };
	const { value, error } = answer.result as { readonly value?: JsonValue; readonly error?: DeclaredError };
	return value === undefined ? { declared: error! } : { value };
}

type DeclaredError = { readonly name: string; readonly data: JsonValue };
