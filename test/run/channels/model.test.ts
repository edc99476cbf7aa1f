import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/json/index.ts";
import { CHANNEL_LIMITS, type ChannelLimits, type PortTerms } from "../../../src/run/index.ts";
import type { Schema } from "../../../src/schema/index.ts";
import { type Holder, schema, Tree, type Wait } from "./harness.ts";
import {
	type Kind,
	Model,
	type ModelHolder,
	type ModelReader,
	type ModelSource,
	type ModelWait,
	type Writer,
} from "./model.ts";

const SMALL: ChannelLimits = {
	...CHANNEL_LIMITS,
	sources: 3,
	receivers: 4,
	itemBytes: 7,
	sourceBytes: 60,
	queuedItems: 2,
	queuedBytes: 8,
	pendingSends: 2,
	pendingBytes: 12,
	readerItems: 2,
	readerBytes: 8,
};
const HOLDERS = 3;
/** What a send carries: mostly what its source takes, as a source that failed shows nothing more. */
const NUMBERS: readonly JsonValue[] = [1, 2, 12_345, 1_234_567];
const TEXTS: readonly JsonValue[] = ["", "a", "abc", "abcde"];
const TOO_BIG = 12_345_678;
const KINDS: readonly Kind[] = ["any", "any", "any", "number", "text"];
const SCHEMAS: Record<Kind, Schema | undefined> = {
	any: undefined,
	number: schema({ type: "number" }),
	text: schema({ type: "string" }),
};

/** What a step may be; more often what is common. */
const STEPS = [
	...["send", "send", "send", "send", "send", "send", "next", "next", "next", "next", "next", "next"],
	...["send", "send", "send", "next", "next"],
	...["create", "create", "create", "subscribe", "subscribe", "transfer", "transfer", "transfer", "transfer"],
	...["cancel", "cancel", "close", "release"],
] as const;

/** One step: what, by whom, and three choices that each step reads as it needs. An end is rare: little happens after it. */
const step = fc.tuple(
	fc.oneof(
		{ weight: 40, arbitrary: fc.constantFrom(...STEPS) },
		{ weight: 1, arbitrary: fc.constantFrom("finalise" as const, "end" as const) },
	),
	fc.nat(HOLDERS - 1),
	fc.nat(60),
	fc.nat(60),
	fc.nat(60),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The broker and its model side by side. */
class Pair {
	readonly tree = new Tree(SMALL);
	readonly model = new Model(SMALL);
	readonly holders: { readonly real: Holder; readonly model: ModelHolder }[] = [];
	readonly references = new Map<Writer | ModelReader | ModelSource, string>();
	pending: { readonly real: Wait; readonly model: ModelWait }[] = [];
	readonly waits: { readonly real: Wait; readonly model: ModelWait }[] = [];

	constructor() {
		for (let i = 0; i < HOLDERS; i++) this.holders.push({ real: this.tree.holder(), model: this.model.holder() });
	}

	run([what, who, a, b, c]: Step): void {
		const by = this.holders[who]!;
		const readers = this.model.sources.flatMap((source) => source.readers);
		const source = pick(this.model.sources, a);
		const reader = pick(readers, a);
		switch (what) {
			case "create": {
				const delivery = b % 2 === 0 ? "direct" : "broadcast";
				const kind = pick(KINDS, c)!;
				this.#created(by.real.create({ delivery, schema: SCHEMAS[kind] }), this.model.create(by.model, delivery, kind));
				break;
			}
			case "subscribe":
				if (source !== undefined && source.delivery === "broadcast") {
					const holder = b % 4 === 0 ? by : this.#of(source.owner);
					const made = holder.real.subscribe(this.references.get(source)!);
					const expected = this.model.subscribe(holder.model, source);
					if (typeof expected === "string") expect(made).toBe(expected);
					else {
						expect(made).toMatchObject({ startSequence: expected.start });
						this.references.set(expected, (made as { endpoint: string }).endpoint);
					}
				}
				break;
			case "send":
				if (source !== undefined) {
					const holder = b % 8 === 0 ? by : this.#of(source.writer.holder);
					const value = valueFor(source, b, c);
					const real = holder.real.send(this.references.get(source.writer)!, value);
					this.#wait(real, this.model.send(holder.model, source.writer, value));
				}
				break;
			case "next":
				if (reader !== undefined) {
					const holder = b % 8 === 0 ? by : this.#of(reader.holder);
					const real = holder.real.next(this.references.get(reader)!);
					this.#wait(real, this.model.next(holder.model, reader));
				}
				break;
			case "cancel": {
				// Mostly one that is under way.
				const wait = pick(b % 4 === 0 ? this.waits : this.pending, a);
				wait?.real.cancel();
				if (wait !== undefined) this.model.cancel(wait.model);
				break;
			}
			case "close":
				if (source !== undefined) {
					const holder = b % 8 === 0 ? by : this.#of(source.writer.holder);
					const real = holder.real.close(this.references.get(source.writer)!);
					expect(real).toEqual(this.model.close(holder.model, source.writer));
				}
				break;
			case "release":
				if (reader !== undefined) {
					const holder = b % 8 === 0 ? by : this.#of(reader.holder);
					const real = holder.real.release(this.references.get(reader)!);
					expect(real).toMatchObject(this.model.release(holder.model, reader) as object);
				}
				break;
			case "transfer":
				if (source !== undefined) this.#transfer(by, source, b, c);
				break;
			case "finalise":
				expect(by.real.finalise()).toBe(this.model.finalise(by.model));
				break;
			case "end":
				by.real.end();
				this.model.end(by.model);
				break;
		}
		this.compare();
	}

	/** Whatever is under way has come to the same; what has settled is looked at again at the end only. */
	compare(): void {
		for (const { real, model } of this.pending) expect(real.answer).toEqual(model.answer);
		this.pending = this.pending.filter(({ model }) => model.answer === "waiting");
		for (const { real, model } of this.holders) expect(real.reserve).toBe(this.model.reserve(model));
		for (const source of this.model.sources) expect(source.waiting.length).toBeLessThanOrEqual(SMALL.pendingSends);
	}

	#wait(real: Wait, model: ModelWait): void {
		const wait = { real, model };
		this.waits.push(wait);
		this.pending.push(wait);
	}

	/** One endpoint or two, of one source or of two, to ports of any schema. */
	#transfer(by: (typeof this.holders)[number], source: ModelSource, b: number, c: number): void {
		const to = this.holders[c % HOLDERS]!;
		const other = pick(this.model.sources, c)!;
		const endpoints = [pick([source.writer, ...source.readers], b)!];
		if (b % 3 === 0) endpoints.push(pick([other.writer, ...other.readers], c + b)!);
		const from = b % 6 === 0 ? by : this.#of(endpoints[0]!.holder);
		const moves = endpoints.map((endpoint, i) => ({
			endpoint,
			kind: pick(KINDS, b + c + i)!,
			start: c % 2 === 0 ? ("beginning" as const) : ("suffix" as const),
		}));
		const names = c % 5 === 0 ? ["z", "a"] : ["a", "z"];
		const map: Record<string, string> = {};
		const ports: Record<string, Partial<PortTerms>> = {};
		for (const [i, { endpoint, kind, start }] of moves.entries()) {
			map[names[i]!] = this.references.get(endpoint)!;
			ports[names[i]!] = { direction: endpoint.direction, start, schema: SCHEMAS[kind] };
		}
		const moved = from.real.give(to.real, map, ports);
		const expected = this.model.transfer(from.model, to.model, moves);
		if (expected !== undefined) expect(moved).toBe(expected);
		else {
			for (const [name, reference] of Object.entries(map)) {
				expect(moved).toHaveProperty([name, "endpoint"], reference);
			}
		}
	}

	#created(made: JsonValue, expected: ModelSource | string): void {
		if (typeof expected === "string") {
			expect(made).toBe(expected);
			return;
		}
		const { send, receive, source } = made as unknown as Record<"send" | "receive", { endpoint: string }> & {
			source: string;
		};
		this.references.set(expected.writer, send.endpoint);
		if (expected.delivery === "direct") this.references.set(expected.readers[0]!, receive.endpoint);
		else this.references.set(expected, source);
	}

	#of(holder: ModelHolder): (typeof this.holders)[number] {
		return this.holders.find((each) => each.model === holder)!;
	}
}

function valueFor({ kind }: ModelSource, b: number, c: number): JsonValue {
	if (c === 0) return TOO_BIG;
	const texts = kind === "any" ? b % 2 === 0 : (kind === "text") !== (c === 1);
	return pick(texts ? TEXTS : NUMBERS, c)!;
}

function pick<T>(from: readonly T[], choice: number): T | undefined {
	return from[choice % Math.max(1, from.length)];
}

/** What every reader got, by its reference: told from outside, with no model. */
function checkDeliveries(pair: Pair): void {
	const accepted = new Map<string, number>();
	const seen = new Map<string, number>();
	for (const event of pair.tree.events) {
		if (event.type === "subscribed") seen.set(event.endpoint, event.startSequence - 1);
		if (event.type === "created" && event.receive !== undefined) seen.set(event.receive, 0);
		if (event.type === "accepted") {
			expect(event.sequence).toBe((accepted.get(event.source) ?? 0) + 1);
			accepted.set(event.source, event.sequence);
		}
		if (event.type === "delivered") {
			expect(event.sequence).toBe(seen.get(event.endpoint)! + 1);
			seen.set(event.endpoint, event.sequence);
		}
		if (event.type === "ended") {
			expect(event.lastSequence).toBe(seen.get(event.endpoint));
			expect(event.lastSequence).toBe(accepted.get(event.source) ?? 0);
		}
	}
}

describe("Run/1 section 5.1: any order of requests", () => {
	it("comes to what a naive reading comes to; nothing is lost, doubled or left waiting", { timeout: 60_000 }, () => {
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 150, size: "max" }), (steps) => {
				const pair = new Pair();
				for (const each of steps) pair.run(each);
				checkDeliveries(pair);
				for (const { real, model } of pair.holders) {
					real.end();
					pair.model.end(model);
				}
				pair.compare();
				for (const { real, model } of pair.waits) expect(real.answer).toEqual(model.answer);
				expect(pair.waits.filter(({ model }) => model.answer === "waiting")).toEqual([]);
			}),
			{ numRuns: 300 },
		);
	});
});
