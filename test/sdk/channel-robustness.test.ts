/** Run SDK/1 section 9 and 4: what nobody looks at, signals that many share, any order of events, other wires. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { CallRefused } from "../../src/run/errors.ts";
import type { ChannelRequest, Settlement } from "../../src/run/index.ts";
import {
	type ChannelReceiver,
	type ChannelSender,
	type ChannelWire,
	createEndpoints,
	type RunContext,
} from "../../src/sdk/index.ts";
import { came, end, GRANTS, item, PAIR, RELEASED, script } from "./channel-script.ts";
import { type Message, memoryHost, settle } from "./memory-host.ts";

async function quiet(body: () => Promise<void>): Promise<void> {
	const heard: unknown[] = [];
	const listener = (what: unknown): void => void heard.push(what);
	process.on("unhandledRejection", listener);
	process.on("warning", listener);
	try {
		await body();
		await settle();
	} finally {
		process.off("unhandledRejection", listener);
		process.off("warning", listener);
	}
	expect(heard).toEqual([]);
}

describe("what nobody looks at", () => {
	it("1,000 failures of every kind are no unhandled rejection", () =>
		quiet(async () => {
			let context: RunContext | undefined;
			const host = script(async (run) => {
				context = run;
				for (let i = 0; i < 100; i++) {
					run.channel({ delivery: "no" } as never);
					run.channel({}, { signal: AbortSignal.abort() });
					run.out.send(undefined as never);
					run.out.send(i, { signal: AbortSignal.abort() });
					run.out.close(null as never);
					run.in.next({ signal: AbortSignal.abort() });
					run.in.next(1 as never);
					run.runChildFlow({ operationId: "a", slot: "b", input: null, channels: { a: {} as never } });
				}
				await came(run.out.send(1));
				await came(run.in.next());
				for (let i = 0; i < 100; i++) run.in.next();
				run.in.return?.();
				run.in.close();
			}, GRANTS);
			await host.refuses("channel/send", "DISCONNECTED");
			await host.refuses("channel/next", "LAGGED");
			expect(await host.terminal()).toBe("done");
			await host.done;
			for (let i = 0; i < 50; i++) {
				context!.channel();
				(context!.channels.out as ChannelSender).send(1);
				(context!.channels.out as ChannelSender).close();
				(context!.channels.in as ChannelReceiver).next();
				(context!.channels.in as ChannelReceiver).close();
				(context!.channels.in as ChannelReceiver).return?.();
			}
		}));

	it("neither are failures that the loss of the connection brings", () =>
		quiet(async () => {
			const host = script(async (run) => {
				for (let i = 0; i < 50; i++) run.out.send(i);
				run.in.next();
				run.in.return?.();
				run.channel();
				await new Promise(() => {});
			}, GRANTS);
			await settle();
			host.end();
			await expect(host.done).rejects.toMatchObject({ code: "CHANNEL_LOST" });
		}));

	it("1,000 requests on one signal leave one listener while they wait, and none behind", () =>
		quiet(async () => {
			const controller = new AbortController();
			const { signal } = controller;
			let listeners = 0;
			let most = 0;
			const add = signal.addEventListener.bind(signal);
			const remove = signal.removeEventListener.bind(signal);
			signal.addEventListener = (...args: Parameters<typeof add>) => {
				listeners += 1;
				most = Math.max(most, listeners);
				add(...args);
			};
			signal.removeEventListener = (...args: Parameters<typeof remove>) => {
				listeners -= 1;
				remove(...args);
			};
			const host = script(
				async (run) => {
					for (let i = 0; i < 20; i++) {
						await Promise.all(Array.from({ length: 49 }, () => run.out.send(i, { signal })));
						await run.in.next({ signal });
					}
					for (let i = 0; i < 50; i++) run.out.send(i, { signal }).catch(() => {});
					await run.in.close({ signal });
					controller.abort();
				},
				{ out: GRANTS.out, in: GRANTS.in },
			);
			let sequence = 0;
			for (let i = 0; i < 20 * 50; i++) {
				const { id, method } = await host.until(i + 1);
				if (method === "channel/next") sequence += 1;
				host.result(id, method === "channel/next" ? item(sequence) : null);
			}
			const { id, method } = await host.until(1_001);
			expect(method).toBe("channel/release");
			await host.until(1_051);
			host.result(id, RELEASED);
			await settle();
			for (const { id: sent, method: what } of host.sent.slice(1_001)) {
				if (what === "channel/send") host.failure(sent, "CANCELLED");
			}
			await host.done;
			expect([most, listeners]).toEqual([1, 0]);
		}));
});

describe("another wire: one that answers at once, as a broker in this process does", () => {
	/** Answers every request from inside it. */
	function instant(answer: (request: ChannelRequest) => Settlement): ChannelWire {
		return {
			channel: (request, settle) => {
				settle(answer(request));
				return { cancel: () => undefined };
			},
		};
	}

	it("sends, reads, closes, and leaves no listener on a signal", async () => {
		const asked: string[] = [];
		const queue: JsonValue[] = [];
		let sequence = 0;
		const endpoints = createEndpoints(
			instant((request) => {
				asked.push(request.method);
				if (request.method === "channel/create") return { value: PAIR };
				if (request.method === "channel/send") queue.push(request.value);
				if (request.method === "channel/release") return { value: RELEASED as JsonValue };
				if (request.method !== "channel/next") return { value: null };
				const value = queue.shift();
				if (value === undefined) return { value: end(sequence) as JsonValue };
				sequence += 1;
				return { value: item(sequence, value) as JsonValue };
			}),
		);
		const { signal } = new AbortController();
		let listeners = 0;
		signal.addEventListener = () => {
			listeners += 1;
		};
		const { send, receive } = (await endpoints.channel({}, { signal })) as {
			send: ChannelSender;
			receive: ChannelReceiver;
		};
		await Promise.all([send.send(1, { signal }), send.send("b", { signal })]);
		await send.close({ signal });
		const seen: unknown[] = [];
		for await (const value of receive) seen.push(value);
		await receive.close({ signal });
		expect([seen, listeners]).toEqual([[1, "b"], 0]);
		expect(endpoints.referenceOf(send)).toBe("p:s");
		expect(endpoints.referenceOf({ ...send })).toBeUndefined();
		expect(asked.filter((method) => method === "channel/next")).toHaveLength(3);
	});

	it("never hands it a request whose signal was aborted, but a settlement", async () => {
		const asked: string[] = [];
		const endpoints = createEndpoints(
			instant((request) => {
				asked.push(request.method);
				return { value: request.method === "channel/release" ? (RELEASED as JsonValue) : null };
			}),
		);
		const { out, in: source } = endpoints.grants(GRANTS) as unknown as { out: ChannelSender; in: ChannelReceiver };
		const options = { signal: AbortSignal.abort() };
		expect(
			await Promise.all([
				came(endpoints.channel({}, options)),
				came(out.send(1, options)),
				came(source.next(options)),
				came(out.close(options)),
				came(source.close(options)),
			]),
		).toEqual(["CANCELLED", "CANCELLED", "CANCELLED", undefined, undefined]);
		expect(asked).toEqual(["channel/close", "channel/release"]);
	});

	it("takes a refusal for what it is, and what a wire throws for no more than that", async () => {
		const refuse = (error: unknown): ChannelWire => ({
			channel: () => {
				throw error;
			},
		});
		const closed = createEndpoints(refuse(new CallRefused("OWNER_CLOSED", "Over."))).grants(GRANTS) as never as {
			out: ChannelSender;
			in: ChannelReceiver;
		};
		const { out, in: source } = closed;
		expect([
			await came(out.send(1)),
			await came(out.close()),
			await came(source.next()),
			await came(source.close()),
		]).toEqual(Array(4).fill("OWNER_CLOSED"));
		expect(await came(source.next())).toBe("OWNER_CLOSED");
		const broken = createEndpoints(refuse(new RangeError("broken"))).grants(GRANTS) as never as { out: ChannelSender };
		expect(await came(broken.out.send(1))).toBe("TypeError");
	});

	it("a read that its own release drops from inside is done", async () => {
		let drop: (settlement: Settlement) => void = () => {};
		const wire: ChannelWire = {
			channel: (request, settle) => {
				if (request.method === "channel/next") drop = settle;
				else {
					drop({ failure: { code: "CANCELLED", message: "m" } });
					settle({ value: RELEASED as JsonValue });
				}
				return { cancel: () => undefined };
			},
		};
		const source = createEndpoints(wire).grant(GRANTS.in) as ChannelReceiver;
		const read = source.next();
		await source.close();
		expect(await read).toEqual({ done: true, value: undefined });
	});
});

type Step =
	| {
			readonly do: "create" | "broadcast" | "subscribe" | "send" | "next" | "seal" | "close" | "offer" | "loop";
			readonly n: number;
			readonly signal: number | undefined;
	  }
	| { readonly do: "abort"; readonly signal: number }
	| { readonly do: "answer"; readonly newest: boolean; readonly fail: boolean }
	| { readonly do: "yield" | "hold" | "release" | "cancel" | "eof" | "finish" };

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 14,
		arbitrary: fc.record({
			do: fc.constantFrom("create", "broadcast", "subscribe", "send", "next", "seal", "close", "offer", "loop"),
			n: fc.nat(7),
			signal: fc.option(fc.nat(2), { nil: undefined }),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("abort" as const), signal: fc.nat(2) }) },
	{
		weight: 10,
		arbitrary: fc.record({ do: fc.constant("answer" as const), newest: fc.boolean(), fail: fc.boolean() }),
	},
	{ weight: 5, arbitrary: fc.record({ do: fc.constant("yield" as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("hold" as const, "release" as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom("cancel" as const, "eof" as const, "finish" as const) }) },
) as fc.Arbitrary<Step>;

/** Plays an author against a host that answers correctly, in any order; gives how the Run ended. */
async function play(steps: readonly Step[]): Promise<string> {
	let context: RunContext | undefined;
	let finish: () => void = () => {};
	const host = memoryHost(async (run) => {
		context = run;
		await new Promise<void>((resolve) => {
			finish = resolve;
		});
		return { outcome: "done", output: null };
	});
	host.run(null, { channels: GRANTS });
	await settle();

	const signals = [0, 1, 2].map(() => new AbortController());
	const senders: ChannelSender[] = [context!.channels.out as ChannelSender];
	const receivers: ChannelReceiver[] = [context!.channels.in as ChannelReceiver];
	const sources: { subscribe(options?: object): Promise<ChannelReceiver> }[] = [];
	let made = 0;
	let settledCount = 0;
	const track = (promise: Promise<unknown>): void => {
		made += 1;
		promise.then(
			() => {
				settledCount += 1;
			},
			() => {
				settledCount += 1;
			},
		);
	};

	/** What the host knows: the next number of every receiver, and whether it is released. */
	const positions = new Map<string, number>([["e:in", 1]]);
	const released = new Map<string, object>();
	const answered = new Set<unknown>();
	let granted = 0;
	let over = false;
	const requests = (): Message[] => host.sent.filter(({ id, method }) => method !== undefined && id !== undefined);
	const grant = (direction: string, delivery: string): object => {
		granted += 1;
		const endpoint = `x:${granted}`;
		if (direction === "send") return { endpoint, direction, delivery };
		positions.set(endpoint, 1);
		return { endpoint, direction, delivery, startSequence: 1 };
	};
	const resultOf = ({ method, params }: Message): unknown => {
		const { endpoint = "", delivery = "direct" } = params as { endpoint?: string; delivery?: string };
		switch (method) {
			case "channel/create":
				return delivery === "broadcast"
					? { send: grant("send", "broadcast"), source: `src:${granted}` }
					: { send: grant("send", "direct"), receive: grant("receive", "direct") };
			case "channel/subscribe":
				return grant("receive", "broadcast");
			case "channel/next": {
				const at = positions.get(endpoint)!;
				if (at > 2) {
					released.set(endpoint, { status: "ended", lastSequence: at - 1 });
					return end(at - 1);
				}
				positions.set(endpoint, at + 1);
				return item(at);
			}
			case "channel/release":
				return released.get(endpoint) ?? RELEASED;
			case "flow/run-child":
				return { outcome: "done", output: null };
			default:
				return null;
		}
	};
	/** A release is answered behind the reads before it: their answers decide its own. */
	const isDue = (request: Message): boolean =>
		request.method !== "channel/release" ||
		requests().every(
			({ id, method, params }) =>
				method !== "channel/next" ||
				answered.has(id) ||
				(params as Message).endpoint !== (request.params as Message).endpoint,
		);
	const answer = (newest: boolean, fail: boolean): void => {
		const open = requests().filter((request) => !answered.has(request.id) && isDue(request));
		const request = open.at(newest ? -1 : 0);
		if (request === undefined || over) return;
		answered.add(request.id);
		const { endpoint = "" } = request.params as { endpoint?: string };
		if (fail && request.method !== "channel/release" && request.method !== "channel/close") {
			if (request.method === "channel/next") released.set(endpoint, { status: "failed", code: "LAGGED" });
			host.failure(request.id, request.method === "channel/next" ? "LAGGED" : "UNAVAILABLE");
		} else host.result(request.id, resultOf(request));
	};
	const one = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];

	for (const now of steps) {
		const options = "signal" in now && now.signal !== undefined ? { signal: signals[now.signal]!.signal } : undefined;
		switch (now.do) {
			case "create":
				track(
					context!.channel({}, options).then(({ send, receive }) => {
						senders.push(send);
						receivers.push(receive);
					}),
				);
				break;
			case "broadcast":
				track(
					context!.channel({ delivery: "broadcast" }, options).then((made) => {
						senders.push(made.send);
						sources.push(made);
					}),
				);
				break;
			case "subscribe": {
				const source = one(sources, now.n);
				if (source !== undefined) track(source.subscribe(options).then((receiver) => receivers.push(receiver)));
				break;
			}
			case "send":
				track(one(senders, now.n)!.send(now.n, options));
				break;
			case "seal":
				track(one(senders, now.n)!.close(options));
				break;
			case "next":
				track(one(receivers, now.n)!.next(options));
				break;
			case "close":
				track(one(receivers, now.n)!.close(options));
				break;
			case "loop": {
				const receiver = one(receivers, now.n)!;
				track(
					(async () => {
						for await (const value of receiver) if (value === now.n % 3) break;
					})(),
				);
				break;
			}
			case "offer": {
				const endpoint = now.n % 2 === 0 ? one(senders, now.n)! : one(receivers, now.n)!;
				track(
					context!.runChildFlow(
						{ operationId: `o:${now.n}`, slot: "s", input: null, channels: { a: endpoint } },
						options,
					),
				);
				break;
			}
			case "abort":
				signals[now.signal]!.abort();
				break;
			case "answer":
				answer(now.newest, now.fail);
				break;
			case "yield":
				await settle();
				break;
			case "hold":
				host.hold();
				break;
			case "release":
				host.release();
				break;
			case "finish":
				finish();
				break;
			case "cancel":
				if (!over) host.cancel();
				break;
			case "eof":
				if (!over) host.end();
				over = true;
		}
	}
	host.release();
	finish();
	for (let turn = 0; turn < 8; turn++) {
		await settle();
		for (let left = requests().length; left > 0; left--) answer(false, false);
	}
	const ending = await Promise.race([
		host.done.then(
			() => {
				const { error } = host.sent.at(-1) as { error?: { data: { code: string } } };
				return error?.data.code ?? "done";
			},
			(error: { code: string }) => error.code,
		),
		settle().then(() => "nothing"),
	]);
	await settle();

	expect(settledCount).toBe(made);
	const ids = requests().map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	for (const endpoint of [...positions.keys(), "e:out"]) {
		const settlements = host.sent.filter(
			({ method, params }) =>
				(method === "channel/release" || method === "channel/close") && (params as Message).endpoint === endpoint,
		);
		// The host here refuses no settlement, so none is ever repeated.
		expect(settlements.length).toBeLessThanOrEqual(1);
	}
	if (over) return "over";
	expect(host.sent.at(-1)).toMatchObject({ id: "host:1" });
	expect(ids.every((id) => answered.has(id))).toBe(true);
	return ending;
}

it(
	"any order of an author's requests, a host's answers and accidents: everything settles once, nothing is left open",
	() =>
		quiet(async () => {
			const reached = new Map<string, number>();
			await fc.assert(
				fc.asyncProperty(fc.array(step, { maxLength: 45 }), async (steps) => {
					const ending = await play(steps);
					expect(["done", "over", "CANCELLED", "EXECUTION_FAILED"]).toContain(ending);
					reached.set(ending, (reached.get(ending) ?? 0) + 1);
				}),
				{ numRuns: 1_500, endOnFailure: true },
			);
			for (const ending of ["done", "over", "CANCELLED", "EXECUTION_FAILED"]) {
				expect(reached.get(ending) ?? 0, ending).toBeGreaterThan(5);
			}
		}),
	120_000,
);
