/** The other end of an SDK under test, in one process: bytes in, parsed messages out, every fault on demand. */
import { createHandle, type RunHandler, type SdkTransport } from "../../src/sdk/index.ts";
import { encodeUtf8 } from "../../src/web.ts";

export type Message = Record<string, unknown>;

type Sink = Parameters<ReturnType<SdkTransport["open"]>["listen"]>[0];

export interface MemoryHost {
	/** Settles as `handle` does. */
	readonly done: Promise<void>;
	/** `handle` itself, for a second call. */
	readonly handle: (handler: RunHandler) => Promise<void>;
	/** Everything the component sent so far. */
	readonly sent: Message[];
	readonly reports: string[];
	readonly state: { stopped: boolean; failed: boolean };
	send(...messages: Message[]): void;
	raw(bytes: Uint8Array): void;
	/** Sends the root request. */
	run(input?: unknown, more?: Message): void;
	result(id: unknown, result: unknown): void;
	failure(id: unknown, code: string, message?: string, details?: unknown): void;
	cancel(): void;
	end(): void;
	fail(error: unknown): void;
	/** While held, write callbacks wait; `release` runs them. */
	hold(): void;
	release(): void;
	/** The next write fails. */
	breakWrites(error: unknown): void;
	/** Waits until the component sent at least `count` messages, and returns the last of those. */
	until(count: number): Promise<Message>;
}

export function rootRequest(input: unknown = null, more: Message = {}): Message {
	return {
		jsonrpc: "2.0",
		id: "host:1",
		method: "flow/run",
		params: {
			protocol: "run/1",
			input,
			settings: {},
			attachments: {},
			scratch: "/scratch",
			deadlineUnixMs: 1_787_558_400_000,
			...more,
		},
	};
}

/** Lets every microtask and immediate that is due run. */
export async function settle(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function memoryHost(handler: RunHandler, options: { report?: (text: string) => void } = {}): MemoryHost {
	let sink: Sink | undefined;
	let held = false;
	let broken: { error: unknown } | undefined;
	const waiting: (() => void)[] = [];
	const sent: Message[] = [];
	const reports: string[] = [];
	const state = { stopped: false, failed: false };

	const handle = createHandle({
		open: () => ({
			listen(listener) {
				sink = listener;
			},
			write(bytes, done) {
				if (broken !== undefined) {
					const { error } = broken;
					setImmediate(() => done(error));
					return;
				}
				for (const line of new TextDecoder().decode(bytes).split("\n")) if (line !== "") sent.push(JSON.parse(line));
				if (held) waiting.push(() => done());
				else setImmediate(() => done());
			},
			end() {},
			stop() {
				state.stopped = true;
			},
		}),
		report: options.report ?? ((text) => void reports.push(text)),
		failed() {
			state.failed = true;
		},
	});

	const done = handle(handler);
	done.catch(() => {});
	const host: MemoryHost = {
		done,
		handle,
		sent,
		reports,
		state,
		send: (...messages) => sink!.chunk(encodeUtf8(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))),
		raw: (bytes) => sink!.chunk(bytes),
		run: (input, more) => host.send(rootRequest(input, more)),
		result: (id, result) => host.send({ jsonrpc: "2.0", id, result }),
		failure: (id, code, message = "It failed.", details = undefined) =>
			host.send({ jsonrpc: "2.0", id, error: { code: -32000, message, data: { code, details } } }),
		cancel: () => host.send({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "host:1" } }),
		end: () => sink!.ended(),
		fail: (error) => sink!.failed(error),
		hold() {
			held = true;
		},
		release() {
			held = false;
			for (const go of waiting.splice(0)) go();
		},
		breakWrites(error) {
			broken = { error };
		},
		async until(count) {
			for (let turn = 0; sent.length < count; turn++) {
				if (turn === 1_000) throw new Error(`only ${sent.length} of ${count} messages: ${JSON.stringify(sent)}`);
				await new Promise((resolve) => setImmediate(resolve));
			}
			return sent[count - 1]!;
		},
	};
	return host;
}
