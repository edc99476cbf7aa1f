import { describe, expect, test } from "vitest";
import { DurableRun } from "../../src/host/durable.ts";
import {
	memoryOperationStore,
	type RunEvent,
	type RunFailure,
	type RunOptions,
	replay,
	sessionsOf,
} from "../../src/host/index.ts";
import type { CapabilityCall } from "../../src/run/index.ts";
import { portableSha256 } from "../../src/sha256.ts";
import { createAbortController } from "../../src/web.ts";
import { answering, arrange, DONE, ending, expectNothingLeft, type Stage } from "./arrange.ts";
import { type Call, request } from "./calling.ts";
import { type FakeComponent, type Message, type Script, settle } from "./fake.ts";
import { gate, HookedStore } from "./hooked-store.ts";
import { digestOf, held } from "./store-contract.ts";

/** Operations that outlive their Run: Run/1 section 6 over an operation store. */

const KEY = "nightly";
const USES = "uses:\n  helper: { local: true }\n";

interface World {
	readonly store: HookedStore;
	readonly stage: Stage;
	/** One Run whose component is `script`; every Run has the same package, input and settings. */
	run(options?: Partial<RunOptions>): Promise<{ output?: unknown; failure?: unknown; events: readonly RunEvent[] }>;
}

function world(script: Script, store = new HookedStore(), more: Record<string, Script> = {}): World {
	const stage = arrange({ main: script, ...more });
	return {
		store,
		stage,
		async run(options) {
			const pack = await stage.load("main", USES);
			const events: RunEvent[] = [];
			const run = stage.run(pack, {
				operations: { store, key: KEY },
				onTrace: (event) => void events.push(event),
				...options,
			});
			const [outcome, failure] = await ending(stage, run);
			expectNothingLeft(stage);
			// Whatever the store does, the session's decisions follow from its trace.
			for (const session of sessionsOf(events).values()) expect(replay(session).divergence).toBeUndefined();
			return { output: (outcome as { output: unknown } | undefined)?.output, failure, events };
		},
	};
}

/** A provider that counts its calls. */
function provider(answer: () => unknown = () => ({ value: "made" })): {
	readonly capabilities: NonNullable<RunOptions["capabilities"]>;
	readonly calls: string[];
} {
	const calls: string[] = [];
	return {
		calls,
		capabilities: {
			helper: {
				call: ({ operationId }) => {
					calls.push(operationId);
					return answer() as never;
				},
			},
		},
	};
}

const CALL: Call = { method: "make", input: { a: 1 } };

/** Makes one call and answers with what came of it; it doesn't mind being cancelled. */
function calling(call: Call): Script {
	return async (component) => {
		const root = await component.next();
		request(component, "c1", call);
		component.answer(root.id, { outcome: "done", output: came(await answerTo(component, "c1")) });
		component.exit(0);
	};
}

async function answerTo(component: FakeComponent, id: string): Promise<Message> {
	for (;;) {
		const message = await component.next();
		if (message.id === id) return message;
	}
}

function came({ result, error }: Message): unknown {
	if (error === undefined) return { result };
	return { code: error.data.code, message: error.message, details: error.data.details ?? null };
}

const SCHEMA = '"$schema":"https://flow.jig.md/schemas/schema-1.json"';
const never = (): Promise<never> => new Promise(() => undefined);

describe("Run/1 section 6: a later Run with the same key", () => {
	test.each<[string, Call, (calls: string[], stage: Stage) => Promise<Partial<RunOptions>>, unknown]>([
		[
			"a capability's value",
			CALL,
			async (calls) => ({ capabilities: { helper: { call: () => ({ value: calls.push("x") }) } } }),
			{ result: { value: 1 } },
		],
		[
			"a capability's declared error",
			CALL,
			async (calls) => ({
				capabilities: { helper: { call: () => ({ error: { name: "gone", data: calls.push("x") } }) } },
			}),
			{ result: { error: { name: "gone", data: 1 } } },
		],
		[
			"a function's result",
			{ input: 1 },
			async (calls) => ({ children: { helper: () => ({ outcome: "done", output: calls.push("x") }) } }),
			{ result: { outcome: "done", output: 1 } },
		],
		[
			"a function's failure",
			{ input: 1 },
			async (calls) => ({
				children: {
					helper: () => {
						throw Object.assign(new Error("no"), { code: "RESOURCE_EXHAUSTED", details: calls.push("x") });
					},
				},
			}),
			{ code: "RESOURCE_EXHAUSTED", message: "no", details: 1 },
		],
		[
			"a child package's result",
			{ input: 1 },
			async (_, stage) => ({ children: { helper: await stage.load("child") } }),
			{ result: { outcome: "done", output: 1 } },
		],
	])("gives %s again, without another dispatch", async (_, call, bind, expected) => {
		const calls: string[] = [];
		const child: Script = async (component) => {
			const root = await component.next();
			component.answer(root.id, { outcome: "done", output: calls.push("x") });
			component.exit(0);
		};
		const { run, stage, store } = world(calling(call), undefined, { child });
		for (let time = 0; time < 3; time += 1) {
			const { output, events } = await run(await bind(calls, stage));
			expect(output).toEqual(expected);
			const recalled = events.filter(({ event }) => event.type === "operation-recalled");
			expect(recalled.map(({ event }) => event)).toEqual(
				time === 0 ? [] : [{ type: "operation-recalled", operationId: "c1", slot: "helper", status: "settled" }],
			);
		}
		expect(calls).toEqual(["x"]);
		expect(store.log.length).toBe(2);
	});

	test("gives a refusal again, though what it lacked is there now", async () => {
		const { run } = world(calling(CALL));
		const refused = { code: "UNAVAILABLE" };
		expect((await run()).output).toMatchObject(refused);
		const { calls, capabilities } = provider();
		expect((await run({ capabilities })).output).toMatchObject(refused);
		expect(calls).toEqual([]);
	});

	test("answers UNCERTAIN what has no result on record, records that, and never dispatches it", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider(never);
		expect((await run({ capabilities, deadlineMs: 500 })).failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
		expect(store.log).toEqual(["begin c1"]);
		for (let time = 0; time < 2; time += 1) {
			expect((await run({ capabilities })).output).toMatchObject({ code: "UNCERTAIN" });
			expect(await store.list()).toMatchObject([{ operations: 1, unsettled: 0 }]);
		}
		expect(calls).toEqual(["c1"]);
		expect(store.log.length).toBe(2);
	});

	test("never runs a child again whose end is not on record, nor what is below it", async () => {
		const child: Script = async (component) => {
			await component.next();
			request(component, "inner", { method: "make" });
		};
		const { run, store, stage } = world(calling({}), undefined, { child });
		const { calls, capabilities } = provider(() => ({ value: 1 }));
		const helper = { package: await stage.load("child", USES), capabilities };
		store.hooks.settle = never;
		const first = await run({ children: { helper }, deadlineMs: 500 });
		expect(first.failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
		expect(store.log).toEqual(["begin c1", "begin c1 inner"]);
		store.hooks.settle = (record) => record();
		expect((await run({ children: { helper } })).output).toMatchObject({ code: "UNCERTAIN" });
		expect(calls).toEqual(["inner"]);
	});

	test("refuses the id to another call before any dispatch, and still has the result for the call that made it", async () => {
		let inputs = [1];
		const script: Script = async (component) => {
			const root = await component.next();
			// All at once: another call that comes first must not take the id.
			for (const [index, input] of inputs.entries()) {
				request(component, `r${index}`, { ...CALL, operationId: "op", input });
			}
			const output: Record<string, unknown> = {};
			for (const _ of inputs) {
				const { id, result, error } = await component.next();
				output[id!] = error?.data.code ?? result;
			}
			component.answer(root.id, { outcome: "done", output });
			component.exit(0);
		};
		const { run } = world(script);
		const { calls, capabilities } = provider();
		const value = { value: "made" };
		expect((await run({ capabilities })).output).toEqual({ r0: value });
		inputs = [2, 1, 2, 1];
		const conflict = "OPERATION_CONFLICT";
		expect((await run({ capabilities })).output).toEqual({ r0: conflict, r1: value, r2: conflict, r3: value });
		expect(calls).toEqual(["op"]);
	});

	test("keeps nothing without a key", async () => {
		const { run } = world(calling(CALL));
		const { calls, capabilities } = provider();
		await run({ capabilities, operations: undefined });
		await run({ capabilities, operations: undefined });
		expect(calls).toEqual(["c1", "c1"]);
	});

	test("under another key is another Run", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		await run({ capabilities });
		await run({ capabilities, operations: { store, key: "other" } });
		expect(calls).toEqual(["c1", "c1"]);
	});

	test("is told RESOURCE_EXHAUSTED where the store didn't keep the result", async () => {
		const { run } = world(calling(CALL), new HookedStore({ outcomeBytes: 4 }));
		const { calls, capabilities } = provider();
		expect((await run({ capabilities })).output).toEqual({ result: { value: "made" } });
		expect((await run({ capabilities })).output).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
		expect(calls).toEqual(["c1"]);
	});

	test.each(["", "{", '{"value":1,"more":2}', '{"result":1}', '{ "value": 1 }', "null"])(
		"answers UNCERTAIN where the store gives %s for a result",
		async (text) => {
			const { run, store } = world(calling(CALL));
			const { calls, capabilities } = provider();
			await run({ capabilities });
			store.hooks.outcome = async () => text;
			const { output, events } = await run({ capabilities });
			expect(output).toMatchObject({ code: "UNCERTAIN" });
			expect(events.map(({ event }) => event)).toContainEqual(
				expect.objectContaining({ type: "operation-unrecorded", step: "recall" }),
			);
			expect(calls).toEqual(["c1"]);
		},
	);
});

describe("the binding of a key", () => {
	test.each<[string, Partial<RunOptions>, string[]]>([
		["other input", { input: 1 }, ["input"]],
		["other settings", { settings: { a: 1 } }, ["settings"]],
		["both", { input: 1, settings: { a: 1 } }, ["input", "settings"]],
	])("is refused to %s before anything starts", async (_, options, differs) => {
		const store = new HookedStore();
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main", "", { "settings.schema.json": `{${SCHEMA}}` });
		const operations = { store, key: KEY };
		await stage.run(pack, { operations }).result;
		const [, failure] = await ending(stage, stage.run(pack, { operations, ...options }));
		expect(failure).toMatchObject({ code: "OPERATION_KEY_MISMATCH", phase: "activation", details: { differs } });
		expect([stage.runtime.components.length, (await store.list())[0]?.incarnation]).toEqual([1, 1]);
		expectNothingLeft(stage);
	});

	test("is refused to another package, which is told whose it is", async () => {
		const stage = arrange({ main: answering(DONE), other: answering(DONE) });
		const operations = { store: memoryOperationStore(), key: KEY };
		const pack = await stage.load("main");
		await stage.run(pack, { operations }).result;
		const [, failure] = await ending(stage, stage.run(await stage.load("other"), { operations }));
		expect(failure).toMatchObject({ code: "OPERATION_KEY_MISMATCH", details: { differs: ["package"] } });
		expect(failure?.message).toContain(pack.digest);
	});

	test("sees canonical values: the order of members is none of them", async () => {
		const stage = arrange({ main: answering(DONE) });
		const operations = { store: memoryOperationStore(), key: KEY };
		const pack = await stage.load("main");
		await stage.run(pack, { operations, input: { a: 1, b: 1e2 } }).result;
		await stage.run(pack, { operations, input: { b: 100, a: 1 } }).result;
	});

	test("comes after the input's own check", async () => {
		const store = new HookedStore();
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main", "", { "input.schema.json": `{${SCHEMA},"type":"string"}` });
		const [, failure] = await ending(stage, stage.run(pack, { input: 1, operations: { store, key: KEY } }));
		expect([failure?.code, await store.list()]).toEqual(["INVALID_INPUT", []]);
	});

	test.each<[string, unknown]>([
		["no store", { key: KEY }],
		["a store that claims nothing", { store: {}, key: KEY }],
		["no key", { store: memoryOperationStore() }],
		["an empty key", { store: memoryOperationStore(), key: "" }],
		["a key with a line end", { store: memoryOperationStore(), key: "a\n" }],
		["null", null],
	])("throws TypeError for %s", async (_, operations) => {
		const stage = arrange({ main: answering(DONE) });
		const pack = await stage.load("main");
		expect(() => stage.run(pack, { operations: operations as never })).toThrow(TypeError);
	});
});

describe("the order of recording, dispatch and answer", () => {
	test("the intent is on record before the dispatch, the outcome before the answer", async () => {
		const { run, store, stage } = world(calling(CALL));
		const steps: string[] = [];
		const { capabilities } = provider(() => {
			steps.push("dispatched");
			return { value: 1 };
		});
		const heard = (): boolean => stage.runtime.components.at(-1)?.heard.includes("c1") === true;
		const step = (name: string) => async (record: () => Promise<unknown>) => {
			await settle();
			steps.push(`${name}, dispatched: ${steps.includes("dispatched")}, answered: ${heard()}`);
			const answer = await record();
			await settle();
			steps.push(`${name} recorded, dispatched: ${steps.includes("dispatched")}, answered: ${heard()}`);
			return answer;
		};
		store.hooks.begin = step("begin");
		store.hooks.settle = step("settle");
		await run({ capabilities });
		expect(steps).toEqual([
			"begin, dispatched: false, answered: false",
			"begin recorded, dispatched: false, answered: false",
			"dispatched",
			"settle, dispatched: true, answered: false",
			"settle recorded, dispatched: true, answered: false",
		]);
	});

	test("without a key, the dispatch happens inside the session's own step", async () => {
		const { run } = world(calling(CALL));
		const { capabilities } = provider();
		const { events } = await run({ capabilities, operations: undefined });
		const started = events.findIndex(({ event }) => event.type === "operation-started");
		const before = events[started - 1]!.event;
		expect(before).toMatchObject({ type: "session", event: { type: "dispatched" } });
	});

	test("a store that fails before the dispatch: UNAVAILABLE, and no dispatch", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		const error = new Error("the disk is full");
		store.hooks.begin = () => Promise.reject(error);
		const { output, events } = await run({ capabilities });
		expect([output, calls]).toEqual([expect.objectContaining({ code: "UNAVAILABLE" }), []]);
		expect(JSON.stringify(output)).not.toContain("disk");
		expect(events.map(({ event }) => event)).toContainEqual(
			expect.objectContaining({ type: "operation-unrecorded", step: "begin", error }),
		);
	});

	test("a key without room: RESOURCE_EXHAUSTED, and no dispatch", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		store.hooks.begin = async () => "full";
		expect((await run({ capabilities })).output).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
		expect(calls).toEqual([]);
	});

	test("a store that fails after the dispatch: UNCERTAIN, now and later", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		store.hooks.settle = () => Promise.reject(new Error("the disk is full"));
		expect((await run({ capabilities })).output).toMatchObject({ code: "UNCERTAIN" });
		store.hooks.settle = (record) => record();
		expect((await run({ capabilities })).output).toMatchObject({ code: "UNCERTAIN" });
		expect(calls).toEqual(["c1"]);
	});

	test("a store that can't be claimed refuses the Run before anything starts", async () => {
		const { run, store, stage } = world(calling(CALL));
		store.hooks.claim = () => Promise.reject(new Error("no such disk"));
		const { failure } = await run();
		expect(failure).toMatchObject({ code: "OPERATION_STORE_FAILED", phase: "activation" });
		store.hooks.claim = async () => ({ kind: "full" });
		expect((await run()).failure).toMatchObject({ code: "OPERATION_STORE_FULL", phase: "activation" });
		expect(stage.runtime.components).toEqual([]);
	});
});

describe("two hosts on one key", () => {
	test("the superseded one dispatches nothing, and finds out with a typed error", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		let other: Promise<unknown> | undefined;
		store.hooks.begin = async (record) => {
			other ??= held(store, KEY, await bindingOf(store));
			await other;
			return record();
		};
		const { failure } = await run({ capabilities });
		expect(failure).toMatchObject({ name: "RunFailure", code: "OPERATION_KEY_SUPERSEDED", phase: "run" });
		expect([calls, store.log]).toEqual([[], ["begin c1: superseded"]]);
	});

	test("the superseded one settles nothing: its work is UNCERTAIN for both", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		store.hooks.settle = async (record) => {
			store.hooks.settle = (next) => next();
			await held(store, KEY, await bindingOf(store));
			return record();
		};
		expect((await run({ capabilities })).failure).toMatchObject({ code: "OPERATION_KEY_SUPERSEDED" });
		expect((await run({ capabilities })).output).toMatchObject({ code: "UNCERTAIN" });
		expect(calls).toEqual(["c1"]);
	});

	test("a child of the superseded one can't dispatch either, and its Run ends", async () => {
		const child: Script = async (component) => {
			const root = await component.next();
			request(component, "inner", { method: "make" });
			const { error } = await component.next();
			if (error?.data.code === "UNAVAILABLE") await component.next();
			component.answer(root.id, DONE);
			component.exit(0);
		};
		const { run, store, stage } = world(calling({}), undefined, { child });
		const { calls, capabilities } = provider();
		const helper = { package: await stage.load("child", USES), capabilities };
		store.hooks.begin = async (record) => {
			if (store.log.length === 1) await held(store, KEY, await bindingOf(store));
			return record();
		};
		const { failure } = await run({ children: { helper } });
		expect(failure).toMatchObject({ code: "OPERATION_KEY_SUPERSEDED" });
		// It was stopped, and didn't wait for its deadline.
		expect((failure as RunFailure).durationMs).toBeLessThan(5_000);
		expect([calls, store.log]).toEqual([[], ["begin c1", "begin c1 inner: superseded"]]);
	});

	test("deleting the key under a Run supersedes it", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		store.hooks.begin = async (record) => {
			await store.delete(KEY);
			return record();
		};
		expect((await run({ capabilities })).failure).toMatchObject({ code: "OPERATION_KEY_SUPERSEDED" });
		expect(calls).toEqual([]);
	});
});

describe("cancellation and a store that takes its time", () => {
	test("a call cancelled while its intent is recorded is not dispatched, and is CANCELLED for ever", async () => {
		let cancel = true;
		const { run, store } = world(async (component) => {
			const root = await component.next();
			request(component, "c1", CALL);
			if (cancel) component.write({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "c1" } });
			component.answer(root.id, { outcome: "done", output: came(await answerTo(component, "c1")) });
			component.exit(0);
		});
		const { calls, capabilities } = provider();
		expect((await run({ capabilities })).output).toMatchObject({ code: "CANCELLED" });
		expect(store.log).toEqual(["begin c1", expect.stringMatching(/^settle c1 .*"CANCELLED"/)]);
		cancel = false;
		expect((await run({ capabilities })).output).toMatchObject({ code: "CANCELLED" });
		expect(calls).toEqual([]);
	});

	test("a Run cancelled while an intent is recorded ends in time, and dispatches nothing afterwards", async () => {
		const { run, store } = world(calling(CALL));
		const { calls, capabilities } = provider();
		const hold = gate();
		store.hooks.begin = async (record) => {
			const answer = await record();
			await hold.passed;
			return answer;
		};
		expect((await run({ capabilities, deadlineMs: 500 })).failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
		hold.open();
		await settle();
		expect([calls, store.log.length]).toEqual([[], 2]);
		expect(store.log[1]).toContain("CANCELLED");
	});

	test("a store that never answers holds up no Run: the claim", async () => {
		const { run, store } = world(calling(CALL));
		store.hooks.claim = never;
		expect((await run({ deadlineMs: 500 })).failure).toMatchObject({ code: "DEADLINE_EXCEEDED", phase: "activation" });
	});

	test.each(["begin", "settle"] as const)("a store that never answers holds up no Run: %s", async (step) => {
		const { run, store } = world(calling(CALL));
		store.hooks[step] = never;
		const { capabilities } = provider();
		const { failure, events } = await run({ capabilities, deadlineMs: 500 });
		expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
		expect(events.map(({ event }) => event)).toContainEqual({ type: "abandoned", operationId: "c1", slot: "helper" });
	});

	test.each<[string, (record: () => Promise<unknown>) => unknown]>([
		["fails", () => Promise.reject(new Error("the disk is full"))],
		["never answers", never],
	])("a child whose work ended without a record, as its store %s, leaves its parent UNCERTAIN", async (_, hook) => {
		const child: Script = async (component) => {
			await component.next();
			request(component, "inner", { method: "make" });
			if (hook !== never) await answerTo(component, "inner");
			else await settle();
			component.exit(1);
		};
		const { run, store, stage } = world(calling({}), undefined, { child });
		const { capabilities } = provider();
		const helper = { package: await stage.load("child", USES), capabilities };
		let first = true;
		store.hooks.settle = (record) => {
			if (!first) return record();
			first = false;
			return hook(record);
		};
		expect((await run({ children: { helper } })).output).toMatchObject({ code: "UNCERTAIN" });
	});

	test("a store that never answers holds up no Run: the end of a child that takes longer than the grace", async () => {
		const child: Script = async (component) => {
			component.ignoresTerminate = true;
			await component.next();
		};
		const impatient: Script = async (component) => {
			await component.next();
			request(component, "c1", {});
			await component.next();
			component.exit(1);
		};
		const { run, store, stage } = world(impatient, undefined, { child });
		store.hooks.settle = never;
		const helper = await stage.load("child");
		expect((await run({ children: { helper }, deadlineMs: 500 })).failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
	});

	test("a store that never answers holds up no Run: what an earlier one recorded", async () => {
		const { run, store } = world(calling(CALL));
		const { capabilities } = provider();
		await run({ capabilities });
		store.hooks.outcome = never;
		expect((await run({ capabilities, deadlineMs: 500 })).failure).toMatchObject({ code: "DEADLINE_EXCEEDED" });
	});
});

describe("Run/1 section 6: the identity of a call beyond its session", () => {
	const call: CapabilityCall = {
		kind: "capability",
		operationId: "op",
		slot: "s",
		method: "m",
		input: { a: 1, b: 2 },
		channels: {},
	};
	const mapped = { ...call, channels: { out: "endpoint:1", in: "endpoint:2" } };

	async function laterRun(settled: boolean, first: CapabilityCall): Promise<DurableRun> {
		const store = memoryOperationStore();
		const root = { package: digestOf("1"), input: null, settings: {} };
		const { signal } = createAbortController();
		const run = new DurableRun({ store, key: KEY }, portableSha256, () => undefined);
		await run.open(root, signal);
		const standing = run.find([], first);
		if (standing.kind !== "new") throw new Error("it is new");
		await run.begin(standing.intent);
		if (settled) await run.settle({ scope: [], operationId: "op" }, '{"value":1}');
		const later = new DurableRun({ store, key: KEY }, portableSha256, () => undefined);
		await later.open(root, signal);
		return later;
	}

	test.each<[string, Partial<CapabilityCall>]>([
		["another input", { input: { a: 1, b: 3 } }],
		["another slot", { slot: "t" }],
		["another method", { method: "n" }],
		["channels", { channels: { out: "endpoint:1" } }],
		["a child call", { kind: "child" as never }],
	])("%s is a conflict", async (_, other) => {
		const run = await laterRun(true, call);
		expect(run.find([], { ...call, ...other }).kind).toBe("conflict");
		expect(run.find([], { ...call, input: { b: 2, a: 1 } }).kind).toBe("settled");
		expect(run.find(["op"], call).kind).toBe("new");
	});

	test("counts the ports of a channel map, not its endpoints, and never resumes it", async () => {
		for (const settled of [true, false]) {
			const run = await laterRun(settled, mapped);
			const again = { ...mapped, channels: { in: "endpoint:8", out: "endpoint:9" } };
			expect(run.find([], again)).toEqual({ kind: "uncertain", settled });
			expect(run.find([], { ...mapped, channels: { out: "endpoint:1" } }).kind).toBe("conflict");
			expect(run.find([], call).kind).toBe("conflict");
		}
	});
});

async function bindingOf(store: HookedStore): Promise<Parameters<HookedStore["claim"]>[1]> {
	return (await store.list())[0]!.binding;
}
