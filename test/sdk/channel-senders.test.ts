/** Run SDK/1 section 9: creating channels and writing to them, seen from the author and from the wire. */
import { describe, expect, it } from "vitest";
import type { ChannelBroadcast, ChannelOptions, ChannelPair } from "../../src/sdk/index.ts";
import { BROADCAST, came, end, GRANTS, item, PAIR, RELEASED, script, subscription } from "./channel-script.ts";
import { settle } from "./memory-host.ts";

const OUT = { out: GRANTS.out };
const nothing = async (): Promise<void> => undefined;

describe("creating", () => {
	it.each<[string, ChannelOptions | undefined, object]>([
		["nothing", undefined, {}],
		["no member", {}, {}],
		["members that are undefined", { delivery: undefined, schema: undefined, contract: undefined }, {}],
		["direct", { delivery: "direct" }, { delivery: "direct" }],
		["a schema", { schema: { type: "string" } }, { schema: { type: "string" } }],
		["an explicit schema true", { schema: true }, { schema: true }],
		["a contract", { contract: "./contracts/ticks.json" }, { contract: "./contracts/ticks.json" }],
	])("a direct channel from %s is a pair", async (_, options, params) => {
		let pair: ChannelPair | ChannelBroadcast | undefined;
		const host = script(async (run) => {
			pair = await run.channel(options!);
		});
		expect((await host.answers("channel/create", PAIR)).params).toEqual(params);
		expect(await host.terminal()).toBe("done");
		expect(Object.keys(pair!)).toEqual(["send", "receive"]);
		expect(pair).toMatchObject({
			send: { direction: "send", delivery: "direct" },
			receive: { direction: "receive", delivery: "direct", startSequence: 1 },
		});
	});

	it("a broadcast has a sender and subscriptions, each with its own start", async () => {
		const starts: number[] = [];
		const host = script(async (run) => {
			const { send, subscribe } = await run.channel({ delivery: "broadcast" });
			expect([send.direction, send.delivery]).toEqual(["send", "broadcast"]);
			for (const receiver of [await subscribe(), await subscribe()]) {
				starts.push(receiver.startSequence);
				await receiver.close();
			}
		});
		expect((await host.answers("channel/create", BROADCAST)).params).toEqual({ delivery: "broadcast" });
		expect((await host.answers("channel/subscribe", subscription("s:1"))).params).toEqual({ source: "b" });
		await host.answers("channel/subscribe", subscription("s:2", 5));
		expect((await host.answers("channel/release", RELEASED)).params).toEqual({ endpoint: "s:1" });
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), starts]).toEqual(["done", [1, 5]]);
	});

	it("shows the contract's identity on both ends", async () => {
		const contract = { id: "https://example.org/x", version: "1.0.0", digest: `sha256:${"1".repeat(64)}` };
		const host = script(async (run) => {
			const { send, receive } = await run.channel({ contract: "./x.json" });
			expect([{ ...send.contract }, { ...receive.contract }]).toEqual([contract, contract]);
		});
		await host.answers("channel/create", { send: { ...PAIR.send, contract }, receive: { ...PAIR.receive, contract } });
		expect(await host.terminal()).toBe("done");
	});

	it("snapshots the schema when it is called", async () => {
		const host = script(async (run) => {
			const schema = { enum: [1] };
			const channel = run.channel({ schema });
			schema.enum.push(2);
			await channel;
		});
		expect((await host.answers("channel/create", PAIR)).params).toEqual({ schema: { enum: [1] } });
	});

	let ran = false;
	const accessor = Object.defineProperty({}, "schema", {
		enumerable: true,
		get() {
			ran = true;
			return true;
		},
	});
	const trap = new Proxy(
		{},
		{
			ownKeys() {
				throw new Error("trapped");
			},
		},
	);
	it.each<[string, unknown]>([
		["null", null],
		["a string", "broadcast"],
		["an array", []],
		["an unknown member", { deliver: "broadcast" }],
		["an unknown member that is undefined", { error: undefined }],
		["a symbol", { [Symbol("x")]: 1 }],
		["an accessor, unrun", accessor],
		["a proxy that throws", trap],
		["another delivery", { delivery: "multicast" }],
		["a delivery that is null", { delivery: null }],
		["schema and contract", { schema: {}, contract: "./x.json" }],
		["schema true and contract", { schema: true, contract: "./x.json" }],
		["a schema that is null", { schema: null }],
		["a schema that is a string", { schema: "string" }],
		["a schema that is an array", { schema: [] }],
		["a schema that is no JSON", { schema: { const: Number.NaN } }],
		["a schema that is too deep", { schema: JSON.parse(`${'{"not":'.repeat(130)}{}${"}".repeat(130)}`) }],
		["a contract that is no string", { contract: 1 }],
		["a contract that is no reference", { contract: "https://example.org/x" }],
		["a contract with a backslash", { contract: "./a\\b" }],
	])("rejects with TypeError, and sends nothing: %s", async (_, options) => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.channel(options as never)));
			errors.push(await came(run.channel(options as never, { signal: AbortSignal.abort() })));
			errors.push(await came(run.channel({}, options as never)));
		});
		expect(await host.terminal()).toBe("done");
		expect([errors, ran]).toEqual([["TypeError", "TypeError", "TypeError"], false]);
	});

	it("an aborted signal is exactly CANCELLED and sends nothing; so it is at the ceilings and after root cancellation", async () => {
		const signal = AbortSignal.abort();
		const codes: unknown[] = [];
		const host = script(async (run) => {
			codes.push(await came(run.channel({}, { signal })));
			const { subscribe } = await run.channel({ delivery: "broadcast" });
			codes.push(await came(subscribe({ signal })));
			const calls = Array.from({ length: 63 }, (_, i) =>
				came(run.callCapability({ operationId: `w:${i}`, slot: "s", method: "m", input: null })),
			);
			codes.push(await came(run.channel()), await came(run.channel({}, { signal })), await came(subscribe()));
			await Promise.all(calls);
			codes.push(await came(run.channel()), await came(run.channel({}, { signal })));
		});
		await host.answers("channel/create", BROADCAST);
		for (let i = 0; i < 63; i++) await host.expects("capability/call");
		host.cancel();
		for (let i = 0; i < 63; i++) {
			const { params } = await host.expects("request/cancel");
			host.failure((params as { requestId: string }).requestId, "CANCELLED");
		}
		expect(await host.terminal()).toBe("CANCELLED");
		expect(codes).toEqual([
			"CANCELLED",
			"CANCELLED",
			"RESOURCE_EXHAUSTED",
			"CANCELLED",
			"RESOURCE_EXHAUSTED",
			"OWNER_CLOSED",
			"CANCELLED",
		]);
	});

	it.each(["UNAVAILABLE", "INVALID_INPUT", "RESOURCE_EXHAUSTED"])("hands on the host's %s", async (code) => {
		let error: unknown;
		const host = script(async (run) => {
			error = await came(run.channel());
		});
		await host.refuses("channel/create", code);
		expect([await host.terminal(), error]).toEqual(["done", code]);
	});

	it("a cancelled creation rejects at once; its late pair is released before the terminal", async () => {
		const controller = new AbortController();
		let error: unknown;
		const host = script(async (run) => {
			error = await came(run.channel({}, { signal: controller.signal }));
		});
		const request = await host.expects("channel/create");
		controller.abort();
		await host.expects("request/cancel");
		expect(error).toBe("CANCELLED");
		host.result(request.id, PAIR);
		expect((await host.answers("channel/release", RELEASED)).params).toEqual({ endpoint: "p:r" });
		expect(await host.terminal()).toBe("done");
	});

	it("a cancelled subscription is released, and a failed release is no success", async () => {
		const controller = new AbortController();
		const host = script(async (run) => {
			const { subscribe } = await run.channel({ delivery: "broadcast" });
			await came(subscribe({ signal: controller.signal }));
		});
		await host.answers("channel/create", BROADCAST);
		const request = await host.expects("channel/subscribe");
		controller.abort();
		await host.expects("request/cancel");
		host.result(request.id, subscription("s:1"));
		await host.refuses("channel/release", "EXECUTION_FAILED");
		expect(await host.terminal()).toBe("UNCERTAIN");
	});
});

describe("sending", () => {
	it("resolves with nothing on acceptance, and keeps the order of calls", async () => {
		let values: unknown;
		const host = script(async (run) => {
			const { send } = run.out;
			values = await Promise.all([send(1), send({ a: [null] }), send("x")]);
		}, OUT);
		const params: unknown[] = [];
		for (let i = 0; i < 3; i++) params.push((await host.answers("channel/send", null)).params);
		expect(params).toEqual([1, { a: [null] }, "x"].map((value) => ({ endpoint: "e:out", value })));
		expect([await host.terminal(), values]).toEqual(["done", [undefined, undefined, undefined]]);
	});

	it("snapshots its value when it is called", async () => {
		const host = script(async (run) => {
			const value = { list: [1] };
			const sent = run.out.send(value);
			value.list.push(2);
			await sent;
		}, OUT);
		expect((await host.answers("channel/send", null)).params).toEqual({ endpoint: "e:out", value: { list: [1] } });
	});

	it.each<[string, unknown]>([
		["undefined", undefined],
		["NaN", Number.NaN],
		["an unsafe integer", 2 ** 53],
		["a bigint", 1n],
		["a function", () => 1],
		["a date", new Date(0)],
		["a lone surrogate", "\ud800"],
		["an undefined member", { a: undefined }],
		["a sparse array", new Array(1)],
	])("rejects %s with TypeError, before an aborted signal, and sends nothing", async (_, value) => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.out.send(value as never)));
			errors.push(await came(run.out.send(value as never, { signal: AbortSignal.abort() })));
			await run.out.send(1);
		}, OUT);
		await host.answers("channel/send", null);
		expect([await host.terminal(), errors]).toEqual(["done", ["TypeError", "TypeError"]]);
	});

	it("an endpoint is no value", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.out.send(run.out as never)));
			errors.push(await came(run.runChildFlow({ operationId: "a", slot: "b", input: { out: run.out } as never })));
		}, OUT);
		expect([await host.terminal(), errors]).toEqual(["done", ["TypeError", "TypeError"]]);
	});

	it("fits a value that fills its frame, and refuses one more byte locally", async () => {
		const room =
			16_777_216 -
			'{"jsonrpc":"2.0","id":"component:3","method":"channel/send","params":{"endpoint":"e:out","value":["",""]}}'
				.length;
		const errors: unknown[] = [];
		const host = script(async (run) => {
			await run.out.send(["x".repeat(8_388_608), "x".repeat(room - 8_388_608)]);
			errors.push(await came(run.out.send(["x".repeat(8_388_608), "x".repeat(room - 8_388_608 + 1)])));
			await run.out.send(2);
		}, OUT);
		await host.answers("channel/send", null);
		await host.answers("channel/send", null);
		expect([await host.terminal(), errors]).toEqual(["done", ["TypeError"]]);
	});

	it.each(["DISCONNECTED", "INVALID_INPUT", "RESOURCE_EXHAUSTED", "OWNER_CLOSED", "PERMISSION_DENIED"])(
		"hands on the host's %s and may be tried again",
		async (code) => {
			const errors: unknown[] = [];
			const host = script(async (run) => {
				errors.push(await came(run.out.send(1)), await came(run.out.send(2)));
			}, OUT);
			await host.refuses("channel/send", code);
			await host.answers("channel/send", null);
			expect([await host.terminal(), errors]).toEqual(["done", [code, undefined]]);
		},
	);

	it("an aborted signal sends nothing and claims nothing", async () => {
		let error: unknown;
		const host = script(async (run) => {
			error = await came(run.out.send(1, { signal: AbortSignal.abort() }));
			await run.runChildFlow({ operationId: "a", slot: "b", input: null, channels: { a: run.out } });
		}, OUT);
		await host.answers("flow/run-child", { outcome: "done", output: null });
		expect([await host.terminal(), error]).toEqual(["done", "CANCELLED"]);
	});

	it("a cancelled send rejects at once, withdraws its value, and leaves the sender open", async () => {
		const controller = new AbortController();
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.out.send(1, { signal: controller.signal })));
			errors.push(await came(run.out.send(2)), await came(run.out.close()));
		}, OUT);
		const request = await host.expects("channel/send");
		controller.abort();
		expect((await host.expects("request/cancel")).params).toEqual({ requestId: request.id });
		await host.answers("channel/send", null);
		await host.answers("channel/close", null);
		host.failure(request.id, "CANCELLED");
		expect([await host.terminal(), errors]).toEqual(["done", ["CANCELLED", undefined, undefined]]);
	});
});

describe("closing a sender", () => {
	it("seals, and repeats its success without a request", async () => {
		const values: unknown[] = [];
		const host = script(async (run) => {
			for (let i = 0; i < 3; i++) values.push(await came(run.out.close()));
		}, OUT);
		expect((await host.answers("channel/close", null)).params).toEqual({ endpoint: "e:out" });
		expect([await host.terminal(), values]).toEqual(["done", [undefined, undefined, undefined]]);
	});

	it("is refused while a send is under way, which it would overtake, and works after it", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			const sent = run.out.send(1);
			errors.push(await came(run.out.close()));
			await sent;
			errors.push(await came(run.out.close()));
		}, OUT);
		await host.answers("channel/send", null);
		await host.answers("channel/close", null);
		expect([await host.terminal(), errors]).toEqual(["done", ["INVALID_INPUT", undefined]]);
	});

	it("may follow a cancelled send at once: the withdrawal is written first", async () => {
		const controller = new AbortController();
		let error: unknown;
		const host = script(async (run) => {
			const sent = came(run.out.send(1, { signal: controller.signal }));
			await settle();
			controller.abort();
			error = await came(run.out.close());
			await sent;
		}, OUT);
		const request = await host.expects("channel/send");
		await host.expects("request/cancel");
		host.failure(request.id, "CANCELLED");
		await host.answers("channel/close", null);
		expect([await host.terminal(), error]).toEqual(["done", undefined]);
	});

	it("goes on when its wait is cancelled, before or after; the next close joins it", async () => {
		const controller = new AbortController();
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.out.close({ signal: AbortSignal.abort() })));
			errors.push(await came(run.out.close({ signal: controller.signal })), await came(run.out.close()));
		}, OUT);
		const request = await host.expects("channel/close");
		await settle();
		controller.abort();
		await settle();
		host.result(request.id, null);
		expect([await host.terminal(), errors]).toEqual(["done", ["CANCELLED", "CANCELLED", undefined]]);
	});

	it("rejects with the host's reason each time: it is not sealed", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.out.send(1)), await came(run.out.close()), await came(run.out.close()));
		}, OUT);
		await host.refuses("channel/send", "DISCONNECTED");
		await host.refuses("channel/close", "DISCONNECTED");
		await host.refuses("channel/close", "DISCONNECTED");
		expect([await host.terminal(), errors]).toEqual(["done", ["DISCONNECTED", "DISCONNECTED", "DISCONNECTED"]]);
	});

	it("works during cleanup after root cancellation", async () => {
		let error: unknown;
		const host = script(async (run) => {
			await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
			error = await came(run.out.close());
		}, OUT);
		await settle();
		host.cancel();
		await host.answers("channel/close", null);
		expect([await host.terminal(), error]).toEqual(["CANCELLED", undefined]);
	});
});

describe("handing endpoints on", () => {
	const call = { operationId: "a", slot: "b", input: null };
	const result = { outcome: "done", output: null };

	it("maps senders, receivers and a broadcast's writer, and joins with the same map", async () => {
		const host = script(
			async (run) => {
				const { send } = await run.channel({ delivery: "broadcast" });
				const channels = { a: run.out, b: run.in, c: send };
				await Promise.all([
					run.runChildFlow({ ...call, channels }),
					run.runChildFlow({ ...call, channels }),
					run.callCapability({ ...call, method: "m", channels: { a: run.out } }),
				]);
			},
			{ out: GRANTS.out, in: GRANTS.in },
		);
		await host.answers("channel/create", BROADCAST);
		for (let i = 0; i < 2; i++) {
			expect((await host.answers("flow/run-child", result)).params).toEqual({
				...call,
				channels: { a: "e:out", b: "e:in", c: "b:s" },
			});
		}
		await host.answers("capability/call", { value: null });
		expect(await host.terminal()).toBe("done");
	});

	it.each<[string, (run: { out: object; in: object; used: object; pair: object }) => unknown]>([
		["the same endpoint twice", ({ out }) => ({ a: out, b: out })],
		["a used one", ({ used }) => ({ a: used })],
		["a copy of one", ({ out }) => ({ a: { ...out } })],
		["one of another Run", () => ({ a: foreign })],
		["a pair", ({ pair }) => ({ a: pair })],
		["a reference", () => ({ a: "e:out" })],
		["an array", ({ out }) => [out]],
		["a name in upper case", ({ out }) => ({ A: out })],
		["257 names", ({ out }) => Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`a${i}`, out]))],
	])("rejects %s with TypeError, before an aborted signal, and sends nothing", async (_, map) => {
		const errors: unknown[] = [];
		const host = script(
			async (run) => {
				const pair = await run.channel();
				const used = (await run.channel()).send;
				await used.send(1);
				const channels = map({ out: run.out, in: run.in, used, pair }) as never;
				errors.push(await came(run.runChildFlow({ ...call, channels })));
				errors.push(await came(run.runChildFlow({ ...call, channels }, { signal: AbortSignal.abort() })));
				return { outcome: "done", output: null };
			},
			{ out: GRANTS.out },
		);
		await host.answers("channel/create", PAIR);
		await host.answers("channel/create", {
			send: { ...PAIR.send, endpoint: "q:s" },
			receive: { ...PAIR.receive, endpoint: "q:r" },
		});
		await host.answers("channel/send", null);
		// The used pair's receiver is left unread: what matters here is that no call was written.
		expect([await host.terminal(), errors]).toEqual(["EXECUTION_FAILED", ["TypeError", "TypeError"]]);
	});

	let foreign: object = {};
	it("endpoints of another Run are foreign, whatever their references", async () => {
		const other = script(async (run) => {
			foreign = run.out;
		}, OUT);
		expect(await other.terminal()).toBe("done");
		let error: unknown;
		const host = script(async (run) => {
			error = await came(run.runChildFlow({ ...call, channels: { a: foreign as never } }));
		}, OUT);
		expect([await host.terminal(), error]).toEqual(["done", "TypeError"]);
	});

	it("a sender may go on after its receiver was given up", async () => {
		const host = script(async (run) => {
			const { send, receive } = await run.channel();
			await receive.close();
			await run.runChildFlow({ ...call, channels: { a: send } });
		});
		await host.answers("channel/create", PAIR);
		await host.answers("channel/release", RELEASED);
		await host.answers("flow/run-child", result);
		expect(await host.terminal()).toBe("done");
	});

	it("the example of section 9: the answer and the updates, whichever comes first", async () => {
		for (const order of ["answer first", "updates first"]) {
			const seen: unknown[] = [];
			const host = script(async (run) => {
				const updates = await run.channel();
				const invoke = async (): Promise<unknown> => {
					try {
						return await run.callCapability({ ...call, method: "run", channels: { events: updates.send } });
					} catch (error) {
						await updates.receive.close().catch(nothing);
						throw error;
					}
				};
				const observe = async (): Promise<void> => {
					for await (const value of updates.receive) seen.push(value);
				};
				const [answer] = await Promise.all([invoke(), observe()]);
				seen.push(answer);
			});
			await host.answers("channel/create", PAIR);
			const request = await host.expects("capability/call");
			if (order === "answer first") host.result(request.id, { value: "answer" });
			await host.answers("channel/next", item(1, "one"));
			await host.answers("channel/next", end(1));
			if (order === "updates first") host.result(request.id, { value: "answer" });
			expect([await host.terminal(), seen]).toEqual(["done", ["one", "answer"]]);
		}
	});

	it("the example of section 9: a refused call leaves no producer, and the receiver is given up", async () => {
		const host = script(async (run) => {
			const { send, receive } = await run.channel();
			const invoke = run.callCapability({ ...call, method: "run", channels: { events: send } }).catch(async (error) => {
				await receive.close();
				throw error;
			});
			const observe = (async () => {
				for await (const _ of receive);
			})();
			const [execution, observed] = await Promise.allSettled([invoke, observe]);
			expect([execution.status, observed.status]).toEqual(["rejected", "fulfilled"]);
		});
		await host.answers("channel/create", PAIR);
		await host.refuses("capability/call", "UNAVAILABLE");
		const read = await host.expects("channel/next");
		const released = await host.expects("channel/release");
		host.failure(read.id, "CANCELLED");
		host.result(released.id, RELEASED);
		expect(await host.terminal()).toBe("done");
	});
});
