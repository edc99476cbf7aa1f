/** A page in Chromium that runs Flows in Workers. */
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import type { Files } from "./flows.ts";
import { bundleForPage } from "./library.ts";
import { serve } from "./serve.ts";

const dist = fileURLToPath(new URL("../../../dist/browser", import.meta.url));

/** What a page runs: `files` with a `FLOW.md` of their own or a plain one. */
export interface PageRun {
	readonly files: Files;
	/** Options of `host.run`; data only. */
	readonly options?: object;
	readonly children?: Readonly<Record<string, Files>>;
	/** Options of `browserRuntime`. */
	readonly runtime?: object;
	/** Milliseconds after which the Run is cancelled. */
	readonly cancelAfter?: number;
	/** What a provider of each slot puts before the text that it is given. */
	readonly capabilities?: Readonly<Record<string, string>>;
}

const CODE = `
import { memorySource } from "millrace";
import { createHost } from "millrace/host";
import { browserRuntime } from "millrace/browser";
const FLOW = "---\\nname: test\\ndescription: A test.\\n---\\n";
const clean = (error) => error instanceof Error
	? { name: error.name, code: error.code, phase: error.phase, message: error.message, stderr: error.stderr?.text, exit: error.exit }
	: { thrown: String(error) };
window.run = async ({ files, options, children = {}, runtime, cancelAfter, capabilities = {} }) => {
	const host = createHost({ runtime: browserRuntime({ frame: "/frame.html", ...runtime }) });
	const load = (files) => host.load(memorySource({ "FLOW.md": FLOW, ...files }));
	try {
		const pack = await load(files);
		const bound = {};
		for (const [slot, child] of Object.entries(children)) bound[slot] = await load(child);
		const provided = {};
		for (const [slot, body] of Object.entries(capabilities)) provided[slot] = { call: ({ input }) => ({ value: body + input }) };
		const run = host.run(pack, { deadlineMs: 15_000, input: null, ...options, children: bound, capabilities: provided });
		if (cancelAfter) setTimeout(() => run.cancel(), cancelAfter);
		const { outcome, output } = await run.result;
		return { outcome, output };
	} catch (error) {
		return clean(error);
	}
};
window.raw = async (text, ms) => {
	const frame = document.createElement("iframe");
	frame.setAttribute("sandbox", "allow-scripts");
	frame.src = "/frame.html";
	const ready = new Promise((resolve) => addEventListener("message", resolve, { once: true }));
	document.body.append(frame);
	await ready;
	const protocol = new MessageChannel();
	const control = new MessageChannel();
	let said = "";
	control.port1.onmessage = ({ data }) => { if (data.stderr) { said += data.stderr; control.port1.postMessage({ taken: true }); } };
	frame.contentWindow.postMessage({ millrace: "frame/1", entry: "flow.mjs", modules: [{ path: "flow.mjs", parts: [text] }],
		protocol: protocol.port2, control: control.port2 }, "*", [protocol.port2, control.port2]);
	await new Promise((resolve) => setTimeout(resolve, ms));
	frame.remove();
	return said;
};
window.ready = true;
`;

export interface FlowPage {
	readonly browser: Browser;
	readonly page: Page;
	/** The result of a Run, or what is known of its failure. */
	run(what: PageRun): Promise<Record<string, unknown>>;
	/** What one module says within `ms` that nothing has linked: its text goes into the Worker as it is. */
	raw(text: string, ms: number): Promise<string>;
	framesLeft(): Promise<number>;
	close(): Promise<void>;
}

export async function openFlowPage(): Promise<FlowPage> {
	const served = await serve(dist, {
		"/": { type: "text/html", body: '<!doctype html><p>page</p><script type="module" src="/page.js"></script>' },
		"/page.js": { type: "text/javascript", body: await bundleForPage(CODE) },
	});
	const browser = await launchChromium();
	const page = await browser.newPage();
	await page.goto(`${served.url}/`);
	await page.waitForFunction("window.ready");
	return {
		browser,
		page,
		run: (what) =>
			page.evaluate(
				(what) => (window as unknown as { run(what: PageRun): Promise<Record<string, unknown>> }).run(what),
				what,
			),
		raw: (text, ms) =>
			page.evaluate(
				([text, ms]) => (window as unknown as { raw(text: string, ms: number): Promise<string> }).raw(text, ms),
				[text, ms] as const,
			),
		framesLeft: () => page.evaluate(() => document.querySelectorAll("iframe").length),
		async close() {
			await browser.close();
			await served.close();
		},
	};
}
