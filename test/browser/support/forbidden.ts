/** What a Flow in a Worker must not be able to do, as code that tries it: it returns what it has reached, or throws. */
import type { Files } from "./flows.ts";

const within = (body: string): string => `return new Promise((resolve, reject) => { ${body} });`;

/** Names and bodies of async functions; `outside` is the `HOST:PORT` of a server that lets everybody in. */
export const FORBIDDEN: readonly (readonly [name: string, body: string])[] = [
	["fetch", "return (await fetch(`http://${outside}/fetch`)).status;"],
	["fetch without CORS", "return (await fetch(`http://${outside}/fetch`, { mode: 'no-cors' })).type;"],
	[
		"XMLHttpRequest",
		within(
			"const x = new XMLHttpRequest(); x.open('GET', `http://${outside}/xhr`); x.onload = () => resolve(x.status); x.onerror = () => reject(new Error('x')); x.send();",
		),
	],
	[
		"WebSocket",
		within(
			"const s = new WebSocket(`ws://${outside}/ws`); s.onopen = () => resolve('open'); s.onerror = () => reject(new Error('x'));",
		),
	],
	[
		"EventSource",
		within(
			"const s = new EventSource(`http://${outside}/es`); s.onopen = () => resolve('open'); s.onerror = () => reject(new Error('x'));",
		),
	],
	["WebTransport", "const t = new WebTransport(`https://${outside}/wt`); await t.ready; return 'ready';"],
	["a remote import", "return import(`http://${outside}/module.js`);"],
	["an import of a data URL", "return import('data:text/javascript,export default 1');"],
	["importScripts", "importScripts(`http://${outside}/script.js`); return 'loaded';"],
	["BroadcastChannel", "const c = new BroadcastChannel('x'); c.postMessage(1); return 'sent';"],
	[
		"IndexedDB",
		within("const r = indexedDB.open('x'); r.onsuccess = () => resolve('open'); r.onerror = () => reject(r.error);"),
	],
	["caches", "return caches.open('x');"],
	["the private file system", "return navigator.storage.getDirectory();"],
	["a nested Worker", "new Worker(URL.createObjectURL(new Blob(['1'])), { type: 'module' }); return 'made';"],
	[
		"a Worker by its prototype",
		"const W = Object.getPrototypeOf(globalThis).Worker ?? Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).Worker; new W('data:,'); return 'made';",
	],
	["a shared Worker", "new SharedWorker('data:,'); return 'made';"],
	["eval", "return (0, eval)('1');"],
	["Function", "return new Function('return 1')();"],
	["WebAssembly", "await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); return 'compiled';"],
	["the document", "return document.title;"],
	["the page around", "return parent.location.href;"],
	["a message to the frame", "postMessage('x'); return 'sent';"],
];

/** A Flow that tries one of them; its output is `{ reached }` or `{ refused }`. */
export const attempt = (body: string, outside: string): Files => ({
	"flow.mjs": `import { handle } from "millrace/sdk";
const outside = ${JSON.stringify(outside)};
await handle(async () => {
	try { const value = await (async () => { ${body} })(); return { outcome: "done", output: { reached: String(value) } }; }
	catch (error) { return { outcome: "done", output: { refused: String(error.name) } }; }
});
`,
});
