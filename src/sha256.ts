import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import type { Digest } from "./digest.ts";

export { type Digest, isDigest } from "./digest.ts";

/** An incremental SHA-256 (FIPS 180-4). `update` takes the bytes before it returns; `digest` ends it. */
export interface Sha256 {
	update(bytes: Uint8Array): unknown;
	digest(): Uint8Array;
}

/** Makes one fresh {@link Sha256}: the port through which an environment lends its native hash. */
export type Sha256Factory = () => Sha256;

/** The default hash: pure JavaScript, streaming, available on every page and runtime (WebCrypto is never required). */
export const portableSha256: Sha256Factory = () => nobleSha256.create();

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
	let text = "";
	for (const byte of bytes) text += HEX[byte];
	return text;
}

/** Ends `hash` and renders it in the public spelling. */
export function renderDigest(hash: Sha256): Digest {
	return `sha256:${toHex(hash.digest())}`;
}
