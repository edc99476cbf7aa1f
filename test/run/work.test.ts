import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { checkMessage, type OperationOutcome } from "../../src/run/index.ts";
import { callRequest, cancelOf, childRequest, codeOf, DONE, failure, frame, Host, result } from "./harness.ts";

const VALUE = { value: { stored: true } };
const ANSWER = result("host:1", { ...DONE });

describe("Run/1 section 6: operation identity", () => {
	it("joins the same call, whatever the order of its members, and dispatches once", () => {
		const host = Host.running();
		host.feed(callRequest("c:1", "op", { a: 1, b: 2 }), callRequest("c:2", "op", { b: 2, a: 1 }));
		expect(host.operations.length).toBe(1);
		host.operations[0]?.settle(VALUE);
		expect(host.flush()).toEqual([result("c:1", VALUE), result("c:2", VALUE)]);
	});

	it("replays a settled result, failure or uncertainty without another dispatch", () => {
		const outcomes: OperationOutcome[] = [
			VALUE,
			{ error: { name: "not-found", data: 1 } },
			{ failure: { code: "UNCERTAIN", message: "m" } },
			{ failure: { code: "UNAVAILABLE", message: "m" } },
		];
		for (const outcome of outcomes) {
			const host = Host.running().feed(callRequest("c:1"));
			host.operations[0]?.settle(outcome);
			const [first] = host.flush();
			host.feed(callRequest("c:2"));
			expect(host.flush()).toEqual([{ ...first, id: "c:2" }]);
			expect(host.operations.length).toBe(1);
		}
	});

	it.each([
		["another input", callRequest("c:2", "op:1", 1)],
		["another method of the protocol", childRequest("c:2", "op:1")],
		["another slot", { ...callRequest("c:2"), params: { ...(callRequest("c").params as object), slot: "other" } }],
		[
			"another capability method",
			{ ...callRequest("c:2"), params: { ...(callRequest("c").params as object), method: "m" } },
		],
	])("answers OPERATION_CONFLICT to %s, pending or settled, and leaves the first untouched", (_, request) => {
		const pending = Host.running().feed(callRequest("c:1"), request);
		expect(pending.flush().map(codeOf)).toEqual(["OPERATION_CONFLICT"]);
		pending.operations[0]?.settle(VALUE);
		expect(pending.flush()).toEqual([result("c:1", VALUE)]);
		pending.feed({ ...request, id: "c:3" });
		expect(pending.flush().map(codeOf)).toEqual(["OPERATION_CONFLICT"]);
		expect(pending.operations.length).toBe(1);
	});

	it.each([
		["by value while there is room", {}],
		["by their canonical digest afterwards", { retainedBytes: 5_300 }],
	])("compares long calls that have settled %s", (_, limits) => {
		const long = (tail: string): JsonValue => ({ text: "x".repeat(5_000), tail });
		const host = Host.running({}, limits).feed(callRequest("c:1", "op", long("a")));
		host.operations[0]?.settle(VALUE);
		// In little room a second call takes the place of the first one's result and text.
		host.feed(callRequest("c:2", "op:2", "x".repeat(2_000)));
		host.feed(callRequest("c:3", "op", long("a")), callRequest("c:4", "op", long("b")));
		const repeated = "retainedBytes" in limits ? "RESOURCE_EXHAUSTED" : "value";
		expect(host.flush().map((frame) => codeOf(frame) ?? "value")).toEqual(["value", repeated, "OPERATION_CONFLICT"]);
	});

	it("refuses a call whose id a host knows from before this session, and leaves the id to the other call", () => {
		const host = Host.running({
			dispatch: (operation) => {
				if (operation.call.input === "other") operation.conflict();
				else operation.settle(VALUE);
			},
		});
		host.feed(callRequest("c:1", "op", "other"), callRequest("c:2", "op", "other"), callRequest("c:3", "op", "known"));
		host.feed(callRequest("c:4", "op", "other"), callRequest("c:5", "op", "known"));
		expect(host.flush().map((frame) => codeOf(frame) ?? "value")).toEqual([
			"OPERATION_CONFLICT",
			"OPERATION_CONFLICT",
			"value",
			"OPERATION_CONFLICT",
			"value",
		]);
		// A conflict is an end like any other: what comes after it changes nothing.
		host.operations[0]?.settle(VALUE);
		host.operations[2]?.conflict();
		expect([host.operations.length, host.session.unsettled, host.flush()]).toEqual([3, 0, []]);
	});

	it("carries the call to the layer as the port has it", () => {
		const host = Host.running().feed({
			...childRequest("c:1"),
			params: { operationId: "o", slot: "s", intent: "why", input: 1 },
		});
		expect(host.operations[0]?.call).toEqual({
			kind: "child",
			operationId: "o",
			slot: "s",
			intent: "why",
			input: 1,
			channels: {},
		});
	});
});

describe("Run/1 section 6: waiters", () => {
	it("settles a cancelled waiter at once; only the last one asks the work to stop", () => {
		const host = Host.running().feed(callRequest("c:1"), callRequest("c:2"), cancelOf("c:1"));
		expect(host.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["c:1", "CANCELLED"]]);
		expect(host.abandoned).toEqual([]);
		host.feed(cancelOf("c:2"), cancelOf("c:2"));
		expect(host.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["c:2", "CANCELLED"]]);
		expect(host.abandoned).toEqual(host.operations);
	});

	it("gives a re-attached waiter the eventual terminal, and abandons once", () => {
		const host = Host.running().feed(callRequest("c:1"), cancelOf("c:1"), callRequest("c:2"));
		host.flush();
		host.operations[0]?.settle({ failure: { code: "CANCELLED", message: "stopped" } });
		expect(host.flush().map((frame) => [frame.id, codeOf(frame)])).toEqual([["c:2", "CANCELLED"]]);
		expect([host.operations.length, host.abandoned.length]).toEqual([1, 1]);
	});

	it("asks work to stop once, whatever asks for it", () => {
		const host = Host.running().feed(callRequest("c:1"), cancelOf("c:1"));
		host.session.cancel();
		host.session.exited({ exitCode: 0, signal: null, killed: false });
		expect(host.abandoned.length).toBe(1);
	});

	it("lets a terminal that was decided win over a later cancellation", () => {
		const host = Host.running().feed(callRequest("c:1"));
		host.operations[0]?.settle(VALUE);
		host.feed(cancelOf("c:1"));
		expect(host.flush()).toEqual([result("c:1", VALUE)]);
	});

	it("settles once: a second settlement changes nothing", () => {
		const host = Host.running().feed(callRequest("c:1"));
		host.operations[0]?.settle(VALUE);
		host.operations[0]?.settle({ value: 2 });
		host.feed(callRequest("c:2"));
		expect(host.flush()).toEqual([result("c:1", VALUE), result("c:2", VALUE)]);
	});
});

describe("Run/1 section 5: outcomes of the host's own work", () => {
	it.each<[string, unknown]>([
		["nothing", undefined],
		["no single outcome", { value: 1, error: { name: "n", data: 1 } }],
		["a child's result", { result: DONE }],
		["a bad error name", { error: { name: "N", data: null } }],
		["an error without data", { error: { name: "n" } }],
		["no JSON value", { value: () => 1 }],
		["a local code", { failure: { code: "CHANNEL_LOST", message: "m" } }],
		["an empty message", { failure: { code: "LAGGED", message: "" } }],
		["details that are no JSON", { failure: { code: "LAGGED", message: "m", details: Number.NaN } }],
	])("answers %s INVALID_RESULT, and replays that", (_, outcome) => {
		const host = Host.running().feed(callRequest("c:1"));
		host.operations[0]?.settle(outcome as never);
		host.feed(callRequest("c:2"));
		expect(host.flush().map(codeOf)).toEqual(["INVALID_RESULT", "INVALID_RESULT"]);
	});

	it("answers a child that ended with a capability's value INVALID_RESULT", () => {
		const host = Host.running().feed(childRequest("c:1"));
		host.operations[0]?.settle(VALUE);
		expect(host.flush().map(codeOf)).toEqual(["INVALID_RESULT"]);
	});

	it("answers a result that fits alone but not inside a frame with a 128-byte id INVALID_RESULT", () => {
		const room = 16_777_216 - `{"jsonrpc":"2.0","id":"${"x".repeat(128)}","result":{"value":["","",""]}}`.length;
		for (const [over, code] of [
			[0, undefined],
			[1, "INVALID_RESULT"],
		] as const) {
			const host = Host.running().feed(callRequest("c:1"));
			host.operations[0]?.settle({
				value: ["x".repeat(8_000_000), "x".repeat(8_000_000), "x".repeat(room - 16_000_000 + over)],
			});
			expect(host.flush().map(codeOf)).toEqual([code]);
		}
	});

	it("says why in at most 1,024 characters, whatever the place is called (section 7)", () => {
		const host = Host.running().feed(callRequest("c:1"));
		const value = { ["\u{e0001}".repeat(300)]: () => undefined } as unknown as JsonValue;
		host.operations[0]?.settle({ value });
		const [answer] = host.flush();
		expect([codeOf(answer), checkMessage(answer!)]).toEqual(["INVALID_RESULT", undefined]);
	});

	it("answers EXECUTION_FAILED when the layer can't start the work, and goes on", () => {
		const host = Host.running({
			dispatch: () => {
				throw new Error("no");
			},
		}).feed(callRequest("c:1"));
		expect(host.flush().map(codeOf)).toEqual(["EXECUTION_FAILED"]);
		host.feed(ANSWER);
		expect(host.exit()).toBe("done");
	});

	it("takes a settlement from inside the dispatch", () => {
		const host = Host.running({ dispatch: (operation) => operation.settle(VALUE) }).feed(callRequest("c:1"));
		expect(host.flush()).toEqual([result("c:1", VALUE)]);
	});
});

describe("Run/1 section 4: what a host keeps is bounded", () => {
	it("refuses a call that would cross the bound before dispatch, and registers nothing", () => {
		const host = Host.running({}, { retainedBytes: 4_000 });
		host.feed(callRequest("c:1", "op", "x".repeat(5_000)));
		expect([host.flush().map(codeOf), host.operations]).toEqual([["RESOURCE_EXHAUSTED"], []]);
		host.feed(callRequest("c:2", "op", "small"));
		expect(host.operations.length).toBe(1);
	});

	it("delivers a result it can't keep, and refuses a repetition instead of dispatching it again", () => {
		const host = Host.running({}, { retainedBytes: 4_000 }).feed(callRequest("c:1"));
		host.operations[0]?.settle({ value: "x".repeat(5_000) });
		host.feed(callRequest("c:2"));
		expect(host.flush().map((frame) => codeOf(frame) ?? "value")).toEqual(["value", "RESOURCE_EXHAUSTED"]);
		expect(host.operations.length).toBe(1);
	});

	it("gives up the oldest results for new ones: a long Run doesn't run out of room", () => {
		const host = Host.running({}, { retainedBytes: 10_000 });
		for (let i = 0; i < 20; i++) {
			host.feed(callRequest(`c:${i}`, `op:${i}`));
			host.operations[i]?.settle({ value: "x".repeat(2_000) });
		}
		expect(host.flush().every((frame) => codeOf(frame) === undefined)).toBe(true);
		host.feed(callRequest("old", "op:0"), callRequest("new", "op:19"), callRequest("other", "op:0", 1));
		expect(host.flush().map((frame) => codeOf(frame) ?? "value")).toEqual([
			"RESOURCE_EXHAUSTED",
			"value",
			"OPERATION_CONFLICT",
		]);
	});

	it("gives back the room of a long call when it has settled", () => {
		const host = Host.running({}, { retainedBytes: 8_000 });
		for (let i = 0; i < 4; i++) {
			host.feed(callRequest(`c:${i}`, `op:${i}`, "x".repeat(4_000)));
			host.operations.at(-1)?.settle(VALUE);
		}
		expect(host.flush().map((frame) => codeOf(frame) ?? "value")).toEqual(["value", "value", "value", "value"]);
	});

	it("counts abandoned work that has not settled", () => {
		const host = Host.running({}, { retainedBytes: 8_000 });
		host.feed(
			callRequest("c:1", "op:1", "x".repeat(5_000)),
			cancelOf("c:1"),
			callRequest("c:2", "op:2", "x".repeat(5_000)),
		);
		expect(host.flush().map(codeOf)).toEqual(["CANCELLED", "RESOURCE_EXHAUSTED"]);
	});
});

describe("Run/1 section 1: a component that never reads its answers", () => {
	it("holds none of its params: refused requests cost the host their ids", () => {
		setFlagsFromString("--expose-gc");
		const gc = runInNewContext("gc") as () => void;
		const host = Host.running();
		const params = { x: Array.from({ length: 4 }, () => Array.from({ length: 60_000 }, () => [])) };
		gc();
		const before = process.memoryUsage().heapUsed;
		for (let index = 0; index < 10; index += 1) {
			host.session.receive(frame({ jsonrpc: "2.0", id: `u${index}`, method: "unknown", params }));
			host.session.receive(frame({ jsonrpc: "2.0", id: `c${index}`, method: "capability/call", params }));
		}
		host.events.length = 0;
		gc();
		expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(50);
		expect(host.flush().length).toBe(20);
	});
});

describe("Run/1 section 9: owned work at the end", () => {
	it("refuses success while work that nobody waits for has not settled", () => {
		const host = Host.running().feed(callRequest("c:1"), cancelOf("c:1"));
		host.flush();
		host.feed(ANSWER);
		expect(host.session.unsettled).toBe(1);
		expect(host.exit()).toBe("EXECUTION_FAILED");
	});

	it("succeeds when it settles before the verdict", () => {
		const host = Host.running().feed(callRequest("c:1"), cancelOf("c:1"));
		host.flush();
		host.feed(ANSWER);
		host.operations[0]?.settle({ failure: { code: "CANCELLED", message: "m" } });
		expect([host.session.unsettled, host.exit()]).toEqual([0, "done"]);
	});

	it("asks all running work to stop when the channel dies or the component is gone", () => {
		const dead = Host.running().feed(callRequest("c:1"), childRequest("c:2", "op:2"), "garbage");
		expect(dead.abandoned).toEqual(dead.operations);
		const gone = Host.running().feed(callRequest("c:1"));
		gone.session.exited({ exitCode: 1, signal: null, killed: false });
		expect(gone.abandoned).toEqual(gone.operations);
		gone.operations[0]?.settle(VALUE);
		expect(gone.take()).toEqual([]);
	});

	it("recovers from a failed call: the Run may still succeed", () => {
		const host = Host.running().feed(callRequest("c:1"));
		host.operations[0]?.settle({ failure: { code: "EXECUTION_FAILED", message: "m" } });
		expect(host.flush()).toEqual([failure("c:1", "EXECUTION_FAILED", "m")]);
		host.feed(ANSWER);
		expect(host.exit()).toBe("done");
	});
});
