/** Flows in the Workers of a page: what connects them, and what holds those that are hostile, or only careless. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needsChromium } from "./support/chromium.ts";
import { type Files, type FlowPage, flow, openFlowPage } from "./support/flow-page.ts";
import { type Outside, openOutside } from "./support/outside.ts";

const metadata = (more: string): Files => ({ "FLOW.md": `---\nname: test\ndescription: A test.\n${more}---\n` });

const done = flow('return { outcome: "done", output: 1 };');

describe.skipIf(needsChromium)("Flows in Workers of a page", { timeout: 60_000 }, () => {
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

	describe("are connected", () => {
		it("by a channel from one child to another", async () => {
			const parent = {
				...metadata("uses:\n  from: {local: true}\n  to: {local: true}\n"),
				...flow(`const { send, receive } = await run.channel({ schema: { type: "integer" } });
const [, { output }] = await Promise.all([
	run.runChildFlow({ operationId: "from", slot: "from", input: 300, channels: { out: send } }),
	run.runChildFlow({ operationId: "to", slot: "to", input: null, channels: { in: receive } }),
]);
return { outcome: "done", output };`),
			};
			const from = {
				...metadata("channels:\n  out: {direction: send, schema: {type: integer}}\n"),
				...flow(
					'for (let i = 1; i <= run.input; i += 1) await run.channels.out.send(i);\nawait run.channels.out.close();\nreturn { outcome: "done", output: null };',
				),
			};
			const to = {
				...metadata("channels:\n  in: {direction: receive, schema: {type: integer}}\n"),
				...flow(
					'let sum = 0;\nfor await (const item of run.channels.in) sum += item;\nreturn { outcome: "done", output: sum };',
				),
			};
			expect(await flows.run({ files: parent, children: { from, to } })).toEqual({ outcome: "done", output: 45_150 });
			expect(await flows.framesLeft()).toBe(0);
		});

		it("to a capability that the page provides", async () => {
			const files = {
				...metadata("uses:\n  greet: {local: true}\n"),
				...flow(
					'const output = await run.callCapability({ operationId: "one", slot: "greet", method: "greet", input: run.input });\nreturn { outcome: "done", output };',
				),
			};
			expect(await flows.run({ files, options: { input: "you" }, capabilities: { greet: "hello " } })).toEqual({
				outcome: "done",
				output: "hello you",
			});
		});
	});

	it("are kept in by the policy alone, whatever is taken from them besides", async () => {
		// These modules are linked by nobody: the engine resolves what they import.
		const said = await flows.raw(
			`
const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const ways = {
	import: () => import("http://${outside.host}/import.js"),
	within: () => import(blob('import "http://${outside.host}/within.js";')),
	data: () => import("data:text/javascript,export default 1"),
	fetch: () => fetch("http://${outside.host}/fetch"),
	blob: () => fetch(blob("1")),
	font: () => new FontFace("x", "url(http://${outside.host}/font)").load(),
	code: () => (0, eval)('import("http://${outside.host}/eval.js")'),
};
for (const [name, way] of Object.entries(ways)) {
	console.log(name, await Promise.resolve().then(way).then(() => "came through", () => "refused"));
}
console.log(name, await import(blob("export default 'its own blob'")).then((module) => module.default));
setTimeout('import("http://${outside.host}/timer.js")');
const sheet = await Promise.resolve().then(() => import("http://${outside.host}/style.css", { with: { type: "css" } })).catch(() => "refused");
console.log("sheet", sheet);
`,
			3_000,
		);
		expect(said.split("\n").slice(0, 9)).toEqual([
			"import refused",
			"within refused",
			"data refused",
			"fetch refused",
			"blob refused",
			"font refused",
			"code refused",
			"flow.mjs its own blob",
			"sheet refused",
		]);
		expect(outside.requests).toEqual([]);
		expect(await flows.framesLeft()).toBe(0);
	});

	it("keep import.meta and a first line for other systems", async () => {
		const files = {
			"flow.mjs": `import { handle } from "millrace/sdk";
import { url } from "./tool.mjs";
import.meta.mark = 1
import.meta.mark += 1
await handle(async () => ({ outcome: "done", output: [import.meta.mark, import.meta.url, url] }));`,
			"tool.mjs":
				'#!/usr/bin/env node\nexport const { url } = import.meta;\nexport const later = () => import("./flow.mjs");',
		};
		expect(await flows.run({ files })).toEqual({
			outcome: "done",
			output: [2, "package:///flow.mjs", "package:///tool.mjs"],
		});
	});

	describe("don't count a result", () => {
		it.each([
			[
				"with a rejection that nobody hears in its last turn",
				flow('Promise.reject(new Error("late"));\nreturn { outcome: "done", output: 1 };'),
			],
			[
				"with a rejection after it",
				{
					"flow.mjs":
						'import { handle } from "millrace/sdk";\nhandle(async () => ({ outcome: "done", output: 1 })).then(() => { throw new Error("late"); });',
				},
			],
		])("%s", async (_, files) => {
			expect(await flows.run({ files })).toMatchObject({
				code: "EXECUTION_FAILED",
				message: expect.stringContaining("exited with code 1"),
				stderr: expect.stringContaining("late"),
			});
		});

		it.each([
			["the console", "globalThis.console = { error() { throw 1; } };"],
			[
				"the console's means",
				"Array.prototype.map = RegExp.prototype.exec = String.prototype.replace = () => { throw 1; };",
			],
			[
				"error events",
				'for (const name of ["error", "message"]) Object.defineProperty(ErrorEvent.prototype, name, { get() { throw 1; } });',
			],
			["events", "Event.prototype.preventDefault = () => { throw 1; };"],
			["timers", "globalThis.setTimeout = () => {};"],
			[
				"listeners",
				'addEventListener("error", (event) => event.stopImmediatePropagation(), true); globalThis.onerror = () => true;',
			],
		])("where the package has changed %s before it throws", async (_, change) => {
			const files = flow(`const wait = setTimeout;
${change}
wait(() => { throw new Error("late"); });
await new Promise((resolve) => wait(resolve, 200));
return { outcome: "done", output: 1 };`);
			expect(await flows.run({ files })).toMatchObject({
				code: "EXECUTION_FAILED",
				message: expect.stringContaining("exited with code 1"),
			});
		});

		it("where the package says more than once that it is over", async () => {
			// The end of its output is kept back, or the page would listen to nothing after the first time.
			const files = flow(`const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (...words) { if (!words[0].end) postMessage.apply(this, words); };
const { then } = Promise.prototype;
Promise.prototype.then = function (...words) {
	if (String(words[0]).includes("exit")) for (let i = 0; i < 10; i += 1) words[0]();
	return then.apply(this, words);
};
return { outcome: "done", output: 1 };`);
			expect(await flows.run({ files })).toMatchObject({
				name: "RunFailure",
				stderr: expect.stringContaining("said twice"),
			});
		});
	});

	describe("are bounded", () => {
		it("in the bytes of their package", async () => {
			const files = { ...done, "data.bin": "x".repeat(5_000) };
			expect(await flows.run({ files, runtime: { stageBytes: 4_096 } })).toMatchObject({
				code: "PACKAGE_CAPACITY",
				message: expect.stringContaining("4096"),
			});
		});

		it("in the bytes of one module, where it is imported", async () => {
			const files = { "large.mjs": `//${"x".repeat(8_388_608)}` };
			expect(await flows.run({ files: { ...files, ...done } })).toEqual({ outcome: "done", output: 1 });
			expect(await flows.run({ files: { ...files, "flow.mjs": 'import "./large.mjs";' } })).toMatchObject({
				code: "LAUNCH_FAILED",
				message: expect.stringMatching(/large\.mjs.*8388610 bytes.*8388608/),
			});
		});

		it("in their diagnostics", async () => {
			const files = flow(
				'for (;;) { console.log("x".repeat(1_000)); await new Promise((resolve) => setTimeout(resolve)); }',
			);
			expect(await flows.run({ files, runtime: { limits: { diagnostics: 10_000 } } })).toMatchObject({
				name: "RunFailure",
				stderr: expect.stringContaining("more than 10000 characters of diagnostics"),
			});
		});

		it("in time, and no thread of theirs stays", async () => {
			const session = await flows.browser.newBrowserCDPSession();
			const busy = async (): Promise<number> => {
				const { processInfo } = await session.send("SystemInfo.getProcessInfo");
				return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
			};
			expect(await flows.run({ files: flow("for (;;);"), options: { deadlineMs: 1_000 } })).toMatchObject({
				code: "DEADLINE_EXCEEDED",
			});
			await new Promise((resolve) => setTimeout(resolve, 500));
			const before = await busy();
			await new Promise((resolve) => setTimeout(resolve, 2_000));
			expect((await busy()) - before).toBeLessThan(1);
			await session.detach();
		});
	});

	it("are given no attachments", async () => {
		const files = { ...metadata("attachments:\n  data: read\n"), ...done };
		expect(await flows.run({ files, options: { attachments: { data: { path: "/" } } } })).toMatchObject({
			code: "ATTACHMENT_ACCESS",
			message: expect.stringContaining("no files to attach"),
		});
	});
});
