/**
 * The script of the frame: one message from the page, one Worker. The frame is a file of its own with a content policy of its
 * own, in a sandbox without an origin; the Worker inherits both.
 */
import { FAULT_LENGTH, type FrameStart } from "./messages.ts";

/** The text of the Worker's script; the build puts it here. */
declare const WORKER_TEXT: string;

addEventListener("message", ({ source, data }: MessageEvent<Partial<FrameStart>>) => {
	if (source !== parent || data.millrace !== "frame/1") return;
	const { entry, modules, protocol, control } = data as FrameStart;
	// A classic one: Chromium starts no module Worker where there is no origin. It loads modules all the same.
	const worker = new Worker(URL.createObjectURL(new Blob([WORKER_TEXT], { type: "text/javascript" })), { name: entry });
	// A Worker that can't even begin says so here; from then on it speaks for itself.
	worker.addEventListener("error", ({ message }) => {
		const fault = message.slice(0, FAULT_LENGTH) || "the browser refused to start it";
		parent.postMessage({ millrace: "frame/1", fault }, "*");
	});
	worker.postMessage({ entry, modules, protocol, control }, [protocol, control]);
});

parent.postMessage({ millrace: "frame/1", ready: true }, "*");
