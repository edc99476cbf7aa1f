/** Run SDK/1 section 9: reading a channel: one iterator, one read, one cause. */
import { describe, expect, it } from "vitest";
import { came, end, failed, GRANTS, item, PAIR, RELEASED, script, subscription } from "./channel-script.ts";
import { settle } from "./memory-host.ts";

const IN = { in: GRANTS.in };

describe("reading", () => {
	it("gives the values in order, then the end, again and again, without a request too many", async () => {
		const steps: unknown[] = [];
		const host = script(async (run) => {
			for (let i = 0; i < 5; i++) steps.push(await run.in.next());
		}, IN);
		await host.answers("channel/next", item(1, "a"));
		await host.answers("channel/next", item(2, { b: null }));
		await host.answers("channel/next", end(2));
		expect(await host.terminal()).toBe("done");
		expect(JSON.parse(JSON.stringify(steps))).toEqual([
			{ done: false, value: "a" },
			{ done: false, value: { b: null } },
			{ done: true },
			{ done: true },
			{ done: true },
		]);
	});

	it("asks for nothing before it is asked: no prefetch", async () => {
		let go: () => void = () => {};
		const host = script(async (run) => {
			await run.in.next();
			await new Promise<void>((resolve) => {
				go = resolve;
			});
			await run.in.next();
		}, IN);
		await host.answers("channel/next", item(1));
		await settle();
		expect(host.sent).toHaveLength(1);
		go();
		await host.answers("channel/next", end(1));
		expect(await host.terminal()).toBe("done");
	});

	it("iterates to the end; that is enough", async () => {
		const seen: unknown[] = [];
		const host = script(async (run) => {
			for await (const value of run.in) seen.push(value);
			await run.in.close();
		}, IN);
		for (let i = 1; i <= 3; i++) await host.answers("channel/next", item(i));
		await host.answers("channel/next", end(3));
		expect([await host.terminal(), seen]).toEqual(["done", [1, 2, 3]]);
	});

	it("starts a late subscription at its own number", async () => {
		const seen: unknown[] = [];
		const host = script(
			async (run) => {
				expect(run.in.startSequence).toBe(9);
				for await (const value of run.in) seen.push(value);
			},
			{ in: subscription("s", 9) },
		);
		await host.answers("channel/next", item(9));
		await host.answers("channel/next", end(9));
		expect([await host.terminal(), seen]).toEqual(["done", [9]]);
	});

	it("has one pending read, and one iterator", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			const { next } = run.in;
			const first = next();
			errors.push(await came(next()), await came(next({ signal: AbortSignal.abort() })));
			await first;
			expect(run.in[Symbol.asyncIterator]()).toBe(run.in);
			try {
				run.in[Symbol.asyncIterator]();
			} catch (error) {
				errors.push((error as Error).name);
			}
			for (const options of [null, 1, { signal: 1 }, { error: undefined }])
				errors.push(await came(next(options as never)));
			await run.in.close();
		}, IN);
		await host.expects("channel/next");
		await settle();
		host.result("component:1", item(1));
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), errors]).toEqual(["done", Array(7).fill("TypeError")]);
	});

	it("an aborted signal starts nothing, and the receiver goes on", async () => {
		const steps: unknown[] = [];
		const host = script(async (run) => {
			steps.push(await came(run.in.next({ signal: AbortSignal.abort() })));
			steps.push((await run.in.next()).value, (await run.in.next()).done);
		}, IN);
		await host.answers("channel/next", item(1));
		await host.answers("channel/next", end(1));
		expect([await host.terminal(), steps]).toEqual(["done", ["CANCELLED", 1, true]]);
	});

	it("a read that was not admitted says nothing about the receiver", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			const calls = Array.from({ length: 63 }, (_, i) =>
				came(run.callCapability({ operationId: `w:${i}`, slot: "s", method: "m", input: null })),
			);
			errors.push(await came(run.in.next()));
			await Promise.all(calls);
			errors.push((await run.in.next()).done);
		}, IN);
		for (let i = 0; i < 63; i++) await host.answers("capability/call", { value: null });
		await host.answers("channel/next", end(0));
		expect([await host.terminal(), errors]).toEqual(["done", ["RESOURCE_EXHAUSTED", true]]);
	});

	it("awaits producer work that was started first, in any order of answers", async () => {
		const host = script(async (run) => {
			const { send, receive } = await run.channel();
			const produce = (async () => {
				for (const value of [1, 2]) await send.send(value);
				await send.close();
			})();
			const seen: unknown[] = [];
			for await (const value of receive) seen.push(value);
			await produce;
			expect(seen).toEqual([1, 2]);
		});
		await host.answers("channel/create", PAIR);
		let delivered = 0;
		let accepted = 0;
		let reader: unknown;
		for (let count = 2; delivered < 3 || accepted < 3; count++) {
			const { id, method } = await host.until(count);
			if (method === "channel/next") reader = id;
			else {
				accepted += 1;
				host.result(id, null);
			}
			if (reader !== undefined && delivered < accepted) {
				delivered += 1;
				host.result(reader, delivered === 3 ? end(2) : item(delivered));
				reader = undefined;
			}
		}
		await host.done;
		expect(host.sent.at(-1)).toMatchObject({ result: { outcome: "done" } });
	});
});

describe("a cause", () => {
	it.each(["LAGGED", "DISCONNECTED", "OWNER_CLOSED", "INVALID_INPUT", "EXECUTION_FAILED", "UNCERTAIN"])(
		"%s is repeated by next, and not by close, without a request",
		async (code) => {
			const errors: unknown[] = [];
			const host = script(async (run) => {
				errors.push(await came(run.in.next()), await came(run.in.next()));
				errors.push(await came(run.in.close()), await came(run.in.close()), await came(run.in.next()));
			}, IN);
			await host.refuses("channel/next", code);
			expect([await host.terminal(), errors]).toEqual(["done", [code, code, undefined, undefined, code]]);
		},
	);

	it.each(["RESOURCE_EXHAUSTED", "PERMISSION_DENIED", "UNAVAILABLE"])(
		"%s may be about the one read: the next asks again, close releases and does not repeat it",
		async (code) => {
			const errors: unknown[] = [];
			const host = script(async (run) => {
				errors.push(await came(run.in.next()), await came(run.in.next()), await came(run.in.close()));
				errors.push(await came(run.in.close()));
			}, IN);
			await host.refuses("channel/next", code);
			await host.refuses("channel/next", code);
			await host.answers("channel/release", failed(code));
			expect([await host.terminal(), errors]).toEqual(["done", [code, code, undefined, undefined]]);
		},
	);

	it("that the release finds is exposed once by close, then repeated by next", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.in.close()), await came(run.in.close()), await came(run.in.next()));
			errors.push(await came(run.in.close()));
		}, IN);
		await host.answers("channel/release", { ...failed("LAGGED"), details: { at: 3 } });
		expect([await host.terminal(), errors]).toEqual(["done", ["LAGGED", undefined, "LAGGED", undefined]]);
	});

	it("is not lost with the close whose wait was cancelled", async () => {
		const controller = new AbortController();
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.in.close({ signal: controller.signal })));
			errors.push(await came(run.in.close()), await came(run.in.close()));
		}, IN);
		const request = await host.expects("channel/release");
		controller.abort();
		await settle();
		host.result(request.id, failed("LAGGED"));
		expect([await host.terminal(), errors]).toEqual(["done", ["CANCELLED", "LAGGED", undefined]]);
	});

	it("is not lost with the close whose wait was cancelled, also when it is known by then", async () => {
		const controller = new AbortController();
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.in.close({ signal: controller.signal })));
			await settle();
			await settle();
			errors.push(await came(run.in.next()), await came(run.in.close()), await came(run.in.close()));
		}, IN);
		const request = await host.expects("channel/release");
		controller.abort();
		await settle();
		host.result(request.id, failed("LAGGED"));
		expect([await host.terminal(), errors]).toEqual([
			"done",
			["CANCELLED", { done: true, value: undefined }, "LAGGED", undefined],
		]);
	});

	it("of two closes at once, one exposes it", async () => {
		let errors: unknown;
		const host = script(async (run) => {
			errors = await Promise.all([came(run.in.close()), came(run.in.close())]);
		}, IN);
		await host.answers("channel/release", failed("OWNER_CLOSED"));
		expect([await host.terminal(), errors]).toEqual(["done", ["OWNER_CLOSED", undefined]]);
	});

	it("comes out of a loop, and out of leaving one early", async () => {
		const errors: unknown[] = [];
		const host = script(
			async (run) => {
				const loop = async (): Promise<void> => {
					for await (const _ of run.in) break;
				};
				errors.push(await came(loop()));
				const other = run.channels.other as typeof run.in;
				const whole = async (): Promise<void> => {
					for await (const _ of other);
				};
				errors.push(await came(whole()));
			},
			{ in: GRANTS.in, other: subscription("s") },
		);
		await host.answers("channel/next", item(1));
		await host.answers("channel/release", failed("LAGGED"));
		await host.refuses("channel/next", "DISCONNECTED");
		expect([await host.terminal(), errors]).toEqual(["done", ["LAGGED", "DISCONNECTED"]]);
	});

	it("leaves what a loop's body threw alone", async () => {
		let error: unknown;
		const host = script(async (run) => {
			const loop = async (): Promise<void> => {
				for await (const _ of run.in) throw new RangeError("body");
			};
			error = await came(loop());
		}, IN);
		await host.answers("channel/next", item(1));
		await host.answers("channel/release", failed("LAGGED"));
		expect([await host.terminal(), error]).toEqual(["done", "RangeError"]);
	});
});

describe("giving a receiver up", () => {
	it("releases it once, and next is done from then on", async () => {
		const steps: unknown[] = [];
		const host = script(async (run) => {
			const closing = [run.in.close(), run.in.close()];
			steps.push(await run.in.next());
			await Promise.all(closing);
			steps.push(await run.in.next(), await came(run.in.close()));
		}, IN);
		await host.expects("channel/release");
		await settle();
		host.result("component:1", RELEASED);
		const done = { done: true, value: undefined };
		expect([await host.terminal(), steps]).toEqual(["done", [done, done, undefined]]);
	});

	it("leaving a loop early awaits it", async () => {
		let left = false;
		const host = script(async (run) => {
			for await (const _ of run.in) break;
			left = true;
		}, IN);
		await host.answers("channel/next", item(1));
		const request = await host.expects("channel/release");
		await settle();
		expect(left).toBe(false);
		host.result(request.id, RELEASED);
		expect([await host.terminal(), left]).toEqual(["done", true]);
	});

	it("return gives its value back", async () => {
		let step: unknown;
		const host = script(async (run) => {
			step = await run.in.return?.(7);
		}, IN);
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), step]).toEqual(["done", { done: true, value: 7 }]);
	});

	it.each([
		["CANCELLED: done", "CANCELLED", { done: true, value: undefined }],
		["a cause: that", "LAGGED", "LAGGED"],
		["an item: that", item(1, "x"), { done: false, value: "x" }],
		["the end: done", end(0), { done: true, value: undefined }],
	])("lets the read before it come to %s", async (_, answer, step) => {
		const steps: unknown[] = [];
		const host = script(async (run) => {
			const read = came(run.in.next());
			await settle();
			steps.push(await came(run.in.close()), await read);
		}, IN);
		const read = await host.expects("channel/next");
		const request = await host.expects("channel/release");
		if (typeof answer === "string") host.failure(read.id, answer);
		else host.result(read.id, answer);
		const ended = typeof answer === "object" && "end" in answer;
		host.result(request.id, ended ? { status: "ended", lastSequence: 0 } : RELEASED);
		expect([await host.terminal(), steps]).toEqual(["done", [undefined, step]]);
	});

	it("drops a read that was not written, which is then done", async () => {
		let step: unknown;
		const host = script(async (run) => {
			const read = run.in.next();
			await run.in.close();
			step = await read;
		}, IN);
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), step]).toEqual(["done", { done: true, value: undefined }]);
	});

	it("hands on the host's failure to settle, and tries again when asked again", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.in.close()), await came(run.in.close()));
		}, IN);
		await host.refuses("channel/release", "UNCERTAIN");
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), errors]).toEqual(["done", ["UNCERTAIN", undefined]]);
	});

	it("ignores an aborted signal beyond its own wait", async () => {
		let error: unknown;
		const host = script(async (run) => {
			error = await came(run.in.close({ signal: AbortSignal.abort() }));
		}, IN);
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), error]).toEqual(["done", "CANCELLED"]);
	});

	it("works during cleanup after root cancellation, which withdrew the read", async () => {
		const errors: unknown[] = [];
		const host = script(async (run) => {
			errors.push(await came(run.in.next()), await came(run.in.close()), await came(run.in.next()));
		}, IN);
		const read = await host.expects("channel/next");
		host.cancel();
		await host.expects("request/cancel");
		const request = await host.expects("channel/release");
		host.failure(read.id, "CANCELLED");
		await settle();
		host.result(request.id, RELEASED);
		expect([await host.terminal(), errors]).toEqual([
			"CANCELLED",
			["CANCELLED", undefined, { done: true, value: undefined }],
		]);
	});
});

describe("cancelling a read", () => {
	it("gives the receiver up: next is done, close joins both answers", async () => {
		const controller = new AbortController();
		const steps: unknown[] = [];
		const host = script(async (run) => {
			steps.push(await came(run.in.next({ signal: controller.signal })), await run.in.next());
			steps.push(await came(run.in.close()));
		}, IN);
		const read = await host.expects("channel/next");
		controller.abort();
		await host.expects("request/cancel");
		const request = await host.expects("channel/release");
		host.result(request.id, RELEASED);
		await settle();
		expect(steps).toEqual(["CANCELLED", { done: true, value: undefined }]);
		host.result(read.id, item(1, "skipped"));
		expect([await host.terminal(), steps[2]]).toEqual(["done", undefined]);
	});

	it("leaves a cause that the read still came to, to the next close, once", async () => {
		const controller = new AbortController();
		const steps: unknown[] = [];
		const host = script(async (run) => {
			steps.push(await came(run.in.next({ signal: controller.signal })));
			steps.push(await came(run.in.close()), await came(run.in.close()), await came(run.in.next()));
		}, IN);
		const read = await host.expects("channel/next");
		controller.abort();
		await host.expects("request/cancel");
		const request = await host.expects("channel/release");
		host.failure(read.id, "LAGGED");
		host.result(request.id, RELEASED);
		expect([await host.terminal(), steps]).toEqual(["done", ["CANCELLED", "LAGGED", undefined, "LAGGED"]]);
	});

	it("needs no close: the terminal waits for both answers", async () => {
		const controller = new AbortController();
		const host = script(async (run) => {
			await came(run.in.next({ signal: controller.signal }));
		}, IN);
		const read = await host.expects("channel/next");
		controller.abort();
		await host.expects("request/cancel");
		const request = await host.expects("channel/release");
		host.result(request.id, RELEASED);
		await settle();
		expect(host.sent).toHaveLength(3);
		host.failure(read.id, "CANCELLED");
		expect(await host.terminal()).toBe("done");
	});

	it("before it was written asks for nothing but the release", async () => {
		const controller = new AbortController();
		const steps: unknown[] = [];
		const host = script(async (run) => {
			const read = came(run.in.next({ signal: controller.signal }));
			controller.abort();
			steps.push(await read, await came(run.in.close()));
		}, IN);
		await host.answers("channel/release", RELEASED);
		expect([await host.terminal(), steps]).toEqual(["done", ["CANCELLED", undefined]]);
	});
});

describe("a connection that ends", () => {
	it.each([
		["EOF", "CHANNEL_LOST"],
		["a wrong sequence", "PROTOCOL_ERROR"],
	])("%s rejects everything that waits, once, and stays fatal to who catches it", async (how, code) => {
		const steps: unknown[] = [];
		const host = script(
			async (run) => {
				const waits = [run.in.next(), run.out.send(1), run.channel(), (run.channels.other as typeof run.in).close()];
				steps.push(...(await Promise.all(waits.map((wait) => came(wait)))));
				steps.push(await came(run.in.next()), await came(run.in.close()), await came(run.out.send(2)));
			},
			{ ...GRANTS, other: subscription("s") },
		);
		await host.expects("channel/release");
		const read = await host.expects("channel/next");
		if (how === "EOF") host.end();
		else host.result(read.id, item(2));
		await expect(host.done).rejects.toMatchObject({ code });
		await settle();
		expect(steps).toEqual([code, code, code, code, code, "OWNER_CLOSED", "OWNER_CLOSED"]);
	});
});
