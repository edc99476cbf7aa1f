/** Both ends of one Run/1 channel, the pipes between them, and the broker behind the host, driven by numbers. */

import { ChannelRoom } from "../../../src/host/channels.ts";
import { HOST_LIMITS } from "../../../src/host/index.ts";
import { InvocationChannels } from "../../../src/host/invocation-channels.ts";
import type { JsonValue } from "../../../src/json/index.ts";
import {
	type ChannelEvent,
	type ChannelParticipant,
	type ChannelRequest,
	type ComponentEnd,
	ComponentSession,
	HostSession,
	type Operation,
	type OperationOutcome,
	type RunConclusion,
	type TraceEvent,
} from "../../../src/run/index.ts";
import { ROOT } from "../harness.ts";
import type { Counts } from "./counts.ts";
import { demand, Items, Queues, Violation, Waits, Wire } from "./ledger.ts";
import { type Message, Pipe } from "./pipe.ts";

const LIMITS = {
	...HOST_LIMITS,
	channelSources: 4,
	channelReceivers: 6,
	channelQueuedItems: 2,
	channelPendingSends: 2,
	channelReaderItems: 2,
	channelQueuedBytes: 40,
};
const OUTCOMES: readonly OperationOutcome[] = [
	{ result: { outcome: "done", output: 1 } },
	{ failure: { code: "EXECUTION_FAILED", message: "No." } },
	{ failure: { code: "UNCERTAIN", message: "Perhaps." } },
	{ value: 2 },
];

interface Cancellable {
	cancel(): void;
}

/** An endpoint somebody holds, as that holder knows it. */
interface Held {
	readonly endpoint: string;
	readonly source: string;
	readonly start: number;
}

/** Work that the host was asked for: it may hold endpoints, and use them. */
interface Work {
	readonly operation: Operation;
	readonly participant: ChannelParticipant;
	readonly senders: Held[];
	readonly receivers: Held[];
	readonly waits: Cancellable[];
	abandoned: boolean;
}

/** Items of many sizes, so that a queue fills by bytes as well as by count. */
const itemOf = (n: number): JsonValue => (n % 3 === 0 ? `${n}:${"x".repeat((n * 7) % 23)}` : n);

export class World {
	readonly down = new Pipe();
	readonly up = new Pipe();
	readonly wire = new Wire();
	readonly waits = new Waits();
	readonly items = new Items();
	readonly queues = new Queues(LIMITS.channelQueuedItems, LIMITS.channelQueuedBytes, LIMITS.channelPendingSends);
	readonly counts: Counts;
	readonly traces: { readonly component: TraceEvent[]; readonly host: TraceEvent[] } | undefined;
	readonly component: ComponentSession;
	readonly host: HostSession;
	readonly #room: ChannelRoom;
	readonly #channels: InvocationChannels;
	readonly #work: Work[] = [];
	readonly #dispatched = new Set<string>();
	readonly #calls: Cancellable[] = [];
	readonly #senders: Held[] = [];
	readonly #receivers: Held[] = [];
	readonly #broadcasts: { readonly source: string; readonly token: string }[] = [];
	/** Values of sends that wait, by the reference of their sender. */
	#sending: JsonValue | undefined;
	started = false;
	finished = false;
	/** The handler ended with a result while some of its requests had no answer. */
	abandoned = false;
	conditions = 0;
	/** The component was told of the root's cancellation, before its terminal. */
	cancelled = false;
	responded = false;
	stopped = false;
	/** The root was answered or the host stopped: what still runs is asked to stop. */
	#rootOver = false;
	/** What the component's process exits with, when it ends by itself and well. */
	exitCode = 0;
	/** How that end is known: as its exit code, as a signal, not at all. */
	exitKind: "code" | "signal" | "unknown" = "code";
	/** Work that was asked to stop goes on until the component's process is gone. */
	holding = false;
	/** Operations that ran when the process was gone. */
	left = 0;
	end: ComponentEnd | undefined;
	conclusion: RunConclusion | undefined;
	#item = 0;
	/** The component's requests without an answer that somebody waits for, settlements of endpoints aside. */
	#live = 0;

	constructor(counts: Counts, traced: boolean) {
		this.counts = counts;
		this.traces = traced ? { component: [], host: [] } : undefined;
		this.#room = new ChannelRoom(LIMITS, (event) => this.#decided(event));
		const contracts = { resolve: () => ({ code: "INVALID_INPUT", message: "There are none." }) as const };
		const owner = this.#room.invocation([]);
		this.#channels = new InvocationChannels(owner, contracts as never, this.#room);
		this.component = new ComponentSession({
			wake: () => undefined,
			start: () => {
				this.started = true;
			},
			cancelled: () => {
				this.cancelled = true;
				this.counts.add("race:root cancelled while it runs");
			},
			closed: (end) => {
				demand(this.end === undefined, "the component closed twice");
				this.end = end;
			},
			...(traced ? { trace: (event: TraceEvent) => void this.traces!.component.push(event) } : {}),
		});
		this.host = new HostSession(ROOT, {
			wake: () => undefined,
			dispatch: (operation) => this.#dispatch(operation),
			abandon: (operation) => {
				const work = this.#work.find((each) => each.operation === operation);
				demand(work !== undefined && !work.abandoned, "work was asked to stop that doesn't run, or twice");
				work.abandoned = true;
				const { operationId } = operation.call;
				const wanted = this.wire.waitersOf(operationId);
				demand(
					this.conditions > 0 || this.#rootOver || this.tainted || wanted.length === 0,
					`${operationId} was asked to stop while ${wanted.join(", ")} waits for it`,
				);
				this.counts.add("race:work asked to stop");
			},
			channel: (exchange) => {
				const { request } = exchange;
				const settles = request.method === "channel/close" || request.method === "channel/release";
				this.demand(
					settles || (this.conditions === 0 && !this.#rootOver),
					`${request.method} was served after the root was over`,
				);
				this.#channels.request(this.#watched(exchange));
				if (request.method === "channel/send") this.watch(() => this.queues.demandWaiting(request.endpoint));
			},
			cancelChannel: (exchange) => this.#channels.cancel(this.#exchanges.get(exchange)!),
			accept: () => {
				const kept = [...this.#granted].filter(
					(endpoint) => !this.#receivers.some((held) => held.endpoint === endpoint),
				);
				demand(this.changed || kept.length === 0, `${kept.join(", ")} came to nobody and was not given back`);
				return this.#channels.finalise();
			},
			responded: () => {
				this.#rootOver = true;
				demand(!this.responded, "the root was answered twice");
				this.responded = true;
			},
			failed: () => {
				this.#rootOver = true;
				demand(!this.stopped, "the host stopped twice");
				this.stopped = true;
				this.#channels.end();
			},
			...(traced ? { trace: (event: TraceEvent) => void this.traces!.host.push(event) } : {}),
		});
		this.#channels.attach((ids) => this.host.reserve(ids));
	}

	// The host's side --------------------------------------------------------------------------------------------------

	readonly #exchanges = new Map<object, Parameters<InvocationChannels["request"]>[0]>();

	/** A send's value is known when it is accepted, which is before its settlement is told. */
	#watched(exchange: Parameters<InvocationChannels["request"]>[0]): Parameters<InvocationChannels["request"]>[0] {
		const { request } = exchange;
		const settled = this.waits.begin(`an exchange of ${request.method}`);
		const sent = request.method === "channel/send" ? this.queues.send(request.endpoint) : undefined;
		this.#served += 1;
		const watched = {
			request,
			settle: (outcome: Parameters<typeof exchange.settle>[0]) => {
				settled();
				this.#served -= 1;
				this.watch(() => sent?.("failure" in outcome ? outcome.failure.code : undefined));
				if ("result" in outcome) this.#note(request, outcome.result);
				if (request.method === "channel/send" && "result" in outcome) this.#sending = request.value;
				this.counts.add(`channel:${request.method} ${"failure" in outcome ? outcome.failure.code : "done"}`);
				exchange.settle(outcome);
			},
		};
		this.#exchanges.set(exchange, watched);
		return watched;
	}

	/** Exchanges under way. */
	#served = 0;
	#violation: Violation | undefined;

	/** As `demand`, where what is thrown would be caught: by a broker that shields its callers, or by a host that shields itself. */
	demand(condition: boolean, text: string): void {
		if (!condition) this.#violation ??= new Violation(text);
	}

	watch(check: () => void): void {
		try {
			check();
		} catch (error) {
			this.#violation ??= error as Violation;
		}
	}

	/** After each command: what was found inside callbacks, and what holds whenever nothing is under way. */
	check(): void {
		if (this.#violation !== undefined) throw this.#violation;
		if (this.conditions === 0 && !this.#rootOver) return;
		const running = this.#work.filter(({ abandoned }) => !abandoned).map(({ operation }) => operation.call.operationId);
		demand(running.length === 0, `the root is over, and nobody asked ${running.join(", ")} to stop`);
		demand(this.#served === 0, `the root is over, and ${this.#served} exchanges wait on`);
	}

	/** Receivers that were granted and not released: the component must know of each, or give it back. */
	readonly #granted = new Set<string>();

	#note(request: ChannelRequest, result: JsonValue): void {
		const { endpoint, receive } = (result ?? {}) as { endpoint?: string; receive?: { endpoint: string } };
		if (request.method === "channel/release") this.#granted.delete(request.endpoint);
		else if (request.method === "channel/subscribe") this.#granted.add(endpoint!);
		else if (receive !== undefined) this.#granted.add(receive.endpoint);
	}

	#decided(event: ChannelEvent): void {
		if (event.type === "created" && event.delivery === "direct") this.queues.created(event.source);
		else if (event.type === "accepted") this.queues.accepted(event.source, event.bytes);
		else if (event.type === "delivered") this.queues.delivered(event.source);
		this.watch(() => this.queues.demandBounds());
		if (event.type === "accepted") this.items.accepted(event.source, this.#sending!);
		else if (event.type === "sealed") this.items.sealed(event.source);
		else if (event.type === "failed") this.#over.add(event.endpoint ?? event.source);
		else if (event.type === "ended" || event.type === "lagged" || event.type === "disposed")
			this.#over.add(event.endpoint);
		if (event.type === "lagged" || event.type === "moved") this.counts.add(`channel:${event.type}`);
	}

	/** Receivers that were read to their end, failed or were given back, and sources that failed. */
	readonly #over = new Set<string>();

	#dispatch(operation: Operation): void {
		const { call } = operation;
		this.demand(!this.#dispatched.has(call.operationId), `the operation ${call.operationId} was dispatched twice`);
		this.demand(this.conditions === 0 && !this.#rootOver, `${call.operationId} was dispatched after the root was over`);
		this.#dispatched.add(call.operationId);
		const participant = this.#room.invocation([call.operationId]);
		const work: Work = {
			operation,
			participant,
			senders: [],
			receivers: [],
			waits: [],
			abandoned: false,
		};
		if (Object.keys(call.channels).length > 0) {
			const moved = this.#channels.participant.transfer(call.channels, undefined, participant);
			if ("failure" in moved) {
				this.counts.add(`transfer:${moved.failure.code}`);
				operation.settle(moved);
				return;
			}
			this.counts.add("transfer:done");
			for (const grant of Object.values(moved.grants)) {
				const held = {
					endpoint: grant.endpoint,
					source: sourceOf(grant.endpoint, this),
					start: grant.startSequence ?? 1,
				};
				(grant.direction === "send" ? work.senders : work.receivers).push(held);
			}
		}
		this.#work.push(work);
	}

	readonly sources = new Map<string, string>();

	settleWork(n: number): void {
		if (this.#work.length === 0) return;
		const work = this.#work.splice(n % this.#work.length, 1)[0]!;
		const { operation, participant } = work;
		const isChild = operation.call.kind === "child";
		let outcome = OUTCOMES[n % OUTCOMES.length]!;
		if ("result" in outcome !== isChild && !("failure" in outcome)) outcome = OUTCOMES[isChild ? 0 : 3]!;
		const waiting = work.senders.reduce((sum, { endpoint }) => sum + this.queues.waiting(endpoint), 0);
		const unread = work.receivers.filter(
			({ endpoint, source }) => !this.#over.has(endpoint) && !this.#over.has(source),
		);
		const refused = "failure" in outcome ? undefined : participant.finalise();
		if (!("failure" in outcome)) {
			const due = waiting > 0 || (unread.length > 0 && !this.#rootOver);
			demand(
				!due || refused !== undefined,
				`a result was accepted with ${waiting} sends and ${unread.length} receivers left`,
			);
			demand(
				refused === undefined || (refused.code === "EXECUTION_FAILED" && waiting + unread.length > 0),
				`a result was refused for nothing: ${refused?.code}`,
			);
		}
		if (refused !== undefined) this.counts.add("race:work abandoned its receiver");
		participant.end();
		operation.settle(refused === undefined ? outcome : { failure: refused });
		operation.settle({ failure: { code: "UNCERTAIN", message: "Too late." } });
	}

	/** What a piece of work does with the endpoints that it was handed. */
	useWork(what: number, n: number): void {
		const work = this.#work[n % Math.max(1, this.#work.length)];
		if (work === undefined) return;
		const { participant, senders, receivers, waits } = work;
		const sender = senders[n % Math.max(1, senders.length)];
		const receiver = receivers[n % Math.max(1, receivers.length)];
		if (what === 0 && sender !== undefined) {
			const value = itemOf(++this.#item);
			const settled = this.waits.begin("a send of work");
			const sent = this.queues.send(sender.endpoint);
			waits.push(
				participant.send(sender.endpoint, value, (outcome) => {
					settled();
					this.watch(() => sent("failure" in outcome ? outcome.failure.code : undefined));
					if ("result" in outcome) this.#sending = value;
				}),
			);
			this.queues.demandWaiting(sender.endpoint);
		} else if (what === 1 && receiver !== undefined) {
			const settled = this.waits.begin("a read of work");
			waits.push(
				participant.next(receiver.endpoint, (outcome) => {
					settled();
					if ("result" in outcome) this.#read(receiver, outcome.result);
				}),
			);
		} else if (what === 2 && sender !== undefined) participant.close(sender.endpoint);
		else if (what === 3 && receiver !== undefined) participant.release(receiver.endpoint);
		else if (what === 4 && waits.length > 0) waits[n % waits.length]!.cancel();
	}

	#read({ endpoint, source, start }: Held, result: JsonValue): void {
		if (this.changed) return;
		const step = result as { readonly item?: { readonly value: JsonValue } };
		this.items.received(endpoint, source, start, step.item === undefined ? {} : { item: step.item.value });
	}

	/** A pipe did not carry what was written. */
	get tainted(): boolean {
		return this.up.taints.size > 0 || this.down.taints.size > 0;
	}

	/** Bytes may have become other values: what is said about items means nothing then. */
	get changed(): boolean {
		return [this.up, this.down].some(({ taints }) => taints.has("changed") || taints.has("doubled"));
	}

	// The component's side ---------------------------------------------------------------------------------------------

	/** A call with one of a few operation ids, so that some repeat and some conflict; every third maps an endpoint. */
	call(n: number): void {
		const held = [...this.#senders, ...this.#receivers];
		const mapped = n % 3 === 0 && held.length > 0 ? { a: held[n % held.length]!.endpoint } : {};
		const common = { operationId: `op:${n % 7}`, slot: "s", input: n % 2, channels: mapped };
		const settled = this.#begin("a call", 1);
		try {
			const call = this.component.call(
				n % 5 === 0 ? { kind: "child", ...common } : { kind: "capability", method: "m", ...common },
				(settlement) => {
					settled();
					const code = "failure" in settlement ? settlement.failure.code : "done";
					this.counts.add(`call:${code}`);
				},
			);
			this.#calls.push(call);
		} catch (error) {
			settled();
			this.counts.add(`refused:${(error as { code?: string }).code ?? "arguments"}`);
		}
	}

	/** More calls at once than one component may have under way, none of which maps an endpoint. */
	burst(n: number): void {
		// Where nobody is admitted, one refusal says as much as seventy.
		if (!this.started || this.finished || this.cancelled || this.end !== undefined) return;
		const before = this.counts.of("refused:RESOURCE_EXHAUSTED");
		for (let index = 0; index < 70; index += 1) this.call(3 * (n + index) + 1);
		const refused = this.counts.of("refused:RESOURCE_EXHAUSTED") - before;
		// Six at least of seventy have no place among sixty-four, unless none is taken any more.
		if (!this.tainted) demand(refused >= 6, `only ${refused} of 70 calls were refused`);
	}

	#begin(what: string, weight: 0 | 1): () => void {
		const settled = this.waits.begin(what);
		this.#live += weight;
		return () => {
			settled();
			this.#live -= weight;
		};
	}

	channel(what: number, n: number): void {
		const sender = this.#senders[n % Math.max(1, this.#senders.length)];
		const receiver = this.#receivers[n % Math.max(1, this.#receivers.length)];
		const broadcast = this.#broadcasts[n % Math.max(1, this.#broadcasts.length)];
		if (what === 0) this.#ask({ method: "channel/create" }, (result) => this.#learn(result));
		else if (what === 1)
			this.#ask({ method: "channel/create", delivery: "broadcast" }, (result) => this.#learn(result));
		else if (what === 2 && broadcast !== undefined)
			this.#ask({ method: "channel/subscribe", source: broadcast.token }, (result) => {
				const grant = result as unknown as { readonly endpoint: string; readonly startSequence: number };
				this.sources.set(grant.endpoint, broadcast.source);
				this.#receivers.push({ endpoint: grant.endpoint, source: broadcast.source, start: grant.startSequence });
			});
		else if (what === 3 && sender !== undefined)
			this.#ask({ method: "channel/send", endpoint: sender.endpoint, value: itemOf(++this.#item) }, () => undefined);
		else if (what === 4 && receiver !== undefined)
			this.#ask({ method: "channel/next", endpoint: receiver.endpoint }, (result) => this.#read(receiver, result));
		else if (what === 5 && sender !== undefined)
			this.#ask({ method: "channel/close", endpoint: sender.endpoint }, () => undefined);
		else if (what === 6 && receiver !== undefined)
			this.#ask({ method: "channel/release", endpoint: receiver.endpoint }, () => undefined);
	}

	#ask(request: Parameters<ComponentSession["channel"]>[0], done: (result: JsonValue) => void): void {
		const settled = this.#begin(
			request.method,
			request.method === "channel/close" || request.method === "channel/release" ? 0 : 1,
		);
		try {
			const wait = this.component.channel(request, (settlement) => {
				settled();
				if ("value" in settlement) done(settlement.value);
			});
			this.#calls.push(wait);
		} catch (error) {
			settled();
			this.counts.add(`refused:${(error as { code?: string }).code ?? "arguments"}`);
		}
	}

	#learn(result: JsonValue): void {
		const { send, receive, source } = result as unknown as {
			readonly send: { readonly endpoint: string };
			readonly receive?: { readonly endpoint: string };
			readonly source?: string;
		};
		// The broker's own name of a source: known from what it calls the sender.
		const name = source ?? `source:${send.endpoint.slice("send:".length)}`;
		this.sources.set(send.endpoint, name);
		this.#senders.push({ endpoint: send.endpoint, source: name, start: 1 });
		if (source !== undefined) this.#broadcasts.push({ source: name, token: source });
		if (receive === undefined) return;
		this.sources.set(receive.endpoint, name);
		this.#receivers.push({ endpoint: receive.endpoint, source: name, start: 1 });
	}

	cancelCall(n: number): void {
		if (this.#calls.length > 0) this.#calls[n % this.#calls.length]!.cancel();
	}

	finish(n: number): void {
		if (!this.started || this.finished || this.end !== undefined) return;
		this.abandoned = this.#live > 0;
		this.finished = true;
		this.component.finish(
			n % 4 === 0
				? { failure: { code: "UNAVAILABLE", message: "No." } }
				: { outcome: "done", output: n % 4 === 1 ? Number.NaN : n },
		);
	}

	/** The Run is to end: what the component has to hear of it is the next thing that the host says. */
	condition(code: string, record: (host: HostSession) => void): void {
		if (!this.#rootOver) this.first ??= code;
		const tells = this.#rootWritten && this.conditions === 0 && !this.#rootOver;
		this.conditions += 1;
		record(this.host);
		if (tells && !this.#rootOver) this.#tells = true;
	}

	/** The code of the condition that decides the Run: the first that came before a response. */
	first: string | undefined;
	#rootWritten = false;
	/** The root's cancellation is due. */
	#tells = false;

	#demandTold(message: Message | undefined): void {
		if (message?.method === "flow/run") this.#rootWritten = true;
		if (message?.method === "request/cancel") this.#tells = false;
		demand(
			!this.#tells || this.#rootOver || this.tainted,
			`the root's cancellation was not the next thing said, but ${JSON.stringify(message)}`,
		);
	}

	// The pipes --------------------------------------------------------------------------------------------------------

	take(side: "component" | "host"): boolean {
		const session = side === "component" ? this.component : this.host;
		const bytes = session.takeFrame();
		if (bytes === undefined) {
			if (side === "host") this.#demandTold(undefined);
			const { owed } = this.wire;
			const counts = side === "component" && !this.tainted && !this.down.over && this.end === undefined;
			demand(!counts || owed.length === 0, `nobody cancelled ${owed.join(", ")}`);
			return false;
		}
		const message = JSON.parse(new TextDecoder().decode(bytes)) as Message;
		if (side === "component") {
			// What it says of a broken channel is the last thing it says.
			if (message.id !== null) this.wire.fromComponent(message);
			this.up.write(bytes, message);
		} else {
			this.#demandTold(message);
			if (this.down.taints.size === 0 && this.up.taints.size === 0) this.wire.fromHost(message);
			this.down.write(bytes, message);
		}
		return true;
	}

	deliver(to: "component" | "host", count: number): boolean {
		const pipe = to === "component" ? this.down : this.up;
		if (pipe.over) return false;
		const { chunk, messages } = pipe.read(count);
		if (chunk.length === 0) {
			if (!pipe.closed) return false;
			pipe.over = true;
			(to === "component" ? this.component : this.host).inputEnded();
			return true;
		}
		if (to === "component") for (const message of messages) if (message !== undefined) this.wire.read(message);
		const was = this.cancelled;
		(to === "component" ? this.component : this.host).receive(chunk);
		if (to === "component" && this.cancelled && !was) {
			demand(this.#live === 0, `the root was cancelled, and ${this.#live} requests wait on`);
			if (!this.tainted && this.end === undefined) this.wire.owe();
		}
		if (to === "host") for (const message of messages) if (message !== undefined) this.wire.arrived(message);
		if (to === "host" && !this.tainted)
			for (const message of messages) if (message !== undefined) this.#stopped(message);
		return true;
	}

	#stopped(message: Message): void {
		const workOf = (id: string) => this.#work.find(({ operation }) => operation.call.operationId === id);
		const unwanted = this.wire.stopped(message, (id) => workOf(id) !== undefined);
		if (unwanted !== undefined) demand(workOf(unwanted)!.abandoned, `nobody waits for ${unwanted}, which goes on`);
	}

	/** What is written goes over, once each way. */
	exchange(): void {
		for (const [from, to] of [
			["host", "component"],
			["component", "host"],
			["host", "component"],
		] as const) {
			while (this.take(from));
			while (this.deliver(to, 1_000_000));
		}
	}

	/** Everything that can still happen by itself happens, and the work settles. */
	drain(): void {
		for (let round = 0; round < 10_000; round += 1) {
			let moved = false;
			for (const side of ["component", "host"] as const) {
				while (this.take(side)) moved = true;
				(side === "component" ? this.component : this.host).written();
			}
			for (const to of ["host", "component"] as const) while (this.deliver(to, 1_000_000)) moved = true;
			this.check();
			if (moved) continue;
			const next = this.#work.findIndex(({ abandoned }) => !this.holding || !abandoned);
			if (next < 0) return;
			this.settleWork(next);
		}
		demand(false, "it never comes to rest");
	}

	/** The component's process is gone: what it wrote last is read first. */
	exit(exitCode: number, killed: boolean): void {
		this.up.closed = true;
		while (this.deliver("host", 1_000_000));
		this.left = this.#work.length;
		this.holding = false;
		const signal = this.exitKind === "signal" ? "SIGSEGV" : null;
		this.conclusion = this.host.exited({
			exitCode: killed || this.exitKind !== "code" ? null : exitCode,
			signal: killed ? "SIGKILL" : signal,
			killed,
		});
		const again = this.host.exited({ exitCode: 0, signal: null, killed: false });
		demand(again === this.conclusion, "the verdict changed");
		this.#channels.end();
	}
}

function sourceOf(endpoint: string, world: World): string {
	return world.sources.get(endpoint) ?? `source:${endpoint.split(":")[1]}`;
}
