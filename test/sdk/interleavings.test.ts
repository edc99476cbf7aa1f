/** Any interleaving of an author, a host and their accidents gives one end: Run SDK/1 sections 5 and 6, Run/1 sections 7 to 9. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { OperationError, type RunContext } from "../../src/sdk/index.ts";
import { encodeUtf8 } from "../../src/web.ts";
import { type Message, memoryHost, settle } from "./memory-host.ts";

type Step =
	| { readonly do: "call"; readonly signal: number | undefined; readonly invalid: boolean }
	| { readonly do: "abort"; readonly signal: number }
	| { readonly do: "answer"; readonly newest: boolean; readonly how: "value" | "declared" | "failure" }
	| { readonly do: "cancel" | "hold" | "release" | "yield" | "end" | "garbage" | "break" }
	| { readonly do: "finish"; readonly how: "result" | "invalid" | "throw" | "fail" };

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("call" as const),
			signal: fc.option(fc.nat(2), { nil: undefined }),
			invalid: fc.boolean(),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("abort" as const), signal: fc.nat(2) }) },
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("answer" as const),
			newest: fc.boolean(),
			how: fc.constantFrom("value" as const, "declared" as const, "failure" as const),
		}),
	},
	{ weight: 6, arbitrary: fc.record({ do: fc.constant("yield" as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constantFrom("hold" as const, "release" as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constantFrom("cancel" as const, "end" as const, "garbage" as const, "break" as const),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant("finish" as const),
			how: fc.constantFrom("result" as const, "invalid" as const, "throw" as const, "fail" as const),
		}),
	},
);

async function play(steps: readonly Step[]): Promise<void> {
	let context: RunContext | undefined;
	let finish: (how: string) => void = () => {};
	const host = memoryHost(async (run) => {
		context = run;
		const how = await new Promise<string>((resolve) => {
			finish = resolve;
		});
		if (how === "throw") throw new Error("boom");
		if (how === "fail") throw new OperationError("PERMISSION_DENIED", "No.");
		return how === "invalid" ? (1 as never) : { outcome: "done", output: null };
	});
	const signals = [0, 1, 2].map(() => new AbortController());
	const outcomes: string[] = [];
	const answered = new Set<unknown>();
	let calls = 0;
	let cancelled = false;
	let ended = false;
	host.run();
	await settle();

	const requests = (): Message[] => host.sent.filter((message) => message.method === "capability/call");
	const answer = (newest: boolean, how: string): void => {
		const open = requests().filter(({ id }) => !answered.has(id));
		const { id } = open.at(newest ? -1 : 0) ?? {};
		if (id === undefined || ended) return;
		answered.add(id);
		if (how === "failure") host.failure(id, "UNAVAILABLE");
		else host.result(id, how === "value" ? { value: 1 } : { error: { name: "not-found", data: null } });
	};
	const end = (how: () => void): void => {
		if (!ended) how();
		ended = true;
	};

	for (const now of steps) {
		if (now.do === "call") {
			calls += 1;
			const operationId = now.invalid ? "" : `w:${calls}`;
			const options = now.signal === undefined ? undefined : { signal: signals[now.signal]!.signal };
			context!.callCapability({ operationId, slot: "s", method: "m", input: calls }, options).then(
				() => outcomes.push("value"),
				(error) => outcomes.push(error.code ?? error.name),
			);
		} else if (now.do === "abort") signals[now.signal]!.abort();
		else if (now.do === "answer") answer(now.newest, now.how);
		else if (now.do === "yield") await settle();
		else if (now.do === "hold") host.hold();
		else if (now.do === "release") host.release();
		else if (now.do === "break") host.breakWrites(new Error("EPIPE"));
		else if (now.do === "finish") finish(now.how);
		else if (now.do === "cancel") {
			if (!ended) host.cancel();
			cancelled ||= !ended && !host.sent.some(({ id }) => id === "host:1");
		} else if (now.do === "end") end(() => host.end());
		else end(() => host.raw(encodeUtf8("{}{}\n")));
	}
	// Let everything that still waits come to its end.
	host.release();
	finish("result");
	for (let turn = 0; turn < 3; turn++) {
		await settle();
		for (let left = requests().length; left > 0; left--) answer(false, "value");
	}
	const ending = await Promise.race([
		host.done.then(
			() => "finished",
			(error) => error.code as string,
		),
		settle().then(settle),
	]);
	const frames = host.sent.length;
	await settle();

	expect(["finished", "CHANNEL_LOST", "PROTOCOL_ERROR"]).toContain(ending);
	expect(outcomes).toHaveLength(calls);
	expect(host.sent).toHaveLength(frames);
	const ids = requests().map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	const withdrawn = host.sent.filter(({ method }) => method === "request/cancel");
	const targets = withdrawn.map(({ params }) => (params as { requestId: string }).requestId);
	expect(new Set(targets).size).toBe(targets.length);
	for (const target of targets) expect(ids).toContain(target);
	const roots = host.sent.filter(({ id }) => id === "host:1");
	expect(roots.length).toBeLessThanOrEqual(1);
	if (ending !== "finished") return;
	expect(host.sent.at(-1)).toBe(roots[0]);
	expect(ids.every((id) => answered.has(id))).toBe(true);
	if (cancelled) expect(roots[0]).toMatchObject({ error: { data: { code: "CANCELLED" } } });
}

it("one end, one root answer, every call settled, nothing said afterwards", async () => {
	const unhandled: unknown[] = [];
	const listener = (reason: unknown): void => void unhandled.push(reason);
	process.on("unhandledRejection", listener);
	try {
		await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), play), { numRuns: 300, endOnFailure: true });
	} finally {
		process.off("unhandledRejection", listener);
	}
	expect(unhandled).toEqual([]);
});
