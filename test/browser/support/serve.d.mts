import type { OutgoingHttpHeaders } from "node:http";

/** What is served beside a folder's files, by its path. */
export type Extra = Readonly<Record<string, { readonly type: string; readonly body: string | Uint8Array }>>;

export interface Served {
	/** `http://127.0.0.1:PORT`, without a slash at its end. */
	readonly url: string;
	close(): Promise<void>;
}

/** Serves `folder`, and `extra` before it, on a free port. Nothing is cached. */
export function serve(folder: string, extra?: Extra, headers?: OutgoingHttpHeaders): Promise<Served>;
