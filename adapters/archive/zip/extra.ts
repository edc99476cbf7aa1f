import { invalid } from "../errors.ts";

/** Extra fields that say something of a name, a size or a kind. */
const [ZIP64, UNICODE_PATH, ASI_UNIX] = [0x0001, 0x7075, 0x756e];

/** What the extra fields of a header say that matters here. */
export interface Extra {
	/** 64-bit values in their order: those whose field in the header is full. */
	readonly zip64: readonly number[];
	/** The name in UTF-8, once more, with the CRC-32 of the one in the header. */
	readonly unicodePath?: { readonly name: Uint8Array; readonly crc32: number };
	/** A Unix mode beside the one in the attributes. */
	readonly mode?: number;
}

/** Parses the extra fields of a header. Throws `PACKAGE_ARCHIVE_INVALID` for malformed ones, and for one that comes twice. */
export function readExtra(bytes: Uint8Array, path: string): Extra {
	const extra: { zip64: number[]; unicodePath?: NonNullable<Extra["unicodePath"]>; mode?: number } = { zip64: [] };
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const seen = new Set<number>();
	// Up to three bytes at the end are what tools that align contents leave.
	for (let at = 0; at + 4 <= bytes.length; ) {
		const [type, size] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
		const start = at + 4;
		at = start + size;
		if (at > bytes.length) throw invalid("An extra field of a zip header is longer than what is there.", path);
		if (type !== ZIP64 && type !== UNICODE_PATH && type !== ASI_UNIX) continue;
		if (seen.has(type))
			throw invalid("A zip header has the same extra field twice; readers differ in which one counts.", path);
		seen.add(type);
		if (type === ZIP64)
			for (let each = start; each + 8 <= at; each += 8) extra.zip64.push(Number(view.getBigUint64(each, true)));
		else if (type === UNICODE_PATH) {
			if (size < 5) throw invalid("The Unicode name of a zip header is cut off.", path);
			extra.unicodePath = { crc32: view.getUint32(start + 1, true), name: bytes.subarray(start + 5, at) };
		} else if (size >= 6) extra.mode = view.getUint16(start + 4, true);
	}
	return extra;
}
