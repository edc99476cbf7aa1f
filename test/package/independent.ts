import { createHash } from "node:crypto";

/** A tree as plain data: paths to contents. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/**
 * The digest of a tree written again from Package/1 section 6, with Node's own hash, sort and buffers and none of this
 * library's code. `prefix` is the domain separator, so that the /0 vector can prove the record layout.
 */
export function independentDigest(files: Files, prefix = "FLOW-Package/1\0"): string {
	const records = Object.entries(files)
		.map(([path, content]) => [Buffer.from(path, "utf8"), Buffer.from(content as Uint8Array)] as const)
		.sort(([a], [b]) => Buffer.compare(a, b));
	const u64 = (value: number): Buffer => {
		const bytes = Buffer.alloc(8);
		bytes.writeBigUInt64BE(BigInt(value));
		return bytes;
	};
	const u32 = (value: number): Buffer => {
		const bytes = Buffer.alloc(4);
		bytes.writeUInt32BE(value);
		return bytes;
	};
	const parts: Buffer[] = [Buffer.from(prefix, "ascii"), u64(records.length)];
	for (const [path, content] of records) {
		parts.push(Buffer.from([0x01]), u32(path.length), path, u64(content.length), content);
	}
	return `sha256:${createHash("sha256").update(Buffer.concat(parts)).digest("hex")}`;
}
