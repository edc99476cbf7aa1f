import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OperationOutcome, type RunConclusion, replay, type Session } from "../../src/run/index.ts";
import { Outbox } from "../../src/run/outbox.ts";
import { Component, capabilityCall, childCall, DONE, type Frame, Host } from "./harness.ts";

/** One direction of a pipe: bytes that were written and not yet read. */
class Wire {
	bytes: Uint8Array = new Uint8Array(0);
	/** Every frame that was ever written, and how many bytes a reader got. */
	readonly frames: Frame[] = [];
	closed = false;

	write(frame: Uint8Array): void {
		this.frames.push(JSON.parse(new TextDecoder().decode(frame)) as Frame);
		if (!this.closed) this.bytes = Buffer.concat([this.bytes, frame]);
	}

	read(count: number): Uint8Array {
		const chunk = new Uint8Array(this.bytes.subarray(0, count));
		this.bytes = this.bytes.subarray(chunk.length);
		return chunk;
	}
}

type Command =
	| { readonly do: "call" | "cancel-call" | "settle" | "pump"; readonly n: number }
	| { readonly do: "deliver"; readonly to: "host" | "component"; readonly bytes: number }
	| { readonly do: "finish"; readonly failed: boolean }
	| { readonly do: "cancel" | "expire" }
	| { readonly do: "fault"; readonly what: "eof-host" | "eof-component" | "truncate" | "garbage" | "write" };

const OUTCOMES: readonly OperationOutcome[] = [
	{ value: 1 },
	{ result: DONE },
	{ error: { name: "not-found", data: null } },
	{ failure: { code: "UNAVAILABLE", message: "m" } },
];

class World {
	readonly component = new Component();
	readonly host = new Host();
	readonly toHost = new Wire();
	readonly toComponent = new Wire();
	readonly calls: { cancel(): void; settled: number }[] = [];
	refused = 0;
	faulty = false;
	conclusion: RunConclusion | undefined;

	constructor() {
		this.host.session.start();
	}

	run(command: Command): void {
		switch (command.do) {
			case "call":
				this.#call(command.n);
				break;
			case "cancel-call":
				if (this.calls.length > 0) this.calls[command.n % this.calls.length]?.cancel();
				break;
			case "settle": {
				const { operations } = this.host;
				if (operations.length > 0)
					operations[command.n % operations.length]?.settle(OUTCOMES[command.n % OUTCOMES.length]!);
				break;
			}
			case "pump":
				this.pump(command.n % 4);
				break;
			case "deliver":
				this.deliver(command.to, command.bytes);
				break;
			case "finish":
				this.component.session.finish(command.failed ? { failure: { code: "INVALID_INPUT", message: "m" } } : DONE);
				break;
			case "cancel":
			case "expire":
				this.host.session[command.do]();
				break;
			case "fault":
				this.#fault(command.what);
		}
	}

	/** Few operation ids, so that calls join, replay and conflict. */
	#call(n: number): void {
		const id = `op:${n % 5}`;
		const entry = { cancel: (): void => undefined, settled: 0 };
		try {
			const call = n % 3 === 0 ? childCall(id, n % 2) : capabilityCall(id, n % 2);
			const made = this.component.session.call(call, () => {
				entry.settled += 1;
			});
			entry.cancel = () => made.cancel();
			this.calls.push(entry);
		} catch {
			this.refused += 1;
		}
	}

	pump(which: number): void {
		if (which !== 1) this.#flush(this.host.session, this.toComponent, which === 3 ? 1 : 99);
		if (which !== 2) this.#flush(this.component.session, this.toHost, which === 3 ? 1 : 99);
	}

	#flush(session: Session, wire: Wire, most: number): void {
		for (let i = 0; i < most; i++) {
			const frame = session.takeFrame();
			if (frame === undefined) break;
			wire.write(frame);
		}
		session.written();
	}

	deliver(to: "host" | "component", count: number): void {
		const chunk = (to === "host" ? this.toHost : this.toComponent).read(count);
		if (chunk.length > 0) (to === "host" ? this.host : this.component).session.receive(chunk);
	}

	#fault(what: Extract<Command, { do: "fault" }>["what"]): void {
		this.faulty = true;
		if (what === "eof-host") {
			this.toHost.closed = true;
			this.toHost.bytes = new Uint8Array(0);
			this.host.session.inputEnded();
		} else if (what === "eof-component") {
			this.toComponent.closed = true;
			this.component.session.inputEnded();
		} else if (what === "truncate") {
			this.toHost.bytes = this.toHost.bytes.subarray(0, this.toHost.bytes.length >> 1);
			this.toHost.closed = true;
		} else if (what === "garbage") {
			this.toComponent.bytes = Buffer.concat([this.toComponent.bytes, Buffer.from('{"a":1}\n')]);
		} else this.component.session.writeFailed(new Error("EPIPE"));
	}

	/** Lets everything come to its end: fair delivery, the handler ends, work settles, the component exits. */
	settle(): void {
		for (let round = 0; round < 6; round++) {
			this.pump(0);
			this.deliver("component", Number.MAX_SAFE_INTEGER);
			if (round > 0) this.component.session.finish(DONE);
			this.deliver("host", Number.MAX_SAFE_INTEGER);
			for (const operation of this.host.operations) operation.settle({ failure: { code: "CANCELLED", message: "m" } });
		}
		this.host.session.inputEnded();
		const clean = this.component.end?.kind === "finished";
		// A component that is still there after a fault is fenced; a fatal one exits with 1.
		const killed = this.component.end === undefined;
		this.conclusion = this.host.session.exited({
			exitCode: killed ? null : clean ? 0 : 1,
			signal: killed ? "SIGKILL" : null,
			killed,
		});
		if (killed) this.component.session.inputEnded();
	}
}

function responsesPerRequest(frames: readonly Frame[]): Map<unknown, number> {
	const counts = new Map<unknown, number>();
	for (const one of frames) if (!("method" in one)) counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
	return counts;
}

const n = fc.nat({ max: 40 });
const calm: fc.Arbitrary<Command> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("call" as const), n }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("cancel-call" as const), n }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), n }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("pump" as const), n }) },
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant("deliver" as const),
			to: fc.constantFrom("host" as const, "component" as const),
			bytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(100_000)),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom("cancel" as const, "expire" as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("finish" as const), failed: fc.boolean() }) },
);
const fault: fc.Arbitrary<Command> = fc.record({
	do: fc.constant("fault" as const),
	what: fc.constantFrom(
		"eof-host" as const,
		"eof-component" as const,
		"truncate" as const,
		"garbage" as const,
		"write" as const,
	),
});

/** The root is under way in most runs: else nearly every command would find nothing to do. */
const STARTED: readonly Command[] = [
	{ do: "pump", n: 0 },
	{ do: "deliver", to: "component", bytes: 100_000 },
];

function explore(commands: readonly Command[]): World {
	const world = new World();
	for (const command of commands) {
		world.run(command);
	}
	world.settle();
	return world;
}

describe("Run/1: random interleavings of both roles", () => {
	it("between conforming peers: one terminal per request, no dangling waiter, never a violation", () => {
		const reached = new Map<string, number>();
		fc.assert(
			fc.property(fc.boolean(), fc.array(calm, { maxLength: 60 }), (started, commands) => {
				const world = explore(started ? [...STARTED, ...commands] : commands);
				expect(world.calls.map((call) => call.settled)).toEqual(world.calls.map(() => 1));
				for (const wire of [world.toHost, world.toComponent]) {
					for (const count of responsesPerRequest(wire.frames).values()) expect(count).toBe(1);
				}
				const { conclusion } = world;
				const code = conclusion?.status === "failed" ? conclusion.code : "succeeded";
				reached.set(code, (reached.get(code) ?? 0) + 1);
				expect(["succeeded", "CANCELLED", "DEADLINE_EXCEEDED", "INVALID_INPUT", "EXECUTION_FAILED"]).toContain(code);
				// A host that was stopped before its root was written leaves the component without one.
				const wrote = world.toComponent.frames.length > 0;
				expect(world.component.ends).toEqual(
					wrote ? [{ kind: "finished" }] : [expect.objectContaining({ code: "CHANNEL_LOST" })],
				);
				expect(world.host.session.unsettled).toBe(0);
				expect(replay(world.component.events).divergence).toBeUndefined();
				expect(replay(world.host.events).divergence).toBeUndefined();
			}),
			{ numRuns: 4_000 },
		);
		for (const code of ["succeeded", "CANCELLED", "DEADLINE_EXCEEDED", "INVALID_INPUT", "EXECUTION_FAILED"]) {
			expect(reached.get(code) ?? 0, code).toBeGreaterThan(5);
		}
	});

	it("under faults: one end on each side, every call settles once, no success after a fault before the answer", () => {
		fc.assert(
			fc.property(
				fc.array(calm, { maxLength: 40 }),
				fault,
				fc.array(fc.oneof({ weight: 9, arbitrary: calm }, { weight: 1, arbitrary: fault }), { maxLength: 30 }),
				(before, first, after) => {
					const world = explore([...STARTED, ...before, first, ...after]);
					expect(world.calls.map((call) => call.settled)).toEqual(world.calls.map(() => 1));
					expect(world.component.ends.length).toBe(1);
					for (const wire of [world.toHost, world.toComponent]) {
						for (const [id, count] of responsesPerRequest(wire.frames)) if (id !== null) expect(count).toBe(1);
					}
					if (world.conclusion?.status === "succeeded") expect(world.host.responses).toBe(1);
					expect(replay(world.component.events).divergence).toBeUndefined();
					expect(replay(world.host.events).divergence).toBeUndefined();
				},
			),
			{ numRuns: 3_000 },
		);
	});

	it("decides the same however the component's bytes are cut", () => {
		fc.assert(
			fc.property(
				fc.array(calm, { maxLength: 40 }),
				fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
				(commands, sizes) => {
					const recorded = explore([...STARTED, ...commands]).host.events;
					const again = new Host();
					const decisions = (events: typeof recorded) =>
						events.filter((event) => event.type !== "chunk").map(({ sequence: _, during: __, ...event }) => event);
					for (const event of recorded) {
						if (event.type === "start") again.session.start();
						else if (event.type === "sent") again.session.takeFrame();
						else if (event.type === "written") again.session.written();
						else if (event.type === "input-ended") again.session.inputEnded();
						else if (event.type === "cancel" || event.type === "expire") again.session[event.type]();
						else if (event.type === "exited") again.session.exited(event.evidence);
						else if (event.type === "settle") {
							again.operations.find((one) => one.call.operationId === event.operationId)?.settle(event.outcome);
						} else if (event.type === "chunk") {
							for (let at = 0, i = 0; at < event.bytes.length; i++) {
								const size = sizes[i % sizes.length]!;
								again.session.receive(event.bytes.subarray(at, at + size));
								at += size;
							}
						}
					}
					expect(decisions(again.events)).toEqual(decisions(recorded));
				},
			),
			{ numRuns: 1_000 },
		);
	});
});

describe("Run/1: bounded tables", () => {
	it("calling and cancelling against a blocked pipe writes nothing and takes no slot", () => {
		const component = Component.running();
		for (let i = 0; i < 20_000; i++) component.call(childCall(`o${i}`)).cancel();
		expect([component.take(), component.settlements.length]).toEqual([[], 20_000]);
	});

	it("an outbox forgets what was dropped from it", () => {
		const outbox = new Outbox();
		const kept = Array.from({ length: 50 }, () => ({ take: () => "kept" }));
		for (const entry of kept) outbox.push(entry);
		for (let i = 0; i < 20_000; i++) {
			const entry = { take: () => "dropped" };
			outbox.push(entry);
			outbox.drop(entry);
			expect(outbox.size).toBeLessThan(200);
		}
		for (const _ of kept) expect(outbox.take()).toBe("kept");
		expect(outbox.take()).toBeUndefined();
	});
});
