import { describe, expect, test } from "vitest";
import { digestPackage, memorySource } from "../../src/package/index.ts";
import { createAbortController } from "../../src/web.ts";
import { answering, arrange, DONE, ending, expectNothingLeft, runScript } from "./arrange.ts";
import { fakePackage, type Script, settle } from "./fake.ts";

/** A component that waits for the host's cancellation and does nothing about it. */
const deaf: Script = async (component) => {
	await component.next();
};

describe("cancellation and deadline (Run/1 section 8)", () => {
	test("one request/cancel, and the answer CANCELLED", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				const cancel = await component.next();
				expect(cancel).toEqual({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: root.id } });
				const error = { code: -32000, message: "stopped", data: { code: "CANCELLED" } };
				component.write({ jsonrpc: "2.0", id: root.id, error });
				component.exit(0);
			},
		});
		const run = stage.run(await stage.load("main"));
		await settle();
		run.cancel("enough");
		run.cancel("again");
		const [, failure] = await ending(stage, run);
		expect(failure).toMatchObject({ code: "CANCELLED", phase: "run", cause: "enough" });
		expect(stage.runtime.components[0]!.signals).toEqual([]);
		expect(stage.runtime.components[0]!.heard.match(/request\/cancel/g)).toHaveLength(1);
		expectNothingLeft(stage);
	});

	test("a deaf component is terminated after the grace, a stubborn one killed", async () => {
		const stage = arrange({
			main: async (component) => {
				component.ignoresTerminate = true;
				await component.next();
			},
		});
		const run = stage.run(await stage.load("main"));
		await settle();
		run.cancel();
		await stage.runtime.clock.advance(999);
		expect(stage.runtime.components[0]!.signals).toEqual([]);
		await stage.runtime.clock.advance(1);
		expect(stage.runtime.components[0]!.signals).toEqual(["terminate"]);
		const [, failure] = await ending(stage, run);
		expect(failure).toMatchObject({ code: "CANCELLED", phase: "run" });
		expect(stage.runtime.components[0]!.signals).toEqual(["terminate", "kill"]);
		expectNothingLeft(stage);
	});

	test("the deadline is DEADLINE_EXCEEDED, to the millisecond", async () => {
		const { failure } = await runScript(deaf, { deadlineMs: 5_000 });
		expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "run", durationMs: 6_000 });
	});

	test("the first recorded condition stays", async () => {
		const stage = arrange({ main: deaf });
		const run = stage.run(await stage.load("main"), { deadlineMs: 500 });
		await settle();
		await stage.runtime.clock.advance(499);
		run.cancel();
		expect((await ending(stage, run))[1]!.code).toBe("CANCELLED");
	});

	test("a result that comes after the cancellation doesn't help", async () => {
		const stage = arrange({
			main: async (component) => {
				const root = await component.next();
				await component.next();
				component.answer(root.id, DONE);
				component.exit(0);
			},
		});
		const run = stage.run(await stage.load("main"));
		await settle();
		run.cancel();
		expect((await ending(stage, run))[1]).toMatchObject({ code: "CANCELLED", phase: "run" });
	});

	test("a cancellation after the answer changes nothing", async () => {
		const stage = arrange({
			main: async (component) => {
				component.answer((await component.next()).id, DONE);
				component.later(1_000, () => component.exit(0));
			},
		});
		const run = stage.run(await stage.load("main"));
		await settle();
		run.cancel();
		expect((await ending(stage, run))[0]).toEqual(DONE);
		expect(stage.runtime.components[0]!.heard).not.toContain("request/cancel");
	});

	test("a component that never reads is fenced at its deadline", async () => {
		const { failure } = await runScript(
			(component) => {
				component.stalled = true;
			},
			{ input: "x".repeat(100_000), deadlineMs: 1_000 },
		);
		expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "run", durationMs: 2_000 });
	});

	test("the user's signal cancels, and keeps no listener", async () => {
		const stage = arrange({ main: deaf });
		const controller = createAbortController();
		const counted = counting(controller.signal);
		const run = stage.run(await stage.load("main"), { signal: counted.signal });
		await settle();
		expect(counted.listeners()).toBe(1);
		controller.abort();
		expect((await ending(stage, run))[1]!.code).toBe("CANCELLED");
		expect(counted.listeners()).toBe(0);
	});

	test("a Run that ends by itself leaves the user's signal alone", async () => {
		const stage = arrange({ main: answering(DONE) });
		const counted = counting(createAbortController().signal);
		const pack = await stage.load("main");
		for (let count = 0; count < 20; count += 1) await stage.run(pack, { signal: counted.signal }).result;
		expect(counted.listeners()).toBe(0);
	});

	test("however many Runs share a signal, it has one listener", async () => {
		const stage = arrange({ main: deaf });
		const controller = createAbortController();
		const counted = counting(controller.signal);
		const pack = await stage.load("main");
		const runs = Array.from({ length: 100 }, () => stage.run(pack, { signal: counted.signal }));
		await settle();
		expect(counted.listeners()).toBe(1);
		controller.abort();
		for (const run of runs) expect((await ending(stage, run))[1]!.code).toBe("CANCELLED");
		expect(counted.listeners()).toBe(0);
		expectNothingLeft(stage);
	});

	test("however many hosts and loads share a signal, it has one listener", async () => {
		const controller = createAbortController();
		const counted = counting(controller.signal);
		const hosts = Array.from({ length: 12 }, () => arrange({ main: deaf }));
		const loads = hosts.map((each) => each.host.load(fakePackage("main"), { signal: counted.signal }));
		await settle();
		expect(counted.listeners()).toBeLessThan(2);
		const packs = await Promise.all(loads);
		expect(counted.listeners()).toBe(0);
		const runs = packs.map((pack, index) => hosts[index]!.run(pack, { signal: counted.signal }));
		expect(counted.listeners()).toBe(1);
		controller.abort();
		for (const [index, run] of runs.entries()) expect((await ending(hosts[index]!, run))[1]!.code).toBe("CANCELLED");
		expect(counted.listeners()).toBe(0);
	});

	test("twenty passes over packages on one signal have one listener", async () => {
		const counted = counting(createAbortController().signal);
		const source = memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n" });
		const passes = Array.from({ length: 20 }, () => digestPackage(source, { signal: counted.signal }));
		expect(counted.listeners()).toBe(1);
		await Promise.all(passes);
		expect(counted.listeners()).toBe(0);
	});

	test("cancelled before it starts: nothing is launched, the phase is activation", async () => {
		const stage = arrange({ main: answering(DONE) });
		const controller = createAbortController();
		controller.abort();
		const [, failure] = await ending(stage, stage.run(await stage.load("main"), { signal: controller.signal }));
		expect(failure).toMatchObject({ code: "CANCELLED", phase: "activation" });
		expect(stage.runtime.components).toEqual([]);
		expectNothingLeft(stage);
	});

	test("cancelled while it is launched: nothing is written", async () => {
		const stage = arrange({ main: deaf });
		let open: () => void = () => undefined;
		stage.runtime.launching = new Promise((resolve) => {
			open = resolve;
		});
		const run = stage.run(await stage.load("main"));
		await settle();
		run.cancel();
		open();
		expect((await ending(stage, run))[1]).toMatchObject({ code: "CANCELLED", phase: "activation" });
		expect(stage.runtime.components[0]!.heard).toBe("");
		expectNothingLeft(stage);
	});
});

function counting(signal: AbortSignal): { signal: AbortSignal; listeners(): number } {
	let listeners = 0;
	const proxy = new Proxy(signal, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (name === "addEventListener") listeners += 1;
			if (name === "removeEventListener") listeners -= 1;
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
	return { signal: proxy, listeners: () => listeners };
}

describe("floods (host limits)", () => {
	test("stdout above its bound is RESOURCE_EXHAUSTED and a kill", async () => {
		const { failure, stage } = await runScript(
			async (component) => {
				await component.next();
				const line = `${JSON.stringify({ jsonrpc: "2.0", method: "noise", params: ["x".repeat(1_000_000)] })}\n`;
				for (let count = 0; count < 20; count += 1) component.write(line);
			},
			{ limits: { stdoutBytes: 16_777_217 } },
		);
		expect(failure).toMatchObject({ code: "RESOURCE_EXHAUSTED", phase: "run" });
		expect(stage.runtime.components[0]!.signals).toEqual(["kill"]);
	});

	test("stderr at its bound is admitted, above it RESOURCE_EXHAUSTED and a kill", async () => {
		const complaining =
			(bytes: number): Script =>
			async (component) => {
				const root = await component.next();
				component.complain("x".repeat(bytes));
				component.answer(root.id, DONE);
				component.exit(0);
			};
		const limits = { stderrBytes: 1_000, stderrTailBytes: 10 };
		expect((await runScript(complaining(1_000), { limits })).outcome).toEqual(DONE);
		const { failure, stage } = await runScript(complaining(1_001), { limits });
		expect(failure).toMatchObject({
			code: "RESOURCE_EXHAUSTED",
			phase: "run",
			stderr: { text: "xxxxxxxxxx", bytes: 1_001, truncated: true },
		});
		expect(stage.runtime.components[0]!.signals).toContain("kill");
	});
});
