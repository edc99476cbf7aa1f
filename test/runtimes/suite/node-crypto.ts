/** Stands in for `node:crypto`: the runtime's own where there is one. A page has none that answers at once. */
import { sha256 } from "@noble/hashes/sha2.js";
import { Buffer } from "buffer";

function pageHash(): object {
	const hash = sha256.create();
	const self = {
		update(data: Uint8Array | string) {
			hash.update(typeof data === "string" ? new TextEncoder().encode(data) : data);
			return self;
		},
		digest: (encoding?: "hex") => {
			const bytes = Buffer.from(hash.digest());
			return encoding === undefined ? bytes : bytes.toString(encoding);
		},
	};
	return self;
}

export const { createHash } =
	typeof document === "undefined" ? await import("node:crypto") : { createHash: () => pageHash() };
