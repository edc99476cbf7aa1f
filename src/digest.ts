/** The public spelling of digests, apart from the hash that makes them: who only reads one loads no SHA-256. */

/** The public spelling of a digest in every FLOW specification: `sha256:` and 64 lowercase hexadecimal digits. */
export type Digest = `sha256:${string}`;

/** Whether `text` is a digest in its one public spelling. */
export function isDigest(text: unknown): text is Digest {
	return typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);
}
