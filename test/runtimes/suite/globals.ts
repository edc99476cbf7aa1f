/** What tests take from Node's globals, where a runtime doesn't have it: a web page. */
import { Buffer } from "buffer";

/** A task of its own, after those that wait already; a timer would be held back to 4 ms when nested. */
function immediates(): (callback: () => void) => void {
	const waiting: (() => void)[] = [];
	addEventListener("message", (event) => {
		if (event.data === "immediate") waiting.shift()?.();
	});
	return (callback) => {
		waiting.push(callback);
		postMessage("immediate");
	};
}

/** `process` as far as a test goes that would run anywhere: settings, and rejections that nobody handled. */
function pageProcess(): object {
	const listeners = new Map<unknown, (event: PromiseRejectionEvent) => void>();
	return {
		env: {},
		on(name: string, listener: (reason: unknown, promise: Promise<unknown>) => void) {
			if (name !== "unhandledRejection") return;
			const heard = (event: PromiseRejectionEvent): void => listener(event.reason, event.promise);
			listeners.set(listener, heard);
			addEventListener("unhandledrejection", heard);
		},
		off(name: string, listener: unknown) {
			const heard = listeners.get(listener);
			if (name === "unhandledRejection" && heard !== undefined) removeEventListener("unhandledrejection", heard);
		},
	};
}

const page = globalThis as Record<string, unknown>;
page.Buffer ??= Buffer;
page.process ??= pageProcess();
page.setImmediate ??= immediates();
