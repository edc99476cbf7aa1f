/** Zips, field by field: what is read, and that everything with a second reading is refused. */
import { describe, expect, test } from "vitest";
import { crc32 } from "../../adapters/archive/crc32.ts";
import { type ArchiveOptions, archiveSource } from "../../adapters/archive/index.ts";
import { makeArchiveSource } from "../../adapters/archive/source.ts";
import { zlibInflate } from "../../adapters/node/archive/inflate.ts";
import type { PackageErrorCode } from "../../src/package/index.ts";
import { concat, contents, FLOW_MD, refusal, streamed, text } from "./support.ts";
import { deflated, descriptor, extraField, u64, type ZipEntry, zip } from "./zip-support.ts";

const flow: ZipEntry = { name: "FLOW.md", body: FLOW_MD };
const source = (archive: Uint8Array, options: ArchiveOptions = {}) =>
	makeArchiveSource(async () => new Blob([archive as Uint8Array<ArrayBuffer>]), options, zlibInflate);
const read = (archive: Uint8Array, options?: ArchiveOptions) => contents(source(archive, options));
const refused = (archive: Uint8Array, code: PackageErrorCode, options?: ArchiveOptions) =>
	refusal(source(archive, options).list(), code);

describe("what is read", () => {
	test("stored and deflated entries, directories, empty files, UTF-8 names", async () => {
		const archive = zip([
			flow,
			{ name: "a/", method: 0, attributes: 0o040755 * 65_536 + 16 },
			{ name: "a/stored", body: "as it is", method: 0, attributes: 0o100644 * 65_536 },
			{ name: "a/empty", method: 0 },
			{ name: "a/ü", body: "ü" },
		]);
		const files = { "FLOW.md": FLOW_MD, "a/empty": "", "a/stored": "as it is", "a/ü": "ü" };
		expect(await read(archive)).toEqual(files);
		expect(await contents(makeArchiveSource(async () => streamed(archive), {}, zlibInflate))).toEqual(files);
	});

	test("a mode that nobody set, as Maven writes it", async () => {
		const archive = zip([
			flow,
			{ name: "a/", method: 0, attributes: 0xffff0010 },
			{ name: "b", attributes: 0xffff0000 },
		]);
		expect(Object.keys(await read(archive))).toEqual(["FLOW.md", "b"]);
	});

	test("an empty zip, and one with a comment", async () => {
		expect(await read(zip([]))).toEqual({});
		expect(await read(zip([flow], { comment: text("made by hand") }))).toEqual({ "FLOW.md": FLOW_MD });
	});

	test.each([
		["signed", false, true],
		["unsigned", false, false],
		["signed, 64-bit", true, true],
		["unsigned, 64-bit", true, false],
	] as const)("sizes behind the data: %s", async (_, long, signed) => {
		const after = descriptor("streamed", deflated("streamed").length, long, signed);
		const local = { crc: 0, size: 0, packed: 0 };
		expect(await read(zip([{ name: "s", body: "streamed", flags: 8, local, after }, flow]))).toEqual({
			"FLOW.md": FLOW_MD,
			s: "streamed",
		});
	});

	test("64-bit sizes in extra fields", async () => {
		const [body, packed] = ["long", deflated("long").length];
		const extra = extraField(1, u64(body.length), u64(packed));
		const archive = zip([{ name: "z", body, size: 0xffffffff, packed: 0xffffffff, extra }]);
		expect(await read(archive)).toEqual({ z: "long" });
	});

	test("a name that a Unicode Path field says to be UTF-8", async () => {
		const name = text("ü");
		const crc = new Uint8Array(new Uint32Array([crc32(name, 0)]).buffer);
		const extra = extraField(0x7075, Uint8Array.of(1), crc, name);
		expect(await read(zip([{ name, flags: 0, body: "x", extra }]))).toEqual({ ü: "x" });
	});

	test("a zip inside a zip, whose own end is in the last bytes", async () => {
		const inner = zip([{ name: "inner", body: "x" }]);
		expect(Object.keys(await read(zip([flow, { name: "inner.zip", body: inner, method: 0 }])))).toEqual([
			"FLOW.md",
			"inner.zip",
		]);
	});

	test("entries in another order than in the directory", async () => {
		const archive = zip([
			{ name: "b", body: "2", central: { offset: 0 } },
			{ name: "a", body: "1" },
		]);
		expect(await read(archive)).toEqual({ a: "1", b: "2" });
	});
});

describe("what is refused", () => {
	const cases: [string, Uint8Array, PackageErrorCode][] = [
		["an encrypted entry", zip([flow, { name: "a", flags: 1 }]), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["a strongly encrypted entry", zip([flow, { name: "a", flags: 0x41 }]), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["a patch", zip([flow, { name: "a", flags: 0x20 }]), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		...[1, 6, 9, 12, 14, 93, 95, 98, 99].map((method): [string, Uint8Array, PackageErrorCode] => [
			`method ${method}`,
			zip([flow, { name: "a", method, data: text("?") }]),
			"PACKAGE_ARCHIVE_UNSUPPORTED",
		]),
		["a symbolic link", zip([flow, { name: "a", body: "FLOW.md", attributes: 0o120777 * 65_536 }]), "PACKAGE_SYMLINK"],
		[
			"a link by its extra field",
			zip([flow, { name: "a", extra: extraField(0x756e, u64(0xa1ff00000000), u64(0)) }]),
			"PACKAGE_SYMLINK",
		],
		["a pipe", zip([flow, { name: "a", attributes: 0o010644 * 65_536 }]), "PACKAGE_SPECIAL_FILE"],
		["a device", zip([flow, { name: "a", attributes: 0o020644 * 65_536 }]), "PACKAGE_SPECIAL_FILE"],
		["a socket", zip([flow, { name: "a", attributes: 0o140644 * 65_536 }]), "PACKAGE_SPECIAL_FILE"],
		["a directory by its mode", zip([flow, { name: "a", attributes: 0o040755 * 65_536 }]), "PACKAGE_ARCHIVE_INVALID"],
		["a directory by its attributes", zip([flow, { name: "a", attributes: 16 }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a file by its mode",
			zip([flow, { name: "a/", method: 0, attributes: 0o100644 * 65_536 }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a directory with a content", zip([flow, { name: "a/", body: "x", method: 0 }]), "PACKAGE_ARCHIVE_INVALID"],
		["..", zip([flow, { name: "../a" }]), "PACKAGE_PATH_INVALID"],
		["an absolute path", zip([flow, { name: "/a" }]), "PACKAGE_PATH_INVALID"],
		["a backslash", zip([flow, { name: "a\\b" }]), "PACKAGE_PATH_INVALID"],
		["a NUL", zip([flow, { name: "a\0b" }]), "PACKAGE_PATH_INVALID"],
		["no name", zip([flow, { name: "" }]), "PACKAGE_ARCHIVE_INVALID"],
		["a name in an unknown encoding", zip([flow, { name: Uint8Array.of(0x81), flags: 0 }]), "PACKAGE_PATH_INVALID"],
		["UTF-8 without the flag", zip([flow, { name: "ü", flags: 0 }]), "PACKAGE_PATH_INVALID"],
		["a name that is no UTF-8", zip([flow, { name: Uint8Array.of(0xff), flags: 0x800 }]), "PACKAGE_PATH_INVALID"],
		[
			"a second, other name",
			zip([flow, { name: "a", extra: extraField(0x7075, text("\u0001????b")) }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		[
			"a second, other name in front",
			zip([flow, { name: "a", local: { extra: extraField(0x7075, text("\u0001????b")) } }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a path twice", zip([flow, { name: "a", body: "1" }, { name: "a", body: "2" }]), "PACKAGE_PATH_COLLISION"],
		["a file and a directory", zip([flow, { name: "a" }, { name: "a/", method: 0 }]), "PACKAGE_PATH_COLLISION"],
		["another name in front", zip([flow, { name: "a", local: { name: "b" } }]), "PACKAGE_ARCHIVE_INVALID"],
		["another method in front", zip([flow, { name: "a", body: "x", local: { method: 0 } }]), "PACKAGE_ARCHIVE_INVALID"],
		["another CRC-32 in front", zip([flow, { name: "a", body: "x", local: { crc: 1 } }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"zeros in front without a descriptor",
			zip([flow, { name: "a", body: "x", local: { crc: 0, size: 0, packed: 0 } }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["another size in front", zip([flow, { name: "a", body: "x", local: { size: 2 } }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"another packed size in front",
			zip([flow, { name: "a", body: "x", local: { packed: 2 } }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["encrypted in front", zip([flow, { name: "a", body: "x", local: { flags: 1 } }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a descriptor of another size",
			zip([flow, { name: "a", body: "x", flags: 8, after: descriptor("xy", 3) }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a descriptor that is missing", zip([flow, { name: "a", body: "x", flags: 8 }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"stored in more bytes than it has",
			zip([flow, { name: "a", method: 0, body: "abc", size: 2 }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		[
			"an entry that overlaps another",
			zip([flow, { name: "a", body: "x", central: { offset: 0 } }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		[
			"data that reaches into the next",
			zip([{ name: "a", body: "x", packed: 50, local: { packed: 50 } }, flow]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a local header elsewhere", zip([flow, { name: "a", central: { offset: 3 } }]), "PACKAGE_ARCHIVE_INVALID"],
		[
			"something between the entries",
			zip([{ ...flow, after: text("hidden") }, { name: "a" }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		[
			"an entry that the directory hides",
			zip([{ ...flow, after: zip([{ name: "b" }]).subarray(0, 33) }, { name: "a" }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["something before the directory", zip([flow], { between: text("hidden") }), "PACKAGE_ARCHIVE_INVALID"],
		["something behind", zip([flow], { behind: text("x") }), "PACKAGE_ARCHIVE_INVALID"],
		["zeros behind", zip([flow], { behind: new Uint8Array(512) }), "PACKAGE_ARCHIVE_INVALID"],
		["something in front", zip([flow], { before: text("#!/bin/sh\n") }), "PACKAGE_ARCHIVE_INVALID"],
		["a zip in front", concat(zip([{ name: "x", body: "first" }]), zip([flow])), "PACKAGE_ARCHIVE_INVALID"],
		["fewer entries than the directory has", zip([flow, { name: "a" }], { count: 1 }), "PACKAGE_ARCHIVE_INVALID"],
		["more entries than the directory has", zip([flow], { count: 2 }), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a comment that hides a second end",
			zip([flow], { comment: zip([{ name: "other", body: "x" }]) }),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a comment that is an empty zip", zip([flow], { comment: zip([]) }), "PACKAGE_ARCHIVE_INVALID"],
		["cut off at its end", zip([flow]).subarray(0, -1), "PACKAGE_ARCHIVE_INVALID"],
		[
			"cut off in its middle",
			zip([flow, { name: "a", body: "x".repeat(1_000), method: 0 }]).subarray(0, 300),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["only a signature", text("PK\u0003\u0004"), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a malformed extra field",
			zip([flow, { name: "a", extra: Uint8Array.of(1, 0, 99, 0) }]),
			"PACKAGE_ARCHIVE_INVALID",
		],
	];
	test.each(cases)("%s", async (_, archive, code) => {
		await refused(archive, code);
	});

	test.each<[string, ZipEntry]>([
		["a CRC-32 that isn't its content's", { name: "a", body: "x", crc: 5 }],
		["a stored content with another CRC-32", { name: "a", body: "x", method: 0, crc: 5 }],
		["data that unpacks to more", { name: "a", body: "xyz", size: 2 }],
		["data that unpacks to less", { name: "a", body: "xyz", size: 4 }],
		["data that is no deflate", { name: "a", body: "x", data: Uint8Array.of(0xff, 0xff, 0xff) }],
		["data that is cut off", { name: "a", body: "x".repeat(99), data: deflated("x".repeat(99)).subarray(0, -2) }],
		["data with something behind it", { name: "a", body: "x", data: concat(deflated("x"), "hidden") }],
		["data in two pieces", { name: "a", body: "x", data: concat(deflated("x"), deflated("y")) }],
	])("%s, when it is read", async (_, entry) => {
		const archive = source(zip([flow, entry]));
		await archive.list();
		const error = await refusal(contents(archive), "PACKAGE_ARCHIVE_INVALID");
		expect(error.path).toBe("a");
	});
});

describe("bounds", () => {
	test("a bomb ends by what it says, before any of it is unpacked", async () => {
		const zeros = deflated(new Uint8Array(20_000_000));
		const bomb = zip([flow, { name: "a", data: zeros, size: 20_000_000, crc: 0 }]);
		expect((await refused(bomb, "PACKAGE_ARCHIVE_LIMIT")).limit).toEqual({ name: "ratio", max: 200 });
		const output = await refused(zip([flow]), "PACKAGE_ARCHIVE_LIMIT", { limits: { outputBytes: 10 } });
		expect(output.limit).toEqual({ name: "outputBytes", max: 10 });
		await refused(zip([flow, { name: "a", size: 0x7fffffff }]), "PACKAGE_LIMIT_EXCEEDED");
	});

	test("one kernel of data for many entries, the better bomb", async () => {
		const kernel = deflated(new Uint8Array(1_000_000));
		const entries = Array.from(
			{ length: 50 },
			(_, index): ZipEntry => ({ name: `${index}`, data: kernel, size: 1_000_000, central: { offset: 0 } }),
		);
		await refused(zip(entries), "PACKAGE_ARCHIVE_INVALID", { limits: { ratio: 1e9 } });
	});

	test("a directory of more bytes than metadataBytes, and one of more members than entries", async () => {
		const many = zip(Array.from({ length: 100 }, (_, index) => ({ name: `f${index}`, method: 0 })));
		const error = await refused(many, "PACKAGE_ARCHIVE_LIMIT", { limits: { metadataBytes: 4_000 } });
		expect(error.limit).toEqual({ name: "metadataBytes", max: 4_000 });
		const members = zip(Array.from({ length: 50 }, (_, index) => ({ name: `d${index}/`, method: 0 })));
		expect((await refused(members, "PACKAGE_ARCHIVE_LIMIT", { limits: { entries: 49 } })).limit?.name).toBe("entries");
	});

	test("a Blob in a runtime whose DecompressionStream forgives is refused rather than read in its way", async () => {
		const plain = archiveSource(new Blob([zip([flow])]));
		const answer = await contents(plain).catch((error: { code: string }) => error.code);
		const node = Number(process.versions.node.split(".")[0]);
		expect(answer).toEqual(node < 24 ? "PACKAGE_ARCHIVE_UNSUPPORTED" : { "FLOW.md": FLOW_MD });
	});
});
