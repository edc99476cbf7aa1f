/** The sequence of a Run: lanes, and one row after the other, fed by events as they happen or as a file has them. */
import type { RunEvent } from "millrace/host";
import { hostSaying, sessionSaying } from "./decisions.ts";
import { type Fields, isFields, plainWord, word } from "./fields.ts";
import { type Asked, readFrame } from "./frames.ts";
import { CALLS, CANCELLATION, CHANNELS, DECISIONS, PROCESS, type RowKind, type Saying } from "./groups.ts";

export interface Lane {
	/** `host`, a package's name, a slot, a channel. */
	label: string;
	/** Beside it: the operation id of a child, "capability", "function", "broadcast" … */
	detail: string;
	readonly kind: "host" | "run" | "program" | "channel";
}

export interface Row {
	/** Index into the model's `events`. */
	readonly event: number;
	readonly atMs: number;
	/** Lanes; the same twice for a mark on one. */
	readonly from: number;
	readonly to: number;
	readonly kind: RowKind;
	/** Bits, see `bitOf`. */
	readonly groups: number;
	readonly label: string;
	/** The operation that it belongs to, as in `operations`; "" is the root itself. */
	readonly operation: string;
	/** The row of the answer, or of the request that is answered. */
	pair?: number;
}

export interface ModelLimits {
	/** Events that are kept; of later ones only what the host itself did, `EXTRA` at most. */
	readonly events: number;
	/** Bytes of frames and diagnostics that are kept. */
	readonly bytes: number;
}

const MODEL_LIMITS: ModelLimits = { events: 150_000, bytes: 100_663_296 };

/** Events of the host that are kept beyond the bound: how it ended is the last thing to be left out. */
const EXTRA = 1_000;

/** Operations that can be chosen to look at. */
const OPERATIONS = 500;

export const HOST = 0;

export class SequenceModel {
	readonly lanes: Lane[] = [{ label: "host", detail: "", kind: "host" }];
	readonly rows: Row[] = [];
	readonly events: RunEvent[] = [];
	/** The first operations by their key, in the order of their calls, and how many there were. */
	readonly operations = new Map<string, string>();
	operationCount = 0;
	/** Events that were not kept, the first of them after so many that were. */
	dropped = 0;
	droppedAt = -1;
	bytes = 0;
	readonly #limits: ModelLimits;
	readonly #laneOf = new Map<string, number>();
	/** Requests under way, by session, sender and id: the row, and what to remember. */
	readonly #asked = new Map<string, Asked & { readonly row: number }>();
	/** Who has an endpoint, and who sends into a source, by the names of channel events. */
	readonly #holder = new Map<string, string>();
	/** Lanes of functions and providers, by the names of channel events. */
	readonly #program = new Map<string, number>();
	/** The operation that a lane works for, by the lane; of a provider that was called more than once, the last. */
	readonly #operationOf: string[] = [""];

	constructor(limits: ModelLimits = MODEL_LIMITS) {
		this.#limits = limits;
	}

	/** Takes one event. Throws `SyntaxError` for what is none. */
	add(event: RunEvent): void {
		const { path, atMs } = event;
		const what: unknown = event.event;
		if (
			!isFields(what) ||
			typeof atMs !== "number" ||
			!Array.isArray(path) ||
			path.some((id) => typeof id !== "string")
		)
			throw new SyntaxError("It is no event of a trace: its time, its path or what happened is missing.");
		const inner: unknown = what.type === "session" ? what.event : what;
		if (!isFields(inner)) throw new SyntaxError("It is no event of a trace: the session's event is missing.");
		if (!this.#keep(event, what.type === "session", weigh(inner))) return;
		const run = this.#lane("run", path.join("\n"), path.at(-1) ?? "root", "");
		const at = { path, atMs, run };
		if (what.type === "session") this.#session(at, inner);
		else if (what.type === "channel") this.#channel(at, isFields(what.event) ? what.event : {});
		else this.#host(at, what);
	}

	#keep(event: RunEvent, ofSession: boolean, weight: number): boolean {
		const { events, bytes } = this.#limits;
		const full = this.events.length >= events || this.bytes + weight > bytes;
		if (full || this.dropped > 0) {
			if (this.dropped === 0) this.droppedAt = this.events.length;
			if (ofSession || event.event.type === "channel" || weight > 65_536 || this.events.length >= events + EXTRA) {
				this.dropped += 1;
				return false;
			}
		}
		this.bytes += weight;
		this.events.push(event);
		return true;
	}

	#session({ path, atMs, run }: At, event: Fields): void {
		if (event.type === "sent") this.#frame({ path, atMs, run }, HOST, run, event.frame);
		else if (event.type === "received") this.#frame({ path, atMs, run }, run, HOST, event.frame);
		else if (event.type === "settle") this.#settled({ path, atMs, run }, event);
		else {
			const saying = sessionSaying(event);
			if (saying !== undefined) this.#push({ path, atMs, run }, run, run, saying);
		}
	}

	#frame(at: At, from: number, to: number, frame: unknown): void {
		const key = (sender: number, id: string): string => `${sender} ${at.run} ${id}`;
		const read = readFrame(frame, (id) => this.#asked.get(key(to, id)));
		const row = this.#push(at, from, to, read);
		if (read.id === undefined) return;
		if (read.role === "request") {
			const method = read.label.split(" ", 1)[0] ?? "";
			this.#asked.set(key(from, read.id), { method, operationId: read.operationId, row });
			if (read.operationId !== undefined) this.#called(at.path, read.operationId);
		} else if (read.role === "answer") {
			const asked = this.#asked.get(key(to, read.id));
			this.#asked.delete(key(to, read.id));
			if (asked !== undefined) this.#join(asked.row, row);
		}
	}

	#called(path: readonly string[], operationId: string): void {
		this.operationCount += 1;
		if (this.operations.size < OPERATIONS)
			this.operations.set(operationKey(path, operationId), [...path, operationId].join(" › "));
	}

	#join(request: number, answer: number): void {
		this.rows[request]!.pair = answer;
		this.rows[answer]!.pair = request;
	}

	/** What a function or provider of the host's program came to has no frame of its own. */
	#settled(at: At, event: Fields): void {
		const operationId = plainWord(event, "operationId");
		const key = operationKey(at.path, operationId);
		const program = this.#program.get(key);
		const asked = this.#asked.get(`call ${key}`);
		if (program === undefined || asked === undefined) return;
		this.#asked.delete(`call ${key}`);
		const outcome = isFields(event.outcome) ? event.outcome : {};
		const failure = isFields(outcome.failure) ? word(outcome.failure, "code") : undefined;
		const error = isFields(outcome.error) ? `error ${word(outcome.error, "name")}` : undefined;
		const kind = failure === undefined ? "response" : "failure";
		const row = this.#push(at, program, HOST, {
			kind,
			groups: CALLS,
			label: `${failure ?? error ?? "value"} (${operationId ?? "?"})`,
			operationId,
		});
		this.#join(asked.row, row);
	}

	#host(at: At, event: Fields): void {
		const operationId = plainWord(event, "operationId");
		if (event.type === "operation-started") {
			if (event.target === "package") return;
			const slot = word(event, "slot");
			const detail = event.target === "provider" ? "capability" : "function";
			const program = this.#lane("program", `${at.path.join("\n")}\n${slot}`, slot, detail);
			const key = operationKey(at.path, operationId);
			this.#program.set(key, program);
			this.#operationOf[program] = key;
			const label = `call (${operationId ?? "?"})`;
			const row = this.#push(at, HOST, program, { kind: "request", groups: CALLS, label, operationId });
			this.#asked.set(`call ${key}`, { method: "", row });
			return;
		}
		if (event.type === "activating") {
			const lane = this.lanes[at.run]!;
			lane.label = word(event, "package");
			lane.detail = at.path.at(-1) ?? "root";
		}
		if (event.type === "stopping") {
			const groups = CANCELLATION | PROCESS;
			this.#push(at, HOST, at.run, {
				kind: "request",
				groups,
				label: `${word(event, "step")}: ${word(event, "reason")}`,
			});
			return;
		}
		const saying = hostSaying(event);
		if (saying !== undefined) this.#push(at, at.run, at.run, saying);
	}

	/** Channels have lanes of their own: what goes in comes from whoever holds the sender, what comes out goes to a reader. */
	#channel(at: At, event: Fields): void {
		const source = plainWord(event, "source");
		const endpoint = word(event, "endpoint");
		if (source === undefined) {
			const holder = this.#holderLane(word(event, "participant"));
			const refused = plainWord(event, "code");
			if (event.type !== "finalised" || holder === undefined) return;
			const label = refused === undefined ? "its channels are in order" : `its channels are not in order: ${refused}`;
			const kind = refused === undefined ? "decision" : "fault";
			this.#push(at, holder, holder, { kind, groups: CHANNELS | DECISIONS, label }, this.#operationOf[holder] ?? "");
			return;
		}
		const channel = this.#lane(
			"channel",
			source,
			source.replace(/^source:/, "channel "),
			plainWord(event, "delivery") ?? "",
		);
		const of = (name: string): number => this.#holderLane(this.#holder.get(name) ?? "") ?? channel;
		const say = (from: number, to: number, kind: RowKind, label: string): void => {
			this.#push(
				at,
				from,
				to,
				{ kind, groups: CHANNELS, label },
				this.#operationOf[from === channel ? to : from] ?? "",
			);
		};
		switch (event.type) {
			case "created": {
				const participant = word(event, "participant");
				for (const name of [source, word(event, "send"), plainWord(event, "receive")])
					if (name !== undefined) this.#holder.set(name, participant);
				say(of(source), channel, "request", `created ${word(event, "delivery")}`);
				break;
			}
			case "subscribed":
				this.#holder.set(endpoint, this.#holder.get(source) ?? "");
				say(channel, channel, "note", `${endpoint} reads from ${word(event, "startSequence")}`);
				break;
			case "moved": {
				const to = word(event, "to");
				this.#holder.set(endpoint, to);
				if (endpoint.startsWith("send:")) this.#holder.set(source, to);
				// Who gets it may have no lane yet: the call that hands it on is about to start.
				const giver = this.#holderLane(word(event, "from")) ?? channel;
				say(giver, channel, "request", `${endpoint} handed on to ${to.replace(/^root /, "")}`);
				break;
			}
			case "accepted":
				say(of(source), channel, "request", `item ${word(event, "sequence")} accepted`);
				break;
			case "delivered":
				say(channel, of(endpoint), "response", `item ${word(event, "sequence")}`);
				break;
			case "ended":
				say(channel, of(endpoint), "response", `end after ${word(event, "lastSequence")}`);
				break;
			case "sealed":
				say(of(source), channel, "request", `sealed after ${word(event, "lastSequence")}`);
				break;
			case "failed":
				say(channel, channel, "fault", `failed: ${word(event, "code")}`);
				break;
			case "lagged":
				say(channel, of(endpoint), "failure", "LAGGED: too far behind");
				break;
			case "disposed":
				say(of(endpoint), channel, "request", `${endpoint} given up`);
				break;
		}
	}

	/** The lane of a participant in a channel: `root`, then the operation ids that lead to it. */
	#holderLane(participant: string): number | undefined {
		if (participant !== "root" && !participant.startsWith("root ")) return undefined;
		const key = participant.slice(5).replaceAll(" ", "\n");
		return this.#program.get(key) ?? this.#laneOf.get(`run ${key}`);
	}

	#lane(kind: Lane["kind"], name: string, label: string, detail: string): number {
		const key = `${kind} ${name}`;
		const known = this.#laneOf.get(key);
		if (known !== undefined) return known;
		const lane = this.lanes.push({ kind, label: word({ label }, "label"), detail }) - 1;
		this.#laneOf.set(key, lane);
		this.#operationOf[lane] = kind === "run" ? name : "";
		return lane;
	}

	#push(
		{ path, atMs }: At,
		from: number,
		to: number,
		{ kind, groups, label, operationId }: Saying,
		of?: string,
	): number {
		const operation = of ?? operationKey(path, operationId);
		const event = this.events.length - 1;
		return this.rows.push({ event, atMs, from, to, kind, groups, label, operation }) - 1;
	}
}

interface At {
	readonly path: readonly string[];
	readonly atMs: number;
	/** The lane of the Run that it is about. */
	readonly run: number;
}

/** Operation ids have no line ends. */
function operationKey(path: readonly string[], operationId: string | undefined): string {
	return (operationId === undefined ? path : [...path, operationId]).join("\n");
}

/** Bytes that an event keeps alive. */
function weigh(event: Fields): number {
	let bytes = 0;
	for (const member of [event.frame, event.bytes]) if (member instanceof Uint8Array) bytes += member.length;
	return bytes;
}
