/** Archives made byte by byte, and what the tests of archives have in common. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { ArchiveSource } from "../../adapters/archive/index.ts";
import { PackageError, type PackageErrorCode } from "../../src/package/index.ts";

export { writeTree } from "../node/fixtures.ts";

export const FLOW_MD = "---\nname: sample\ndescription: A sample.\n---\n";

export const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

export function concat(...parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
	const chunks = parts.map((part) => (typeof part === "string" ? text(part) : part));
	const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
	let at = 0;
	for (const chunk of chunks) {
		all.set(chunk, at);
		at += chunk.length;
	}
	return all;
}

/** The fields of a tar header as they are to stand there; text is written with NULs behind it. */
export interface TarFields {
	readonly name?: string | Uint8Array;
	readonly size?: number | string | Uint8Array;
	readonly type?: string;
	readonly linkName?: string | Uint8Array;
	readonly magic?: string;
	readonly prefix?: string;
	readonly checksum?: string;
}

/** One 512-byte header, with the checksum that belongs to it unless another is given. */
export function tarHeader(fields: TarFields): Uint8Array<ArrayBuffer> {
	const block = new Uint8Array(512);
	const put = (at: number, value: string | Uint8Array): void =>
		block.set(typeof value === "string" ? text(value) : value, at);
	const { size = 0 } = fields;
	put(0, fields.name ?? "file");
	put(100, "0000644\0");
	put(108, "0000000\0");
	put(116, "0000000\0");
	put(124, typeof size === "number" ? `${size.toString(8).padStart(11, "0")}\0` : size);
	put(136, "00000000000\0");
	put(156, fields.type ?? "0");
	put(157, fields.linkName ?? "");
	put(257, fields.magic ?? "ustar\u000000");
	put(345, fields.prefix ?? "");
	put(148, "        ");
	const sum = block.reduce((total, byte) => total + byte, 0);
	put(148, fields.checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `);
	return block;
}

/** A header and its body, filled up to whole blocks. */
export function tarMember(fields: TarFields, body: string | Uint8Array = ""): Uint8Array<ArrayBuffer> {
	const bytes = typeof body === "string" ? text(body) : body;
	const filler = new Uint8Array((512 - (bytes.length % 512)) % 512);
	return concat(tarHeader({ size: bytes.length, ...fields }), bytes, filler);
}

/** A file of a tar. */
export const tarFile = (name: string, body: string | Uint8Array = ""): Uint8Array<ArrayBuffer> =>
	tarMember({ name }, body);

/** One PAX record, with the length that it has. */
export function paxRecord(key: string, value: string | Uint8Array): Uint8Array<ArrayBuffer> {
	const rest = concat(` ${key}=`, value, "\n");
	let length = rest.length + 1;
	while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
	return concat(String(length), rest);
}

export const pax = (...records: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
	tarMember({ name: "PaxHeaders/file", type: "x" }, concat(...records));

export const globalPax = (...records: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
	tarMember({ name: "pax_global_header", type: "g" }, concat(...records));

/** The two zero blocks that end a tar. */
export const END: Uint8Array<ArrayBuffer> = new Uint8Array(1_024);

export const tar = (...members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => concat(...members, END);

export const blob = (...parts: readonly (Uint8Array | string)[]): Blob => new Blob([concat(...parts)]);

/** A stream of the bytes, in chunks of `size`. */
export function streamed(bytes: Uint8Array, size = 1_000): ReadableStream<Uint8Array> {
	let at = 0;
	return new ReadableStream({
		pull(controller) {
			if (at >= bytes.length) controller.close();
			else controller.enqueue(bytes.slice(at, at + size));
			at += size;
		},
	});
}

/** Everything in a source: contents as text, by path. */
export async function contents(source: ArchiveSource): Promise<Record<string, string>> {
	const found: Record<string, string> = {};
	for (const { path, size } of await source.list()) {
		const reader = (await source.open(path)).getReader();
		const chunks: Uint8Array[] = [];
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			chunks.push(new Uint8Array(value));
		}
		const bytes = concat(...chunks);
		expect(bytes.length).toBe(size);
		found[path] = new TextDecoder().decode(bytes);
	}
	return found;
}

/** The error that something rejects with, which has to be a `PackageError` of this code. */
export async function refusal(work: Promise<unknown>, code: PackageErrorCode): Promise<PackageError> {
	const error = await work.then(
		(value) => expect.fail(`nothing was refused: ${JSON.stringify(value)}`),
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof PackageError)) throw error;
	expect([error.code, error.message]).toEqual([code, expect.any(String)]);
	return error;
}

const made: string[] = [];

afterAll(() => {
	for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A fresh directory that the end of the test file removes. */
export function workspace(): string {
	const path = mkdtempSync(join(tmpdir(), "millrace-archive-test-"));
	made.push(path);
	return path;
}

/** Whether a program can be started here; tests of what it writes are skipped by name elsewhere, and fail in CI. */
export function has(program: string, ...words: readonly string[]): boolean {
	try {
		execFileSync(program, words, { stdio: "ignore" });
		return true;
	} catch {
		return process.env.CI !== undefined;
	}
}
