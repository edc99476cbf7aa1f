/** Archives that every runtime has to give one answer to. */
import { gzipSync } from "node:zlib";
import { concat, FLOW_MD, globalPax, pax, paxRecord, tar, tarFile, tarHeader, tarMember } from "./support.ts";
import { deflated, descriptor, type ZipEntry, zip } from "./zip-support.ts";

export const gzip = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(bytes));

export const files: Readonly<Record<string, string>> = { "FLOW.md": FLOW_MD, a: "a".repeat(3_000), "b/c": "" };

/** A tar of the files, and the gzip of it. */
export const plain: Uint8Array<ArrayBuffer> = tar(...Object.entries(files).map(([name, body]) => tarFile(name, body)));
export const packed: Uint8Array<ArrayBuffer> = gzip(plain);

/** A gzip member with these flags, whose header has `fields` after its first ten bytes. */
export const withHeader = (flags: number, ...fields: readonly (Uint8Array | string)[]): Uint8Array =>
	concat(Uint8Array.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255), ...fields, packed.subarray(10));

/** What has one reading for one runtime and another, or none, for the next one. */
export const faultyGzips: readonly (readonly [string, Uint8Array])[] = [
	["a second member", concat(packed, gzip(tar(tarFile("hidden"))))],
	["an empty member before it", concat(gzip(new Uint8Array(0)), packed)],
	["an empty member behind it", concat(packed, gzip(new Uint8Array(0)))],
	["garbage behind it", concat(packed, "garbage")],
	["zeros behind it", concat(packed, new Uint8Array(512))],
	["one byte behind it", concat(packed, "x")],
	["its last byte missing", packed.subarray(0, -1)],
	["its trailer missing", packed.subarray(0, -8)],
	["cut off in its middle", packed.subarray(0, packed.length >> 1)],
	["only a header", packed.subarray(0, 10)],
	["only its magic", packed.subarray(0, 2)],
	["another CRC-32", concat(packed.subarray(0, -8), Uint8Array.of(1, 2, 3, 4), packed.subarray(-4))],
	["another length", concat(packed.subarray(0, -4), Uint8Array.of(1, 2, 3, 4))],
	["a method that is none", concat(packed.subarray(0, 2), Uint8Array.of(7), packed.subarray(3))],
	["flags that are none", withHeader(0x20)],
	["a header checksum that is wrong", withHeader(2, Uint8Array.of(1, 2))],
	["a damaged content", packed.map((byte, index) => (index === 40 ? byte ^ 255 : byte))],
];

const flow: ZipEntry = { name: "FLOW.md", body: FLOW_MD };
const zeros = new Uint8Array(20_000_000);

/** Good ones and bad ones of each format. */
export const samples: readonly (readonly [string, Uint8Array])[] = [
	["tar", plain],
	["tar.gz", packed],
	["tar.gz with a header", withHeader(28, Uint8Array.of(3, 0), "abc", "name.tar\0", "a comment\0")],
	...faultyGzips,
	["PAX", tar(globalPax(paxRecord("comment", "c")), pax(paxRecord("path", "FLOW.md")), tarFile("x", FLOW_MD))],
	["a hard link", tar(tarFile("FLOW.md", FLOW_MD), tarMember({ name: "l", type: "1", linkName: "FLOW.md" }))],
	["a symbolic link", tar(tarFile("FLOW.md", FLOW_MD), tarMember({ name: "l", type: "2", linkName: "FLOW.md" }))],
	["..", tar(tarFile("../x"))],
	["2 GB", tar(tarHeader({ size: 2_147_483_648 }))],
	["cut off", concat(tarFile("FLOW.md", FLOW_MD), tarHeader({ name: "cut", size: 9_000 }))],
	["a prefix", gzip(tar(tarFile("package/FLOW.md", FLOW_MD)))],
	["a gzip bomb", gzip(new Uint8Array(60_000_000))],
	["no archive", concat("hello")],
	["nothing", new Uint8Array(0)],
	["zip", zip([flow, { name: "a/ü", body: "ü" }, { name: "s", body: "stored", method: 0 }])],
	[
		"a streamed zip",
		zip([
			{
				...flow,
				flags: 8,
				local: { crc: 0, size: 0, packed: 0 },
				after: descriptor(FLOW_MD, deflated(FLOW_MD).length),
			},
		]),
	],
	["an empty zip", zip([])],
	["a zip with other local names", zip([flow, { name: "a", local: { name: "b" } }])],
	["a zip with overlapping entries", zip([flow, { name: "a", body: "x", central: { offset: 0 } }])],
	["a zip bomb", zip([flow, { name: "a", data: deflated(zeros), size: zeros.length, crc: 0 }])],
	["a zip with another CRC-32", zip([flow, { name: "a", body: "x", crc: 5 }])],
	["a zip with a longer content", zip([flow, { name: "a", body: "xyz", size: 2 }])],
	[
		"a zip with cut data",
		zip([flow, { name: "a", body: "x".repeat(99), data: deflated("x".repeat(99)).subarray(0, -2) }]),
	],
	["a zip with hidden data", zip([flow, { name: "a", body: "x", data: concat(deflated("x"), "hidden") }])],
	["a zip with no deflate", zip([flow, { name: "a", body: "x", data: Uint8Array.of(0xff, 0xff, 0xff) }])],
	["an encrypted zip", zip([flow, { name: "a", flags: 1 }])],
];
