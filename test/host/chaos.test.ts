import fc from "fast-check";
import { expect, test } from "vitest";
import { isWireCode, LOCAL_CODES } from "../../src/run/index.ts";
import { arrange, DONE, ending, expectNothingLeft } from "./arrange.ts";
import type { FakeComponent } from "./fake.ts";
import { settle } from "./fake.ts";

type Act = (component: FakeComponent, id: string) => void;

/** The ids of the requests that each component has made. */
const requests = new WeakMap<FakeComponent, string[]>();

const call =
	(operationId: string, slot: string): Act =>
	(component) => {
		const ids = requests.get(component) ?? [];
		requests.set(component, ids);
		const id = `${operationId}-${ids.length}`;
		ids.push(id);
		component.write({ jsonrpc: "2.0", id, method: "flow/run-child", params: { operationId, slot, input: 1 } });
	};

/** Everything a component may do wrong, and right. */
const ACTS: Record<string, Act> = {
	answer: (component, id) => component.answer(id, DONE),
	refuse: (component, id) =>
		component.write({ jsonrpc: "2.0", id, error: { code: -32000, message: "m", data: { code: "UNAVAILABLE" } } }),
	"answer nobody": (component) => component.answer("nobody", DONE),
	junk: (component) => component.write("junk\n"),
	half: (component) => component.write('{"half'),
	complain: (component) => component.complain("oops\n"),
	"call a function": call("a", "quick"),
	"call one that never settles": call("b", "never"),
	"call one that throws": call("c", "throws"),
	"call a package": call("d", "child"),
	"call nobody": call("e", "nobody"),
	"cancel everything": (component) => {
		for (const requestId of requests.get(component) ?? [])
			component.write({ jsonrpc: "2.0", method: "request/cancel", params: { requestId } });
	},
	"close stdout": (component) => component.closeStdout(),
	"exit 0": (component) => component.exit(0),
	"exit 3": (component) => component.exit(3),
	"ignore terminate": (component) => {
		component.ignoresTerminate = true;
	},
	"stop reading": (component) => {
		component.stalled = true;
	},
	"leave a child in the group": (component) => {
		component.heldInGroup = true;
	},
	"leave a child out of reach": (component) => {
		component.held = true;
	},
};

const step = fc.record({
	act: fc.constantFrom(...Object.keys(ACTS)),
	afterMs: fc.constantFrom(0, 0, 0, 10, 900, 1_100, 2_500),
});
const plan = fc.record({
	parent: fc.array(step, { maxLength: 8 }),
	child: fc.array(step, { maxLength: 4 }),
	cancelMs: fc.option(fc.nat({ max: 4_000 }), { nil: undefined }),
	deadlineMs: fc.constantFrom(1, 500, 5_000),
});

test("whatever a component does, its Run ends once, in bounded time, with a classified end and nothing left", async () => {
	await fc.assert(
		fc.asyncProperty(plan, async ({ parent, child, cancelMs, deadlineMs }) => {
			const play = (steps: typeof parent) => (component: FakeComponent) => {
				let at = 0;
				for (const { act, afterMs } of steps) {
					at += afterMs;
					component.later(at, () => ACTS[act]!(component, "host:1"));
				}
			};
			const stage = arrange({ main: play(parent), child: play(child) });
			const helper = await stage.load("child");
			const run = stage.run(await stage.load("main"), {
				deadlineMs,
				children: {
					child: helper,
					quick: () => DONE,
					never: () => new Promise<never>(() => undefined),
					throws: () => Promise.reject(new Error("no")),
				},
			});
			const started = stage.runtime.clock.ms;
			if (cancelMs !== undefined) stage.runtime.clock.schedule(cancelMs, () => run.cancel(), false);
			const [outcome, failure] = await ending(stage, run);
			await settle();
			expect(outcome === undefined).toBe(failure !== undefined);
			if (failure !== undefined) {
				const known = isWireCode(failure.code) || (LOCAL_CODES as readonly string[]).includes(failure.code);
				expect(known || failure.code === "CLEANUP_FAILED").toBe(true);
				expect(["activation", "run", "acceptance", "cleanup"]).toContain(failure.phase);
			}
			// Deadline, its grace, terminate and kill, the fence of the component; then the same for a child below it.
			expect(stage.runtime.clock.ms - started).toBeLessThanOrEqual(
				deadlineMs + 2 * (1_000 + 1_000 + 2_000 + 2_000) + 100,
			);
			expectNothingLeft(stage);
		}),
		{ numRuns: 300 },
	);
}, 60_000);
