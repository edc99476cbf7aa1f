/** Zips made byte by byte, so that each field can be another one than it should be. */
import { deflateRawSync } from "node:zlib";
import { crc32 } from "../../adapters/archive/crc32.ts";
import { concat, text } from "./support.ts";

/** What an entry holds, and what its headers say where that isn't what they should. */
export interface ZipEntry {
	readonly name: string | Uint8Array;
	readonly body?: string | Uint8Array;
	/** Default 8, deflated. */
	readonly method?: number;
	readonly flags?: number;
	/** External attributes; a Unix mode goes into the upper half. */
	readonly attributes?: number;
	readonly extra?: Uint8Array;
	/** The data as it is to stand there. */
	readonly data?: Uint8Array;
	readonly crc?: number;
	readonly size?: number;
	readonly packed?: number;
	/** What only the local header says. */
	readonly local?: Partial<Record<"flags" | "method" | "crc" | "size" | "packed", number>> & {
		readonly name?: string;
		readonly extra?: Uint8Array;
	};
	/** What only the directory says. */
	readonly central?: { readonly offset?: number };
	/** Bytes after the data: a data descriptor, say. */
	readonly after?: Uint8Array;
}

export interface ZipEnd {
	readonly before?: Uint8Array;
	readonly between?: Uint8Array;
	readonly comment?: Uint8Array;
	readonly behind?: Uint8Array;
	readonly count?: number;
}

const u16 = (value: number): Uint8Array => Uint8Array.of(value & 255, (value >>> 8) & 255);
const u32 = (value: number): Uint8Array => concat(u16(value & 0xffff), u16(value >>> 16));
export const u64 = (value: number): Uint8Array => concat(u32(value % 2 ** 32), u32(Math.floor(value / 2 ** 32)));

/** An extra field. */
export const extraField = (type: number, ...data: readonly Uint8Array[]): Uint8Array => {
	const content = concat(...data);
	return concat(u16(type), u16(content.length), content);
};

/** A data descriptor with a signature, of 32-bit or 64-bit sizes. */
export const descriptor = (body: string, packed: number, long = false, signed = true): Uint8Array =>
	concat(
		signed ? u32(0x08074b50) : "",
		u32(crc32(text(body), 0)),
		...(long ? [u64(packed), u64(text(body).length)] : [u32(packed), u32(text(body).length)]),
	);

/** The compressed form that {@link zip} writes. */
export const deflated = (body: string | Uint8Array): Uint8Array => new Uint8Array(deflateRawSync(body));

/** A zip of these entries. */
export function zip(entries: readonly ZipEntry[], end: ZipEnd = {}): Uint8Array<ArrayBuffer> {
	const { before = new Uint8Array(0), between = new Uint8Array(0), behind = new Uint8Array(0) } = end;
	const local: Uint8Array[] = [before];
	const central: Uint8Array[] = [];
	let at = before.length;
	for (const entry of entries) {
		const name = typeof entry.name === "string" ? text(entry.name) : entry.name;
		const body = typeof entry.body === "string" ? text(entry.body) : (entry.body ?? new Uint8Array(0));
		const method = entry.method ?? 8;
		const data = entry.data ?? (method === 8 ? deflated(body) : body);
		const said = {
			flags: entry.flags ?? (name.some((byte) => byte >= 128) ? 0x800 : 0),
			method,
			crc: entry.crc ?? crc32(body, 0),
			packed: entry.packed ?? data.length,
			size: entry.size ?? body.length,
		};
		const { name: localName, extra: localExtra = entry.extra ?? new Uint8Array(0), ...differing } = entry.local ?? {};
		const header = (fields: typeof said): Uint8Array =>
			concat(u16(fields.flags), u16(fields.method), u32(0), u32(fields.crc), u32(fields.packed), u32(fields.size));
		const localNameBytes = localName === undefined ? name : text(localName);
		const record = concat(
			...[
				u32(0x04034b50),
				u16(20),
				header({ ...said, ...differing }),
				u16(localNameBytes.length),
				u16(localExtra.length),
			],
			...[localNameBytes, localExtra, data, entry.after ?? ""],
		);
		const extra = entry.extra ?? new Uint8Array(0);
		central.push(
			concat(
				...[u32(0x02014b50), u16(0x0314), u16(20), header(said), u16(name.length), u16(extra.length), u16(0)],
				...[u16(0), u16(0), u32(entry.attributes ?? 0), u32(entry.central?.offset ?? at), name, extra],
			),
		);
		local.push(record);
		at += record.length;
	}
	const directory = concat(...central);
	const count = end.count ?? entries.length;
	const comment = end.comment ?? new Uint8Array(0);
	return concat(
		...local,
		...[between, directory, u32(0x06054b50), u16(0), u16(0), u16(count), u16(count), u32(directory.length)],
		...[u32(at + between.length), u16(comment.length), comment, behind],
	);
}
