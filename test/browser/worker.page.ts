/**
 * Flows in the Workers of a page, in whatever browser the page is open. The matrix of runtimes has it in its bundle; what belongs
 * to one browser, and what has to be seen from outside of it, is in `worker.test.ts`.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { browserRuntime } from "../../adapters/browser/index.ts";
import { createHost, type RunFailure, type RunOptions } from "../../src/host/index.ts";
import { memorySource } from "../../src/index.ts";
import { type Files, flow } from "./support/flows.ts";
import { attempt, FORBIDDEN } from "./support/forbidden.ts";

const FLOW_MD = "---\nname: test\ndescription: A test.\n---\n";

/** The server of this page keeps what is asked for below `/outside/`. */
const asked = async (): Promise<unknown> => (await fetch("/asked")).json();

async function run(files: Files, options: Partial<RunOptions> = {}): Promise<unknown> {
	const host = createHost({ runtime: browserRuntime({ frame: "/browser/frame.html" }) });
	const pack = await host.load(memorySource({ "FLOW.md": FLOW_MD, ...files }));
	const { outcome, output } = await host.run(pack, { input: null, deadlineMs: 30_000, ...options }).result;
	return { outcome, output };
}

const failure = (result: Promise<unknown>): Promise<RunFailure> =>
	result.then(
		() => expect.unreachable("the Run came to a result"),
		(error: RunFailure) => error,
	);

describe("a Flow in a Worker of this page", { timeout: 60_000 }, () => {
	beforeEach(async () => {
		await fetch("/asked", { method: "DELETE" });
	});
	afterEach(() => {
		expect(document.querySelectorAll("iframe").length).toBe(0);
	});

	it("runs with files beside it: modules, JSON, TypeScript", async () => {
		const files = {
			"flow.ts": `import { handle } from "millrace/sdk";
import { double } from "./lib/double.mjs";
import data from "./data.json" with { type: "json" };
type Output = number[];
await handle(async (run) => {
	const { triple } = await import("./lib/triple.ts");
	const output: Output = [double(data.n), triple(run.input as number)];
	return { outcome: "done", output };
});`,
			"lib/double.mjs": "export const double = (n) => 2 * n;",
			"lib/triple.ts": "export function triple(n: number): number { return 3 * n; }",
			"data.json": '{"n": 21}',
		};
		expect(await run(files, { input: 5 })).toEqual({ outcome: "done", output: [42, 15] });
	});

	it.each(FORBIDDEN)("can't use %s", async (_, body) => {
		expect(await run(attempt(body, `${location.host}/outside`))).toEqual({
			outcome: "done",
			output: { refused: expect.any(String) },
		});
		expect(await asked()).toEqual([]);
	});

	it("while the page itself reaches what it asks for", async () => {
		await fetch("/outside/page");
		expect(await asked()).toEqual(["/outside/page"]);
	});

	it("ends at its deadline in the middle of a loop", async () => {
		expect(await failure(run(flow("for (;;);"), { deadlineMs: 2_000 }))).toMatchObject({
			code: "DEADLINE_EXCEEDED",
		});
	});

	it("ends with what it threw where nobody caught it", async () => {
		const error = await failure(
			run(flow('setTimeout(() => { throw new Error("nobody"); }); await new Promise(() => {});')),
		);
		expect(error.stderr?.text).toContain("nobody");
	});

	it("ends with its rejection that nobody heard", async () => {
		const error = await failure(run(flow('Promise.reject(new Error("unheard")); await new Promise(() => {});')));
		expect(error.stderr?.text).toContain("unheard");
	});
});
