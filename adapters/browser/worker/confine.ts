/**
 * What a Worker has by nature and a Flow has no business with. The content policy of the frame keeps the network out and its
 * opaque origin the storage; these are the ways that neither closes: other Workers, other pages of the browser, and the
 * channel to the frame, whose messages nobody would read. WebAssembly goes since only some browsers' policies let it be.
 */
const TAKEN = [
	"BroadcastChannel",
	"Notification",
	"SharedWorker",
	"WebAssembly",
	"WebSocketStream",
	"WebTransport",
	"Worker",
	"caches",
	"close",
	"importScripts",
	"indexedDB",
	"postMessage",
	"webkitRequestFileSystem",
	"webkitRequestFileSystemSync",
];

/** Takes them from the global object and from every prototype that it has them of. */
export function confine(): void {
	for (const name of TAKEN) {
		for (let owner: object | null = globalThis; owner !== null; owner = Object.getPrototypeOf(owner)) {
			if (Object.hasOwn(owner, name)) Reflect.deleteProperty(owner, name);
		}
		if (name in globalThis) Object.defineProperty(globalThis, name, { value: undefined });
	}
}
