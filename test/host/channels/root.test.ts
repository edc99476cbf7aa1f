import { describe, expect, test } from "vitest";
import type { ChannelReceiver, ChannelSender, RootChannel, RunEvent } from "../../../src/host/index.ts";
import type { JsonValue } from "../../../src/json/index.ts";
import type { RunHandler } from "../../../src/sdk/index.ts";
import { all, Bench, codeOf, contract, DONE, flowMd, port } from "./arrange.ts";

const READ: RunHandler = async (run) => ({ outcome: "done", output: await all(run.channels.in as ChannelReceiver) });
const RECEIVES = flowMd(port("in", { direction: "receive" }));
const SENDS = flowMd(port("out", { direction: "send" }));

const failures = (events: readonly RunEvent[]): unknown[] =>
	events.flatMap(({ event }) => (event.type === "channel-failed" ? [{ port: event.port, error: event.error }] : []));

async function* counting(to: number): AsyncGenerator<JsonValue> {
	for (let n = 1; n <= to; n += 1) yield n;
}

describe("what the program connects to the root's ports (Channel Contract/1 section 1)", () => {
	test.each<[string, RootChannel]>([
		["a list", [1, 2, 3]],
		["an iterator", new Set([1, 2, 3])],
		["an asynchronous generator", counting(3)],
		[
			"a function that sends",
			async (sender: ChannelSender) => {
				for (const item of [1, 2, 3]) await sender.send(item);
			},
		],
	])("%s feeds a port that receives", async (_, channel) => {
		const { output, events } = await new Bench().root(READ, { channels: { in: channel } }, RECEIVES);
		expect(output).toEqual([1, 2, 3]);
		expect(failures(events)).toEqual([]);
	});

	test("1,000 items go no faster than the Flow takes them", async () => {
		let given = 0;
		let ahead = 0;
		function* items(): Generator<JsonValue> {
			for (; given < 1_000; given += 1) yield given;
		}
		const handler: RunHandler = async (run) => {
			let taken = 0;
			for await (const item of run.channels.in as ChannelReceiver) {
				expect(item).toBe(taken);
				taken += 1;
				ahead = Math.max(ahead, given - taken);
			}
			return { outcome: "done", output: taken };
		};
		const { output } = await new Bench().root(handler, { channels: { in: items() } }, RECEIVES);
		expect(output).toBe(1_000);
		expect(ahead).toBeLessThan(40);
	});

	test("a function reads what a port sends, also what comes after the Flow's own end", async () => {
		const read: JsonValue[] = [];
		const handler: RunHandler = async (run) => {
			for (let n = 0; n < 10; n += 1) await (run.channels.out as ChannelSender).send(n);
			return DONE;
		};
		const { outcome } = await new Bench().root(
			handler,
			{
				channels: {
					out: async (receiver: ChannelReceiver) => {
						await new Promise((resolve) => setTimeout(resolve, 100));
						for await (const item of receiver) read.push(item);
					},
				},
			},
			SENDS,
		);
		expect(outcome).toBe("done");
		expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	});

	test("the channel has the contract that the port names", async () => {
		const declared = flowMd(port("out", { direction: "send", contract: "./contracts/numbers.json" }));
		let seen: unknown;
		const handler: RunHandler = async (run) => {
			const out = run.channels.out as ChannelSender;
			return { outcome: "done", output: (await codeOf(out.send("no number"))) ?? null };
		};
		const { output } = await new Bench().root(
			handler,
			{
				channels: {
					out: async (receiver: ChannelReceiver) => {
						seen = receiver.contract;
						await codeOf(all(receiver));
					},
				},
			},
			declared,
			{ "contracts/numbers.json": contract("numbers") },
		);
		expect(output).toBe("INVALID_INPUT");
		expect(seen).toMatchObject({ id: "https://example.org/contracts/numbers" });
	});

	test("a required port that isn't connected refuses the Run before anything starts", async () => {
		let started = false;
		const handler: RunHandler = async () => {
			started = true;
			return DONE;
		};
		const { failure } = await new Bench().root(handler, {}, RECEIVES);
		expect(failure).toMatchObject({ code: "CHANNEL_UNCONNECTED", phase: "activation" });
		expect(started).toBe(false);
	});

	test("an optional port that isn't connected is absent", async () => {
		const handler: RunHandler = async (run) => ({ outcome: "done", output: Object.keys(run.channels) });
		const optional = flowMd(port("in", { direction: "receive", required: false }));
		expect((await new Bench().root(handler, {}, optional)).output).toEqual([]);
	});

	test("a name that FLOW.md doesn't declare is refused, and what can't be connected is a TypeError", async () => {
		const bench = new Bench();
		const { failure } = await bench.root(READ, { channels: { other: [1] } }, RECEIVES);
		expect(failure).toMatchObject({ code: "CHANNEL_UNDECLARED", phase: "activation" });
		await expect(bench.root(READ, { channels: { in: "text" as never } }, RECEIVES)).rejects.toThrow(TypeError);
		await expect(bench.root(READ, { channels: { out: [1] } }, SENDS)).rejects.toThrow(TypeError);
	});
});

describe("a program that does wrong at its end", () => {
	test("an iterable that throws ends the channel for the Flow, and not the Run", async () => {
		const handler: RunHandler = async (run) => ({
			outcome: "done",
			output: (await codeOf(all(run.channels.in as ChannelReceiver))) ?? null,
		});
		const error = new Error("the disk is gone");
		async function* broken(): AsyncGenerator<JsonValue> {
			yield 1;
			throw error;
		}
		const { output, events } = await new Bench().root(handler, { channels: { in: broken() } }, RECEIVES);
		expect(output).toBe("OWNER_CLOSED");
		expect(failures(events)).toEqual([{ port: "in", error }]);
	});

	test("a consumer that throws takes its receiver along, and not the Run", async () => {
		const handler: RunHandler = async (run) => {
			const out = run.channels.out as ChannelSender;
			let code: string | undefined;
			for (let n = 0; code === undefined && n < 1_000; n += 1) code = await codeOf(out.send(n));
			return { outcome: "done", output: code ?? null };
		};
		const error = new Error("no");
		const { output, events } = await new Bench().root(
			handler,
			{
				channels: {
					out: async (receiver: ChannelReceiver) => {
						await receiver.next();
						throw error;
					},
				},
			},
			SENDS,
		);
		expect(output).toBe("OWNER_CLOSED");
		expect(failures(events)).toEqual([{ port: "out", error }]);
	});

	test("a Flow that wants no more ends the feed, and its iterator is returned", async () => {
		let returned = false;
		async function* endless(): AsyncGenerator<JsonValue> {
			try {
				for (let n = 0; ; n += 1) yield n;
			} finally {
				returned = true;
			}
		}
		const handler: RunHandler = async (run) => {
			for await (const item of run.channels.in as ChannelReceiver) if (item === 3) break;
			return DONE;
		};
		const { outcome, events } = await new Bench().root(handler, { channels: { in: endless() } }, RECEIVES);
		expect(outcome).toBe("done");
		expect(returned).toBe(true);
		expect(failures(events)).toEqual([]);
	});

	test("an endless list for a broadcast port doesn't keep the host from its deadline", async () => {
		function* endless(): Generator<JsonValue> {
			for (;;) yield 0;
		}
		const handler: RunHandler = (run) =>
			new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
		const declared = flowMd(port("in", { direction: "receive", delivery: "broadcast" }));
		const options = { channels: { in: endless() }, deadlineMs: 300 };
		const { failure } = await new Bench().root(handler, options, declared);
		expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
	});

	test.each(["deadline", "cancel"] as const)("a consumer that never ends holds the result until %s", async (how) => {
		const bench = new Bench({ cancelGraceMs: 50 });
		const controller = new AbortController();
		const handler: RunHandler = async (run) => {
			await (run.channels.out as ChannelSender).send(1);
			if (how === "cancel") setTimeout(() => controller.abort(), 200);
			return DONE;
		};
		const { outcome } = await bench.root(
			handler,
			{
				channels: { out: () => new Promise(() => undefined) },
				signal: controller.signal,
				...(how === "deadline" ? { deadlineMs: 400 } : {}),
			},
			SENDS,
		);
		// The Run had succeeded: what the program does with its own end can't take that back.
		expect(outcome).toBe("done");
	});

	test("a sending function that idles doesn't hold the result", async () => {
		const handler: RunHandler = async (run) => {
			await (run.channels.in as ChannelReceiver).close();
			return DONE;
		};
		const idle = (): Promise<never> => new Promise(() => undefined);
		expect((await new Bench().root(handler, { channels: { in: idle } }, RECEIVES)).outcome).toBe("done");
	});
});
