import { describe, expect, it } from "vitest";
import { CHANNEL_LIMITS, ChannelBroker, type ChannelLimits } from "../../../src/run/index.ts";
import { holders, item, RECEIVE, SEND, Tree } from "./harness.ts";

/** Each limit by name: what reaches it and is admitted, and what one more is answered. */
const REACHED: Record<keyof ChannelLimits, () => readonly [unknown, unknown]> = {
	sources: () => {
		const { parent } = holders({ receivers: 100 });
		return atMost(16, () => parent.create({ delivery: "broadcast" }));
	},
	receivers: () => {
		const { parent } = holders({ sources: 100 });
		const { source } = parent.broadcast();
		for (let i = 0; i < 8; i++) parent.direct();
		return atMost(8, () => parent.subscribe(source));
	},
	endpoints: () => {
		const { parent } = holders({ sources: 1_000, receivers: 1_000 });
		for (let i = 0; i < 255; i++) parent.direct();
		return atMost(2, () => parent.create({ delivery: "broadcast" }));
	},
	itemBytes: () => {
		const { parent } = holders();
		const { send } = parent.broadcast();
		// A string takes two quotes.
		const text = "x".repeat(1_048_574);
		return [parent.send(send, text).answer, parent.send(send, `${text}x`).answer];
	},
	sourceBytes: () => {
		const { parent } = holders();
		const { send } = parent.broadcast();
		const text = "x".repeat(1_048_574);
		const all = Array.from({ length: 64 }, () => parent.send(send, text).answer);
		return [all.every((each) => each === null) ? null : all, parent.send(send, 1).answer];
	},
	queuedItems: () => {
		const { parent } = holders();
		const { send } = parent.direct();
		return [parent.sendMany(send, 16).at(-1), parent.send(send, 1).answer];
	},
	queuedBytes: () => {
		const { parent } = holders();
		const { send } = parent.direct();
		const text = "x".repeat(1_048_574);
		return [[text, text, text, text].map((each) => parent.send(send, each).answer).at(-1), parent.send(send, 1).answer];
	},
	pendingSends: () => {
		const { parent } = holders();
		const { send } = parent.direct();
		return [parent.sendMany(send, 32).at(-1), parent.send(send, 1).answer];
	},
	pendingBytes: () => {
		const { parent } = holders({ queuedItems: 1 });
		const { send } = parent.direct();
		parent.send(send, 1);
		const text = "x".repeat(1_048_574);
		return [[text, text, text, text].map((each) => parent.send(send, each).answer).at(-1), parent.send(send, 1).answer];
	},
	readerItems: () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const [reader, other] = [parent.reader(source), parent.reader(source)];
		parent.sendMany(send, 16);
		const kept = parent.next(other).answer;
		parent.send(send, 17);
		return [kept, parent.next(reader).answer];
	},
	readerBytes: () => {
		const { parent } = holders();
		const { send, source } = parent.broadcast();
		const [reader, other] = [parent.reader(source), parent.reader(source)];
		const text = "x".repeat(1_048_574);
		for (let i = 0; i < 4; i++) parent.send(send, text);
		const kept = parent.next(other).answer;
		parent.send(send, 1);
		return [kept, parent.next(reader).answer];
	},
};

/** The answer at the bound and the one beyond it. */
function atMost(count: number, allocate: () => unknown): readonly [unknown, unknown] {
	const all = Array.from({ length: count }, allocate);
	return [all.find((each) => typeof each === "string") ?? null, allocate()];
}

const EXPECTED: Record<keyof ChannelLimits, readonly [unknown, unknown]> = {
	sources: [null, "RESOURCE_EXHAUSTED"],
	receivers: [null, "RESOURCE_EXHAUSTED"],
	endpoints: [null, "RESOURCE_EXHAUSTED"],
	itemBytes: [null, "RESOURCE_EXHAUSTED"],
	sourceBytes: [null, "RESOURCE_EXHAUSTED"],
	queuedItems: [null, "waiting"],
	queuedBytes: [null, "waiting"],
	pendingSends: ["waiting", "RESOURCE_EXHAUSTED"],
	pendingBytes: ["waiting", "RESOURCE_EXHAUSTED"],
	readerItems: [item(1, 1), "LAGGED"],
	readerBytes: [item(1, "x".repeat(1_048_574)), "LAGGED"],
};

describe("Run/1 section 5.1: the host bounds channels", () => {
	it.each(Object.keys(CHANNEL_LIMITS) as (keyof ChannelLimits)[])("%s: by its default, reached and crossed", (name) => {
		expect(REACHED[name]()).toEqual(EXPECTED[name]);
	});

	it("takes a direct creation for one source and one receiver", () => {
		const { parent } = holders({ sources: 3, receivers: 1 });
		parent.direct();
		expect(parent.create()).toBe("RESOURCE_EXHAUSTED");
		const { source } = parent.broadcast();
		expect(parent.subscribe(source)).toBe("RESOURCE_EXHAUSTED");
		// What was refused took nothing.
		expect(parent.create({ delivery: "broadcast" })).toHaveProperty("source");
		expect(parent.create({ delivery: "broadcast" })).toBe("RESOURCE_EXHAUSTED");
	});

	it("gives nothing back: neither release nor a move nor an end replenishes", () => {
		const { parent, child } = holders({ sources: 2, receivers: 2 });
		const [one, two] = [parent.direct(), parent.direct()];
		parent.release(one.receive);
		parent.close(two.send);
		parent.next(two.receive);
		expect(parent.create()).toBe("RESOURCE_EXHAUSTED");
		parent.hand(child, one.send, SEND);
		expect(parent.create()).toBe("RESOURCE_EXHAUSTED");
		// Nor does a grant take from what the callee may create.
		expect([child.create(), child.create(), child.create()].map((each) => typeof each)).toEqual([
			"object",
			"object",
			"string",
		]);
	});

	it("gives one participant allowances of its own", () => {
		const tree = new Tree({ sources: 1, receivers: 1 });
		const [program, other] = [tree.holder({ sources: 100, receivers: 100 }), tree.holder()];
		for (let i = 0; i < 100; i++) program.direct();
		expect(program.create()).toBe("RESOURCE_EXHAUSTED");
		other.direct();
		expect(other.create()).toBe("RESOURCE_EXHAUSTED");
	});

	it("counts an endpoint once, wherever it goes", () => {
		const tree = new Tree();
		const [parent, child] = [tree.holder(), tree.holder({ endpoints: 3 })];
		parent.hand(child, parent.direct().receive, RECEIVE);
		child.direct();
		expect(child.create({ delivery: "broadcast" })).toBe("RESOURCE_EXHAUSTED");
	});

	it("takes an item that can't wait in an empty direct queue for too big: no send waits for ever", () => {
		const { parent } = holders({ queuedBytes: 4 });
		const { send, receive } = parent.direct();
		expect(parent.send(send, "12").answer).toBe(null);
		expect(parent.send(send, "123").answer).toBe("RESOURCE_EXHAUSTED");
		expect(parent.next(receive).answer).toBe("RESOURCE_EXHAUSTED");
	});

	it.each([
		["queuedItems", 0],
		["queuedBytes", 0],
		["readerItems", 0],
		["readerBytes", 0],
		["itemBytes", 0],
		["sources", -1],
		["sources", 1.5],
		["pendingSends", Number.NaN],
		["sourceBytes", Number.POSITIVE_INFINITY],
		["unknown", 1],
	])("refuses %s: %d by its name", (name, value) => {
		expect(() => new ChannelBroker({ [name]: value })).toThrow(RangeError);
		expect(() => new ChannelBroker({ [name]: value })).toThrow(name);
	});

	it("takes zero where it means none, and undefined for the default", () => {
		const { parent } = holders({ sources: 0, receivers: 0, endpoints: 0 });
		expect(parent.create()).toBe("RESOURCE_EXHAUSTED");
		const { parent: other } = holders({ queuedItems: 1, pendingSends: 0, itemBytes: undefined as never });
		const { send } = other.direct();
		expect(other.sendMany(send, 2)).toEqual([null, "RESOURCE_EXHAUSTED"]);
	});
});

describe("Run/1 section 5.1: lifetime of one source", () => {
	it.each(["direct", "broadcast"] as const)("carries 60,000 items, %s", (delivery) => {
		const { parent } = holders();
		const made = delivery === "direct" ? parent.direct() : parent.broadcast();
		const reader = "receive" in made ? made.receive : parent.reader(made.source);
		let sum = 0;
		let last = 0;
		for (let i = 0; i < 60_000; i++) {
			parent.participant.send(made.send, i, () => undefined);
			parent.participant.next(reader, (outcome) => {
				const { item } = (outcome as { result: { item: { sequence: number; value: number } } }).result;
				sum += item.value;
				last = item.sequence;
			});
		}
		expect([last, sum]).toEqual([60_000, 1_799_970_000]);
	});
});
