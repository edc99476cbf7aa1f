/**
 * What happened in a Run as a sequence of messages between its participants, taken from its trace. It shows the protocol's
 * words, names and codes, and none of the values.
 */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/index.ts";
import type { ChannelEvent, TraceEvent } from "../../run/index.ts";
import type { HostEvent, RunEvent } from "../trace.ts";
import { describeRequest, describeResult } from "./words.ts";

/** Who takes part: the host, every invocation, and every function or provider of the host's program that was called. */
export interface SequenceParticipant {
	/** `host`, the package's name, or the slot; with the operation id of a child. */
	readonly label: string;
}

/** One arrow, or a note where `from` and `to` are the same participant. Both are indices into `participants`. */
export interface SequenceMessage {
	/** Milliseconds since the root Run was asked for. */
	readonly atMs: number;
	readonly from: number;
	readonly to: number;
	readonly kind: "request" | "response" | "failure" | "note";
	readonly label: string;
}

export interface SequenceDiagram {
	readonly participants: readonly SequenceParticipant[];
	readonly messages: readonly SequenceMessage[];
	/** Messages left out because there were more than `limit`. */
	readonly omitted: number;
}

/** Messages of a diagram that names no limit. */
const DEFAULT_LIMIT = 1_000;

/**
 * Makes the diagram of a trace, as `readTrace` or an `onTrace` observer gives its events, in their order. The first `limit`
 * messages (1,000 by default) are kept, and the rest counted.
 */
export function sequenceOf(events: Iterable<RunEvent>, options: { readonly limit?: number } = {}): SequenceDiagram {
	const maker = new DiagramMaker(options.limit ?? DEFAULT_LIMIT);
	for (const event of events) maker.add(event);
	return { participants: maker.participants, messages: maker.messages, omitted: maker.omitted };
}

const HOST = 0;

class DiagramMaker {
	readonly participants: { label: string }[] = [{ label: "host" }];
	readonly messages: SequenceMessage[] = [];
	omitted = 0;
	readonly #limit: number;
	readonly #lanes = new Map<string, number>();
	/** Methods of requests under way, by session, sender and request id. */
	readonly #requests = new Map<string, string>();
	/** Lanes of functions and providers at work, by session and operation id. */
	readonly #programs = new Map<string, number>();
	/** The same by the names that channel events call them. */
	readonly #holders = new Map<string, number>();
	/** Who holds an endpoint that was moved, and a source's sender, by these names. */
	readonly #held = new Map<string, string>();

	constructor(limit: number) {
		this.#limit = limit;
	}

	add({ atMs, path, event }: RunEvent): void {
		const lane = this.#lane(`run ${path.join(" ")}`, path.at(-1) ?? "root");
		if (event.type === "session") this.#session(atMs, path, lane, event.event);
		else this.#host(atMs, path, lane, event);
	}

	#host(atMs: number, path: readonly string[], lane: number, event: HostEvent): void {
		switch (event.type) {
			case "activating": {
				const operationId = path.at(-1);
				const participant = this.participants[lane]!;
				participant.label = operationId === undefined ? event.package : `${event.package} (${operationId})`;
				return;
			}
			case "operation-started": {
				if (event.target === "package") return;
				const program = this.#lane(`program ${event.slot} ${path.join(" ")}`, `${event.slot} (${event.target})`);
				this.#programs.set(key(path, event.operationId), program);
				this.#holders.set(["root", ...path, event.operationId].join(" "), program);
				this.#push(atMs, HOST, program, "request", `call (${event.operationId})`);
				return;
			}
			case "channel":
				this.#channel(atMs, event.event);
				return;
			case "cancelling":
				this.#push(atMs, lane, lane, "note", event.reason === "cancel" ? "cancelled" : "deadline passed");
				return;
			case "stopping":
				this.#push(atMs, HOST, lane, "request", event.step);
				return;
			case "exited":
				this.#push(atMs, lane, lane, "note", `exited: ${event.exitCode ?? event.signal ?? "unknown"}`);
				return;
			case "succeeded":
				this.#push(atMs, lane, lane, "note", `accepted: ${event.outcome}`);
				return;
			case "failed":
				this.#push(atMs, lane, lane, "note", `failed: ${event.code}`);
		}
	}

	/** What functions and providers do with channels has no frames. */
	#channel(atMs: number, event: ChannelEvent): void {
		if (event.type === "moved") {
			this.#held.set(event.endpoint, event.to);
			if (event.endpoint.startsWith("send:")) this.#held.set(event.source, event.to);
			return;
		}
		if (event.type === "accepted" || event.type === "sealed") {
			const sender = this.#holders.get(this.#held.get(event.source) ?? "");
			const what = event.type === "accepted" ? `item ${event.sequence}` : "end";
			if (sender !== undefined) this.#push(atMs, sender, HOST, "request", `${what} to ${event.source}`);
		} else if (event.type === "delivered" || event.type === "ended") {
			const receiver = this.#holders.get(this.#held.get(event.endpoint) ?? "");
			const what = event.type === "delivered" ? `item ${event.sequence}` : `end after ${event.lastSequence}`;
			if (receiver !== undefined) this.#push(atMs, HOST, receiver, "response", what);
		}
	}

	#session(atMs: number, path: readonly string[], lane: number, event: TraceEvent): void {
		if (event.type === "sent") this.#frame(atMs, path, HOST, lane, event.frame);
		else if (event.type === "received") this.#frame(atMs, path, lane, HOST, event.frame);
		else if (event.type === "settle") {
			const program = this.#programs.get(key(path, event.operationId));
			if (program === undefined) return;
			this.#programs.delete(key(path, event.operationId));
			const { outcome } = event;
			if ("failure" in outcome) this.#push(atMs, program, HOST, "failure", outcome.failure.code);
			else this.#push(atMs, program, HOST, "response", describeResult("capability/call", resultOf(outcome)));
		} else if (event.type === "fatal") this.#push(atMs, lane, lane, "note", event.code);
	}

	#frame(atMs: number, path: readonly string[], from: number, to: number, frame: Uint8Array): void {
		const { kind, label } = this.#message(path, from, to, readFrame(frame) ?? {});
		this.#push(atMs, from, to, kind, label);
	}

	#message(
		path: readonly string[],
		from: number,
		to: number,
		{ method, id, params, result, error }: JsonObject,
	): Pick<SequenceMessage, "kind" | "label"> {
		const asked = (sender: number): string => `${sender} ${key(path, String(id))}`;
		if (typeof method === "string") {
			if (id !== undefined) this.#requests.set(asked(from), method);
			return { kind: "request", label: describeRequest(method, params) };
		}
		const answered = this.#requests.get(asked(to)) ?? "";
		this.#requests.delete(asked(to));
		if (error !== undefined) return { kind: "failure", label: failureOf(error) };
		if (result === undefined) return { kind: "failure", label: "no message" };
		return { kind: "response", label: describeResult(answered, result) };
	}

	#lane(id: string, label: string): number {
		const known = this.#lanes.get(id);
		if (known !== undefined) return known;
		const lane = this.participants.push({ label }) - 1;
		this.#lanes.set(id, lane);
		return lane;
	}

	#push(atMs: number, from: number, to: number, kind: SequenceMessage["kind"], label: string): void {
		if (this.messages.length >= this.#limit) this.omitted += 1;
		else this.messages.push({ atMs, from, to, kind, label });
	}
}

function key(path: readonly string[], id: string): string {
	return `${path.join(" ")}\n${id}`;
}

function readFrame(frame: Uint8Array): JsonObject | undefined {
	try {
		const value = parseJson(frame);
		return isJsonObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function resultOf(outcome: object): JsonValue {
	return "result" in outcome ? (outcome.result as JsonValue) : (outcome as JsonValue);
}

/** The operational code, or the standard error's number. */
function failureOf(error: JsonValue): string {
	if (!isJsonObject(error)) return "an error that is none";
	const data = error.data;
	if (data !== undefined && isJsonObject(data) && typeof data.code === "string") return data.code;
	return String(error.code);
}
