/**
 * The host kit itself (HOST.md): it passes a second host, written in Python from the text alone, tells what that host says it
 * can't do, and finds each fault that this host can be given. A kit that finds nothing proves nothing.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { programAdapter } from "../../adapters/node/cli/host-kit/host-process.ts";
import { runHostCase } from "../../adapters/node/cli/host-kit/run-case.ts";
import { loadHostSuites } from "../../adapters/node/cli/host-kit/suites.ts";
import type { HostCase } from "../../conformance/host/plan.ts";
import { hasPython } from "../house/python.ts";

const JOB = fileURLToPath(new URL("../interop/host_job.py", import.meta.url));
const cases = new Map<string, HostCase>(
	[...loadHostSuites().values()].flatMap((suite) => suite.cases.map((each) => [each.name, each] as const)),
);

const UNSUPPORTED = { status: "unsupported", difference: expect.any(String) };

async function run(name: string, flaws: readonly string[] = [], timeoutMs = 30_000) {
	const each = cases.get(name);
	if (each === undefined) throw new Error(`there is no case ${name}`);
	const adapter = programAdapter(["python3", JOB, ...flaws.flatMap((flaw) => ["--flaw", flaw])]);
	const signal = new AbortController().signal;
	return (await runHostCase(each, adapter, { entry: "py", timeoutMs, signal })).verdict;
}

describe.skipIf(!hasPython).concurrent("a host with one flaw is found", () => {
	it.each<[flaw: string, name: string, difference: string]>([
		["ignores-what-trails", "trailing/a-notification", "expected to be refused, was accepted"],
		["forgives-duplicates", "framing/duplicate-member", "expected to be refused, was accepted"],
		["forgets-params", "params/capability-call", "no-operation"],
		["ignores-conflicts", "operation/conflict-of-input-when-settled", "c2.result"],
		["dispatches-anew", "operation/replay-a-value", "calls: expected 1 items, got 2"],
		["dispatches-anew", "operation/join-a-child", "child was started 2 times, expected 1"],
		["answers-twice", "framing/two-frames-one-write", "was answered 2 times"],
		["delivers-intent", "child/no-intent", "c1.result.output"],
		["wide-deadline", "child/deadline-of-the-parent", "deadlineUnixMs"],
		["closes-stdin", "stdin/open-while-it-works", "@open"],
		["calls-a-crash-a-loss", "exit/nonzero-before-the-answer", "expected EXECUTION_FAILED, got CHANNEL_LOST"],
		["leaves-descendants", "descendants/one-that-holds-nothing", "left running"],
		["says-nothing", "exit/zero", "wrote 0 lines"],
		["says-more", "exit/zero", "wrote 2 lines"],
	])("%s: %s", async (flaw, name, difference) => {
		expect(await run(name)).toEqual({ status: "passed" });
		expect(await run(name, [flaw])).toEqual({ status: "failed", difference: expect.stringContaining(difference) });
	});

	it("that never ends", async () => {
		expect(await run("exit/zero", ["hangs"], 500)).toMatchObject({
			status: "failed",
			difference: expect.stringContaining("after 500 ms without an end"),
		});
	});
});

describe.skipIf(!hasPython)("the second host", () => {
	it.each(["root/input-that-fits", "capability/value"])("says that it has no part in %s", async (name) => {
		expect(await run(name)).toEqual(UNSUPPORTED);
	});

	it("meets what it has part in", async () => {
		// Cases of every suite; the command runs all of them.
		const names = ["framing/no-end", "pending/the-65th", "root/attachment-for-reading", "child/grandchild"];
		names.push("capability/crash", "waiter/one-of-two-cancelled", "decision/answer-after-a-cancellation");
		names.push("cancel/grandchildren-that-do-nothing", "descendants/one-that-holds-stdout");
		const verdicts = [];
		for (const name of names) verdicts.push(await run(name));
		expect(verdicts).toEqual(names.map((name) => (name === "capability/crash" ? UNSUPPORTED : { status: "passed" })));
	}, 60_000);
});

it("leaves no directory behind", () => {
	expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`millrace-host-kit-${process.pid}`))).toEqual([]);
});

it.skipIf(!hasPython)("the Python player is valid for old interpreters too", () => {
	const player = fileURLToPath(new URL("../../conformance/players/flow.py", import.meta.url));
	const check = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))";
	expect(spawnSync("python3", ["-c", check, player]).status).toBe(0);
});
