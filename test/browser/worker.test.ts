/** Flows in the Workers of a page: they load, they run, they are confined, and they end. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needsChromium } from "./support/chromium.ts";
import { type FlowPage, openFlowPage } from "./support/flow-page.ts";
import { type Files, flow } from "./support/flows.ts";
import { attempt, FORBIDDEN } from "./support/forbidden.ts";
import { type Outside, openOutside } from "./support/outside.ts";

describe.skipIf(needsChromium)("a Flow in a Worker of a page", { timeout: 60_000 }, () => {
	let flows: FlowPage;
	let outside: Outside;

	beforeAll(async () => {
		outside = await openOutside();
		flows = await openFlowPage();
	}, 60_000);
	afterAll(async () => {
		await flows?.close();
		outside?.close();
	});
	beforeEach(() => {
		outside.requests.length = 0;
	});

	const run = (
		files: Files,
		{ cancelAfter, ...options }: { readonly cancelAfter?: number; readonly [name: string]: unknown } = {},
		children: Readonly<Record<string, Files>> = {},
		limits: object = {},
	): Promise<Record<string, unknown>> =>
		flows.run({
			files,
			options,
			children,
			runtime: { limits },
			...(cancelAfter === undefined ? {} : { cancelAfter }),
		});

	describe("runs", () => {
		it("a handler on its input", async () => {
			expect(await run(flow('return { outcome: "done", output: { got: run.input } };'), { input: { a: [1] } })).toEqual(
				{
					outcome: "done",
					output: { got: { a: [1] } },
				},
			);
			expect(await flows.framesLeft()).toBe(0);
		});

		it("a package of several files: static, dynamic, computed, JSON and re-exported imports", async () => {
			const files = {
				"flow.mjs": `import { handle } from "@jigging/flow";
import { double } from "./lib/math.mjs";
import data from "./data/numbers.json" with { type: "json" };
import * as all from "./lib/all.js";
await handle(async () => {
	const later = await import("./lib/later.mjs");
	const json = await import("./data/numbers.json", { with: { type: "json" } });
	const name = "computed";
	const computed = await import(\`./lib/\${name}.mjs\`);
	const again = await import("./lib/math.mjs");
	return { outcome: "done", output: [double(data.n), all.double(4), later.value, computed.value, again.double === double, later.url, json.default.n] };
});`,
				"lib/math.mjs": "export const double = (n) => 2 * n;",
				"lib/all.js": 'export * from "./math.mjs";',
				"lib/later.mjs":
					'import { double } from "./math.mjs"; export const value = double(50); export const url = import.meta.url;',
				"lib/computed.mjs": 'export const value = "computed";',
				"data/numbers.json": '{"n": 21}',
			};
			expect(await run(files)).toEqual({
				outcome: "done",
				output: [42, 8, 100, "computed", true, "package:///lib/later.mjs", 21],
			});
		});

		it("TypeScript, whose types are taken out", async () => {
			const files = {
				"flow.ts": `import { handle } from "millrace/sdk";
import { shout, type Loud } from "./loud.ts";
await handle(async (run): Promise<{ outcome: string; output: Loud }> => ({ outcome: "done", output: shout(run.input as string) }));`,
				"loud.ts": "export type Loud = string;\nexport function shout(text: string): Loud { return `${text}!`; }",
			};
			expect(await run(files, { input: "hey" })).toEqual({ outcome: "done", output: "hey!" });
		});

		it("a child in a Worker of its own", async () => {
			const parent = {
				"FLOW.md": "---\nname: parent\ndescription: Calls a child.\nuses:\n  echo: {local: true}\n---\n",
				...flow(
					'const { output } = await run.runChildFlow({ operationId: "one", slot: "echo", input: run.input }); return { outcome: "done", output };',
				),
			};
			expect(
				await run(parent, { input: 7 }, { echo: flow('return { outcome: "done", output: [run.input] };') }),
			).toEqual({ outcome: "done", output: [7] });
			expect(await flows.framesLeft()).toBe(0);
		});

		it("writes the console to the diagnostics of the Run", async () => {
			const answer = await run(
				flow('console.log("said %s", "aloud", { a: 1n }); console.error(new Error("seen")); throw new Error("no");'),
			);
			expect(answer).toMatchObject({ code: "EXECUTION_FAILED" });
			expect(answer.stderr).toMatch(/^said aloud \{\n {2}"a": "1n"\n\}\n/);
			expect(answer.stderr).toContain("seen");
		});
	});

	describe("is confined", () => {
		it.each(FORBIDDEN)("%s fails", async (_, body) => {
			expect(await run(attempt(body, outside.host))).toEqual({
				outcome: "done",
				output: { refused: expect.any(String) },
			});
			expect(outside.requests).toEqual([]);
		});

		it("while the page itself, whose policy is another, gets through", async () => {
			await flows.page.evaluate((url) => fetch(`http://${url}/page`), outside.host);
			expect(outside.requests).toEqual(["/page"]);
		});

		it("has no origin, and the frame neither", async () => {
			expect(await run(flow('return { outcome: "done", output: globalThis.origin };'))).toMatchObject({
				output: "null",
			});
		});
	});

	describe("is refused before it starts", () => {
		it.each([
			["a module of Node", { "flow.mjs": 'import "node:fs";' }, /flow\.mjs.*line 1.*node:fs.*module of Node/],
			["a package from elsewhere", { "flow.mjs": '\nimport "lodash";' }, /line 2.*lodash.*bundle/],
			["a URL", { "flow.mjs": 'import "https://example.com/x.js";' }, /is a URL/],
			["a file that isn't there", { "flow.mjs": 'import "./x.mjs";' }, /x\.mjs.*doesn't have/],
			["an escaped slash", { "flow.mjs": 'import "./lib%2fx.mjs";', "lib/x.mjs": "" }, /escaped slash/],
			["an absolute path", { "flow.mjs": 'import "/x.mjs";' }, /no relative path/],
			[
				"JSON that is not imported as JSON",
				{ "flow.mjs": 'import "./a.json";', "a.json": "1" },
				/is JSON; import it with/,
			],
			["a syntax error", { "flow.mjs": "import {" }, /flow\.mjs.*is no module/],
			[
				"a circle of imports",
				{ "flow.mjs": 'import "./a.mjs";', "a.mjs": 'import "./b.mjs";', "b.mjs": 'import "./a.mjs";' },
				/a\.mjs.*→.*b\.mjs.*→.*a\.mjs.*circle/,
			],
		])("%s", async (_, files, message) => {
			expect(await run(files)).toMatchObject({
				code: "LAUNCH_FAILED",
				phase: "activation",
				message: expect.stringMatching(message),
			});
			expect(await flows.framesLeft()).toBe(0);
		});

		it("another language, and a selector", async () => {
			expect(await run({ "flow.py": "pass" })).toMatchObject({ code: "RUNTIME_UNSUPPORTED" });
			expect(await run({ "flow.mjs": "#!/usr/bin/env deno\n" })).toMatchObject({ code: "SELECTOR_UNSUPPORTED" });
		});
	});

	describe("ends", () => {
		it.each([
			["that throws while it loads", { "flow.mjs": 'throw new Error("at once");' }, "at once"],
			["that never calls handle", { "flow.mjs": "export {};" }, "never called handle"],
			["that the engine can't parse", { "flow.mjs": "let a; let a;" }, "a"],
			[
				"that throws where nobody catches it",
				flow('setTimeout(() => { throw new Error("nobody"); }); await new Promise(() => {});'),
				"nobody",
			],
			[
				"that leaves a rejection to nobody",
				flow('Promise.reject(new Error("unheard")); await new Promise(() => {});'),
				"unheard",
			],
		])("an entrypoint %s", async (_, files, words) => {
			expect(await run(files)).toMatchObject({ name: "RunFailure", stderr: expect.stringContaining(words) });
			expect(await flows.framesLeft()).toBe(0);
		});

		it("a result does not count when the entrypoint fails after it", async () => {
			const files = {
				"flow.mjs":
					'import { handle } from "millrace/sdk";\nawait handle(async () => ({ outcome: "done", output: 1 }));\nthrow new Error("after");',
			};
			expect(await run(files)).toMatchObject({ name: "RunFailure", stderr: expect.stringContaining("after") });
		});

		it("at its deadline, whatever it does", async () => {
			expect(await run(flow("for (;;);"), { deadlineMs: 1_000 })).toMatchObject({ code: "DEADLINE_EXCEEDED" });
			expect(await flows.framesLeft()).toBe(0);
		});

		it("when it is cancelled", async () => {
			expect(await run(flow("await new Promise(() => {});"), { cancelAfter: 100 })).toMatchObject({
				code: "CANCELLED",
			});
			expect(await flows.framesLeft()).toBe(0);
		});

		it.each([
			["a flood of the console", "for (;;) console.log('x'.repeat(10_000));"],
			[
				"a flood of the console in turns",
				"for (;;) { for (let i = 0; i < 100; i += 1) console.log('x'.repeat(1_000)); await new Promise((r) => setTimeout(r)); }",
			],
			["memory without end", "const a = []; for (;;) a.push(new Array(1e6).fill(1));"],
		])("%s, and the page goes on", async (_, body) => {
			const answer = await run(flow(body), { deadlineMs: 3_000 });
			expect(answer).toMatchObject({ name: "RunFailure" });
			expect(await flows.framesLeft()).toBe(0);
			expect(await run(flow('return { outcome: "done", output: 1 };'))).toMatchObject({ output: 1 });
		});

		it("what a hostile entrypoint sends over its ports is bounded", async () => {
			const stolen = (flood: string): Files => ({
				"flow.mjs": `import { handle } from "millrace/sdk";
const { postMessage } = MessagePort.prototype;
let port;
MessagePort.prototype.postMessage = function (...words) { port ??= this; return postMessage.apply(this, words); };
await handle(async (run) => { void run.channel({ schema: {} }).catch(() => {}); while (port === undefined) await new Promise((r) => setTimeout(r)); ${flood} });`,
			});
			expect(await run(stolen("for (;;) postMessage.call(port, { junk: 1 });"), { deadlineMs: 5_000 })).toMatchObject({
				name: "RunFailure",
				stderr: expect.stringContaining("no part of Run/1"),
			});
			expect(
				await run(stolen("for (;;) postMessage.call(port, { chunk: new Uint8Array(1_000_000) });"), {
					deadlineMs: 5_000,
				}),
			).toMatchObject({ name: "RunFailure" });
			expect(
				await run(
					stolen("for (;;) postMessage.call(port, { taken: 1 });"),
					{ deadlineMs: 5_000 },
					{},
					{ messages: 1_000 },
				),
			).toMatchObject({ name: "RunFailure", stderr: expect.stringContaining("more than 1000 messages") });
			expect(await flows.framesLeft()).toBe(0);
		});
	});
});
