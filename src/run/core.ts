/**
 * What both roles of a Run/1 channel share (sections 1 and 8): frames in and out, the two id spaces, the budgets, correlation,
 * cancellation, and the one way in which a channel dies. A role decides what requests and responses mean.
 */

import { quoteForDisplay } from "../display.ts";
import { JsonError, type JsonValue, parseJson } from "../json/index.ts";
import { decodeUtf8 } from "../web.ts";
import { type LocalCode, STANDARD_ERRORS } from "./codes.ts";
import { type Payload, responseFrame, standardError } from "./encode.ts";
import { type Envelope, EnvelopeReader, type RequestReader } from "./envelope.ts";
import { FrameReader, LF } from "./frames.ts";
import { UsedIds } from "./ids.ts";
import { RUN_LIMITS } from "./limits.ts";
import { classify, describe, type Message, type Reply } from "./messages.ts";
import { CANCEL_PARAMS, METHODS, type MethodRule, type RoleName } from "./methods.ts";
import type { LocalFailure } from "./ports.ts";
import { quoteBytes } from "./quote.ts";
import { Recorder } from "./recorder.ts";
import { type Outbound, Sender } from "./sender.ts";
import type { TraceDecision, TraceEvent, TraceInput } from "./trace.ts";

/** A request of the peer, until its answer is taken; without its params, so that a peer which never reads its answers holds no values here. */
export interface Inbound {
	readonly id: string;
	readonly method: string;
	readonly rule: MethodRule;
	/** Bytes of its frame. */
	readonly bytes: number;
	/** An answer is queued. */
	answered: boolean;
	/** What its role keeps with it. */
	work: unknown;
}

type Valid = Exclude<Message, { readonly kind: "invalid" }>;

/** A response that is correlated and has a valid shape for its method. */
export type Answer = Exclude<Reply, { readonly standard: number }>;

export interface Role {
	readonly name: RoleName;
	/** Reads the requests that come often, where some do. */
	readonly usual?: RequestReader;
	/** Why no byte may come from the peer now, or undefined. */
	silence(): string | undefined;
	/** A request with a fresh id and a method that the peer may send; its `params` are not checked yet. */
	request(request: Inbound, params: JsonValue | undefined): void;
	/** A well-formed `request/cancel` for `requestId`, whatever that names. */
	cancel(requestId: string): void;
	response(outbound: Outbound, answer: Answer): void;
	/** The stream ended on a frame boundary. */
	inputEnded(): void;
	/** The stream ended inside a frame: a `PROTOCOL_ERROR`, unless the peer was killed meanwhile. */
	truncated(message: string): void;
	readFailed(message: string): void;
	/** The channel died; `diagnostic`: a last frame is queued. */
	died(failure: LocalFailure, diagnostic: boolean): void;
	/** All taken frames are flushed. */
	flushed(): void;
	writeFailed(message: string): void;
	wake(): void;
}

export class SessionCore {
	readonly recorder: Recorder;
	readonly #role: Role;
	readonly #reader = new FrameReader();
	readonly #envelopes: EnvelopeReader;
	/** Our own half. */
	readonly out: Sender;
	readonly #seen = new UsedIds();
	/** Requests of the peer whose answer's write has not begun. */
	readonly #inbound = new Map<string, Inbound>();
	#reading = true;
	#dead = false;
	#busy = false;
	readonly #inputs: (() => void)[] = [];

	constructor(role: Role, port: { trace?(event: TraceEvent): void }) {
		this.#role = role;
		this.#envelopes = new EnvelopeReader(role.usual);
		this.recorder = new Recorder(port);
		this.out = new Sender(role.name, this.recorder, () => role.wake());
	}

	note(event: TraceInput | TraceDecision): void {
		this.recorder.note(event);
	}

	/** Requests of the peer that are not answered yet; one is answered when its response's write begins. */
	get pendingInbound(): number {
		return this.#inbound.size;
	}

	/** Requests that the peer has originated so far, whatever became of them. */
	get requests(): number {
		return this.#seen.size;
	}

	get dead(): boolean {
		return this.#dead;
	}

	/** The pending inbound request with this id. */
	inbound(id: string): Inbound | undefined {
		return this.#inbound.get(id);
	}

	// Input ------------------------------------------------------------------------------------------------------------

	receive(chunk: Uint8Array): void {
		this.#input(() => {
			this.note({ type: "chunk", bytes: chunk });
			this.#reader.push(chunk);
			while (this.#reading && this.#reader.buffered > 0) {
				const run = this.#reader.nextRun();
				if (run !== undefined) {
					this.#run(run);
					continue;
				}
				const frame = this.#reader.next();
				if (frame === undefined) break;
				this.#frame(frame);
			}
			if (!this.#reading) return;
			if (this.#reader.oversized) {
				this.fail("PROTOCOL_ERROR", `A frame of more than ${RUN_LIMITS.frameBytes} bytes.`);
			} else if (this.#reader.buffered > 0) this.#refuseSilence();
		});
	}

	inputEnded(): void {
		this.#input(() => {
			this.note({ type: "input-ended" });
			this.#reading = false;
			const { buffered } = this.#reader;
			if (buffered > 0) {
				const start = quoteBytes(this.#reader.peek(64));
				this.#reader.clear();
				this.#role.truncated(`The stream ended inside a frame, ${buffered} bytes after its start: ${start}.`);
			} else this.#role.inputEnded();
		});
	}

	readFailed(error: unknown): void {
		this.#input(() => {
			const message = messageOf(error);
			this.note({ type: "read-failed", message });
			this.#reading = false;
			this.#reader.clear();
			this.#role.readFailed(message);
		});
	}

	/** Runs one input to its end before the next begins, also when a layer feeds the next from inside a callback. */
	#input(handle: () => void): void {
		if (!this.#reading) return;
		this.#inputs.push(handle);
		if (this.#busy) return;
		this.#busy = true;
		try {
			for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
				if (this.#reading) next();
			}
		} finally {
			this.#busy = false;
		}
	}

	/** Nothing that comes from now on is read. */
	stopReading(): void {
		this.#reading = false;
		this.#reader.clear();
	}

	#refuseSilence(frame?: Uint8Array): boolean {
		const why = this.#role.silence();
		if (why === undefined) return false;
		this.fail("PROTOCOL_ERROR", `${why}: ${quoteBytes(frame ?? this.#reader.peek(64))}.`);
		return true;
	}

	/** Several frames, decoded together: the same as one after the other, since no sequence of UTF-8 goes over an LF. */
	#run(bytes: Uint8Array): void {
		let text: string | undefined;
		try {
			text = decodeUtf8(bytes);
		} catch {
			// One of them is no UTF-8; those before it still count.
		}
		for (let at = 0, textAt = 0; this.#reading && at < bytes.length; ) {
			// Where all is ASCII, places in the text are places in the bytes.
			const textEnd = text === undefined ? 0 : text.indexOf("\n", textAt);
			const end = text?.length === bytes.length ? textEnd : bytes.indexOf(LF, at);
			const message = text === undefined ? undefined : this.#envelopes.read(text, textAt, textEnd);
			if (message === undefined) this.#frame(bytes.subarray(at, end), text?.slice(textAt, textEnd));
			else this.#known(message, bytes, at, end);
			at = end + 1;
			textAt = textEnd + 1;
		}
	}

	/** A frame that was read on the fast way. */
	#known(message: Envelope, bytes: Uint8Array, start: number, end: number): void {
		if (this.recorder.observed) this.note({ type: "received", frame: bytes.subarray(start, end) });
		const why = this.#role.silence();
		if (why !== undefined) this.#refuseSilence(bytes.subarray(start, end));
		else if (message.kind === "request") {
			this.#request(message.id, message.method, message.params, end - start, message.checked);
		} else this.#response(message.id, message.reply, message.checked);
	}

	/** `text`: the frame, where it was decoded already. */
	#frame(frame: Uint8Array, text?: string): void {
		this.note({ type: "received", frame });
		if (this.#refuseSilence(frame)) return;
		let value: JsonValue;
		try {
			value = parseJson(text ?? frame);
		} catch (error) {
			this.#unreadable(frame, error);
			return;
		}
		const message = classify(value);
		if (message.kind === "invalid") {
			const answer = standardError(STANDARD_ERRORS.invalidRequest, `Received ${message.message}.`);
			const found = `Received ${message.message}: ${quoteBytes(frame)}.`;
			// An id that was used before names another request: an answer to it would be that one's, or its second.
			const id = message.id === null || this.#seen.has(message.id) ? null : message.id;
			this.fail("PROTOCOL_ERROR", found, message.answer ? responseFrame(id, answer) : undefined);
		} else this.#message(message, frame.length);
	}

	#message(message: Valid, bytes: number): void {
		switch (message.kind) {
			case "request":
				this.#request(message.id, message.method, message.params, bytes);
				return;
			case "response":
				this.#response(message.id, message.reply);
				return;
			case "notification":
				this.#notification(message.method, message.params);
		}
	}

	#unreadable(frame: Uint8Array, error: unknown): void {
		if (!(error instanceof JsonError)) throw error;
		const text = `A frame that is no JSON/1 document (${error.message}) It starts ${quoteBytes(frame)}.`;
		// Only a frame of valid UTF-8 is answered.
		if (error.code === "JSON_UTF8") this.fail("PROTOCOL_ERROR", text);
		else {
			const answer = standardError(STANDARD_ERRORS.parse, `Not a JSON/1 document: ${error.message}`);
			this.fail("PROTOCOL_ERROR", text, responseFrame(null, answer));
		}
	}

	#notification(method: string, params: JsonValue | undefined): void {
		if (method !== "request/cancel") {
			this.note({ type: "ignored", reason: "a notification other than request/cancel" });
			return;
		}
		const fault = params === undefined ? { path: [], message: "are absent" } : CANCEL_PARAMS(params);
		// The sender can't assume that it cancelled anything, and no answer may tell it so: of all notifications, section 8
		// singles this one out of the state table's rule to ignore them.
		if (fault !== undefined) this.fail("PROTOCOL_ERROR", `A request/cancel whose params${describe(fault)}.`);
		else this.#role.cancel((params as { readonly requestId: string }).requestId);
	}

	/** `checked`: the params are known to be valid. */
	#request(id: string, method: string, params: JsonValue | undefined, bytes: number, checked = false): void {
		if (this.#seen.has(id)) {
			this.fail("PROTOCOL_ERROR", `The request id ${JSON.stringify(id)} was used before.`);
			return;
		}
		if (this.#seen.size >= RUN_LIMITS.lifetimeRequests) {
			this.fail("PROTOCOL_ERROR", `More than ${RUN_LIMITS.lifetimeRequests} requests on one channel.`);
			return;
		}
		this.#seen.add(id);
		const rule = METHODS.get(method);
		if (rule === undefined || rule.from === this.#role.name) {
			const unknown: Inbound = { id, method, rule: NO_RULE, bytes, answered: false, work: undefined };
			this.#inbound.set(id, unknown);
			this.refuse(
				unknown,
				STANDARD_ERRORS.methodNotFound,
				`No method ${quoteForDisplay(method, 64)} in this direction.`,
			);
			return;
		}
		const request: Inbound = { id, method, rule: checked ? CHECKED : rule, bytes, answered: false, work: undefined };
		this.#inbound.set(id, request);
		this.#role.request(request, params);
	}

	/** `checked`: the method for which the result is known to be valid. */
	#response(id: string | null, reply: Reply, checked?: string): void {
		const outbound = id === null ? undefined : this.out.find(id);
		if ("standard" in reply) {
			const whom = outbound === undefined ? "" : ` to ${outbound.call.method}`;
			this.fail(
				"PROTOCOL_ERROR",
				`The peer answered ${reply.standard}${whom}: ${quoteForDisplay(reply.message, RUN_LIMITS.messageScalars)}.`,
			);
			return;
		}
		if (id === null || outbound === undefined) {
			this.fail("PROTOCOL_ERROR", `A response to ${JSON.stringify(id)}, which is no pending request.`);
			return;
		}
		if ("result" in reply && outbound.call.method !== checked) {
			const fault = METHODS.get(outbound.call.method)!.result(reply.result);
			if (fault !== undefined) {
				this.fail("PROTOCOL_ERROR", `A result of ${outbound.call.method} that${describe(fault)}.`);
				return;
			}
		}
		this.out.settle(outbound);
		this.#role.response(outbound, reply);
	}

	// Answers ----------------------------------------------------------------------------------------------------------

	/** Queues the answer to a request, once; the request counts as answered when its write begins. */
	answer(request: Inbound, payload: Payload): void {
		if (request.answered) return;
		request.answered = true;
		this.out.respond(request, payload, this.#answered);
	}

	readonly #answered = (request: Inbound): void => {
		this.#inbound.delete(request.id);
	};

	/** Answers a request with a standard error. */
	refuse(request: Inbound, code: number, message: string): void {
		this.note({ type: "refused", requestId: request.id, code });
		this.answer(request, standardError(code, message));
	}

	/** Checks a request's params; answers `-32602` and returns false when they are invalid. */
	checkParams(request: Inbound, params: JsonValue | undefined): boolean {
		const fault = paramsFault(request, params);
		if (fault === undefined) return true;
		this.refuse(request, STANDARD_ERRORS.invalidParams, fault);
		return false;
	}

	written(): void {
		this.note({ type: "written" });
		this.#role.flushed();
	}

	writeFailed(error: unknown): void {
		const message = messageOf(error);
		this.note({ type: "write-failed", message });
		this.#role.writeFailed(message);
	}

	// End --------------------------------------------------------------------------------------------------------------

	/**
	 * The channel dies: reading stops, queued writes are suppressed, only `diagnostic` may still leave. The role settles what
	 * is pending. Once; later faults change nothing.
	 */
	fail(code: LocalCode, message: string, diagnostic?: string): void {
		if (this.#dead) return;
		this.#dead = true;
		this.stopReading();
		this.#inbound.clear();
		this.note({ type: "fatal", code, message });
		const diagnosed = this.out.close(diagnostic);
		this.#role.died({ code, message }, diagnosed);
	}
}

/** Stands in for the rule of a method that is answered `-32601`. */
const NO_RULE: MethodRule = { from: "host", params: () => undefined, result: () => undefined };

/** Stands in for the rule of a method whose params were checked. */
const CHECKED: MethodRule = { from: "component", params: () => undefined, result: () => undefined };

/** The sentence that says what is wrong with a request's params, or undefined. */
export function paramsFault({ method, rule }: Inbound, params: JsonValue | undefined): string | undefined {
	if (params === undefined) return `The params of ${method} are absent.`;
	const fault = rule.params(params);
	return fault === undefined ? undefined : `The params of ${method}${describe(fault)}.`;
}

/** One line about a failure of the layer below, whatever it threw. */
function messageOf(error: unknown): string {
	if (error === undefined || error === null) return "no reason given";
	try {
		return error instanceof Error ? error.message : String(error);
	} catch {
		return "an error that can't be shown";
	}
}
