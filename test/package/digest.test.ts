import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ReadableStream as ForeignStream } from "web-streams-polyfill";
import {
	digestPackage,
	inspectPackage,
	memorySource,
	PackageError,
	type PackageErrorCode,
	type PackageProgress,
	type PackageSource,
} from "../../src/package/index.ts";
import { type Digest, portableSha256 } from "../../src/sha256.ts";
import { type Files, independentDigest } from "./independent.ts";
import { bytesOf, MINIMAL, NativeStream, type StreamClass, streamSource } from "./sources.ts";

const streams: [string, StreamClass][] = [
	["native", NativeStream],
	["foreign", ForeignStream as unknown as StreamClass],
];

async function refusal(run: Promise<unknown>): Promise<PackageError> {
	const error = await run.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(PackageError);
	return error as PackageError;
}

/** A pull that gives the whole minimal FLOW.md at once and then ends the stream in some way. */
const fill =
	(end: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
	(controller: ReadableStreamDefaultController<Uint8Array>): void => {
		controller.enqueue(bytesOf(MINIMAL));
		end(controller);
	};

const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
	unhandled.push(reason);
};
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
	await new Promise((resolve) => setTimeout(resolve, 20));
	process.off("unhandledRejection", note);
	expect(unhandled).toEqual([]);
});

describe("Package/1 section 6: the digest", () => {
	test("the record layout: one published vector, under the prefix of its own revision", () => {
		const files = { "FLOW.md": MINIMAL, "a.bin": new Uint8Array([0x00, 0x01, 0xff]) };
		expect(independentDigest(files, "FLOW-Package/0\0")).toBe(
			"sha256:71e40c5716a95f11719bfa6d01b8a8f1c37a90ff7ee04470105fa1cfe196f8b1",
		);
	});

	test("the minimal package, and the vector's tree", async () => {
		for (const files of [{ "FLOW.md": MINIMAL }, { "FLOW.md": MINIMAL, "a.bin": new Uint8Array([0, 1, 255]) }]) {
			expect((await digestPackage(memorySource(files))).digest).toBe(independentDigest(files));
		}
		// Once more as a constant, so that both can't drift together.
		expect(
			(await digestPackage(memorySource({ "FLOW.md": MINIMAL, "a.bin": new Uint8Array([0, 1, 255]) }))).digest,
		).toBe("sha256:e12f178c28f22af5e4620ff41ed3aaca76f11103bb37bdc04ca1600857ae8b50");
	});

	test("files come in path order, with sizes; hashes of each only when asked for", async () => {
		const files = { "b/c": "c", "FLOW.md": MINIMAL, a: "" };
		const plain = await digestPackage(memorySource(files));
		expect(plain.files).toEqual([
			{ path: "FLOW.md", size: 31 },
			{ path: "a", size: 0 },
			{ path: "b/c", size: 1 },
		]);
		const { digest, files: manifest } = await digestPackage(memorySource(files), { manifest: true });
		expect(digest).toBe(plain.digest);
		for (const { path, sha256 } of manifest) {
			const content = bytesOf(files[path as keyof typeof files]);
			expect(sha256).toBe(`sha256:${createHash("sha256").update(content).digest("hex")}`);
		}
	});

	const nodeSha256 = () => {
		const hash = createHash("sha256");
		return { update: (bytes: Uint8Array) => hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
	};

	const path = fc
		.array(fc.stringMatching(/^[a-zé０-９😀_.-]{1,6}$/u), { minLength: 1, maxLength: 3 })
		.map((segments) => segments.join("/"))
		.filter((text) => text.split("/").every((segment) => segment !== "." && segment !== ".."));
	const files = fc
		.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 200 })), { selector: ([p]) => p, maxLength: 12 })
		.map((pairs) => Object.fromEntries([["FLOW.md", bytesOf(MINIMAL)] as const, ...pairs]) as Files)
		.filter((tree) => {
			const paths = Object.keys(tree);
			return !paths.some((a) => paths.some((b) => b.startsWith(`${a}/`)));
		});

	test.each(streams)("is independent of enumeration order and of chunking (%s streams)", async (_, Stream) => {
		await fc.assert(
			fc.asyncProperty(
				files,
				fc.infiniteStream(fc.nat(9)),
				fc.infiniteStream(fc.nat()),
				fc.boolean(),
				async (tree, cuts, ranks, native) => {
					const source = streamSource(tree, {
						Stream,
						*cut(bytes) {
							// Empty chunks among the others, one reused buffer for all.
							const buffer = new Uint8Array(16);
							for (let at = 0; at < bytes.length; ) {
								const size = cuts.next().value as number;
								buffer.set(bytes.subarray(at, at + size));
								yield buffer.subarray(0, Math.min(size, bytes.length - at));
								at += size;
							}
						},
						order: (entries) =>
							entries
								.map((entry) => [ranks.next().value as number, entry] as const)
								.sort(([a], [b]) => a - b)
								.map(([, entry]) => entry),
					});
					const { digest, files: listed } = await digestPackage(source, native ? { sha256: nodeSha256 } : {});
					expect(digest).toBe(independentDigest(tree));
					// Each file once, in path order.
					expect(source.opened).toEqual(listed.map((file) => file.path));
				},
			),
			{ numRuns: 120, seed: 3 },
		);
	});

	test("a changed byte, path or extra file is another package", async () => {
		const variants: Files[] = [
			{ "FLOW.md": MINIMAL, a: "x" },
			{ "FLOW.md": MINIMAL, a: "y" },
			{ "FLOW.md": MINIMAL, b: "x" },
			{ "FLOW.md": MINIMAL, a: "x", b: "" },
			{ "FLOW.md": MINIMAL, a: "x\n" },
			{ "FLOW.md": MINIMAL, A: "x" },
			{ "FLOW.md": MINIMAL.replaceAll("\n", "\r\n"), a: "x" },
		];
		const digests = await Promise.all(variants.map(async (tree) => (await digestPackage(memorySource(tree))).digest));
		expect(new Set(digests).size).toBe(variants.length);
	});

	test("memory stays constant over the largest tree: 4 GiB through one chunk of 8 MiB", async () => {
		const chunk = new Uint8Array(8_388_608);
		const GiB = 1_073_741_824;
		let hashed = 0;
		const counting = () => ({
			update: (bytes: Uint8Array) => {
				hashed += bytes.length;
			},
			digest: () => new Uint8Array(32),
		});
		const sizes: Record<string, number> = { "FLOW.md": GiB, a: GiB, b: GiB, c: GiB };
		const source: PackageSource = {
			list: async () => Object.entries(sizes).map(([path, size]) => ({ path, size })),
			open: (path) => {
				let left = sizes[path]!;
				return new NativeStream({
					pull(controller) {
						left -= chunk.length;
						controller.enqueue(chunk);
						if (left === 0) controller.close();
					},
				});
			},
		};
		const { digest } = await digestPackage(source, { sha256: counting });
		expect(digest).toBe(`sha256:${"0".repeat(64)}`);
		const heads = Object.keys(sizes).reduce((sum, name) => sum + 1 + 4 + name.length + 8, 0);
		expect(hashed).toBe(4 * GiB + "FLOW-Package/1\0".length + 8 + heads);
	});
});

describe("the declared size is exact (C15)", () => {
	test.each(streams)("short and long streams are a changed source (%s streams)", async (_, Stream) => {
		const tree = { "FLOW.md": MINIMAL, data: "12345" };
		for (const [size, cancelled] of [
			[6, []],
			[4, ["data"]],
			[0, ["data"]],
		] as const) {
			const source = streamSource(tree, {
				Stream,
				sizes: { data: size },
				cut: (bytes) => [bytes.subarray(0, 3), bytes.subarray(3)],
			});
			const error = await refusal(digestPackage(source));
			expect(error).toMatchObject({ code: "PACKAGE_SOURCE_CHANGED", path: "data" });
			expect(source.cancelled).toEqual(cancelled);
		}
	});

	test("a FLOW.md that grows or shrinks is caught in an inspection too", async () => {
		for (const size of [MINIMAL.length - 1, MINIMAL.length + 1]) {
			const error = await refusal(inspectPackage(streamSource({ "FLOW.md": MINIMAL }, { sizes: { "FLOW.md": size } })));
			expect(error).toMatchObject({ code: "PACKAGE_SOURCE_CHANGED", path: "FLOW.md" });
		}
	});
});

describe("a source that fails", () => {
	const base = (open: PackageSource["open"]): PackageSource => ({
		list: async () => [{ path: "FLOW.md", size: MINIMAL.length }],
		open,
	});
	const cause = new Error("the disk is gone");

	test.each<[string, () => PackageSource]>([
		[
			"open throws",
			() =>
				base(() => {
					throw cause;
				}),
		],
		["open rejects", () => base(() => Promise.reject(cause))],
		["the stream errors at once", () => base(() => new NativeStream({ start: (c) => c.error(cause) }))],
		["the stream errors later", () => base(() => new NativeStream({ pull: fill((c) => c.error(cause)) }))],
		[
			"list throws",
			() => ({
				list: () => {
					throw cause;
				},
				open: () => new NativeStream({}),
			}),
		],
		["list rejects", () => ({ list: () => Promise.reject(cause), open: () => new NativeStream({}) })],
	])("%s: PACKAGE_SOURCE_FAILED with the cause", async (_, source) => {
		for (const read of [digestPackage, inspectPackage]) {
			const error = await refusal(read(source()));
			expect(error).toMatchObject({ code: "PACKAGE_SOURCE_FAILED" });
			expect(error.cause).toBe(cause);
		}
	});

	test("its own PackageError passes as it is", async () => {
		const own = new PackageError("PACKAGE_SYMLINK", "a is a symbolic link", { path: "a" });
		expect(await refusal(digestPackage(base(() => Promise.reject(own))))).toBe(own);
		expect(await refusal(digestPackage({ list: () => Promise.reject(own), open: () => new NativeStream({}) }))).toBe(
			own,
		);
	});

	test.each<[string, unknown]>([
		["text", "text"],
		["an ArrayBuffer", new ArrayBuffer(3)],
		["a Uint16Array", new Uint16Array(3)],
		["nothing", undefined],
		["numbers", [1, 2]],
		["something that only calls itself a Uint8Array", { [Symbol.toStringTag]: "Uint8Array" }],
		["an object with its prototype", Object.create(Uint8Array.prototype)],
	])("a chunk of %s is refused and the stream cancelled", async (_, chunk) => {
		let cancelled = 0;
		const source = base(
			() => new NativeStream({ pull: (c) => c.enqueue(chunk as Uint8Array), cancel: () => void cancelled++ }),
		);
		expect(await refusal(digestPackage(source))).toMatchObject({ code: "PACKAGE_SOURCE_FAILED", path: "FLOW.md" });
		expect(cancelled).toBe(1);
	});

	test("no list, a locked stream, a stream that is none", async () => {
		const locked = new ReadableStream<Uint8Array>();
		locked.getReader();
		for (const source of [
			{ list: async () => undefined as never, open: () => new NativeStream({}) },
			base(() => locked as never),
			base(() => ({}) as never),
			base(() => undefined as never),
		]) {
			expect((await refusal(digestPackage(source))).code).toBe("PACKAGE_SOURCE_FAILED" satisfies PackageErrorCode);
		}
	});

	test("a cancel that throws, rejects or hangs changes nothing", async () => {
		for (const cancel of [
			() => {
				throw new Error("x");
			},
			() => Promise.reject(new Error("x")),
			() => new Promise<void>(() => {}),
		]) {
			const source = base(() => new NativeStream({ pull: (c) => c.enqueue(new Uint8Array(1_000)), cancel }));
			expect(await refusal(digestPackage(source))).toMatchObject({ code: "PACKAGE_SOURCE_CHANGED" });
		}
	});

	test("a stream is released after it was read", async () => {
		const stream = new ReadableStream<Uint8Array>({ pull: fill((c) => c.close()) });
		await digestPackage(base(() => stream as never));
		expect(stream.locked).toBe(false);
	});
});

describe("expect", () => {
	const files = { "FLOW.md": MINIMAL };
	const other: Digest = `sha256:${"0".repeat(64)}`;

	test("the approved digest passes, any other is refused with both", async () => {
		const right = independentDigest(files) as Digest;
		for (const read of [digestPackage, inspectPackage]) {
			await expect(read(memorySource(files), { expect: right })).resolves.toMatchObject({ digest: right });
			expect(await refusal(read(memorySource(files), { expect: other }))).toMatchObject({
				code: "PACKAGE_DIGEST_MISMATCH",
				expected: other,
				actual: right,
			});
		}
	});

	test.each([
		"",
		"0".repeat(64),
		`sha256:${"A".repeat(64)}`,
		`SHA256:${"0".repeat(64)}`,
		`${other}\n`,
		` ${other}`,
		`sha512:${"0".repeat(128)}`,
	])("%j is no digest, a mistake of the caller", async (digest) => {
		await expect(digestPackage(memorySource(files), { expect: digest as Digest })).rejects.toThrow(TypeError);
		await expect(inspectPackage(memorySource(files), { expect: digest as Digest })).rejects.toThrow(TypeError);
	});
});

describe("onProgress", () => {
	test("counts up to the totals, after every chunk and file", async () => {
		const seen: PackageProgress[] = [];
		const tree = { "FLOW.md": MINIMAL, a: "12345678", empty: "" };
		const source = streamSource(tree, { cut: (bytes) => [bytes.subarray(0, 3), new Uint8Array(0), bytes.subarray(3)] });
		await digestPackage(source, { onProgress: (progress) => seen.push(progress) });
		expect(seen.at(-1)).toEqual({ files: 3, totalFiles: 3, bytes: 39, totalBytes: 39 });
		expect(seen.map(({ bytes }) => bytes)).toEqual([3, 31, 31, 34, 39, 39, 39]);
		expect(seen.map(({ files }) => files)).toEqual([0, 0, 1, 1, 1, 2, 3]);
	});

	test("an inspection counts every byte once as well", async () => {
		let last: PackageProgress | undefined;
		await inspectPackage(memorySource({ "FLOW.md": MINIMAL, a: "123" }), {
			onProgress: (progress) => (last = progress),
		});
		expect(last).toEqual({ files: 2, totalFiles: 2, bytes: 34, totalBytes: 34 });
	});

	test("what it throws changes nothing", async () => {
		const files = { "FLOW.md": MINIMAL };
		const onProgress = () => {
			throw new Error("observer");
		};
		expect((await digestPackage(memorySource(files), { onProgress })).digest).toBe(independentDigest(files));
	});
});

describe("signal", () => {
	const reason = new Error("the user closed the page");

	test("already aborted: nothing is listed or opened", async () => {
		let touched = 0;
		const source: PackageSource = {
			list: async () => {
				touched += 1;
				return [];
			},
			open: () => {
				touched += 1;
				return new NativeStream({});
			},
		};
		for (const read of [digestPackage, inspectPackage]) {
			const error = await refusal(read(source, { signal: AbortSignal.abort(reason) }));
			expect(error.code).toBe("PACKAGE_ABORTED");
			expect(error.cause).toBe(reason);
		}
		expect(touched).toBe(0);
	});

	test.each(streams)(
		"between chunks: the stream is cancelled, no file is opened after it (%s streams)",
		async (_, Stream) => {
			const controller = new AbortController();
			const source = streamSource(
				{ "FLOW.md": MINIMAL, a: "123456", b: "x" },
				{
					Stream,
					cut: (bytes, path) => (path === "a" ? [...bytes].map((byte) => new Uint8Array([byte])) : [bytes]),
				},
			);
			const error = await refusal(
				digestPackage(source, {
					signal: controller.signal,
					onProgress: ({ bytes }) => bytes === 33 && controller.abort(reason),
				}),
			);
			expect(error).toMatchObject({ code: "PACKAGE_ABORTED", cause: reason });
			expect(source.opened).toEqual(["FLOW.md", "a"]);
			expect(source.cancelled).toEqual(["a"]);
		},
	);

	test("a read that hangs is not waited for", async () => {
		let cancelled = 0;
		const hanging = (): PackageSource => ({
			list: async () => [{ path: "FLOW.md", size: 5 }],
			open: () => new NativeStream({ pull: () => new Promise(() => {}), cancel: () => void cancelled++ }),
		});
		for (const read of [digestPackage, inspectPackage]) {
			const controller = new AbortController();
			const run = refusal(read(hanging(), { signal: controller.signal }));
			setTimeout(() => controller.abort(reason), 5);
			expect(await run).toMatchObject({ code: "PACKAGE_ABORTED", cause: reason });
		}
		expect(cancelled).toBe(2);
	});

	test("a list or an open that hangs isn't either, and a stream that comes late is cancelled", async () => {
		const controller = new AbortController();
		const never = refusal(
			digestPackage(
				{ list: () => new Promise(() => {}), open: () => new NativeStream({}) },
				{ signal: controller.signal },
			),
		);
		let deliver: (() => void) | undefined;
		let cancelled = 0;
		const late = refusal(
			digestPackage(
				{
					list: async () => [{ path: "FLOW.md", size: 5 }],
					open: () =>
						new Promise((resolve) => {
							deliver = () => resolve(new NativeStream({ cancel: () => void cancelled++ }));
						}),
				},
				{ signal: controller.signal },
			),
		);
		await new Promise((resolve) => setTimeout(resolve, 5));
		controller.abort(reason);
		expect(await never).toMatchObject({ code: "PACKAGE_ABORTED" });
		expect(await late).toMatchObject({ code: "PACKAGE_ABORTED" });
		deliver!();
		await new Promise((resolve) => setTimeout(resolve, 5));
		expect(cancelled).toBe(1);
	});

	test("aborting in the last report still counts; no listener stays behind", async () => {
		const controller = new AbortController();
		let listeners = 0;
		const { signal } = controller;
		const add = signal.addEventListener.bind(signal);
		const remove = signal.removeEventListener.bind(signal);
		signal.addEventListener = ((...args: Parameters<typeof add>) => {
			listeners += 1;
			add(...args);
		}) as typeof add;
		signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
			listeners -= 1;
			remove(...args);
		}) as typeof remove;
		await digestPackage(memorySource({ "FLOW.md": MINIMAL }), { signal });
		expect(listeners).toBe(0);
		const error = await refusal(
			digestPackage(memorySource({ "FLOW.md": MINIMAL }), {
				signal,
				onProgress: ({ files }) => files === 1 && controller.abort(),
			}),
		);
		expect(error.code).toBe("PACKAGE_ABORTED");
		expect(listeners).toBe(0);
	});
});

describe("memorySource", () => {
	test("takes records, maps and lists of pairs, text as UTF-8", async () => {
		const files = { "FLOW.md": MINIMAL, é: "é" };
		const expected = independentDigest(files);
		for (const given of [files, new Map(Object.entries(files)), Object.entries(files)]) {
			expect((await digestPackage(memorySource(given))).digest).toBe(expected);
		}
	});

	test.each<[string, (text: string) => Uint8Array]>([
		["bytes", bytesOf],
		["a Buffer, whose slices share its memory", Buffer.from],
	])("copies %s, both ways", async (_, make) => {
		const content = make(MINIMAL);
		const source = memorySource({ "FLOW.md": content });
		content.fill(0);
		const stream = await source.open("FLOW.md");
		const first = await stream.getReader().read();
		first.value!.fill(0);
		expect((await digestPackage(source)).digest).toBe(independentDigest({ "FLOW.md": MINIMAL }));
	});

	test("a path given twice is a collision, not a choice", async () => {
		const source = memorySource([
			["FLOW.md", MINIMAL],
			["a", "1"],
			["a", "2"],
		]);
		expect(await refusal(digestPackage(source))).toMatchObject({ code: "PACKAGE_PATH_COLLISION", path: "a" });
	});

	test("text without a UTF-8 form is refused", () => {
		expect(() => memorySource({ "FLOW.md": "\ud800" })).toThrow(TypeError);
	});

	test("the portable hash is the default", async () => {
		const files = { "FLOW.md": MINIMAL };
		expect((await digestPackage(memorySource(files), { sha256: portableSha256 })).digest).toBe(
			independentDigest(files),
		);
	});
});
