/** Tar archives, header by header: what is read, and that everything with a second reading is refused. */
import { describe, expect, test } from "vitest";
import { type ArchiveOptions, archiveSource } from "../../adapters/archive/index.ts";
import { digestPackage, memorySource, type PackageErrorCode } from "../../src/package/index.ts";
import {
	blob,
	concat,
	contents,
	END,
	FLOW_MD,
	globalPax,
	pax,
	paxRecord,
	refusal,
	tar,
	tarFile,
	tarHeader,
	tarMember,
	text,
} from "./support.ts";

const flow = tarFile("FLOW.md", FLOW_MD);

const read = (archive: Uint8Array, options?: ArchiveOptions): Promise<Record<string, string>> =>
	contents(archiveSource(new Blob([archive as Uint8Array<ArrayBuffer>]), options));

const refused = (archive: Uint8Array, code: PackageErrorCode, options?: ArchiveOptions) =>
	refusal(archiveSource(new Blob([archive as Uint8Array<ArrayBuffer>]), options).list(), code);

describe("what is read", () => {
	test("files in any order, empty ones too; directories say nothing; zeros fill up the end", async () => {
		const archive = tar(
			tarFile("b/c", "deep"),
			tarMember({ name: "b/", type: "5" }),
			tarFile("a"),
			flow,
			new Uint8Array(0),
		);
		const files = { "FLOW.md": FLOW_MD, a: "", "b/c": "deep" };
		expect(await read(concat(archive, new Uint8Array(8_192)))).toEqual(files);
		expect(Object.keys(await read(archive))).toEqual(["FLOW.md", "a", "b/c"]);
		const packed = await digestPackage(archiveSource(blob(archive)));
		expect(packed.digest).toBe((await digestPackage(memorySource(files))).digest);
	});

	test("the old type NUL is a file; GNU and ustar magic; a ustar prefix; a size with spaces", async () => {
		const archive = tar(
			tarMember({ name: "old", type: "\0" }, "1"),
			tarMember({ name: "gnu", magic: "ustar  \0" }, "2"),
			tarMember({ name: "long", prefix: "some/where" }, "3"),
			tarMember({ name: "spaces", size: "         1 \0" }, "4"),
			tarMember({ name: "full", size: "000000000001" }, "5"),
		);
		expect(await read(archive)).toEqual({ old: "1", gnu: "2", "some/where/long": "3", spaces: "4", full: "5" });
	});

	test("a prefix of 155 bytes, and one of up to 130 with the times of star behind it", async () => {
		const [short, long] = ["s".repeat(130), `${"l".repeat(100)}/${"m".repeat(54)}`];
		const archive = tar(
			tarMember({ name: "none", prefix: `${"\0".repeat(131)}15075543223\u000015075543223` }, "1"),
			tarMember({ name: "short", prefix: `${short}\u000015075543223\u000015075543223` }, "2"),
			tarMember({ name: "long", prefix: long }, "3"),
		);
		expect(await read(archive)).toEqual({ [`${long}/long`]: "3", none: "1", [`${short}/short`]: "2" });
		await refused(tar(tarMember({ name: "a", prefix: "p\0q" })), "PACKAGE_ARCHIVE_INVALID");
	});

	test("the prefix of a GNU header is no name", async () => {
		expect(await read(tar(tarMember({ name: "a", magic: "ustar  \0", prefix: "14000000000" }, "x")))).toEqual({
			a: "x",
		});
	});

	test("a base-256 size", async () => {
		const size = Uint8Array.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
		expect(await read(tar(tarMember({ name: "a", size }, "abc")))).toEqual({ a: "abc" });
	});

	test("one leading ./ as `tar -C dir .` writes it", async () => {
		const archive = tar(tarMember({ name: "./", type: "5" }), tarFile("./FLOW.md", FLOW_MD), tarFile("./a/b", "x"));
		expect(await read(archive)).toEqual({ "FLOW.md": FLOW_MD, "a/b": "x" });
	});

	test("PAX: path and size apply, in any script; the keys of people and tools don't", async () => {
		const long = `${"ü/".repeat(120)}file`;
		const archive = tar(
			globalPax(paxRecord("comment", "0123456789abcdef")),
			pax(
				paxRecord("path", long),
				paxRecord("size", "3"),
				paxRecord("mtime", "1.5"),
				paxRecord("hdrcharset", "ISO-IR 10646 2000 UTF-8"),
				paxRecord("SCHILY.xattr.user.x", Uint8Array.from([0xff, 0x0a, 0])),
				paxRecord("LIBARCHIVE.creationtime", "1"),
				paxRecord("NODETAR.ino", "1"),
			),
			tarFile("short", "abc"),
			tarFile("next", "n"),
		);
		expect(await read(archive)).toEqual({ next: "n", [long]: "abc" });
	});

	test("GNU long names, of files and of what hard links lead to", async () => {
		const [name, other] = [`${"a/".repeat(80)}x`, `${"b/".repeat(80)}y`];
		const gnu = (type: string, value: string): Uint8Array =>
			tarMember({ name: "././@LongLink", type, magic: "ustar  \0" }, `${value}\0`);
		const archive = tar(
			gnu("L", name),
			tarMember({ name: name.slice(0, 99), magic: "ustar  \0" }, "long"),
			gnu("K", name),
			gnu("L", other),
			tarMember({ name: other.slice(0, 99), linkName: name.slice(0, 99), type: "1", magic: "ustar  \0" }),
		);
		expect(await read(archive)).toEqual({ [name]: "long", [other]: "long" });
	});

	test("a hard link to an earlier file becomes a file of its own", async () => {
		const archive = tar(flow, tarMember({ name: "link", type: "1", linkName: "./FLOW.md" }), tarFile("z", "z"));
		expect(await read(archive)).toEqual({ "FLOW.md": FLOW_MD, link: FLOW_MD, z: "z" });
	});
});

describe("what is refused by its type", () => {
	test.each<[string, PackageErrorCode]>([
		["2", "PACKAGE_SYMLINK"],
		["3", "PACKAGE_SPECIAL_FILE"],
		["4", "PACKAGE_SPECIAL_FILE"],
		["6", "PACKAGE_SPECIAL_FILE"],
		...[..."7SVMDNAXZ89"].map((type): [string, PackageErrorCode] => [type, "PACKAGE_ARCHIVE_UNSUPPORTED"]),
		["\u0001", "PACKAGE_ARCHIVE_UNSUPPORTED"],
	])("type %j is %s", async (type, code) => {
		const error = await refused(tar(flow, tarMember({ name: "odd", type, linkName: "FLOW.md" })), code);
		expect(error.path).toBe("odd");
	});

	test.each<[string, Uint8Array]>([
		["to nothing", tar(tarMember({ name: "b", type: "1", linkName: "a" }))],
		["to a later file", tar(tarMember({ name: "b", type: "1", linkName: "a" }), tarFile("a"))],
		["to itself", tar(tarMember({ name: "b", type: "1", linkName: "b" }))],
		[
			"in a circle",
			tar(tarMember({ name: "a", type: "1", linkName: "b" }), tarMember({ name: "b", type: "1", linkName: "a" })),
		],
		["to a directory", tar(tarMember({ name: "a/", type: "5" }), tarMember({ name: "b", type: "1", linkName: "a" }))],
		[
			"to a hard link",
			tar(
				tarFile("a"),
				tarMember({ name: "./b", type: "1", linkName: "a" }),
				tarMember({ name: "c", type: "1", linkName: "b" }),
			),
		],
		["out of the tree", tar(tarMember({ name: "b", type: "1", linkName: "../../etc/passwd" }))],
	])("a hard link %s", async (_, archive) => {
		expect((await refused(archive, "PACKAGE_HARD_LINK")).path).toMatch(/^[abc]$/);
	});

	test("hard links multiply bytes only as far as Package/1 goes", async () => {
		const big = 1_000_000_000;
		// A sparse Blob can't be made; a source that says it is large can.
		const head = concat(tarHeader({ name: "a", size: big }));
		const links = concat(
			...Array.from({ length: 5 }, (_, index) => tarMember({ name: `l${index}`, type: "1", linkName: "a" })),
			END,
		);
		const at = 512 + Math.ceil(big / 512) * 512;
		const bytes = {
			size: at + links.length,
			slice: (start: number, end: number) => ({
				arrayBuffer: async () => {
					const part = new Uint8Array(end - start);
					part.set(head.subarray(start, Math.min(end, head.length)));
					if (end > at) part.set(links.subarray(Math.max(0, start - at), end - at), Math.max(0, at - start));
					return part.buffer;
				},
			}),
		};
		const error = await refusal(archiveSource(bytes).list(), "PACKAGE_LIMIT_EXCEEDED");
		expect(error.limit).toEqual({ name: "totalBytes", max: 4_294_967_296 });
	});
});

describe("names", () => {
	test.each<[string, Uint8Array, PackageErrorCode]>([
		["..", tarFile("../x"), "PACKAGE_PATH_INVALID"],
		[".. inside", tarFile("a/../x"), "PACKAGE_PATH_INVALID"],
		["only ..", tarFile(".."), "PACKAGE_PATH_INVALID"],
		["absolute", tarFile("/etc/passwd"), "PACKAGE_PATH_INVALID"],
		["absolute behind ./", tarFile(".//etc"), "PACKAGE_PATH_INVALID"],
		["two ./", tarFile("././a"), "PACKAGE_PATH_INVALID"],
		["a segment .", tarFile("a/./b"), "PACKAGE_PATH_INVALID"],
		["an empty segment", tarFile("a//b"), "PACKAGE_PATH_INVALID"],
		["a backslash", tarFile("a\\b"), "PACKAGE_PATH_INVALID"],
		["a directory that leads out", tarMember({ name: "a/../../b/", type: "5" }), "PACKAGE_PATH_INVALID"],
		["no UTF-8", tarMember({ name: Uint8Array.from([0x61, 0xff]) }), "PACKAGE_PATH_INVALID"],
		[
			"an overlong form of a slash",
			tarMember({ name: Uint8Array.from([0x61, 0xc0, 0xaf, 0x62]) }),
			"PACKAGE_PATH_INVALID",
		],
		["no name", tarMember({ name: "" }), "PACKAGE_ARCHIVE_INVALID"],
		["more after a NUL", tarMember({ name: "a\0b" }), "PACKAGE_ARCHIVE_INVALID"],
		["a file with a slash at its end", tarMember({ name: "a/" }), "PACKAGE_ARCHIVE_INVALID"],
		["an old file with a slash at its end", tarMember({ name: "a/", type: "\0" }), "PACKAGE_ARCHIVE_INVALID"],
	])("%s", async (_, member, code) => {
		await refused(tar(flow, member), code);
	});

	test("twice, with a ./ too, and as a file and a directory", async () => {
		for (const [first, second] of [
			[tarFile("a", "1"), tarFile("a", "2")],
			[tarFile("a", "1"), tarFile("./a", "1")],
			[tarFile("a"), tarMember({ name: "a", type: "1", linkName: "a" })],
			[tarFile("a"), tarMember({ name: "a/", type: "5" })],
			[tarMember({ name: "a", type: "5" }), tarFile("a")],
		] as const)
			expect((await refused(tar(flow, first, second), "PACKAGE_PATH_COLLISION")).path).toBe("a");
		expect(await read(tar(tarMember({ name: "d", type: "5" }), tarMember({ name: "d/", type: "5" }), flow))).toEqual({
			"FLOW.md": FLOW_MD,
		});
	});

	test("alike by case, not NFC, below a file: refused by the core", async () => {
		for (const [members, code] of [
			[[tarFile("A"), tarFile("a")], "PACKAGE_PATH_COLLISION"],
			[[tarFile("e\u0301")], "PACKAGE_PATH_INVALID"],
			[[tarFile("a"), tarFile("a/b")], "PACKAGE_PATH_COLLISION"],
		] as const)
			await refusal(digestPackage(archiveSource(blob(tar(flow, ...members)))), code);
	});
});

describe("numbers and bodies", () => {
	test.each<[string, Uint8Array, PackageErrorCode]>([
		["a wrong checksum", tarMember({ checksum: "000000\0 " }), "PACKAGE_ARCHIVE_INVALID"],
		["a checksum of letters", tarMember({ checksum: "abcdef\0 " }), "PACKAGE_ARCHIVE_INVALID"],
		["no magic", tarMember({ magic: "\0\0\0\0\0\0\0\0" }), "PACKAGE_ARCHIVE_INVALID"],
		["another version", tarMember({ magic: "ustar\u000001" }), "PACKAGE_ARCHIVE_INVALID"],
		["a size of letters", tarHeader({ size: "0000000000x\0" }), "PACKAGE_ARCHIVE_INVALID"],
		["a size with more behind its NUL", tarMember({ size: "00001\u000000001\0" }, "x"), "PACKAGE_ARCHIVE_INVALID"],
		["a size with a sign", tarHeader({ size: "-0000000001\0" }), "PACKAGE_ARCHIVE_INVALID"],
		["no size", tarHeader({ size: new Uint8Array(12) }), "PACKAGE_ARCHIVE_INVALID"],
		["a negative base-256 size", tarHeader({ size: new Uint8Array(12).fill(0xff) }), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a huge base-256 size",
			tarHeader({ size: Uint8Array.from([0xbf, ...new Array(11).fill(0xff)]) }),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["2 GB that aren't there", tarHeader({ size: 2_147_483_648 }), "PACKAGE_LIMIT_EXCEEDED"],
		["1 GB that isn't there", tarHeader({ size: 1_073_741_824 }), "PACKAGE_ARCHIVE_INVALID"],
		["a directory with a content", tarMember({ type: "5", name: "d/" }, "content"), "PACKAGE_ARCHIVE_INVALID"],
		["a hard link with a content", tarMember({ type: "1", linkName: "FLOW.md" }, "content"), "PACKAGE_ARCHIVE_INVALID"],
	])("%s", async (_, member, code) => {
		await refused(tar(flow, member), code);
	});

	test("a file that is cut off says how much is missing, and where", async () => {
		const error = await refused(
			concat(flow, tarHeader({ name: "cut", size: 5_000 }), "abc"),
			"PACKAGE_ARCHIVE_INVALID",
		);
		expect(error.path).toBe("cut");
		expect(error.message).toMatch(/"cut" has 5000 bytes, and the archive only 3 more: it is truncated/);
	});
});

describe("the end", () => {
	test.each<[string, Uint8Array]>([
		["nothing", flow],
		["one zero block", concat(flow, new Uint8Array(512))],
		["half a block", concat(flow, new Uint8Array(700))],
		["one zero block, then more", concat(flow, new Uint8Array(512), tarFile("hidden"), END)],
		["another archive", concat(flow, END, tarFile("hidden"), END)],
		["garbage", concat(flow, END, "garbage")],
		["garbage far behind", concat(flow, END, new Uint8Array(100_000), "x")],
		["more zeros than any writer writes", concat(flow, END, new Uint8Array(1_048_577))],
		["a PAX header without a member", tar(flow, pax(paxRecord("path", "x")))],
		["a long name without a member", tar(flow, tarMember({ type: "L" }, "x\0"))],
	])("%s", async (_, archive) => {
		await refused(archive, "PACKAGE_ARCHIVE_INVALID");
	});
});

describe("PAX", () => {
	const member = tarFile("short", "abc");

	test.each<[string, Uint8Array, PackageErrorCode]>([
		["path twice", pax(paxRecord("path", "a"), paxRecord("path", "b")), "PACKAGE_ARCHIVE_INVALID"],
		["any key twice", pax(paxRecord("mtime", "1"), paxRecord("mtime", "1")), "PACKAGE_ARCHIVE_INVALID"],
		["a size that isn't the header's", pax(paxRecord("size", "4")), "PACKAGE_ARCHIVE_INVALID"],
		["a size beyond Package/1", pax(paxRecord("size", "9000000000")), "PACKAGE_LIMIT_EXCEEDED"],
		["a negative size", pax(paxRecord("size", "-3")), "PACKAGE_ARCHIVE_INVALID"],
		["a size with a zero before it", pax(paxRecord("size", "03")), "PACKAGE_ARCHIVE_INVALID"],
		["an empty path", pax(text("8 path=\n")), "PACKAGE_ARCHIVE_INVALID"],
		["a path with a NUL", pax(paxRecord("path", "a\0b")), "PACKAGE_PATH_INVALID"],
		["a path that is no UTF-8", pax(paxRecord("path", Uint8Array.from([0xff]))), "PACKAGE_PATH_INVALID"],
		["a path that leads out", pax(paxRecord("path", "../x")), "PACKAGE_PATH_INVALID"],
		["a length that is too long", pax(text("99 path=a\n")), "PACKAGE_ARCHIVE_INVALID"],
		["a length that is too short", pax(text("8 path=ab\n")), "PACKAGE_ARCHIVE_INVALID"],
		["a length with a zero before it", pax(text("010 path=a\n")), "PACKAGE_ARCHIVE_INVALID"],
		["no length", pax(text(" path=a\n")), "PACKAGE_ARCHIVE_INVALID"],
		["no key", pax(text("6 =abc\n")), "PACKAGE_ARCHIVE_INVALID"],
		["no equals sign", pax(text("9 path a\n")), "PACKAGE_ARCHIVE_INVALID"],
		["something after its records", pax(paxRecord("mtime", "1"), "\0\0"), "PACKAGE_ARCHIVE_INVALID"],
		["a sparse file", pax(paxRecord("GNU.sparse.major", "1")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["a sparse file of star", pax(paxRecord("SCHILY.realsize", "1")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["another type", pax(paxRecord("SCHILY.filetype", "dir")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["names in another encoding", pax(paxRecord("hdrcharset", "BINARY")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["a key of POSIX that isn't known", pax(paxRecord("realpath", "x")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		["a target for what is no link", pax(paxRecord("linkpath", "x")), "PACKAGE_ARCHIVE_INVALID"],
		[
			"two headers for one member",
			concat(pax(paxRecord("mtime", "1")), pax(paxRecord("path", "a"))),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a GNU name too", concat(pax(paxRecord("path", "a")), tarMember({ type: "L" }, "b\0")), "PACKAGE_ARCHIVE_INVALID"],
		[
			"a GNU name before it",
			concat(tarMember({ type: "L" }, "b\0"), pax(paxRecord("mtime", "1"))),
			"PACKAGE_ARCHIVE_INVALID",
		],
		[
			"two GNU names",
			concat(tarMember({ type: "L" }, "b\0"), tarMember({ type: "L" }, "b\0")),
			"PACKAGE_ARCHIVE_INVALID",
		],
		["a GNU name that doesn't end", tarMember({ type: "L" }, "b"), "PACKAGE_ARCHIVE_INVALID"],
		["a GNU name with two ends", tarMember({ type: "L" }, "b\0c\0"), "PACKAGE_ARCHIVE_INVALID"],
		["a GNU name that is no UTF-8", tarMember({ type: "L" }, Uint8Array.from([0xff, 0])), "PACKAGE_PATH_INVALID"],
		["a global path", globalPax(paxRecord("path", "a")), "PACKAGE_ARCHIVE_INVALID"],
		["a global size", globalPax(paxRecord("size", "3")), "PACKAGE_ARCHIVE_INVALID"],
		["a global sparse file", globalPax(paxRecord("GNU.sparse.name", "a")), "PACKAGE_ARCHIVE_UNSUPPORTED"],
		[
			"a global header between",
			concat(pax(paxRecord("path", "a")), globalPax(paxRecord("comment", "a"))),
			"PACKAGE_ARCHIVE_INVALID",
		],
	])("%s", async (_, headers, code) => {
		await refused(tar(flow, headers, member), code);
	});

	test("a header or many headers beyond their bound end there", async () => {
		const limits = { metadataBytes: 10_000 };
		const one = pax(paxRecord("comment", "c".repeat(20_000)));
		const many = Array.from({ length: 11 }, (_, index) =>
			concat(pax(paxRecord("comment", "c".repeat(980))), tarFile(`f${index}`)),
		);
		for (const archive of [tar(one, member), tar(...many)])
			expect((await refused(archive, "PACKAGE_ARCHIVE_LIMIT", { limits })).limit).toEqual({
				name: "metadataBytes",
				max: 10_000,
			});
		expect(Object.keys(await read(tar(...many.slice(1)), { limits: { metadataBytes: 11_000 } }))).toHaveLength(10);
		// Refused by what it says, before any of it is read.
		await refused(tar(tarHeader({ type: "x", size: 8_000_000_000 })), "PACKAGE_ARCHIVE_LIMIT");
	});
});
