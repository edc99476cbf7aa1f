import { describe, expect, test } from "vitest";
import type { DroppedEvents, LoadedPackage, Run, RunEvent } from "../../src/host/index.ts";
import { answering, arrange, DONE, ending } from "./arrange.ts";
import { type Script, settle } from "./fake.ts";

async function collect(trace: AsyncIterable<RunEvent | DroppedEvents>): Promise<(RunEvent | DroppedEvents)[]> {
	const events: (RunEvent | DroppedEvents)[] = [];
	for await (const event of trace) events.push(event);
	return events;
}

const typeOf = (event: RunEvent | DroppedEvents): string => ("dropped" in event ? "dropped" : event.event.type);

/** A Run whose component calls one child, `op:1`; both do `first` before anything else. */
async function withChild(first: Script): Promise<{ run: Run; helper: LoadedPackage }> {
	const stage = arrange({
		main: async (component) => {
			first(component);
			const root = await component.next();
			const params = { operationId: "op:1", slot: "helper", input: null };
			component.write({ jsonrpc: "2.0", id: "c1", method: "flow/run-child", params });
			await component.next();
			component.answer(root.id, DONE);
			component.exit(0);
		},
		child: (component) => {
			first(component);
			return answering(DONE)(component);
		},
	});
	const helper = await stage.load("child");
	return { run: stage.run(await stage.load("main"), { children: { helper } }), helper };
}

test("an iterator asked for at once sees the whole way, frames and decisions included", async () => {
	const stage = arrange({ main: answering(DONE) });
	const pack = await stage.load("main");
	const run = stage.run(pack);
	const events = await collect(run.trace());
	const steps = events.map(typeOf).filter((type) => type !== "session");
	expect(steps).toEqual(["activating", "launched", "exited", "fenced", "succeeded"]);
	const session = events.flatMap((each) =>
		"event" in each && each.event.type === "session" ? [each.event.event.type] : [],
	);
	expect(session).toEqual(expect.arrayContaining(["opened", "start", "sent", "received", "responded", "concluded"]));
	for (const event of events) expect(event).toMatchObject({ path: [], digest: pack.digest });
	expect(await collect(run.trace())).toEqual([]);
});

test("stderr is seen, of children too", async () => {
	const { run } = await withChild((component) => component.complain("note"));
	const seen = (await collect(run.trace())).flatMap((each) =>
		"event" in each && each.event.type === "stderr" ? [[each.path, new TextDecoder().decode(each.event.bytes)]] : [],
	);
	expect(seen).toEqual([
		[[], "note"],
		[["op:1"], "note"],
	]);
});

test("a refusal is seen too", async () => {
	const stage = arrange({ main: answering(DONE) });
	const run = stage.run(await stage.load("main"), { settings: { a: 1 } });
	expect(await collect(run.trace())).toMatchObject([{ event: { type: "failed", code: "INVALID_SETTINGS" } }]);
});

test("children are traced under their path", async () => {
	const { run, helper } = await withChild(() => undefined);
	const child = (await collect(run.trace())).filter((event) => "path" in event && event.path.length > 0) as RunEvent[];
	expect(child.map((event) => event.path)).toEqual(child.map(() => ["op:1"]));
	expect(child.map((event) => event.digest)).toEqual(child.map(() => helper.digest));
	expect(child.at(-1)!.event.type).toBe("succeeded");
});

describe("observers are harmless", () => {
	test.each<[string, () => unknown]>([
		[
			"throws",
			() => {
				throw new Error("no");
			},
		],
		["rejects", () => Promise.reject(new Error("no"))],
		["never settles", () => new Promise(() => undefined)],
	])("one that %s changes nothing", async (_, observer) => {
		const stage = arrange({
			main: async (component) => {
				component.complain("x");
				component.answer((await component.next()).id, DONE);
				component.exit(0);
			},
		});
		const run = stage.run(await stage.load("main"), { onTrace: observer, onStderr: observer });
		expect((await ending(stage, run))[0]).toEqual(DONE);
		await settle();
	});

	test("a stalled iterator is bounded in number and says what it dropped", async () => {
		const stage = arrange({ main: answering(DONE) }, { traceEvents: 2 });
		const run = stage.run(await stage.load("main"));
		const trace = run.trace();
		await run.result;
		const events = await collect(trace);
		expect(events).toHaveLength(3);
		expect((events[0] as DroppedEvents).dropped).toBeGreaterThan(5);
		expect(typeOf(events[2]!)).toBe("succeeded");
	});

	test("a stalled iterator is bounded in bytes", async () => {
		const stage = arrange({ main: answering({ outcome: "done", output: "x".repeat(100_000) }) }, { traceBytes: 1_000 });
		const run = stage.run(await stage.load("main"));
		const trace = run.trace();
		await run.result;
		const events = await collect(trace);
		expect(typeOf(events[0]!)).toBe("dropped");
		let held = 0;
		JSON.stringify(events.slice(1), (_, value) => {
			if (value instanceof Uint8Array) held += value.length;
			return value instanceof Uint8Array ? undefined : value;
		});
		expect(held).toBeLessThanOrEqual(1_000);
		expect(typeOf(events.at(-1)!)).toBe("succeeded");
	});

	test("an iterator that is left early holds nothing back", async () => {
		const stage = arrange({ main: answering(DONE) });
		const run = stage.run(await stage.load("main"));
		for await (const event of run.trace()) {
			expect(typeOf(event)).toBe("activating");
			break;
		}
		expect(await run.result).toMatchObject(DONE);
	});

	test("one in the middle of waiting ends with the Run", async () => {
		const stage = arrange({ main: answering(DONE) });
		const run = stage.run(await stage.load("main"));
		const trace = run.trace();
		const steps = Array.from({ length: 500 }, () => trace.next());
		await run.result;
		const last = (await Promise.all(steps)).at(-1)!;
		expect(last.done).toBe(true);
	});
});
