/** Flows in the Workers of a page: what connects them, and what holds those that are hostile, or only careless. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needsChromium } from "./support/chromium.ts";
import { type FlowPage, openFlowPage } from "./support/flow-page.ts";
import { type Files, flow } from "./support/flows.ts";
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

	it("have none of the ways out that are not requests of their own", async () => {
		const said = await flows.raw(
			`
const to = (path) => "http://${outside.host}/" + path;
const svg = new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><image href="' + to("svg") + '"/></svg>'], { type: "image/svg+xml" });
const ways = {
	beacon: () => navigator.sendBeacon(to("beacon"), "x"),
	events: () => new Promise((resolve, reject) => Object.assign(new EventSource(to("events")), { onopen: resolve, onerror: reject })),
	peer: () => new RTCPeerConnection({ iceServers: [{ urls: "stun:${outside.host}" }] }),
	service: () => navigator.serviceWorker.register(to("service.js")),
	stream: () => new WebSocketStream(to("stream").replace("http", "ws")).opened,
	push: () => self.registration.pushManager.subscribe({}),
	cached: () => fetch(new Request(to("cached"), { cache: "force-cache", mode: "no-cors", keepalive: true })),
	later: () => fetchLater(to("fetch-later")),
	background: () => self.registration.backgroundFetch.fetch("x", to("background")),
	icon: () => new Notification("x", { icon: to("icon") }),
	"nested Worker": () => new Worker(URL.createObjectURL(new Blob(["1"]))),
	"shared Worker": () => new SharedWorker(to("shared.js")),
	audio: () => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(to("audio.js")),
	image: () => createImageBitmap(svg),
	"fonts of the Worker": () => {
		const font = new FontFace("x", "url(" + to("font") + ")");
		self.fonts.add(font);
		return self.fonts.load("12px x").then(() => font.loaded);
	},
	cookies: () => cookieStore.set("a", "b"),
	storage: () => navigator.storage.estimate(),
	locks: () => navigator.locks.request("x", () => {}),
	broadcast: () => new BroadcastChannel("x"),
	json: () => import(to("json.json"), { with: { type: "json" } }),
};
for (const [name, way] of Object.entries(ways)) {
	console.log(await Promise.resolve().then(way).then(() => name + " came through", () => "refused"));
}
const canvas = new OffscreenCanvas(1, 1).getContext("2d");
canvas.filter = "url(" + to("filter") + "#x)";
canvas.fillRect(0, 0, 1, 1);
console.log("all", Object.keys(ways).length);
`,
			4_000,
		);
		const words = said.split("\n");
		expect(words.slice(0, words.indexOf("all 20"))).toEqual(new Array(20).fill("refused"));
		expect(outside.requests).toEqual([]);
	});

	it("say where a syntax error is that only the engine finds, and name their modules in stacks", async () => {
		const place = async (files: Files): Promise<unknown> => (await flows.run({ files })).stderr;
		expect(await place({ "flow.mjs": 'import "./a.mjs";', "a.mjs": "\n\nlet x = ;" })).toMatch(
			/Uncaught in package:\/\/\/a\.mjs:3:\d+: SyntaxError: ./,
		);
		expect(await place({ "flow.mjs": '\nimport { no } from "./a.mjs";', "a.mjs": "" })).toMatch(
			/Uncaught in package:\/\/\/flow\.mjs:2:\d+: SyntaxError: .*'no'/,
		);
		expect(
			await place({ "flow.mjs": 'import "./a b.mjs";', "a b.mjs": '\nthrow new Error("x"); // the end' }),
		).toContain("at package:///a%20b.mjs:2:7");
	});

	it("import nothing above their package", async () => {
		const outwards = "../../lib/a.mjs";
		const files = { "lib/a.mjs": "export default 1;", "lib/b.mjs": `import a from "${outwards}";` };
		expect(await flows.run({ files: { ...files, "flow.mjs": 'import "./lib/b.mjs";' } })).toMatchObject({
			code: "LAUNCH_FAILED",
			message: expect.stringMatching(/lib\/b\.mjs.*line 1.*leads out of the package/),
		});
		const later = flow(`return { outcome: "done", output: await import("${outwards}").catch(String) };`);
		expect(await flows.run({ files: { ...files, ...later } })).toMatchObject({
			output: expect.stringContaining("leads out of the package"),
		});
	});

	describe("fail, and soon,", () => {
		const removed = "for (const frame of document.querySelectorAll('iframe')) ";

		it.each([
			["taken out of the page", "frame.remove();"],
			["moved", "document.body.append(frame);"],
			["given another document", "frame.src = 'about:blank';"],
		])(
			"when their frame is %s",
			async (_, change) => {
				const started = flow('console.log("begun"); await new Promise(() => {});');
				const run = flows.run({ files: started, options: { deadlineMs: 60_000 } });
				await flows.page.waitForFunction(() => document.querySelector("iframe") !== null);
				// The Worker begins within it.
				await new Promise((resolve) => setTimeout(resolve, 1_000));
				await flows.page.evaluate(`${removed}${change}`);
				expect(await run).toMatchObject({
					name: "RunFailure",
					stderr: expect.stringMatching(/begun\nThe Worker was ended: its frame .*leave the frames of Runs/),
				});
				expect(await flows.framesLeft()).toBe(0);
			},
			30_000,
		);

		it("when their frame is taken away before it has loaded", async () => {
			await flows.page.evaluate(`(() => {
				const observer = new MutationObserver(() => { observer.disconnect(); ${removed}frame.remove(); });
				observer.observe(document, { childList: true, subtree: true });
			})()`);
			expect(await flows.run({ files: done, options: { deadlineMs: 60_000 } })).toMatchObject({
				code: "LAUNCH_FAILED",
				message: expect.stringContaining("taken out of the page"),
			});
		}, 15_000);

		it.each([
			["is not there", "/nowhere.html"],
			["is another page", "/"],
			["can't be reached", "http://127.0.0.1:1/frame.html"],
		])(
			"when what they are confined in %s",
			async (_, frame) => {
				expect(await flows.run({ files: done, runtime: { frame }, options: { deadlineMs: 60_000 } })).toMatchObject({
					code: "LAUNCH_FAILED",
					message: expect.stringContaining(`nothing answers from ${frame}; serve frame.html there`),
				});
				expect(await flows.framesLeft()).toBe(0);
			},
			15_000,
		);
	});

	it("run fifty at once, and leave nothing", async () => {
		const files = flow('return { outcome: "done", output: run.input };');
		const results = await Promise.all(
			Array.from({ length: 50 }, (_, input) => flows.run({ files, options: { input, deadlineMs: 60_000 } })),
		);
		expect(results.map(({ output }) => output)).toEqual(Array.from({ length: 50 }, (_, i) => i));
		expect(await flows.framesLeft()).toBe(0);
	});

	it("are cancelled at whatever step they are", async () => {
		const files = flow("await new Promise(() => {});");
		const results = await Promise.all(
			Array.from({ length: 30 }, (_, i) => flows.run({ files, cancelAfter: 1 + i * 10 })),
		);
		expect(results.map(({ code }) => code)).toEqual(new Array(30).fill("CANCELLED"));
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
			["promises", "globalThis.Promise = null;"],
			[
				"strings and functions",
				"for (const name of ['slice', 'charCodeAt', 'includes', 'toString']) String.prototype[name] = () => { throw 1; };\nFunction.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1; };",
			],
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
	});

	it("have no way to the words by which a Worker speaks of itself", async () => {
		// Every function of ours that the package can come by through what it has replaced, called at will.
		const files = flow(`const found = [];
const { then } = Promise.prototype;
Promise.prototype.then = function (...words) { found.push(...words); return then.apply(this, words); };
const { postMessage, addEventListener } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (...words) { found.push(this.onmessage); return postMessage.apply(this, words); };
await run.reportProgress?.(1);
for (const each of found) try { each?.({ exit: 0 }); } catch {}
return { outcome: "done", output: 1 };`);
		expect(await flows.run({ files })).toMatchObject({ outcome: "done" });
	});

	describe("are heard", () => {
		const said = async (body: string): Promise<unknown> => {
			const { stderr } = await flows.run({ files: flow(`${body}\nthrow new Error("over");`) });
			return stderr;
		};

		it.each([
			["a revoked proxy", "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); console.log(proxy);"],
			["a tag that throws", "console.log({ get [Symbol.toStringTag]() { throw 1; }, toJSON() { throw 1; } });"],
			[
				"a function whose name throws",
				"const f = () => {}; Object.defineProperty(f, 'name', { get() { throw 1; } }); console.log(f, [f]);",
			],
			[
				"symbols and objects for numbers",
				"console.log('%d %i %f', Symbol('x'), { valueOf() { throw 1; }, toString() { throw 1; } }, Symbol('y'));",
			],
			["a label that throws", "console.count({ toString() { throw 1; } }); console.count(Symbol('z'));"],
			["an error that is its own cause", "const e = new Error('circle'); e.cause = e; console.log(e, [e]);"],
			[
				"causes without end",
				"console.log(Object.defineProperty(new Error('first'), 'cause', { get() { const e = new Error('next'); Object.defineProperty(e, 'cause', Object.getOwnPropertyDescriptor(this, 'cause')); return e; } }));",
			],
			["nesting without end", "let deep = []; for (let i = 0; i < 1e5; i += 1) deep = [deep]; console.log(deep);"],
		])("with %s in the console, and go on", async (_, body) => {
			expect(await said(`${body}\nconsole.log("went on");`)).toMatch(/\nwent on\n[\s\S]*over/);
		});

		it("with the beginning of a text that is too long, and how much is missing", async () => {
			// The handler waits until the page has taken it; of what a failed Run wrote, the end is kept.
			const text = (await said('console.log("x".repeat(3_000_000)); console.log("lost");')) as string;
			const lost = 3_000_000 + 1 + "lost\n".length - 1_048_576;
			expect(text.slice(0, 100)).toBe("x".repeat(100));
			expect(text.slice(text.indexOf("\n"))).toMatch(
				new RegExp(`^\n… ${lost} characters of diagnostics were dropped: .*\nThe handler threw: Error: over`),
			);
		});

		it("with characters of two units in one piece", async () => {
			const text = (await said('console.log("a" + "🌾".repeat(100_000));')) as string;
			expect(text).toContain("🌾".repeat(10_000));
			expect(text.replace(/^\ufffd+/, "")).not.toContain("\ufffd");
		});

		it("with no more of an exception than a page can bear, where the package keeps it from being caught", async () => {
			const { stderr } = await flows.run({
				files: flow(`Event.prototype.preventDefault = () => {};
setTimeout(() => { throw new Error("x".repeat(1e8)); });
await new Promise(() => {});`),
			});
			expect((stderr as string).length).toBeLessThan(2_000_000);
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

		it.each([
			["a cycle", "const it = {}; it.it = it; send(it);", "no part of Run/1"],
			["a port", "const { port1 } = new MessageChannel(); send({ taken: 1, port1 }, [port1]);", "no part of Run/1"],
			["a port beside it", "send({ taken: 1 }, [new MessageChannel().port1]);", "no part of Run/1"],
			["a text beside it", 'send({ taken: 1, text: "x".repeat(1e8) });', "no part of Run/1"],
			["a view of much", "send({ chunk: new Uint8Array(new ArrayBuffer(1e8), 0, 1) });", "100000000 bytes at once"],
			[
				"a view of what may grow",
				"send({ chunk: new Uint8Array(new ArrayBuffer(1, { maxByteLength: 1e8 })) });",
				"100000000 bytes at once",
			],
		])("in what a message of theirs carries: %s", async (_, body, words) => {
			const files = flow(`const { postMessage } = MessagePort.prototype;
let port;
MessagePort.prototype.postMessage = function (...words) { port ??= this; return postMessage.apply(this, words); };
void run.channel({ schema: {} }).catch(() => {});
while (port === undefined) await new Promise((resolve) => setTimeout(resolve));
const send = (...words) => postMessage.apply(port, words);
${body}
await new Promise(() => {});`);
			const failure = await flows.run({ files });
			expect(failure).toMatchObject({ name: "RunFailure", stderr: expect.stringContaining(words) });
			// Nobody waits for the end of what was cut off.
			expect(failure.message).not.toContain("descendant");
			expect(await flows.framesLeft()).toBe(0);
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
