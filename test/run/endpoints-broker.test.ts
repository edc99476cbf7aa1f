/** Run/1 section 5.1, both sides: components over their frames, and the broker that answers these frames. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { ChannelBroker } from "../../src/run/channels/broker.ts";
import {
	type ChannelGrant,
	type ChannelOutcome,
	type ChannelParticipant,
	type ChannelRequest,
	replay,
} from "../../src/run/index.ts";
import { ChannelComponent, close, create, next, release, send, subscribe, type Waiting } from "./channel-frames.ts";
import { childCall, codeOf, DONE, type Frame, failure, result } from "./harness.ts";

type Command =
	| {
			readonly do: "create" | "broadcast" | "subscribe" | "send" | "next" | "seal" | "dispose" | "call";
			readonly n: number;
			readonly who: number;
	  }
	| { readonly do: "cancel" | "exchange" | "finish"; readonly n: number; readonly who: number };

/** One component and its holder at the broker. */
class Holder {
	readonly component: ChannelComponent;
	readonly participant: ChannelParticipant;
	readonly waits: Waiting[] = [];
	readonly calls: { cancel(): void; settled: number }[] = [];
	readonly senders: string[] = [];
	readonly receivers: string[] = [];
	readonly sources: string[] = [];
	readonly cancels = new Map<string, () => void>();
	terminal: Frame | undefined;
	verdict: string | undefined;

	constructor(participant: ChannelParticipant, grants: Readonly<Record<string, ChannelGrant>>) {
		this.participant = participant;
		this.component = ChannelComponent.with(grants);
		for (const grant of Object.values(grants)) this.hold(grant);
	}

	hold({ direction, endpoint }: ChannelGrant): void {
		(direction === "send" ? this.senders : this.receivers).push(endpoint);
	}

	learn(outcome: ChannelOutcome): void {
		if ("failure" in outcome || outcome.result === null) return;
		const {
			send: writer,
			receive,
			source,
			...rest
		} = outcome.result as unknown as {
			send?: ChannelGrant;
			receive?: ChannelGrant;
			source?: string;
		};
		for (const grant of [writer, receive, ...("endpoint" in rest ? [rest as ChannelGrant] : [])]) {
			if (grant !== undefined) this.hold(grant);
		}
		if (source !== undefined) this.sources.push(source);
	}
}

class World {
	readonly broker = new ChannelBroker({ sources: 4, receivers: 6, queuedItems: 2, pendingSends: 3, readerItems: 2 });
	readonly holders: Holder[] = [new Holder(this.broker.participant(), {})];

	run({ do: what, n, who }: Command): void {
		const holder = this.holders[who % this.holders.length]!;
		const { senders, receivers, sources } = holder;
		const ask = (request: ChannelRequest): void => {
			try {
				holder.waits.push(holder.component.wait(request));
			} catch {
				// Refused: nothing happened.
			}
		};
		const one = (list: readonly string[], act: (token: string) => ChannelRequest): void => {
			if (list.length > 0) ask(act(list[n % list.length]!));
		};
		if (what === "create") ask(create());
		else if (what === "broadcast") ask(create("broadcast"));
		else if (what === "subscribe") one(sources, subscribe);
		else if (what === "send") one(senders, (token) => send(n, token));
		else if (what === "next") one(receivers, next);
		else if (what === "seal") one(senders, close);
		else if (what === "dispose") one(receivers, release);
		else if (what === "call") this.call(holder, n);
		else if (what === "cancel") {
			const all = [...holder.waits, ...holder.calls];
			if (all.length > 0) all[n % all.length]!.cancel();
		} else if (what === "finish") holder.component.session.finish(DONE);
		else this.exchange(holder, n % 2 === 0 ? 99 : n % 5);
	}

	call(holder: Holder, n: number): void {
		const tokens = [...holder.senders, ...holder.receivers];
		if (tokens.length === 0) return;
		const call = { cancel: (): void => undefined, settled: 0 };
		const channels = { a: tokens[n % tokens.length]! };
		try {
			const { cancel } = holder.component.session.call({ ...childCall(`o:${n}`), channels }, () => {
				call.settled += 1;
			});
			call.cancel = cancel;
			holder.calls.push(call);
		} catch {
			// As above.
		}
	}

	/** Takes up to `most` frames of one component to the broker; its answers go back at once, or when they are due. */
	exchange(holder: Holder, most: number): void {
		for (let i = 0; i <= most; i++) {
			const bytes = holder.component.session.takeFrame();
			if (bytes === undefined) break;
			this.serve(holder, JSON.parse(new TextDecoder().decode(bytes)) as Frame);
		}
		holder.component.session.written();
	}

	serve(holder: Holder, frame: Frame): void {
		const id = frame.id as string;
		if (frame.id === "host:1") {
			holder.terminal = frame;
			const refused = codeOf(frame) === undefined ? holder.participant.finalise() : undefined;
			holder.verdict = refused?.code ?? (codeOf(frame) as string | undefined) ?? "result";
			holder.participant.end();
			return;
		}
		const params = frame.params as Record<string, JsonValue>;
		const { component, participant } = holder;
		const answer = (outcome: ChannelOutcome): void => {
			holder.cancels.delete(id);
			holder.learn(outcome);
			if ("failure" in outcome) component.feed(failure(id, outcome.failure.code));
			else component.feed(result(id, outcome.result));
		};
		const endpoint = params.endpoint as string;
		const waits = (wait: { cancel(): void }): void => {
			if (!answered.has(id)) holder.cancels.set(id, () => wait.cancel());
		};
		const answered = new Set<string>();
		const settle = (outcome: ChannelOutcome): void => {
			answered.add(id);
			answer(outcome);
		};
		switch (frame.method) {
			case "request/cancel":
				holder.cancels.get(params.requestId as string)?.();
				break;
			case "channel/create":
				answer(participant.create({ delivery: (params.delivery as "direct" | "broadcast" | undefined) ?? "direct" }));
				break;
			case "channel/subscribe":
				answer(participant.subscribe(params.source as string));
				break;
			case "channel/send":
				waits(participant.send(endpoint, params.value!, settle));
				break;
			case "channel/next":
				waits(participant.next(endpoint, settle));
				break;
			case "channel/close":
				answer(participant.close(endpoint));
				break;
			case "channel/release":
				answer(participant.release(endpoint));
				break;
			case "flow/run-child":
				this.child(holder, id, params.channels as Record<string, string>);
		}
	}

	/** A child that gets what is mapped; its parent's call is answered when the child's terminal comes. */
	child(holder: Holder, id: string, map: Record<string, string>): void {
		const callee = this.broker.participant();
		const moved = holder.participant.transfer(map, undefined, callee);
		if ("failure" in moved) {
			callee.end();
			holder.component.feed(failure(id, moved.failure.code));
			return;
		}
		const child = new Holder(callee, moved.grants);
		this.holders.push(child);
		this.parents.set(child, () => holder.component.feed(result(id, { ...DONE })));
	}

	readonly parents = new Map<Holder, () => void>();

	settle(): void {
		for (let round = 0; round < 200; round++) {
			for (const holder of [...this.holders].reverse()) {
				holder.component.session.finish(DONE);
				this.exchange(holder, 99);
				if (holder.terminal !== undefined) {
					this.parents.get(holder)?.();
					this.parents.delete(holder);
				}
			}
			if (this.holders.every(({ terminal }) => terminal !== undefined)) return;
		}
	}
}

const command = fc.record({
	do: fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom("create", "broadcast", "subscribe", "call") },
		{ weight: 8, arbitrary: fc.constantFrom("send", "next") },
		{ weight: 3, arbitrary: fc.constantFrom("seal", "dispose", "cancel") },
		{ weight: 9, arbitrary: fc.constant("exchange") },
		{ weight: 1, arbitrary: fc.constant("finish") },
	),
	n: fc.nat({ max: 60 }),
	who: fc.nat({ max: 3 }),
}) as fc.Arbitrary<Command>;

/** Endpoints to hand on, before any is used. */
const STARTED: readonly Command[] = [
	{ do: "create", n: 0, who: 0 },
	{ do: "create", n: 0, who: 0 },
	{ do: "broadcast", n: 0, who: 0 },
	{ do: "exchange", n: 0, who: 0 },
	{ do: "subscribe", n: 0, who: 0 },
	{ do: "exchange", n: 0, who: 0 },
];

it("components and the broker never find each other in breach, and everything that was asked is answered once", () => {
	const reached = new Map<string, number>();
	fc.assert(
		fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
			const world = new World();
			for (const one of [...STARTED, ...commands]) world.run(one);
			world.settle();
			for (const { component, waits, calls, verdict, terminal } of world.holders) {
				// Of what nobody was offered the component knows as much as the broker: neither refuses alone.
				if (verdict !== "result" && calls.length === 0) expect(codeOf(terminal)).toBeDefined();
				expect(component.ends).toEqual([{ kind: "finished" }]);
				expect(waits.map(({ settlements }) => settlements.length)).toEqual(waits.map(() => 1));
				expect(calls.map(({ settled }) => settled)).toEqual(calls.map(() => 1));
				expect(replay(component.events).divergence).toBeUndefined();
				reached.set(verdict!, (reached.get(verdict!) ?? 0) + 1);
			}
			reached.set("children", (reached.get("children") ?? 0) + world.holders.length - 1);
		}),
		{ numRuns: 3_000 },
	);
	expect(reached.get("children")).toBeGreaterThan(100);
	expect([...reached.keys()].filter((key) => key !== "children").sort()).toEqual(["EXECUTION_FAILED", "result"]);
});
