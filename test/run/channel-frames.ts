/** Channels as a host writes them, and a component under test that uses them. */
import type { ChannelGrant, ChannelRequest, Settlement } from "../../src/run/index.ts";
import { Component, type Frame, failure, ROOT_REQUEST, result } from "./harness.ts";

export const SEND: ChannelGrant = { endpoint: "e:send", direction: "send", delivery: "direct" };
export const RECEIVE: ChannelGrant = {
	endpoint: "e:receive",
	direction: "receive",
	delivery: "direct",
	startSequence: 1,
};
export const WRITER: ChannelGrant = { endpoint: "b:send", direction: "send", delivery: "broadcast" };
export const CONTRACT = {
	id: "https://example.org/ticks",
	version: "1.0.0",
	digest: `sha256:${"0".repeat(64)}`,
} as const;

export const PAIR = { send: SEND, receive: RECEIVE };
export const BROADCAST = { send: WRITER, source: "b:source" };

export function subscription(endpoint: string, startSequence = 1): ChannelGrant {
	return { endpoint, direction: "receive", delivery: "broadcast", startSequence };
}

export function pair(name: string): { send: ChannelGrant; receive: ChannelGrant } {
	return { send: { ...SEND, endpoint: `${name}:s` }, receive: { ...RECEIVE, endpoint: `${name}:r` } };
}

export const item = (sequence: number, value: string | number = sequence): object => ({ item: { sequence, value } });
export const end = (lastSequence: number): object => ({ end: { lastSequence } });

export const create = (delivery?: "direct" | "broadcast"): ChannelRequest =>
	delivery === undefined ? { method: "channel/create" } : { method: "channel/create", delivery };
export const subscribe = (source = "b:source"): ChannelRequest => ({ method: "channel/subscribe", source });
export const send = (value: string | number = 1, endpoint = "e:send"): ChannelRequest => ({
	method: "channel/send",
	endpoint,
	value,
});
export const next = (endpoint = "e:receive"): ChannelRequest => ({ method: "channel/next", endpoint });
export const close = (endpoint = "e:send"): ChannelRequest => ({ method: "channel/close", endpoint });
export const release = (endpoint = "e:receive"): ChannelRequest => ({ method: "channel/release", endpoint });

/** One wait: what it came to, once. */
export interface Waiting {
	cancel(): void;
	readonly settlements: Settlement[];
	/** `"value"`'s JSON, a failure's code, or undefined. */
	readonly came: unknown;
}

/** A component whose root runs with these channels; its waits are apart from those of `Component.call`. */
export class ChannelComponent extends Component {
	static with(channels: Readonly<Record<string, ChannelGrant>> = {}): ChannelComponent {
		const component = new ChannelComponent();
		const params = Object.keys(channels).length === 0 ? ROOT_REQUEST.params : { ...ROOT_REQUEST.params, channels };
		component.feed({ ...ROOT_REQUEST, params });
		return component;
	}

	wait(request: ChannelRequest): Waiting {
		const settlements: Settlement[] = [];
		const { cancel } = this.session.channel(request, (settlement) => settlements.push(settlement));
		return {
			cancel,
			settlements,
			get came() {
				const [settlement] = settlements;
				if (settlement === undefined) return undefined;
				return "failure" in settlement
					? settlement.failure.code
					: "value" in settlement && JSON.parse(JSON.stringify(settlement.value));
			},
		};
	}

	/** Makes a request and answers it with `value`. */
	done(request: ChannelRequest, value: unknown): Waiting {
		const waiting = this.wait(request);
		this.reply(value);
		return waiting;
	}

	/** Answers the latest request that this flush writes. */
	reply(value: unknown): Frame[] {
		const frames = this.flush();
		this.feed(result(frames.filter((frame) => "id" in frame).at(-1)!.id as string, value as never));
		return frames;
	}

	/** As {@link reply}, with a failure. */
	refuse(code: string): Frame[] {
		const frames = this.flush();
		this.feed(failure(frames.filter((frame) => "id" in frame).at(-1)!.id as string, code));
		return frames;
	}

	/** What waits to be written, as `method` or `method endpoint`; a cancellation with its target. */
	said(): string[] {
		return this.flush().map(summary);
	}
}

export function summary(frame: Frame): string {
	const params = (frame.params ?? {}) as { endpoint?: string; source?: string; requestId?: string };
	const what = params.endpoint ?? params.source ?? params.requestId;
	const code = (frame.error as { data?: { code: string } } | undefined)?.data?.code;
	if (!("method" in frame)) return code ?? "result";
	return what === undefined ? (frame.method as string) : `${frame.method as string} ${what}`;
}
