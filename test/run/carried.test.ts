/** Whole Runs over everything that carries bytes: Node's streams over a socket, Web Streams, message ports, and memory. */
import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel as NodeChannel } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { PipeReader, PipeWriter, pipeTransport } from "../../adapters/node/process-transport.ts";
import { stdioTransport } from "../../adapters/node/stdio.ts";
import {
	ComponentSession,
	drive,
	type ExitEvidence,
	HostSession,
	memoryPipe,
	type Operation,
	portTransport,
	RUN_LIMITS,
	type RunConclusion,
	type Settlement,
	streamTransport,
	type Transport,
} from "../../src/run/index.ts";
import { capabilityCall, DONE, ROOT } from "./harness.ts";

interface Line {
	readonly host: Transport;
	readonly component: Transport;
	/** The component is gone without a word. */
	killComponent(): void;
	/** The host is gone without a word. */
	killHost(): void;
	/** Bytes that may be under way in one direction while nobody reads. */
	readonly bound: number;
}

const directory = join(tmpdir(), `millrace-carried-${process.pid}`);
let sockets = 0;
afterAll(() => rmSync(directory, { force: true }));

async function nodeStreams(): Promise<Line> {
	sockets += 1;
	const path = `${directory}-${sockets}`;
	const server = createServer({ allowHalfOpen: true });
	await new Promise<void>((resolve) => server.listen(path, resolve));
	const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
	const inner = connect({ path, allowHalfOpen: true });
	const outer = await accepted;
	server.close();
	return {
		host: pipeTransport(new PipeReader(outer), new PipeWriter(outer)),
		component: stdioTransport(inner, inner),
		killComponent: () => void inner.destroy(),
		killHost: () => void outer.destroy(),
		bound: 2_097_152,
	};
}

async function webStreams(): Promise<Line> {
	const there = new TransformStream<Uint8Array, Uint8Array>();
	const back = new TransformStream<Uint8Array, Uint8Array>();
	const host = streamTransport(back.readable, there.writable);
	const component = streamTransport(there.readable, back.writable);
	return { host, component, killComponent: () => component.end(), killHost: () => host.end(), bound: 131_072 };
}

function overPorts(make: () => MessageChannel): () => Promise<Line> {
	return async () => {
		const { port1, port2 } = make();
		return {
			host: portTransport(port1),
			component: portTransport(port2),
			killComponent: () => port2.close(),
			killHost: () => port1.close(),
			bound: 393_216,
		};
	};
}

async function memory(): Promise<Line> {
	const [host, component] = memoryPipe();
	return { host, component, killComponent: () => component.end(), killHost: () => host.end(), bound: 131_072 };
}

const LINES: readonly (readonly [name: string, make: () => Promise<Line>])[] = [
	["Node's streams over a socket", nodeStreams],
	["Web Streams", webStreams],
	["message ports", overPorts(() => new MessageChannel())],
	["Node's message ports", overPorts(() => new NodeChannel() as unknown as MessageChannel)],
	["memory", memory],
];

/** Both ends of one Run on a line, as their layers would drive them. */
class Both {
	readonly line: Line;
	readonly session: ComponentSession;
	readonly settlements: Settlement[] = [];
	readonly started: Promise<void>;
	readonly conclusion: Promise<RunConclusion>;
	readonly closed: Promise<string>;
	readonly host: HostSession;
	#evidence: ExitEvidence = { exitCode: 0, signal: null, killed: false };

	constructor(line: Line, work: (operation: Operation) => void, root = ROOT) {
		this.line = line;
		let started: () => void = () => undefined;
		let closed: (how: string) => void = () => undefined;
		let concluded: (conclusion: RunConclusion) => void = () => undefined;
		this.started = new Promise((resolve) => {
			started = resolve;
		});
		this.closed = new Promise((resolve) => {
			closed = resolve;
		});
		this.conclusion = new Promise((resolve) => {
			concluded = resolve;
		});
		this.session = new ComponentSession({
			wake: () => inner.wake(),
			start: () => started(),
			cancelled: () => this.session.finish(DONE),
			closed: (end) => {
				line.component.stop();
				line.component.end();
				closed(end.kind === "finished" ? "finished" : end.code);
			},
		});
		this.host = new HostSession(root, {
			wake: () => outer.wake(),
			dispatch: work,
			abandon: (operation) => operation.settle({ failure: { code: "CANCELLED", message: "stopped" } }),
			accept: () => undefined,
			responded: () => line.host.end(),
			failed: () => over(),
		});
		const over = (): void => void Promise.resolve().then(() => concluded(this.host.exited(this.#evidence)));
		const { listen } = line.host;
		const outer = drive(this.host, {
			...line.host,
			listen: (sink) =>
				listen({
					chunk: (bytes) => sink.chunk(bytes),
					ended: () => {
						sink.ended();
						over();
					},
					failed: (error) => {
						sink.failed(error);
						over();
					},
				}),
		});
		const inner = drive(this.session, line.component);
		this.host.start();
	}

	call(input: Parameters<typeof capabilityCall>[1], id: string): Promise<Settlement> {
		return new Promise((resolve) => {
			this.session.call(capabilityCall(id, input), (settlement) => {
				this.settlements.push(settlement);
				resolve(settlement);
			});
		});
	}

	/** How the component's process is said to have ended. */
	exits(evidence: Partial<ExitEvidence>): this {
		this.#evidence = { ...this.#evidence, ...evidence };
		return this;
	}
}

/** What a frame with two empty strings in it holds when it is as long as a frame may be. */
function longest(frame: unknown): readonly string[] {
	const room = RUN_LIMITS.frameBytes - JSON.stringify(frame).length;
	const half = Math.floor(room / 2);
	return ["x".repeat(half), "y".repeat(room - half)];
}

const echo = (operation: Operation): void => operation.settle({ value: operation.call.input });

describe.each(LINES)("Run/1 over %s", (_, make) => {
	it("a whole Run with 64 calls at once, over and over", async () => {
		const both = new Both(await make(), (operation) => void Promise.resolve().then(() => echo(operation)));
		await both.started;
		for (let round = 0; round < 5; round++) {
			const calls = Array.from({ length: 64 }, (_, at) =>
				both.call({ round, at, text: "größer 🌊" }, `o:${round}:${at}`),
			);
			const answers = await Promise.all(calls);
			expect(answers).toEqual(answers.map((_, at) => ({ value: { round, at, text: "größer 🌊" } })));
		}
		both.session.finish({ outcome: "done", output: [1] });
		expect(await both.conclusion).toEqual({ status: "succeeded", result: { outcome: "done", output: [1] } });
		expect(await both.closed).toBe("finished");
	});

	it("cancellation reaches the component, and its calls settle once", async () => {
		const both = new Both(await make(), () => undefined);
		await both.started;
		const calls = Promise.all([both.call(1, "a"), both.call(2, "b")]);
		await new Promise((resolve) => setImmediate(resolve));
		both.host.cancel();
		expect((await calls).map((settlement) => "failure" in settlement && settlement.failure.code)).toEqual([
			"CANCELLED",
			"CANCELLED",
		]);
		expect(await both.conclusion).toMatchObject({ status: "failed", code: "CANCELLED" });
		expect([await both.closed, both.settlements.length]).toEqual(["finished", 2]);
	});

	it("frames of 16 MiB, both ways at once", { timeout: 60_000 }, async () => {
		// The longest frames of a call, and of an answer for any id: two strings, since one holds 8 MiB at most.
		const params = { operationId: "up", slot: "store", method: "write", input: ["", ""] };
		const call = longest({ jsonrpc: "2.0", id: "component:1", method: "capability/call", params });
		const answer = longest({ jsonrpc: "2.0", id: "i".repeat(128), result: { value: ["", ""] } });
		const both = new Both(await make(), ({ call: { input, operationId }, settle }) => {
			settle({ value: operationId === "up" ? (input as string[]).map((text) => text.length) : answer });
		});
		await both.started;
		const [up, down] = await Promise.all([both.call(call, "up"), both.call(null, "down")]);
		expect(up).toEqual({ value: call.map((text) => text.length) });
		expect("value" in down && JSON.stringify(down.value) === JSON.stringify(answer)).toBe(true);
		both.session.finish({ outcome: "done", output: answer.map((text) => text.slice(0, 8_000_000)) });
		expect(await both.conclusion).toMatchObject({ status: "succeeded" });
	});

	it("the component's death ends the Run by its exit, and nothing waits on", async () => {
		const both = new Both(await make(), () => undefined).exits({ exitCode: 7 });
		await both.started;
		void both.call(1, "a");
		await new Promise((resolve) => setImmediate(resolve));
		both.line.killComponent();
		expect(await both.conclusion).toMatchObject({ status: "failed", code: "EXECUTION_FAILED" });
	});

	it("the host's death settles every call once, CHANNEL_LOST", async () => {
		const both = new Both(await make(), () => undefined);
		await both.started;
		const calls = Promise.all([both.call(1, "a"), both.call(2, "b")]);
		await new Promise((resolve) => setImmediate(resolve));
		both.line.killHost();
		expect((await calls).map((settlement) => "failure" in settlement && settlement.failure.code)).toEqual([
			"CHANNEL_LOST",
			"CHANNEL_LOST",
		]);
		expect([await both.closed, both.settlements.length]).toEqual(["CHANNEL_LOST", 2]);
	});

	it("a reader that doesn't read holds its writer back", async () => {
		const { host, component, bound } = await make();
		const chunk = new Uint8Array(32_768).fill(10);
		let taken = 0;
		const write = (): void => {
			taken += chunk.length;
			if (taken > 16_777_216) return;
			host.write(chunk.slice(), (error) => {
				if (error === undefined) write();
			});
		};
		write();
		// As many turns as a pipe without a bound would need to take everything.
		for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
		expect(taken).toBeLessThanOrEqual(bound);
		let read = 0;
		await new Promise<void>((resolve) => {
			component.listen({
				chunk: (bytes) => {
					read += bytes.length;
					if (read >= 16_777_216 - chunk.length) resolve();
				},
				ended: () => resolve(),
				failed: () => resolve(),
			});
		});
		expect(read).toBeGreaterThanOrEqual(16_777_216 - chunk.length);
		component.stop();
		component.end();
		host.stop();
		host.end();
	});
});
