import { quoteForDisplay } from "../display.ts";
import { decodeUtf8Lossy } from "../web.ts";

const SHOWN = 64;

/** The first bytes a peer wrote, as a line that is safe to show: what most often tells a stray `console.log`. */
export function quoteBytes(bytes: Uint8Array): string {
	const text = decodeUtf8Lossy(bytes.subarray(0, SHOWN));
	return bytes.length > SHOWN ? `${quoteForDisplay(text, SHOWN)}…` : quoteForDisplay(text, SHOWN);
}
