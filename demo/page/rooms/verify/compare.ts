/** What two packages have in common, and exactly what not. */
import { comparePaths, type Digest } from "millrace";
import type { ManifestEntry } from "./manifest.ts";

/** One difference. */
export type Difference =
	| { readonly kind: "added" | "removed"; readonly path: string; readonly size: number; readonly sha256: Digest }
	| {
			readonly kind: "renamed";
			readonly path: string;
			readonly from: string;
			readonly size: number;
			readonly sha256: Digest;
	  }
	| {
			readonly kind: "changed";
			readonly path: string;
			readonly sizes: readonly [expected: number, found: number];
			readonly digests: readonly [expected: Digest, found: Digest];
			/** Whether the two differ by their line endings alone; undefined while nobody has looked. */
			readonly lineEndsOnly?: boolean;
	  };

/**
 * What has to be done to `expected` to come to `found`, in path order. A file that has the content of one that is missing is a
 * renamed one.
 */
export function compareFiles(expected: readonly ManifestEntry[], found: readonly ManifestEntry[]): Difference[] {
	const before = new Map(expected.map((entry) => [entry.path, entry]));
	const after = new Map(found.map((entry) => [entry.path, entry]));
	const missing = new Map<string, ManifestEntry[]>();
	for (const entry of expected) {
		if (after.has(entry.path)) continue;
		const alike = missing.get(entry.sha256);
		if (alike === undefined) missing.set(entry.sha256, [entry]);
		else alike.push(entry);
	}
	const differences: Difference[] = [];
	for (const entry of found) {
		const old = before.get(entry.path);
		if (old === undefined) {
			const from = missing.get(entry.sha256)?.shift();
			differences.push(
				from === undefined ? { kind: "added", ...entry } : { kind: "renamed", from: from.path, ...entry },
			);
		} else if (old.sha256 !== entry.sha256) {
			differences.push({
				kind: "changed",
				path: entry.path,
				sizes: [old.size, entry.size],
				digests: [old.sha256, entry.sha256],
			});
		}
	}
	for (const left of missing.values()) for (const entry of left) differences.push({ kind: "removed", ...entry });
	return differences.sort((a, b) => comparePaths(a.path, b.path));
}

/** The content with every CRLF made an LF. */
export function withLf(bytes: Uint8Array): Uint8Array {
	const out = new Uint8Array(bytes.length);
	let length = 0;
	for (let index = 0; index < bytes.length; index += 1) {
		if (bytes[index] === 0x0d && bytes[index + 1] === 0x0a) continue;
		out[length] = bytes[index]!;
		length += 1;
	}
	return out.subarray(0, length);
}

/** The content with every LF made a CRLF. */
export function withCrlf(bytes: Uint8Array): Uint8Array {
	const lf = withLf(bytes);
	let lines = 0;
	for (const byte of lf) if (byte === 0x0a) lines += 1;
	const out = new Uint8Array(lf.length + lines);
	let length = 0;
	for (const byte of lf) {
		if (byte === 0x0a) {
			out[length] = 0x0d;
			length += 1;
		}
		out[length] = byte;
		length += 1;
	}
	return out;
}
