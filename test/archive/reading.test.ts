/** How often the bytes of an archive are asked for: reading is bound by questions before it is bound by bytes. */
import { describe, expect, test } from "vitest";
import { crc32 } from "../../adapters/archive/crc32.ts";
import { archiveSource, type Bytes } from "../../adapters/archive/index.ts";
import { digestPackage, memorySource } from "../../src/package/index.ts";
import { concat, contents, FLOW_MD, tar, tarFile, text } from "./support.ts";

interface Counted extends Bytes {
	readonly reads: { count: number; bytes: number; largest: number; open: number; most: number };
}

/** The bytes, and how they are read. */
function counted(bytes: Uint8Array): Counted {
	const reads = { count: 0, bytes: 0, largest: 0, open: 0, most: 0 };
	return {
		reads,
		size: bytes.length,
		slice: (start, end) => ({
			async arrayBuffer() {
				reads.count += 1;
				reads.bytes += end - start;
				reads.largest = Math.max(reads.largest, end - start);
				reads.open += 1;
				reads.most = Math.max(reads.most, reads.open);
				await Promise.resolve();
				reads.open -= 1;
				return bytes.slice(start, end).buffer as ArrayBuffer;
			},
		}),
	};
}

const MIB = 1_048_576;
const body = (size: number, seed: number): Uint8Array => new Uint8Array(size).fill(seed);

/** An order that is not the one of the names, and always the same. */
function shuffled<T>(items: readonly T[]): T[] {
	return items
		.map((item, index) => [(index * 7_919) % items.length, item] as const)
		.sort(([a], [b]) => a - b)
		.map(([, item]) => item);
}

async function check(members: readonly (readonly [string, Uint8Array])[]): Promise<Counted["reads"]> {
	const archive = counted(tar(tarFile("FLOW.md", FLOW_MD), ...members.map(([name, bytes]) => tarFile(name, bytes))));
	const expected = await digestPackage(memorySource([["FLOW.md", text(FLOW_MD)], ...members]));
	expect((await digestPackage(archiveSource(archive))).digest).toBe(expected.digest);
	return archive.reads;
}

describe("a tar in place", () => {
	test("one of a large file is jumped over in the listing, and read in large pieces", async () => {
		const archive = counted(tar(tarFile("FLOW.md", FLOW_MD), tarFile("big", body(30 * MIB, 1)), tarFile("z", "z")));
		const source = archiveSource(archive);
		await source.list();
		expect(archive.reads.count).toBeLessThan(6);
		expect(archive.reads.bytes).toBeLessThan(15 * MIB);
		await contents(source);
		expect(archive.reads.largest).toBeLessThanOrEqual(4 * MIB);
		expect(archive.reads.count).toBeLessThan(20);
	});

	test("one of many small files is read twice, in few questions", async () => {
		const members = Array.from(
			{ length: 3_000 },
			(_, index) => [`d${index % 30}/f${index}`, body(2_000, index)] as const,
		);
		const reads = await check(members.sort(([a], [b]) => (a < b ? -1 : 1)));
		expect(reads.count).toBeLessThan(20);
	});

	test("so is one whose directories have their files in any order", async () => {
		const directories = Array.from({ length: 20 }, (_, at) =>
			shuffled(
				Array.from({ length: 150 }, (_, index) => [`d${at + 10}/f${index + 1_000}`, body(1_000, index)] as const),
			),
		);
		expect((await check(directories.flat())).count).toBeLessThan(30);
	});

	test("files in no order at all are read one by one, a few at once", async () => {
		const members = shuffled(
			Array.from({ length: 300 }, (_, index) => [`f${index + 1_000}`, body(100_000, index)] as const),
		);
		const reads = await check(members);
		expect(reads.most).toBeGreaterThan(4);
		expect(reads.most).toBeLessThan(40);
		expect(reads.bytes).toBeLessThan(4 * 300 * 100_000);
	});

	test("files that are opened in another order, twice, or two at a time", async () => {
		const members = Array.from({ length: 50 }, (_, index) => [`f${index + 10}`, body(200_000, index)] as const);
		const source = archiveSource(counted(tar(...members.map(([name, bytes]) => tarFile(name, bytes)))));
		await source.list();
		const readAll = async (path: string): Promise<Uint8Array> => {
			const reader = (await source.open(path)).getReader();
			const chunks: Uint8Array[] = [];
			for (;;) {
				const { done, value } = await reader.read();
				if (done) return concat(...chunks);
				chunks.push(value);
			}
		};
		for (const [name, bytes] of [...members].reverse().concat(shuffled(members))) {
			const [first, second] = await Promise.all([readAll(name), readAll("f10")]);
			expect(Buffer.compare(first, bytes)).toBe(0);
			expect(Buffer.compare(second, members[0]![1])).toBe(0);
		}
		expect(() => source.open("other")).toThrow(TypeError);
	});

	test("bytes that fail, or are fewer than they should be", async () => {
		const good = tar(tarFile("FLOW.md", FLOW_MD), tarFile("b", body(9 * MIB, 1)));
		const short: Bytes = { size: good.length + 512, slice: (start, end) => new Blob([good]).slice(start, end) };
		await expect(archiveSource(short).list()).rejects.toMatchObject({ code: "PACKAGE_SOURCE_CHANGED" });
		let fail = false;
		const failing: Bytes = {
			size: good.length,
			slice: (start, end) => ({
				arrayBuffer: () =>
					fail ? Promise.reject(new Error("gone")) : new Blob([good]).slice(start, end).arrayBuffer(),
			}),
		};
		const source = archiveSource(failing);
		await source.list();
		fail = true;
		await expect(digestPackage(source)).rejects.toMatchObject({ code: "PACKAGE_SOURCE_FAILED" });
	});
});

test.each([[undefined], [null], ["a.tar"], [{}], [new Uint8Array(512)], [new ArrayBuffer(9)]])(
	"%j is no input",
	(input) => {
		expect(() => archiveSource(input as unknown as Blob)).toThrow(TypeError);
	},
);

test("CRC-32 is that of the standard, in any pieces", () => {
	const bytes = text("123456789");
	expect(crc32(bytes, 0)).toBe(0xcbf43926);
	expect(crc32(new Uint8Array(0), 0)).toBe(0);
	for (let at = 0; at <= 9; at++) expect(crc32(bytes.subarray(at), crc32(bytes.subarray(0, at), 0))).toBe(0xcbf43926);
	const long = Uint8Array.from({ length: 1_003 }, (_, index) => (index * 31) & 255);
	expect(crc32(long.subarray(500), crc32(long.subarray(0, 500), 0))).toBe(crc32(long, 0));
});
