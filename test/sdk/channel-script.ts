/** A host that answers channel requests by script: what one handler says to it, one request at a time. */
import type { ChannelReceiver, ChannelSender, RunContext } from "../../src/sdk/index.ts";
import { done } from "./caller.ts";
import { type MemoryHost, type Message, memoryHost } from "./memory-host.ts";

export const GRANTS = {
	out: { endpoint: "e:out", direction: "send", delivery: "direct" },
	in: { endpoint: "e:in", direction: "receive", delivery: "direct", startSequence: 1 },
} as const;

export const PAIR = {
	send: { endpoint: "p:s", direction: "send", delivery: "direct" },
	receive: { endpoint: "p:r", direction: "receive", delivery: "direct", startSequence: 1 },
} as const;

export const BROADCAST = { send: { endpoint: "b:s", direction: "send", delivery: "broadcast" }, source: "b" } as const;

export const subscription = (endpoint: string, startSequence = 1): object => ({
	endpoint,
	direction: "receive",
	delivery: "broadcast",
	startSequence,
});

export const item = (sequence: number, value: unknown = sequence): object => ({ item: { sequence, value } });
export const end = (lastSequence: number): object => ({ end: { lastSequence } });
export const RELEASED = { status: "released" };
export const failed = (code: string): object => ({ status: "failed", code });

export interface Script extends MemoryHost {
	/** Awaits the next message and checks its method; gives it. */
	expects(method: string): Promise<Message>;
	/** As {@link expects}, answered with a result. */
	answers(method: string, result: unknown): Promise<Message>;
	/** As {@link expects}, answered with a failure. */
	refuses(method: string, code: string): Promise<Message>;
	/** The root's terminal: `"done"` or its code; nothing was written in between. */
	terminal(): Promise<unknown>;
}

/** Runs `body` as the handler of a Run with `channels`; what it throws fails the Run. */
export function script(
	body: (run: RunContext & { out: ChannelSender; in: ChannelReceiver }) => Promise<unknown>,
	channels: Record<string, object> = {},
): Script {
	const host = memoryHost(async (run) => {
		await body({ ...run, out: run.channels.out as ChannelSender, in: run.channels.in as ChannelReceiver });
		return done;
	});
	host.run(null, { channels });
	let read = 0;
	const expects = async (method: string): Promise<Message> => {
		read += 1;
		const message = await host.until(read);
		if (message.method !== method) throw new Error(`expected ${method}, got ${JSON.stringify(message)}`);
		return message;
	};
	return {
		...host,
		expects,
		async answers(method, result) {
			const message = await expects(method);
			host.result(message.id, result);
			return message;
		},
		async refuses(method, code) {
			const message = await expects(method);
			host.failure(message.id, code);
			return message;
		},
		async terminal() {
			read += 1;
			const message = (await host.until(read)) as { id?: string; error?: { data: { code: string } }; method?: string };
			if (message.id !== "host:1") throw new Error(`expected the terminal, got ${JSON.stringify(message)}`);
			return message.error?.data.code ?? "done";
		},
	};
}

/** The code of an `OperationError`, or the class of anything else that a promise rejects with; its value where it fulfils. */
export function came(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		(value) => value,
		(error: { code?: string; name: string }) => error.code ?? error.name,
	);
}
