/** Compressed tars: one gzip member and nothing else, bounded in what it unpacks to, kept in memory or spooled. */
import { describe, expect, test } from "vitest";
import { Gathered, joinChunks } from "../../adapters/archive/bytes.ts";
import { type ArchiveOptions, archiveSource, type Bytes, type Spool } from "../../adapters/archive/index.ts";
import { nativeInflate } from "../../adapters/archive/inflate.ts";
import { makeArchiveSource } from "../../adapters/archive/source.ts";
import { zlibInflate } from "../../adapters/node/archive/inflate.ts";
import { digestPackage, memorySource, type PackageErrorCode } from "../../src/package/index.ts";
import { faultyGzips, files, gzip, packed, plain, withHeader } from "./samples.ts";
import { concat, contents, FLOW_MD, refusal, streamed, tar, tarFile, text } from "./support.ts";
import { zip } from "./zip-support.ts";

const blobOf = (bytes: Uint8Array): Blob => new Blob([bytes as Uint8Array<ArrayBuffer>]);
const source = (bytes: Uint8Array, options: ArchiveOptions = {}) =>
	makeArchiveSource(async () => blobOf(bytes), options, zlibInflate);
const refused = (bytes: Uint8Array, code: PackageErrorCode, options?: ArchiveOptions) =>
	refusal(source(bytes, options).list(), code);

/** A spool that remembers what was done with it. */
function remembered(fail = false): { readonly done: string[]; readonly make: () => Promise<Spool> } {
	const done: string[] = [];
	const make = async (): Promise<Spool> => {
		done.push("make");
		const chunks: Uint8Array<ArrayBuffer>[] = [];
		return {
			async write(chunk) {
				if (fail && chunks.length > 2) throw new Error("no room");
				chunks.push(new Uint8Array(chunk));
			},
			async finish(): Promise<Bytes> {
				done.push("finish");
				return new Blob(chunks);
			},
			async dispose() {
				done.push("dispose");
			},
		};
	};
	return { done, make };
}

describe("what is read", () => {
	test("a Blob and a stream, in chunks of any size", async () => {
		expect(await contents(source(packed))).toEqual(files);
		for (const size of [1, 7, 511, 100_000]) {
			expect(await contents(makeArchiveSource(async () => streamed(packed, size), {}, zlibInflate))).toEqual(files);
			expect(await contents(makeArchiveSource(async () => streamed(plain, size), {}, zlibInflate))).toEqual(files);
		}
		const { digest } = await digestPackage(memorySource(files));
		expect((await digestPackage(source(packed))).digest).toBe(digest);
	});

	test("a header with an extra field, a name and a comment", async () => {
		const header = withHeader(28, Uint8Array.of(3, 0), "abc", "name.tar\0", "a comment\0");
		expect(await contents(source(header))).toEqual(files);
	});

	test("a stream whose chunks are one reused buffer", async () => {
		const buffer = new Uint8Array(100);
		let at = 0;
		const reader = {
			async read() {
				if (at >= packed.length) return { done: true as const };
				const part = packed.subarray(at, at + 100);
				at += part.length;
				buffer.fill(0);
				buffer.set(part);
				return { done: false as const, value: buffer.subarray(0, part.length) };
			},
			cancel: async () => {},
			releaseLock() {},
		};
		expect(await contents(makeArchiveSource(async () => ({ getReader: () => reader }), {}, zlibInflate))).toEqual(
			files,
		);
	});
});

describe("what is refused", () => {
	test.each(faultyGzips)("%s", async (_, bytes) => {
		await refused(bytes, "PACKAGE_ARCHIVE_INVALID");
		// By bytes of one each, the end of the data and what follows never come together.
		const single = makeArchiveSource(async () => streamed(bytes, 1), {}, zlibInflate);
		await refusal(single.list(), "PACKAGE_ARCHIVE_INVALID");
	});

	test.each(faultyGzips)("%s, by the runtime's own DecompressionStream", async (_, bytes) => {
		const error = await archiveSource(blobOf(bytes))
			.list()
			.then(
				() => undefined,
				(thrown: { code: string }) => thrown,
			);
		expect(error?.code).toMatch(/^PACKAGE_ARCHIVE_(?:INVALID|UNSUPPORTED)$/);
	});

	test("the two decompressors agree, where the runtime's is the standard's", async () => {
		const read = async (inflate: typeof nativeInflate): Promise<string | number> => {
			let size = 0;
			try {
				for await (const chunk of inflate("gzip", streamChunks(packed))) size += chunk.length;
			} catch (error) {
				return (error as { code?: string }).code ?? "fault";
			}
			return size;
		};
		expect(await read(zlibInflate)).toBe(plain.length);
		expect([plain.length, "PACKAGE_ARCHIVE_UNSUPPORTED"]).toContain(await read(nativeInflate));
	});

	test.each<[string, Uint8Array, PackageErrorCode]>([
		["nothing", gzip(new Uint8Array(0)), "PACKAGE_ARCHIVE_INVALID"],
		["text", gzip(text("hello")), "PACKAGE_ARCHIVE_INVALID"],
		["another gzip", gzip(packed), "PACKAGE_ARCHIVE_INVALID"],
		["a zip", gzip(zip([{ name: "FLOW.md" }])), "PACKAGE_ARCHIVE_INVALID"],
	])("a gzip of %s", async (_, bytes, code) => {
		await refused(bytes, code);
	});

	test.each<[string, Uint8Array, PackageErrorCode, RegExp]>([
		["no bytes", new Uint8Array(0), "PACKAGE_ARCHIVE_INVALID", /empty/],
		["text", text("just a text, and no archive at all"), "PACKAGE_ARCHIVE_INVALID", /no archive/],
		["xz", Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), "PACKAGE_ARCHIVE_UNSUPPORTED", /xz/],
		["bzip2", text("BZh91AY"), "PACKAGE_ARCHIVE_UNSUPPORTED", /bzip2/],
		["zstd", Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0), "PACKAGE_ARCHIVE_UNSUPPORTED", /zstd/],
		["7z", Uint8Array.of(0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c), "PACKAGE_ARCHIVE_UNSUPPORTED", /7z/],
	])("what is no archive that is read: %s", async (_, bytes, code, message) => {
		for (const input of [blobOf(bytes), streamed(bytes, 3)]) {
			const error = await refusal(makeArchiveSource(async () => input, {}, zlibInflate).list(), code);
			expect(error.message).toMatch(message);
		}
	});
});

async function* streamChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += 50) yield bytes.subarray(at, at + 50);
}

describe("bounds", () => {
	const bomb = gzip(new Uint8Array(60_000_000));

	test("a bomb ends early: at its ratio, or at its output", async () => {
		const { done, make } = remembered();
		const small = { spoolBytes: 1_000_000 };
		expect((await refused(bomb, "PACKAGE_ARCHIVE_LIMIT", { spool: make, limits: small })).limit).toEqual({
			name: "ratio",
			max: 200,
		});
		expect(done).toEqual(["make", "dispose"]);
		const limits = { ratio: 2_000, outputBytes: 20_000_000 };
		const error = await refused(bomb, "PACKAGE_ARCHIVE_LIMIT", { spool: make, limits });
		expect(error.limit).toEqual({ name: "outputBytes", max: 20_000_000 });
	});

	test("an endless stream ends at the output bound, and is cancelled", async () => {
		let cancelled = false;
		const endless = new ReadableStream<Uint8Array>({
			start: (controller) => controller.enqueue(plain.slice(0, 512)),
			pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
			cancel: () => {
				cancelled = true;
			},
		});
		const { make } = remembered();
		const options = { limits: { outputBytes: 1_000_000, spoolBytes: 10 }, spool: make };
		const error = await refusal(archiveSource(endless, options).list(), "PACKAGE_ARCHIVE_LIMIT");
		expect(error.limit?.name).toBe("outputBytes");
		expect(cancelled).toBe(true);
	});

	test.each([
		["nothing", []],
		["no archive", ["this is no archive, whatever it is"]],
	] as const)("a stream of %s is let go of", async (_, texts) => {
		let cancelled = false;
		const stream = new ReadableStream<Uint8Array>({
			start(controller) {
				for (const each of texts)
					controller.enqueue(new Uint8Array(600).map((_, i) => each.charCodeAt(i % each.length)));
				if (texts.length === 0) controller.close();
			},
			cancel: () => {
				cancelled = true;
			},
		});
		await refusal(archiveSource(stream).list(), "PACKAGE_ARCHIVE_INVALID");
		expect(stream.locked).toBe(false);
		expect(cancelled).toBe(texts.length > 0);
	});

	test("chunks of one byte, and empty ones, cost no more than their bytes", async () => {
		const gathered = new Gathered();
		for (let i = 0; i < 200_000; i += 1) {
			gathered.add(Uint8Array.of(i & 0xff));
			gathered.add(new Uint8Array(0));
		}
		gathered.add(new Uint8Array(100_000).fill(7));
		gathered.add(Uint8Array.of(9));
		expect(gathered.size).toBe(300_001);
		const blocks = gathered.take();
		expect(blocks.length).toBe(6);
		const all = joinChunks(blocks, 300_001);
		expect([all[0], all[255], all[199_999], all[200_000], all[300_000]]).toEqual([0, 255, 63, 7, 9]);
		expect(gathered.size).toBe(0);
	});

	test("beyond spoolBytes the spool takes over, and is disposed once", async () => {
		const { done, make } = remembered();
		const spooled = source(packed, { limits: { spoolBytes: 1_000 }, spool: make });
		expect(await contents(spooled)).toEqual(files);
		expect(await contents(spooled)).toEqual(files);
		expect(done).toEqual(["make", "finish"]);
		await spooled.dispose();
		await spooled.dispose();
		expect(done).toEqual(["make", "finish", "dispose"]);
		await refusal(spooled.list(), "PACKAGE_SOURCE_FAILED");
	});

	test("below it there is none, and without one it is a limit", async () => {
		const { done, make } = remembered();
		await contents(source(packed, { spool: make }));
		expect(done).toEqual([]);
		const error = await refused(packed, "PACKAGE_ARCHIVE_LIMIT", { limits: { spoolBytes: 1_000 } });
		expect(error.limit).toEqual({ name: "spoolBytes", max: 1_000 });
	});

	test("a spool that fails, and an archive that is refused, leave nothing", async () => {
		const limits = { spoolBytes: 100 };
		const failing = remembered(true);
		const stream = () =>
			makeArchiveSource(async () => streamed(plain, 100), { limits, spool: failing.make }, zlibInflate);
		await expect(stream().list()).rejects.toThrow("no room");
		expect(failing.done).toEqual(["make", "dispose"]);
		const fine = remembered();
		const two = gzip(tar(tarFile("FLOW.md", FLOW_MD), tarFile("a"), tarFile("a")));
		await refused(two, "PACKAGE_PATH_COLLISION", { limits, spool: fine.make });
		await refused(packed, "PACKAGE_PATH_INVALID", { limits, spool: fine.make, prefix: "other" });
		await refused(concat(packed, "x"), "PACKAGE_ARCHIVE_INVALID", { limits, spool: fine.make });
		expect(fine.done.filter((each) => each === "make")).toHaveLength(3);
		expect(fine.done.filter((each) => each === "dispose")).toHaveLength(3);
	});

	test("disposed before it was listed, or while it is", async () => {
		const early = source(packed);
		await early.dispose();
		await refusal(early.list(), "PACKAGE_SOURCE_FAILED");
		const { done, make } = remembered();
		const late = source(packed, { limits: { spoolBytes: 1_000 }, spool: make });
		const listing = late.list();
		await late.dispose();
		await listing.catch(() => {});
		expect(done.at(-1)).toBe("dispose");
		expect(() => late.open("a")).toThrow(/disposed/);
	});
});

describe("stopping and telling", () => {
	test("a signal stops a stream that hangs, and cancels it", async () => {
		const controller = new AbortController();
		let cancelled: unknown;
		const hanging = new ReadableStream<Uint8Array>({
			start: (streaming) => streaming.enqueue(packed.slice(0, 600)),
			cancel: (reason) => {
				cancelled = reason ?? true;
			},
		});
		const listing = makeArchiveSource(async () => hanging, { signal: controller.signal }, zlibInflate).list();
		setTimeout(() => controller.abort(), 20);
		await refusal(listing, "PACKAGE_ABORTED");
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(cancelled).toBeDefined();
	});

	test("an aborted signal, with bytes in place", async () => {
		for (const bytes of [packed, plain]) await refused(bytes, "PACKAGE_ABORTED", { signal: AbortSignal.abort() });
	});

	test("a stream that fails says so", async () => {
		const broken = new ReadableStream<Uint8Array>({
			start: (controller) => controller.enqueue(packed.slice(0, 600)),
			pull: (controller) => controller.error(new Error("the line is dead")),
		});
		const error = await refusal(
			digestPackage(makeArchiveSource(async () => broken, {}, zlibInflate)),
			"PACKAGE_SOURCE_FAILED",
		);
		expect(error.message).toContain("the line is dead");
	});

	test("progress grows, ends at the whole, and what it throws changes nothing", async () => {
		const big = tar(tarFile("FLOW.md", FLOW_MD), tarFile("b", new Uint8Array(9_000_000)));
		const seen: number[] = [];
		const onProgress = ({ bytes, totalBytes }: { bytes: number; totalBytes?: number }): void => {
			if (totalBytes === big.length) seen.push(bytes);
			throw new Error("observer");
		};
		await source(big, { onProgress }).list();
		expect(seen.length).toBeGreaterThan(0);
		expect(seen).toEqual([...seen].sort((a, b) => a - b));
	});
});

describe("prefix", () => {
	const npm = tar(tarFile("package/FLOW.md", FLOW_MD), tarFile("package/lib/a", "a"));

	test("is offered, never assumed", async () => {
		const unprefixed = source(npm);
		expect(unprefixed.commonPrefix).toBeUndefined();
		const error = await refusal(unprefixed.list(), "PACKAGE_FLOW_MISSING");
		expect(error.message).toContain('give the prefix "package/"');
		expect(error.otherPath).toBe("package/FLOW.md");
		expect(unprefixed.commonPrefix).toBe("package/");
	});

	test.each(["package/", "package"])("%s is taken off", async (prefix) => {
		expect(await contents(source(npm, { prefix }))).toEqual({ "FLOW.md": FLOW_MD, "lib/a": "a" });
	});

	test("a deeper one is offered too", async () => {
		const deep = tar(tarFile("a/b/FLOW.md", FLOW_MD), tarFile("a/b/c/d"), tarFile("a/b/e"));
		const offered = source(deep);
		await refusal(offered.list(), "PACKAGE_FLOW_MISSING");
		expect(offered.commonPrefix).toBe("a/b/");
		expect(Object.keys(await contents(source(deep, { prefix: "a/b/" })))).toEqual(["FLOW.md", "c/d", "e"]);
	});

	test("none is offered where something lies elsewhere, or the root has a FLOW.md, or nothing has", async () => {
		for (const archive of [
			tar(tarFile("package/FLOW.md"), tarFile("other")),
			tar(tarFile("FLOW.md", FLOW_MD), tarFile("package/FLOW.md")),
			tar(tarFile("package/a")),
			tar(),
		]) {
			const listed = source(archive);
			await listed.list();
			expect(listed.commonPrefix).toBeUndefined();
		}
		await refusal(digestPackage(source(tar(tarFile("package/a")))), "PACKAGE_FLOW_MISSING");
	});

	test("a file outside it is refused; a directory is no file", async () => {
		const error = await refused(tar(tarFile("package/FLOW.md"), tarFile("packages/x")), "PACKAGE_PATH_INVALID", {
			prefix: "package/",
		});
		expect(error.path).toBe("packages/x");
		await refused(tar(tarFile("FLOW.md")), "PACKAGE_PATH_INVALID", { prefix: "package/" });
	});

	test.each(["", "/", "/a", "../a", "a/../b", "./a", "a//", "a\\b", "."])("%j is none", (prefix) => {
		expect(() => archiveSource(new Blob([]), { prefix })).toThrow(TypeError);
	});
});
