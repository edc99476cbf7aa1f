/** Run/1 section 5.1 at the component: any order of requests, cancellations, frames, answers and violations. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChannelRequest, RUN_LIMITS, replay } from "../../src/run/index.ts";
import {
	ChannelComponent,
	close,
	create,
	next,
	RECEIVE,
	release,
	SEND,
	send,
	subscribe,
	subscription,
	type Waiting,
} from "./channel-frames.ts";
import { cancelOf, childCall, codeOf, DONE, type Frame, failure, result } from "./harness.ts";

type Command =
	| {
			readonly do: "create" | "broadcast" | "subscribe" | "send" | "next" | "seal" | "dispose" | "call" | "offer";
			readonly n: number;
	  }
	| { readonly do: "take" | "cancel-wait" | "answer"; readonly n: number }
	| { readonly do: "finish" | "cancel-root" | "flushed" | "bad" | "eof"; readonly n: number };

/** A component and a host that answers what it was asked, truly or not. */
class World {
	readonly component = ChannelComponent.with({ in: RECEIVE, late: subscription("late", 3), out: SEND });
	readonly waits: (Waiting | { cancel(): void; readonly settled: () => number })[] = [];
	readonly senders = ["e:send"];
	readonly receivers = ["e:receive", "late"];
	readonly sources: string[] = [];
	readonly open: Frame[] = [];
	readonly positions = new Map([
		["e:receive", 1],
		["late", 3],
	]);
	readonly outcomes = new Map<string, object>();
	readonly settlements = new Map<string, number>();
	readonly terminals: Frame[] = [];
	pendingMost = 0;
	granted = 0;

	run(command: Command): void {
		const { n } = command;
		const one = <T>(list: readonly T[]): T => list[n % list.length]!;
		switch (command.do) {
			case "create":
				this.ask(create());
				break;
			case "broadcast":
				this.ask(create("broadcast"));
				break;
			case "subscribe":
				if (this.sources.length > 0) this.ask(subscribe(one(this.sources)));
				break;
			case "send":
				this.ask(send(n, one(this.senders)));
				break;
			case "next":
				this.ask(next(one(this.receivers)));
				break;
			case "seal":
				this.ask(close(one(this.senders)));
				break;
			case "dispose":
				this.ask(release(one(this.receivers)));
				break;
			case "call":
			case "offer":
				this.call(command.do === "offer" ? { a: one([...this.senders, ...this.receivers]) } : {}, n);
				break;
			case "take":
				this.take(n % 3);
				break;
			case "flushed":
				this.component.session.written();
				break;
			case "cancel-wait":
				if (this.waits.length > 0) one(this.waits).cancel();
				break;
			case "answer":
				this.answer(n);
				break;
			case "finish":
				this.component.session.finish(n % 4 === 0 ? { failure: { code: "INVALID_INPUT", message: "m" } } : DONE);
				break;
			case "cancel-root":
				this.component.feed(cancelOf("host:1"));
				break;
			case "bad":
				this.violate(n);
				break;
			case "eof":
				this.component.session.inputEnded();
		}
	}

	ask(request: ChannelRequest): void {
		try {
			this.waits.push(this.component.wait(request));
		} catch {
			// Refused: nothing happened.
		}
	}

	call(channels: Record<string, string>, n: number): void {
		let count = 0;
		try {
			const { cancel } = this.component.session.call({ ...childCall(`o:${n}`), channels }, () => {
				count += 1;
			});
			this.waits.push({ cancel, settled: () => count });
		} catch {
			// As above.
		}
	}

	take(most: number): void {
		for (let i = 0; i <= most; i++) {
			const bytes = this.component.session.takeFrame();
			if (bytes === undefined) return;
			const frame = JSON.parse(new TextDecoder().decode(bytes)) as Frame;
			if (frame.id === "host:1") this.terminals.push(frame);
			else if (frame.method !== "request/cancel") this.open.push(frame);
			if (frame.method === "channel/release" || frame.method === "channel/close") {
				const { endpoint } = frame.params as { endpoint: string };
				this.settlements.set(endpoint, (this.settlements.get(endpoint) ?? 0) + 1);
			}
			this.pendingMost = Math.max(this.pendingMost, this.open.length);
		}
	}

	answer(n: number): void {
		const index = n % Math.max(1, this.open.length);
		const frame = this.open[index];
		if (frame === undefined) return;
		const { endpoint = "" } = frame.params as { endpoint?: string };
		const isSettlement = frame.method === "channel/release" || frame.method === "channel/close";
		// A release is answered behind its read, whose answer decides its own.
		if (
			isSettlement &&
			this.open.some(
				(other) => other.method === "channel/next" && (other.params as { endpoint: string }).endpoint === endpoint,
			)
		)
			return;
		this.open.splice(index, 1);
		const id = frame.id as string;
		if (!isSettlement && n % 7 === 0) {
			const code = frame.method === "channel/next" ? "LAGGED" : "UNAVAILABLE";
			if (frame.method === "channel/next") this.outcomes.set(endpoint, { status: "failed", code });
			this.component.feed(failure(id, code));
		} else this.component.feed(result(id, this.resultOf(frame, n) as never));
	}

	resultOf({ method, params }: Frame, n: number): unknown {
		const { endpoint = "", delivery = "direct" } = params as { endpoint?: string; delivery?: string };
		this.granted += 1;
		const token = `x:${this.granted}`;
		switch (method) {
			case "channel/create":
				this.senders.push(token);
				if (delivery === "broadcast") {
					this.sources.push(`${token}:source`);
					return { send: { ...SEND, endpoint: token, delivery }, source: `${token}:source` };
				}
				return { send: { ...SEND, endpoint: token }, receive: this.receiver(`${token}:r`, { ...RECEIVE }) };
			case "channel/subscribe":
				return this.receiver(token, subscription(token));
			case "channel/next": {
				const at = this.positions.get(endpoint)!;
				if (n % 3 > 0) {
					this.positions.set(endpoint, at + 1);
					return { item: { sequence: at, value: at } };
				}
				this.outcomes.set(endpoint, { status: "ended", lastSequence: at - 1 });
				return { end: { lastSequence: at - 1 } };
			}
			case "channel/release":
				return this.outcomes.get(endpoint) ?? { status: "released" };
			case "flow/run-child":
				return { ...DONE };
			default:
				return null;
		}
	}

	receiver(endpoint: string, grant: object): object {
		this.receivers.push(endpoint);
		this.positions.set(endpoint, 1);
		return { ...grant, endpoint };
	}

	/** Something that no host may say. */
	violate(n: number): void {
		const frame = this.open[n % Math.max(1, this.open.length)];
		if (frame === undefined || n % 5 === 0) this.component.session.receive(new Uint8Array([0xff, 0x0a]));
		else if (n % 5 === 1) this.component.feed(result(frame.id as string, { item: { sequence: 77, value: null } }));
		else if (n % 5 === 2)
			this.component.feed(result(frame.id as string, { send: { ...SEND }, receive: { ...RECEIVE } }));
		else if (n % 5 === 3) this.component.feed(result(frame.id as string, { status: "ended", lastSequence: 77 }));
		else this.component.feed({ jsonrpc: "2.0", id: frame.id, error: { code: -32602, message: "m" } });
	}

	/** Lets everything come to its end. */
	settle(): void {
		this.component.session.finish(DONE);
		for (let round = 0; round < 600 && this.component.ends.length === 0; round++) {
			this.take(99);
			this.component.session.written();
			this.answer(round);
		}
		this.take(99);
		this.component.session.written();
	}

	get counts(): number[] {
		return this.waits.map((waiting) => ("settlements" in waiting ? waiting.settlements.length : waiting.settled()));
	}
}

const n = fc.nat({ max: 200 });
const of = (...names: Command["do"][]): fc.Arbitrary<Command> =>
	fc.record({ do: fc.constantFrom(...names), n }) as fc.Arbitrary<Command>;
const calm = fc.oneof(
	{ weight: 12, arbitrary: of("create", "broadcast", "subscribe", "send", "next", "seal", "dispose", "call", "offer") },
	{ weight: 12, arbitrary: of("take", "answer") },
	{ weight: 4, arbitrary: of("cancel-wait") },
	{ weight: 1, arbitrary: of("flushed", "cancel-root", "finish") },
);
const fault = of("bad", "eof");

describe("Run/1 section 5.1: random interleavings at the component", () => {
	it("with a correct host: one settlement a wait, one terminal, at most 64 pending, at most one settlement an endpoint", () => {
		const reached = new Map<unknown, number>();
		fc.assert(
			fc.property(fc.array(calm, { maxLength: 120 }), (commands) => {
				const world = new World();
				for (const command of commands) world.run(command);
				world.settle();
				expect(world.component.ends).toEqual([{ kind: "finished" }]);
				expect(world.terminals.length).toBe(1);
				expect(world.counts).toEqual(world.waits.map(() => 1));
				expect(world.pendingMost).toBeLessThanOrEqual(RUN_LIMITS.pendingRequests);
				for (const count of world.settlements.values()) expect(count).toBe(1);
				expect(replay(world.component.events).divergence).toBeUndefined();
				const code = codeOf(world.terminals[0]) ?? "result";
				reached.set(code, (reached.get(code) ?? 0) + 1);
			}),
			{ numRuns: 2_000 },
		);
		expect([...reached.keys()].sort()).toEqual(["CANCELLED", "EXECUTION_FAILED", "INVALID_INPUT", "result"]);
	});

	it("with violations and losses: one settlement a wait, one end, no frame but a diagnostic afterwards", () => {
		fc.assert(
			fc.property(fc.array(calm, { maxLength: 60 }), fault, fc.array(calm, { maxLength: 20 }), (before, bad, after) => {
				const world = new World();
				for (const command of [...before, bad, ...after]) world.run(command);
				world.settle();
				expect(world.counts).toEqual(world.waits.map(() => 1));
				expect(world.component.ends.length).toBe(1);
				expect(replay(world.component.events).divergence).toBeUndefined();
			}),
			{ numRuns: 1_500 },
		);
	});

	it("many settlements at once over full slots: all are written in the end, never as a 65th", () => {
		for (let receivers = 1; receivers <= 80; receivers += 13) {
			const channels = Object.fromEntries(
				Array.from({ length: receivers }, (_, i) => [`c${i}`, { ...RECEIVE, endpoint: `r:${i}` }]),
			);
			const component = ChannelComponent.with(channels);
			for (let i = 0; ; i++) {
				try {
					component.call(childCall(`o:${i}`));
				} catch {
					break;
				}
			}
			const waits = Array.from({ length: receivers }, (_, i) => component.wait(release(`r:${i}`)));
			const open = component.flush();
			for (let most = 0; open.length > 0; most++) {
				expect(open.length).toBeLessThanOrEqual(RUN_LIMITS.pendingRequests);
				const at = open.findIndex(({ method }) => method === "channel/release");
				const [frame] = open.splice(at === -1 ? 0 : at, 1);
				component.feed(result(frame!.id as string, at === -1 ? { ...DONE } : { status: "released" }));
				open.push(...component.flush());
				expect(most).toBeLessThan(200);
			}
			expect(waits.map(({ came }) => came)).toEqual(waits.map(() => ({ status: "released" })));
		}
	});
});
