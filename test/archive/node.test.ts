/** Archives as sources in Node: files that change, temporary files that go, streams of every kind, and a host that runs one. */
import {
	closeSync,
	createReadStream,
	openSync,
	readdirSync,
	renameSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Bytes } from "../../adapters/archive/index.ts";
import { makeArchiveSource } from "../../adapters/archive/source.ts";
import { fileBytes } from "../../adapters/node/archive/file.ts";
import { zlibInflate } from "../../adapters/node/archive/inflate.ts";
import { archive, digestPackage, inspectPackage, nodeRuntime } from "../../adapters/node/index.ts";
import { createHost } from "../../src/host/index.ts";
import { memorySource } from "../../src/package/index.ts";
import { concat, contents, END, FLOW_MD, refusal, tar, tarFile, tarHeader, workspace } from "./support.ts";

const files = { "FLOW.md": FLOW_MD, a: "a".repeat(300_000), "b/c": "" };
const plain = tar(...Object.entries(files).map(([name, body]) => tarFile(name, body)));
const packed = gzipSync(plain);

function fileOf(bytes: Uint8Array, name = "made"): string {
	const path = join(workspace(), name);
	writeFileSync(path, bytes);
	return path;
}

describe("inputs", () => {
	test("a path, a URL, a Blob, a web stream, a stream of Node, any iterable", async () => {
		for (const bytes of [plain, packed]) {
			const path = fileOf(bytes);
			for (const input of [
				path,
				pathToFileURL(path),
				new Blob([new Uint8Array(bytes)]),
				new Blob([new Uint8Array(bytes)]).stream(),
				new Response(new Uint8Array(bytes)).body!,
				createReadStream(path),
				(async function* () {
					yield bytes;
				})(),
			])
				expect(await contents(archive(input))).toEqual(files);
		}
	});

	test.each([[undefined], [null], [42], [{}], [new Uint8Array(9)], [Buffer.from("x")]])("%j is none", (input) => {
		expect(() => archive(input as unknown as string)).toThrow(TypeError);
	});

	test("nothing there, a directory, something else", async () => {
		const place = workspace();
		expect((await refusal(archive(join(place, "none")).list(), "PACKAGE_SOURCE_FAILED")).message).toContain(
			"does not exist",
		);
		expect((await refusal(archive(place).list(), "PACKAGE_SOURCE_FAILED")).message).toContain("is a directory");
		expect((await refusal(archive("/dev/null").list(), "PACKAGE_SOURCE_FAILED")).message).toContain("no regular file");
		await refusal(archive("a\0b").list(), "PACKAGE_SOURCE_FAILED");
		await refusal(archive(fileOf(new Uint8Array(0))).list(), "PACKAGE_ARCHIVE_INVALID");
	});

	test("a link to an archive is followed: it is opened each time as the same file", async () => {
		const path = fileOf(plain);
		symlinkSync(path, `${path}.link`);
		expect(await contents(archive(`${path}.link`))).toEqual(files);
	});
});

describe("a file that changes", () => {
	test.each<[string, (path: string) => void]>([
		["is written", (path) => writeFileSync(path, concat(plain, "x"))],
		["is touched", (path) => utimesSync(path, 1, 1)],
		[
			"is replaced",
			(path) => {
				writeFileSync(`${path}.new`, plain);
				renameSync(`${path}.new`, path);
			},
		],
	])("%s between the listing and the reading", async (_, change) => {
		const path = fileOf(plain);
		const source = archive(path);
		await source.list();
		change(path);
		await refusal(contents(source), "PACKAGE_SOURCE_CHANGED");
	});
});

describe("temporary files", () => {
	const options = (temporary: string) => ({ temporary, limits: { spoolBytes: 1_000 } });

	test("are made beyond spoolBytes, private, and gone with dispose", async () => {
		const temporary = workspace();
		const source = archive(fileOf(packed), options(temporary));
		expect(await contents(source)).toEqual(files);
		expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^millrace-archive-/)]);
		await source.dispose();
		expect(readdirSync(temporary)).toEqual([]);
		await refusal(source.list(), "PACKAGE_SOURCE_FAILED");
	});

	test("a stream of a tar or a zip is kept there too", async () => {
		const temporary = workspace();
		const source = archive(createReadStream(fileOf(plain)), options(temporary));
		expect(await contents(source)).toEqual(files);
		expect(readdirSync(temporary)).toHaveLength(1);
		await source.dispose();
		expect(readdirSync(temporary)).toEqual([]);
	});

	test("nothing is left of an archive that is refused, or stopped", async () => {
		const temporary = workspace();
		const cut = packed.subarray(0, -3);
		await refusal(archive(fileOf(cut), options(temporary)).list(), "PACKAGE_ARCHIVE_INVALID");
		await refusal(archive(fileOf(packed), { ...options(temporary), prefix: "x" }).list(), "PACKAGE_PATH_INVALID");
		const controller = new AbortController();
		async function* hangs(): AsyncGenerator<Uint8Array> {
			yield packed.subarray(0, packed.length - 100);
			controller.abort();
			await new Promise(() => {});
		}
		const stopped = archive(hangs(), { ...options(temporary), signal: controller.signal });
		await refusal(stopped.list(), "PACKAGE_ABORTED");
		expect(readdirSync(temporary)).toEqual([]);
	});

	test("no place for them is a matter of capacity", async () => {
		const source = archive(fileOf(packed), options(join(workspace(), "none")));
		await refusal(source.list(), "PACKAGE_CAPACITY");
	});
});

test("digest and inspection are those of the directory with the same files", async () => {
	const { digest } = await digestPackage(memorySource(files));
	for (const bytes of [plain, packed]) {
		expect((await digestPackage(archive(fileOf(bytes)))).digest).toBe(digest);
		expect((await inspectPackage(archive(fileOf(bytes)))).digest).toBe(digest);
	}
});

test("a host loads and runs a package from an archive, whose file may be gone by then", async () => {
	const flow =
		'import { handle } from "millrace/sdk";\nawait handle(async (run) => ({ outcome: "done", output: run.input }));\n';
	const made = gzipSync(tar(tarFile("package/FLOW.md", FLOW_MD), tarFile("package/flow.mjs", flow)));
	const source = archive(fileOf(made), { prefix: "package/" });
	const host = createHost({ runtime: nodeRuntime() });
	const pack = await host.load(source);
	await source.dispose();
	try {
		const { output } = await host.run(pack, { input: "hello", deadlineMs: 20_000 }).result;
		expect(output).toBe("hello");
	} finally {
		await pack.dispose();
	}
});

test("a large tar in a sparse file is walked without reading what lies between its headers", async () => {
	const path = join(workspace(), "large.tar");
	const size = 600_000_000;
	const fd = openSync(path, "w");
	writeSync(fd, tarFile("FLOW.md", FLOW_MD), 0, 1_024, 0);
	writeSync(fd, tarHeader({ name: "big", size }), 0, 512, 1_024);
	const end = 1_536 + Math.ceil(size / 512) * 512;
	writeSync(fd, END, 0, END.length, end);
	closeSync(fd);
	const bytes = fileBytes(path);
	let read = 0;
	const counted: Bytes = {
		size: bytes.size,
		slice(from, until) {
			read += until - from;
			return bytes.slice(from, until);
		},
	};
	const source = makeArchiveSource(async () => counted, {}, zlibInflate);
	expect((await source.list()).map((entry) => entry.size)).toEqual([FLOW_MD.length, size]);
	expect(read).toBeLessThan(size / 50);
});
