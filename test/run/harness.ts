import type { JsonValue } from "../../src/json/index.ts";
import {
	type CapabilityCall,
	type ChannelExchange,
	type ChildCall,
	type ComponentEnd,
	ComponentSession,
	type Failure,
	type HostPort,
	HostSession,
	type HostSessionLimits,
	type Operation,
	type RootInvocation,
	type RunResult,
	type Session,
	type Settlement,
	type TraceEvent,
} from "../../src/run/index.ts";

export type Frame = Record<string, JsonValue>;

export function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** One frame: its JSON text and LF. */
export function frame(message: unknown): Uint8Array {
	return bytes(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
}

export const ROOT: RootInvocation = {
	input: "Ada",
	settings: {},
	attachments: {},
	scratch: "/scratch",
	deadlineUnixMs: 1_787_558_400_000,
	channels: {},
};

/** The same on the wire, where an empty channel map is left out. */
const { channels: _, ...params } = ROOT;
export const ROOT_PARAMS = { protocol: "run/1", ...params };

export const ROOT_REQUEST = { jsonrpc: "2.0", id: "host:1", method: "flow/run", params: ROOT_PARAMS };
export const DONE: RunResult = { outcome: "done", output: null };

export function childCall(operationId = "op:1", input: JsonValue = null): ChildCall {
	return { kind: "child", operationId, slot: "greeter", input, channels: {} };
}

export function capabilityCall(operationId = "op:1", input: JsonValue = null): CapabilityCall {
	return { kind: "capability", operationId, slot: "store", method: "write", input, channels: {} };
}

export function childRequest(id: string, operationId = "op:1", input: JsonValue = null): Frame {
	return { jsonrpc: "2.0", id, method: "flow/run-child", params: { operationId, slot: "greeter", input } };
}

export function callRequest(id: string, operationId = "op:1", input: JsonValue = null): Frame {
	return {
		jsonrpc: "2.0",
		id,
		method: "capability/call",
		params: { operationId, slot: "store", method: "write", input },
	};
}

export function channelRequest(id: string, method: string, params: Record<string, JsonValue> = {}): Frame {
	return { jsonrpc: "2.0", id, method: `channel/${method}`, params };
}

export function cancelOf(requestId: string): Frame {
	return { jsonrpc: "2.0", method: "request/cancel", params: { requestId } };
}

export function result(id: string, value: JsonValue): Frame {
	return { jsonrpc: "2.0", id, result: value };
}

export function failure(id: string, code: string, message = "It failed."): Frame {
	return { jsonrpc: "2.0", id, error: { code: -32000, message, data: { code } } };
}

export function codeOf(frame: Frame | undefined): JsonValue | undefined {
	const error = frame?.error as { code: number; data?: { code: string } } | undefined;
	return error?.data?.code ?? error?.code;
}

/** What a test does to either session. */
abstract class End {
	abstract readonly session: Session;

	feed(...messages: unknown[]): this {
		for (const message of messages) this.session.receive(frame(message));
		return this;
	}

	/** Takes every frame that waits, parsed; their write is not finished. */
	take(): Frame[] {
		const frames: Frame[] = [];
		for (let next = this.session.takeFrame(); next !== undefined; next = this.session.takeFrame()) {
			frames.push(JSON.parse(new TextDecoder().decode(next)) as Frame);
		}
		return frames;
	}

	/** Takes and flushes. */
	flush(): Frame[] {
		const frames = this.take();
		this.session.written();
		return frames;
	}
}

/** A component session and everything it said to its layer. */
export class Component extends End {
	override readonly session: ComponentSession;
	readonly events: TraceEvent[] = [];
	readonly started: RootInvocation[] = [];
	readonly ends: ComponentEnd[] = [];
	readonly settlements: Settlement[] = [];
	cancellations = 0;
	wakes = 0;

	constructor(hooks: { start?(session: ComponentSession): void; cancelled?(session: ComponentSession): void } = {}) {
		super();
		this.session = new ComponentSession({
			wake: () => {
				this.wakes += 1;
			},
			start: (invocation) => {
				this.started.push(invocation);
				hooks.start?.(this.session);
			},
			cancelled: () => {
				this.cancellations += 1;
				hooks.cancelled?.(this.session);
			},
			closed: (end) => this.ends.push(end),
			trace: (event) => this.events.push(event),
		});
	}

	/** A component whose root runs. */
	static running(): Component {
		const component = new Component();
		component.feed(ROOT_REQUEST);
		return component;
	}

	call(call: ChildCall | CapabilityCall = childCall()): { cancel(): void } {
		return this.session.call(call, (settlement) => this.settlements.push(settlement));
	}

	get end(): ComponentEnd | undefined {
		return this.ends.at(-1);
	}
}

/** What the layer of a host session does; with `channel` it has channels. */
export interface HostHooks {
	dispatch?(operation: Operation): void;
	channel?(exchange: ChannelExchange): void;
	cancelChannel?(exchange: ChannelExchange): void;
}

/** A host session and everything it said to its layer. */
export class Host extends End {
	override readonly session: HostSession;
	readonly events: TraceEvent[] = [];
	readonly operations: Operation[] = [];
	readonly abandoned: Operation[] = [];
	readonly exchanges: ChannelExchange[] = [];
	readonly cancelled: ChannelExchange[] = [];
	readonly stops: string[] = [];
	responses = 0;
	answer: "result" | "failure" | undefined;
	refusal: Failure | undefined;
	accepted: RunResult[] = [];

	constructor(hooks: HostHooks = {}, limits: Partial<HostSessionLimits> = {}, root: RootInvocation = ROOT) {
		super();
		this.session = new HostSession(
			root,
			{
				wake: () => undefined,
				dispatch: (operation) => {
					this.operations.push(operation);
					hooks.dispatch?.(operation);
				},
				abandon: (operation) => this.abandoned.push(operation),
				accept: (value) => {
					this.accepted.push(value);
					return this.refusal;
				},
				responded: (answer) => {
					this.answer = answer;
					this.responses += 1;
				},
				failed: (why) => this.stops.push(why),
				trace: (event) => this.events.push(event),
				...(hooks.channel === undefined ? {} : this.#channels(hooks)),
			},
			limits,
		);
	}

	#channels(hooks: HostHooks): Pick<HostPort, "channel" | "cancelChannel"> {
		return {
			channel: (exchange) => {
				this.exchanges.push(exchange);
				hooks.channel?.(exchange);
			},
			cancelChannel: (exchange) => {
				this.cancelled.push(exchange);
				hooks.cancelChannel?.(exchange);
			},
		};
	}

	/** A host whose root request was written; its id is `host:1`. */
	static running(hooks: HostHooks = {}, limits: Partial<HostSessionLimits> = {}): Host {
		const host = new Host(hooks, limits);
		host.session.start();
		host.flush();
		return host;
	}

	/** Ends stdout and exits by itself. */
	exit(exitCode = 0): string {
		this.session.inputEnded();
		return verdict(this.session.exited({ exitCode, signal: null, killed: false }));
	}

	kill(): string {
		this.session.inputEnded();
		return verdict(this.session.exited({ exitCode: null, signal: "SIGKILL", killed: true }));
	}
}

export function verdict(conclusion: ReturnType<HostSession["exited"]>): string {
	return conclusion.status === "succeeded" ? conclusion.result.outcome : conclusion.code;
}
