/** Stands in for `node:vm`: another realm is the runtime's own context, or a page's frame. */
function inFrame(code: string): unknown {
	const frame = document.createElement("iframe");
	document.body.append(frame);
	return (frame.contentWindow as unknown as { eval(code: string): unknown }).eval(`(${code})`);
}

export const { runInNewContext } =
	typeof document === "undefined" ? await import("node:vm") : { runInNewContext: inFrame };
