import type { Digest } from "../../../src/digest.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { digestPackage, inspectPackage, memorySource, type PackageSource } from "../../../src/package/index.ts";
import { nodeSha256 } from "../sha256.ts";
import { Detailed, describeFailure } from "./failure.ts";
import { count } from "./output.ts";

/** Trees above this are not read a second time for a hint. */
const EXPLAINED_BYTES = 67_108_864;

/** How many files a hint names. */
const NAMED = 5;

type Files = readonly (readonly [path: string, bytes: Uint8Array])[];

/**
 * Runs a pass over the package in `source`; when it isn't the expected one, looks for the common reasons: line endings that a
 * checkout converted, and files that tools left behind. They come as `hints` with the refusal, which stays what it is.
 */
export async function explainMismatch<T>(
	source: PackageSource,
	expect: Digest | undefined,
	pass: () => Promise<T>,
): Promise<T> {
	try {
		return await pass();
	} catch (error) {
		if (expect === undefined || describeFailure(error).code !== "PACKAGE_DIGEST_MISMATCH") throw error;
		const hints = await hintsFor(source, expect).catch(() => []);
		throw hints.length === 0 ? error : new Detailed(error, { hints });
	}
}

async function hintsFor(source: PackageSource, expect: Digest): Promise<string[]> {
	const entries = await source.list();
	if (entries.reduce((sum, { size }) => sum + size, 0) > EXPLAINED_BYTES) return [];
	const files: [string, Uint8Array][] = [];
	for (const { path } of entries) files.push([path, await readWhole(source, path)]);
	const hints: string[] = [];
	const unix = files.map(([path, bytes]) => [path, withUnixLines(bytes)] as const);
	const converted = unix.filter(([, bytes], index) => bytes !== files[index]![1]).map(([path]) => path);
	if (converted.length > 0 && (await isExpected(unix, expect)))
		hints.push(`only CRLF line ends differ (${named(converted)}): check the package out without converting them`);
	const surprising = await surprisingPaths(files);
	if (surprising.length === 0) return hints;
	const kept = files.filter(([path]) => !surprising.some((each) => path === each || path.startsWith(`${each}/`)));
	hints.push(
		(await isExpected(kept, expect))
			? `without ${named(surprising)} it is the expected package: remove what doesn't belong to it`
			: `does ${named(surprising)} belong to the package? Every file counts`,
	);
	return hints;
}

async function surprisingPaths(files: Files): Promise<string[]> {
	const { advisories } = await inspectPackage(memorySource(files), { sha256: nodeSha256 });
	return advisories.filter(({ code }) => code === "surprising-file").map(({ path }) => path);
}

async function isExpected(files: Files, expect: Digest): Promise<boolean> {
	return (await digestPackage(memorySource(files), { sha256: nodeSha256 })).digest === expect;
}

async function readWhole(source: PackageSource, path: string): Promise<Uint8Array> {
	const reader = (await source.open(path)).getReader();
	const chunks: Uint8Array[] = [];
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return Buffer.concat(chunks);
		// A copy: the next read may write into the same buffer, and a Buffer's own slice would share it.
		chunks.push(new Uint8Array(value));
	}
}

/** The same bytes with LF for CRLF; those very bytes where there is none, and for binary files. */
function withUnixLines(bytes: Uint8Array): Uint8Array {
	if (!bytes.includes(0x0d) || bytes.includes(0)) return bytes;
	const kept = bytes.filter((byte, index) => byte !== 0x0d || bytes[index + 1] !== 0x0a);
	return kept.length === bytes.length ? bytes : kept;
}

function named(paths: readonly string[]): string {
	const more = paths.length - NAMED;
	const first = paths.slice(0, NAMED).map(escapeForDisplay).join(", ");
	return more > 0 ? `${first} and ${count(more, "other")}` : first;
}
