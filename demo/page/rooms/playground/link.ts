/** The room's state as a link has it: text exactly as it stands, packed. */
import { readAll } from "../../parts/bytes.ts";

export const MODES = ["schema", "capability", "channel"] as const;
export type Mode = (typeof MODES)[number];

export interface State {
	readonly mode: Mode;
	/** The schema, or the contract. */
	readonly source: string;
	readonly instance: string;
	/** Which of a contract's schemas is tried, by its name in the list. */
	readonly pick: string;
}

/** Characters of a link beyond which browsers and chats begin to cut. */
const LINK_CHARACTERS = 32_000;

/** Bytes that a link may unpack to. */
const UNPACKED = 4_194_304;

/** The state as text for a fragment; undefined when it is too long for a link. */
export async function packState({ mode, source, instance, pick }: State): Promise<string | undefined> {
	const bytes = new TextEncoder().encode(JSON.stringify([1, mode, source, instance, pick]));
	if (bytes.length > UNPACKED) return undefined;
	const packed = await readAll(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")));
	let text = "";
	for (let at = 0; at < packed.length; at += 8_192) text += String.fromCharCode(...packed.subarray(at, at + 8_192));
	const link = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
	return link.length > LINK_CHARACTERS ? undefined : link;
}

/** The state that a link has; undefined when it can't be read. */
export async function unpackState(link: string): Promise<State | undefined> {
	if (!/^[\w-]+$/.test(link) || link.length > 2 * LINK_CHARACTERS) return undefined;
	try {
		const text = atob(link.replaceAll("-", "+").replaceAll("_", "/"));
		const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		const bytes = await readAll(stream, UNPACKED);
		const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
		if (!Array.isArray(value)) return undefined;
		const [version, mode, source, instance, pick] = value as unknown[];
		const known = MODES.find((one) => one === mode);
		if (version !== 1 || known === undefined) return undefined;
		if (typeof source !== "string" || typeof instance !== "string" || typeof pick !== "string") return undefined;
		return { mode: known, source, instance, pick };
	} catch {
		return undefined;
	}
}
