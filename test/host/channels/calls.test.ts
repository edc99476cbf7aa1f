import { describe, expect, test } from "vitest";
import type { ChannelReceiver, ChannelSender } from "../../../src/host/index.ts";
import type { RunHandler } from "../../../src/sdk/index.ts";
import { all, Bench, codeOf, contract, DONE, decisions, flowMd, port } from "./arrange.ts";

const COUNTER: RunHandler = async (run) => {
	const out = run.channels.out as ChannelSender;
	for (let n = 1; n <= (run.input as number); n += 1) await out.send(n);
	await out.close();
	return DONE;
};
const SUM: RunHandler = async (run) => {
	const items = (await all(run.channels.in as ChannelReceiver)) as number[];
	return { outcome: "done", output: items.reduce((sum, item) => sum + item, 0) };
};
const SENDS = flowMd(port("out", { direction: "send" }));
const RECEIVES = flowMd(port("in", { direction: "receive" }));

describe("a call hands its endpoints on (Run/1 section 5.1)", () => {
	test("from one child to another, 100 items through a queue of 16", async () => {
		const bench = new Bench();
		const children = { counter: await bench.handler(COUNTER, SENDS), sum: await bench.handler(SUM, RECEIVES) };
		const { output } = await bench.root(
			async (run) => {
				const { send, receive } = await run.channel();
				const [, sum] = await Promise.all([
					run.runChildFlow({ operationId: "a", slot: "counter", input: 100, channels: { out: send } }),
					run.runChildFlow({ operationId: "b", slot: "sum", input: null, channels: { in: receive } }),
				]);
				return sum;
			},
			{ children },
		);
		expect(output).toBe(5_050);
	});

	test("between two processes", async () => {
		const bench = new Bench();
		const sdk = 'import { handle } from "@jigging/flow";\n';
		const children = {
			counter: await bench.process(
				`${sdk}await handle(async (run) => { for (let n = 1; n <= 40; n += 1) await run.channels.out.send(n); return { outcome: "done", output: null }; });`,
				SENDS,
			),
			sum: await bench.process(
				`${sdk}await handle(async (run) => { let sum = 0; for await (const n of run.channels.in) sum += n; return { outcome: "done", output: sum }; });`,
				RECEIVES,
			),
		};
		const parent = await bench.process(
			`${sdk}await handle(async (run) => { const { send, receive } = await run.channel({ schema: { type: "integer" } }); const [, sum] = await Promise.all([run.runChildFlow({ operationId: "a", slot: "counter", input: null, channels: { out: send } }), run.runChildFlow({ operationId: "b", slot: "sum", input: null, channels: { in: receive } })]); return sum; });`,
		);
		const { output, events } = await bench.run(parent, { children });
		// The counter left its sender open: the host sealed it when its result was accepted (section 9).
		expect(output).toBe(820);
		expect(decisions(events, "sealed")).toEqual([{ type: "sealed", source: expect.any(String), lastSequence: 40 }]);
	});

	test("to a function of the host's program and to a provider, and back", async () => {
		const bench = new Bench();
		const { output } = await bench.root(
			async (run) => {
				const up = await run.channel();
				const down = await run.channel();
				const [doubled] = await Promise.all([
					all(down.receive),
					run.runChildFlow({
						operationId: "a",
						slot: "double",
						input: null,
						channels: { in: up.receive, out: down.send },
					}),
					run.callCapability({
						operationId: "b",
						slot: "source",
						method: "fill",
						input: null,
						channels: { to: up.send },
					}),
				]);
				return { outcome: "done", output: doubled };
			},
			{
				children: {
					double: async ({ channels }) => {
						for await (const item of channels.in as ChannelReceiver) {
							await (channels.out as ChannelSender).send((item as number) * 2);
						}
						return DONE;
					},
				},
				capabilities: {
					source: {
						async call({ channels }) {
							for (const item of [1, 2, 3]) await (channels.to as ChannelSender).send(item);
							return { value: null };
						},
					},
				},
			},
			flowMd("uses:\n  source:\n    local: true"),
		);
		expect(output).toEqual([2, 4, 6]);
	});

	test("a broadcast to two readers; a late one gets the suffix", async () => {
		const bench = new Bench();
		const { output } = await bench.root(async (run) => {
			const source = await run.channel({ delivery: "broadcast" });
			const first = await source.subscribe();
			await source.send.send("a");
			const second = await source.subscribe();
			await source.send.send("b");
			await source.send.close();
			const read = await Promise.all([all(first), all(second)]);
			return { outcome: "done", output: { read, starts: [first.startSequence, second.startSequence] } };
		});
		expect(output).toEqual({ read: [["a", "b"], ["b"]], starts: [1, 2] });
	});

	test("a reader that falls behind fails alone, with LAGGED", async () => {
		const bench = new Bench({ channelReaderItems: 3 });
		const { output } = await bench.root(async (run) => {
			const source = await run.channel({ delivery: "broadcast" });
			const slow = await source.subscribe();
			const quick = await source.subscribe();
			const seen: unknown[] = [];
			for (let n = 1; n <= 5; n += 1) {
				await source.send.send(n);
				seen.push((await quick.next()).value);
			}
			await source.send.close();
			expect((await quick.next()).done).toBe(true);
			return { outcome: "done", output: { seen: seen as number[], slow: (await codeOf(slow.next())) ?? null } };
		});
		expect(output).toEqual({ seen: [1, 2, 3, 4, 5], slow: "LAGGED" });
	});

	test("a sender waits while the queue is full; one wait more than the host holds fails alone", async () => {
		const bench = new Bench({ channelQueuedItems: 2, channelPendingSends: 1 });
		const { output } = await bench.root(async (run) => {
			const { send, receive } = await run.channel();
			await send.send(1);
			await send.send(2);
			let accepted = false;
			const waiting = send.send(3).then(() => {
				accepted = true;
			});
			const refused = await codeOf(send.send(4));
			expect(accepted).toBe(false);
			const first = await receive.next();
			// The item in flight keeps its credit until the next read.
			expect(accepted).toBe(false);
			const second = await receive.next();
			await waiting;
			await send.close();
			return { outcome: "done", output: [refused ?? null, first.value, second.value, ...(await all(receive))] };
		});
		expect(output).toEqual(["RESOURCE_EXHAUSTED", 1, 2, 3]);
	});

	test("an item that breaks the schema fails the source for both ends, for good", async () => {
		const bench = new Bench();
		const { output } = await bench.root(async (run) => {
			const { send, receive } = await run.channel({ schema: { type: "integer" } });
			const codes = [await codeOf(send.send("no")), await codeOf(send.send(1)), await codeOf(receive.next())];
			return { outcome: "done", output: codes as string[] };
		});
		expect(output).toEqual(["INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT"]);
	});
});

describe("declared ports (Channel Contract/1 sections 1 and 3)", () => {
	const named = { "contracts/numbers.json": contract("numbers") };
	const byContract = { direction: "receive", contract: "./contracts/numbers.json" };

	test("a named source fits the port that declares its exact contract, in another package too", async () => {
		const bench = new Bench();
		const reader = await bench.handler(SUM, flowMd(port("in", byContract)), named);
		const { output } = await bench.root(
			async (run) => {
				// FLOW.md of the caller names no contract: the file itself is the authority.
				const { send, receive } = await run.channel({ contract: "./contracts/numbers.json" });
				expect(send.contract).toMatchObject({ id: "https://example.org/contracts/numbers", version: "1.0.0" });
				await send.send(7);
				await send.close();
				return run.runChildFlow({ operationId: "a", slot: "reader", input: null, channels: { in: receive } });
			},
			{ children: { reader } },
			flowMd(),
			named,
		);
		expect(output).toBe(7);
	});

	test.each([
		["a file that isn't there", "./contracts/none.json", {}],
		["a file that is no contract", "./contracts/numbers.json", { "contracts/numbers.json": "{}" }],
		["a reference out of the package", "./../numbers.json", named],
	])("a contract that can't be resolved is INVALID_INPUT: %s", async (_, reference, files) => {
		const bench = new Bench();
		const { output } = await bench.root(
			async (run) => ({ outcome: "done", output: (await codeOf(run.channel({ contract: reference }))) ?? null }),
			{},
			flowMd(),
			files,
		);
		expect(output).toBe("INVALID_INPUT");
	});

	test.each([
		["a name that isn't declared", { other: "receive" }, port("in", { direction: "receive", required: false })],
		["the other direction", { in: "send" }, port("in", { direction: "receive" })],
		["a required port that is missing", {}, port("in", { direction: "receive" })],
		["another delivery", { in: "receive" }, port("in", { direction: "receive", delivery: "broadcast" })],
		["an unnamed source for a named reader", { in: "receive" }, port("in", byContract)],
		["another item schema", { in: "receive" }, port("in", { direction: "receive", schema: { type: "string" } })],
	] as const)("%s is INVALID_INPUT, and nothing has moved", async (_, map, declaration) => {
		const bench = new Bench();
		let started = 0;
		const child: RunHandler = async () => {
			started += 1;
			return DONE;
		};
		const helper = await bench.handler(child, flowMd(declaration), named);
		const { output } = await bench.root(
			async (run) => {
				const pair = await run.channel({ schema: { type: "integer" } });
				const channels = Object.fromEntries(
					Object.entries(map).map(([name, end]) => [name, pair[end as "send" | "receive"]]),
				);
				const code = await codeOf(run.runChildFlow({ operationId: "a", slot: "helper", input: null, channels }));
				await pair.send.send(1);
				await pair.send.close();
				return { outcome: "done", output: [code ?? null, ...(await all(pair.receive))] };
			},
			{ children: { helper } },
		);
		expect(output).toEqual(["INVALID_INPUT", 1]);
		expect(started).toBe(0);
	});

	test("an input that the child refuses moves nothing either", async () => {
		const bench = new Bench();
		const schema = { $schema: "https://flow.jig.md/schemas/schema-1.json", type: "string" };
		const helper = await bench.handler(SUM, RECEIVES, { "input.schema.json": JSON.stringify(schema) });
		const { output } = await bench.root(
			async (run) => {
				const { send, receive } = await run.channel();
				const call = { operationId: "a", slot: "helper", input: 1, channels: { in: receive } };
				const code = await codeOf(run.runChildFlow(call));
				await send.close();
				return { outcome: "done", output: [code ?? null, ...(await all(receive))] };
			},
			{ children: { helper } },
		);
		expect(output).toEqual(["INVALID_INPUT"]);
	});

	test("what has moved is the caller's no more; a repeated call joins, a changed map conflicts", async () => {
		const bench = new Bench();
		const children = { sum: await bench.handler(SUM, RECEIVES) };
		const { output } = await bench.root(
			async (run) => {
				const { send, receive } = await run.channel();
				const call = { operationId: "a", slot: "sum", input: null, channels: { in: receive } };
				const first = run.runChildFlow(call);
				const again = run.runChildFlow(call);
				const changed = codeOf(run.runChildFlow({ operationId: "a", slot: "sum", input: null }));
				await send.send(5);
				await send.close();
				const results = [(await first).output, (await again).output];
				return {
					outcome: "done",
					output: [...results, (await changed) ?? null, (await codeOf(receive.next())) ?? null],
				};
			},
			{ children },
		);
		expect(output).toEqual([5, 5, "OPERATION_CONFLICT", "PERMISSION_DENIED"]);
	});
});

describe("ends of holders (Run/1 sections 5.1 and 9)", () => {
	test("a child that crashes aborts what it had not sealed, and leaves what it had", async () => {
		const bench = new Bench();
		const crash = (last: string): string =>
			`import { handle } from "@jigging/flow";\nawait handle(async (run) => { const { out } = run.channels; await out.send(1); await out.send(2); ${last} process.exit(3); });`;
		const children = {
			open: await bench.process(crash(""), SENDS),
			sealed: await bench.process(crash("await out.close();"), SENDS),
		};
		const { output } = await bench.root(
			async (run) => {
				const seen = [];
				for (const slot of ["open", "sealed"]) {
					const { send, receive } = await run.channel();
					const code = await codeOf(
						run.runChildFlow({ operationId: slot, slot, input: null, channels: { out: send } }),
					);
					const read = await codeOf(all(receive));
					seen.push([code ?? null, read ?? null]);
				}
				return { outcome: "done", output: seen };
			},
			{ children },
		);
		expect(output).toEqual([
			["EXECUTION_FAILED", "OWNER_CLOSED"],
			["EXECUTION_FAILED", null],
		]);
	});

	test.each<[string, RunHandler]>([
		[
			"a receiver with items that nobody read to the end",
			async (run) => {
				const { send, receive } = await run.channel();
				await send.send(1);
				await receive.next();
				return DONE;
			},
		],
		[
			"a subscription that was never read",
			async (run) => {
				await (await run.channel({ delivery: "broadcast" })).subscribe();
				return DONE;
			},
		],
	])("an abandoned result is EXECUTION_FAILED: %s", async (_, handler) => {
		const { failure } = await new Bench().root(handler);
		expect(failure).toMatchObject({ code: "EXECUTION_FAILED" });
	});

	test("an untouched pair is free, and so is a receiver that was disposed", async () => {
		const { outcome } = await new Bench().root(async (run) => {
			await run.channel();
			const { send, receive } = await run.channel();
			await send.send(1);
			await receive.close();
			expect(await codeOf(send.send(2))).toBe("DISCONNECTED");
			return DONE;
		});
		expect(outcome).toBe("done");
	});

	test("a function that leaves its receiver unfinished fails its operation, not the Run", async () => {
		const { output } = await new Bench().root(
			async (run) => {
				const { send, receive } = await run.channel();
				const call = run.runChildFlow({ operationId: "a", slot: "lazy", input: null, channels: { in: receive } });
				await send.send(1);
				return { outcome: "done", output: [(await codeOf(call)) ?? null, (await codeOf(send.send(2))) ?? null] };
			},
			{
				children: {
					lazy: async ({ channels }) => {
						await (channels.in as ChannelReceiver).next();
						return DONE;
					},
				},
			},
		);
		expect(output).toEqual(["EXECUTION_FAILED", "DISCONNECTED"]);
	});

	test("a child that never reads its pipe holds up nobody else", async () => {
		const bench = new Bench({ cancelGraceMs: 100, killGraceMs: 100, exitGraceMs: 500 });
		const deaf = await bench.process("setInterval(() => {}, 1_000);", RECEIVES);
		const children = { deaf, sum: await bench.handler(SUM, RECEIVES), counter: await bench.handler(COUNTER, SENDS) };
		const { output } = await bench.root(
			async (run) => {
				const stuck = await run.channel();
				const controller = new AbortController();
				const hung = codeOf(
					run.runChildFlow(
						{ operationId: "a", slot: "deaf", input: "x".repeat(1_000_000), channels: { in: stuck.receive } },
						{ signal: controller.signal },
					),
				);
				const { send, receive } = await run.channel();
				const [, sum] = await Promise.all([
					run.runChildFlow({ operationId: "b", slot: "counter", input: 10, channels: { out: send } }),
					run.runChildFlow({ operationId: "c", slot: "sum", input: null, channels: { in: receive } }),
				]);
				controller.abort();
				return { outcome: "done", output: [sum.output, (await hung) ?? null] };
			},
			{ children },
		);
		expect(output).toEqual([55, "CANCELLED"]);
	});

	test.each(["cancel", "deadline"] as const)(
		"%s ends a Run whose child waits for an item that never comes",
		async (how) => {
			const bench = new Bench();
			const children = { sum: await bench.handler(SUM, RECEIVES) };
			const controller = new AbortController();
			const { failure } = await bench.root(
				async (run) => {
					const { send, receive } = await run.channel();
					await send.send(1);
					const call = { operationId: "a", slot: "sum", input: null, channels: { in: receive } };
					if (how === "cancel") setTimeout(() => controller.abort(), 50);
					await run.runChildFlow(call);
					return DONE;
				},
				{ children, signal: controller.signal, ...(how === "deadline" ? { deadlineMs: 300 } : {}) },
			);
			expect(failure?.code).toBe(how === "cancel" ? "CANCELLED" : "DEADLINE_EXCEEDED");
		},
	);

	test("decisions are traced, and hold no item", async () => {
		const { events } = await new Bench().root(async (run) => {
			const { send, receive } = await run.channel();
			await send.send("s3cret");
			await send.close();
			await all(receive);
			return DONE;
		});
		const types = decisions(events, "created", "accepted", "delivered", "sealed", "ended", "finalised", "over");
		expect(types.map((event) => (event as { type: string }).type)).toEqual([
			"created",
			"accepted",
			"sealed",
			"delivered",
			"ended",
			"finalised",
			"over",
		]);
		expect(JSON.stringify(types)).not.toContain("s3cret");
	});
});
