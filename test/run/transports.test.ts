import { describe, expect, it } from "vitest";
import {
	ComponentSession,
	drive,
	HostSession,
	memoryPipe,
	type Session,
	streamTransport,
	type Transport,
	type TransportSink,
} from "../../src/run/index.ts";
import { bytes, childCall, DONE, ROOT, verdict } from "./harness.ts";

/** A session that only has frames to give. */
function source(
	frames: Uint8Array[],
): Session & { written: () => void; taken: number; flushes: number; failures: unknown[] } {
	return {
		taken: 0,
		flushes: 0,
		failures: [],
		receive: () => undefined,
		inputEnded: () => undefined,
		readFailed: () => undefined,
		takeFrame() {
			const frame = frames.shift();
			if (frame !== undefined) this.taken += 1;
			return frame;
		},
		takeText() {
			const frame = this.takeFrame();
			return frame === undefined ? undefined : new TextDecoder().decode(frame);
		},
		written() {
			this.flushes += 1;
		},
		writeFailed(error) {
			this.failures.push(error);
		},
	};
}

/** A transport that keeps its writes until they are let go. */
function gate(): Transport & { writes: Uint8Array[]; release(error?: unknown): void } {
	let pending: ((error?: unknown) => void) | undefined;
	return {
		writes: [],
		listen: () => undefined,
		write(batch, done) {
			if (pending !== undefined) throw new Error("two writes at a time");
			this.writes.push(batch);
			pending = done;
		},
		release(error) {
			const done = pending;
			pending = undefined;
			done?.(error);
		},
		end: () => undefined,
		stop: () => undefined,
	};
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("drive", () => {
	it("takes frames in a microtask, in one batch, one write at a time", async () => {
		const session = source([bytes("a\n"), bytes("b\n")]);
		const transport = gate();
		const driver = drive(session, transport);
		driver.wake();
		driver.wake();
		expect(session.taken).toBe(0);
		await tick();
		expect(transport.writes.map((write) => write.length)).toEqual([4]);
		driver.wake();
		await tick();
		expect([transport.writes.length, session.flushes]).toEqual([1, 0]);
		transport.release();
		expect(session.flushes).toBe(1);
	});

	it("leaves frames in the session while a write is open: back-pressure", async () => {
		const frames = Array.from({ length: 100 }, () => new Uint8Array(10_000).fill(10));
		const session = source(frames);
		const transport = gate();
		drive(session, transport).wake();
		await tick();
		expect(session.taken).toBe(5);
		while (frames.length > 0) {
			transport.release();
			await tick();
		}
		expect(Math.max(...transport.writes.map((write) => write.length))).toBeLessThan(10_000 + 32_768 + 10_000);
	});

	it("doesn't deepen the stack over a transport that calls back at once", async () => {
		const frame = new Uint8Array(32_768);
		const session = source(Array.from({ length: 10_000 }, () => frame));
		drive(session, {
			listen: () => undefined,
			write: (_, done) => done(),
			end: () => undefined,
			stop: () => undefined,
		}).wake();
		await tick();
		expect(session.flushes).toBe(5_000);
	});

	it("counts a write that calls back twice once", async () => {
		const session = source([bytes("a\n")]);
		const transport = gate();
		transport.write = (_, done) => {
			done();
			done(new Error("late"));
		};
		drive(session, transport).wake();
		await tick();
		expect([session.flushes, session.failures]).toEqual([1, []]);
	});

	it("tells of a failed write once, and writes no more", async () => {
		const session = source([bytes("a\n")]);
		const transport = gate();
		const driver = drive(session, transport);
		driver.wake();
		await tick();
		transport.release(new Error("EPIPE"));
		driver.wake();
		await tick();
		expect([session.failures.length, transport.writes.length]).toEqual([1, 1]);
	});
});

describe("drive, taking a chunk in pieces", () => {
	const LINE = bytes(`${"a".repeat(999)}\n`);

	/** A session that answers every frame, and what it was told, with the frames it had been given by then. */
	function answering(): { session: Session; told: string[]; frames: () => number } {
		const queue: Uint8Array[] = [];
		const told: string[] = [];
		let count = 0;
		const session = {
			...source(queue),
			receive: (chunk: Uint8Array) => {
				const frames = chunk.filter((byte) => byte === 10).length;
				count += frames;
				for (let i = 0; i < frames; i++) queue.push(bytes("b\n"));
			},
			inputEnded: () => told.push(`ended after ${count}`),
			readFailed: () => told.push(`failed after ${count}`),
		};
		return { session, told, frames: () => count };
	}

	/** A transport whose sink the test has in hand. */
	function hand(): { transport: ReturnType<typeof gate>; sink: () => TransportSink } {
		const transport = gate();
		let sink: TransportSink | undefined;
		transport.listen = (given) => {
			sink = given;
		};
		return { transport, sink: () => sink! };
	}

	it("writes the first answers before it takes the last frames", async () => {
		const { session, frames } = answering();
		const { transport, sink } = hand();
		drive(session, transport);
		sink().chunk(Buffer.concat(Array.from({ length: 64 }, () => LINE)));
		const early = frames();
		expect([early > 0, early < 32]).toEqual([true, true]);
		expect(transport.writes.map((write) => write.length)).toEqual([2 * early]);
		await tick();
		expect(frames()).toBe(64);
		transport.release();
		await tick();
		expect(transport.writes.map((write) => write.length)).toEqual([2 * early, 2 * (64 - early)]);
	});

	it.each(["ended", "failed", "chunk"] as const)("lets nothing overtake what is left: %s", async (what) => {
		const { session, told, frames } = answering();
		const { transport, sink } = hand();
		drive(session, transport);
		sink().chunk(Buffer.concat(Array.from({ length: 64 }, () => LINE)));
		if (what === "ended") sink().ended();
		else if (what === "failed") sink().failed(new Error("gone"));
		else sink().chunk(LINE);
		expect([frames() >= 64, told]).toEqual([true, what === "chunk" ? [] : [`${what} after 64`]]);
		await tick();
		expect(frames()).toBe(what === "chunk" ? 65 : 64);
	});

	it("takes a chunk without a frame's end in it whole", () => {
		const { session } = answering();
		const taken: number[] = [];
		session.receive = (chunk) => taken.push(chunk.length);
		const { transport, sink } = hand();
		drive(session, transport);
		sink().chunk(new Uint8Array(65_536));
		expect(taken).toEqual([65_536]);
	});
});

/** Runs one Run over a pair of transports: a handler that makes one child call. */
async function run([hostEnd, componentEnd]: readonly [Transport, Transport]): Promise<string> {
	return new Promise((resolve) => {
		const component: ComponentSession = new ComponentSession({
			wake: () => componentDriver.wake(),
			start: () => {
				component.call(childCall(), (settlement) => {
					component.finish({ outcome: "done", output: "value" in settlement ? settlement.value : null });
				});
			},
			cancelled: () => undefined,
			closed: () => {
				componentEnd.stop();
				componentEnd.end();
			},
		});
		let responded = false;
		const host = new HostSession(ROOT, {
			wake: () => hostDriver.wake(),
			dispatch: (operation) => void Promise.resolve().then(() => operation.settle({ result: DONE })),
			abandon: () => undefined,
			accept: () => undefined,
			responded: () => {
				responded = true;
				hostEnd.end();
			},
			failed: () => resolve("failed"),
		});
		const listening: Transport = {
			...hostEnd,
			listen: (sink: TransportSink) =>
				hostEnd.listen({
					...sink,
					chunk: (chunk) => sink.chunk(chunk),
					ended: () => {
						sink.ended();
						if (responded) resolve(verdict(host.exited({ exitCode: 0, signal: null, killed: false })));
					},
				}),
		};
		const componentDriver = drive(component, componentEnd);
		const hostDriver = drive(host, listening);
		host.start();
	});
}

describe("memoryPipe", () => {
	it("carries a whole Run", async () => {
		expect(await run(memoryPipe())).toBe("done");
	});

	it("holds a write open until somebody listens, and keeps the order of chunks and end", async () => {
		const [a, b] = memoryPipe();
		const seen: string[] = [];
		let flushed = false;
		a.write(bytes("1"), () => {
			flushed = true;
		});
		a.end();
		await tick();
		expect(flushed).toBe(false);
		b.listen({
			chunk: (chunk) => seen.push(Buffer.from(chunk).toString()),
			ended: () => seen.push("end"),
			failed: () => undefined,
		});
		await tick();
		expect([flushed, seen]).toEqual([true, ["1", "end"]]);
	});

	it("drops what is written to a stopped reader, and refuses overlapping writes and writes after the end", async () => {
		const [a, b] = memoryPipe();
		const errors: unknown[] = [];
		const seen: unknown[] = [];
		b.listen({ chunk: (chunk) => seen.push(chunk), ended: () => seen.push("end"), failed: () => undefined });
		b.stop();
		a.write(bytes("1"), (error) => errors.push(error));
		a.write(bytes("2"), (error) => errors.push(error));
		await tick();
		a.end();
		a.write(bytes("3"), (error) => errors.push(error));
		await tick();
		expect(seen).toEqual([]);
		expect(errors.map((error) => error instanceof Error).sort()).toEqual([false, true, true]);
	});
});

describe("streamTransport", () => {
	const streams = (): readonly [Transport, Transport] => {
		const there = new TransformStream<Uint8Array, Uint8Array>();
		const back = new TransformStream<Uint8Array, Uint8Array>();
		return [streamTransport(back.readable, there.writable), streamTransport(there.readable, back.writable)];
	};

	it("carries a whole Run", async () => {
		expect(await run(streams())).toBe("done");
	});

	it("tells of a failed stream on both sides, and swallows what follows", async () => {
		const seen: unknown[] = [];
		const readable = new ReadableStream<Uint8Array>({
			start: (controller) => controller.error(new Error("read")),
		});
		const writable = new WritableStream<Uint8Array>({
			write: () => Promise.reject(new Error("write")),
		});
		const transport = streamTransport(readable, writable);
		transport.listen({
			chunk: () => undefined,
			ended: () => seen.push("end"),
			failed: (error) => seen.push((error as Error).message),
		});
		transport.write(bytes("a"), (error) => seen.push((error as Error).message));
		await tick();
		transport.end();
		transport.stop();
		await tick();
		expect(seen.sort()).toEqual(["read", "write"]);
	});

	it("stops reading without an end", async () => {
		const seen: unknown[] = [];
		let cancelled = false;
		const readable = new ReadableStream<Uint8Array>({
			cancel: () => {
				cancelled = true;
			},
		});
		const transport = streamTransport(readable, new WritableStream());
		transport.listen({ chunk: () => undefined, ended: () => seen.push("end"), failed: () => seen.push("failed") });
		await tick();
		transport.stop();
		await tick();
		expect([cancelled, seen]).toEqual([true, []]);
	});
});
