/** CRC-32 as gzip and zip have it (polynomial 0xEDB88320, reflected), eight bytes at a step: a table for each of them. */
const TABLES = makeTables();

function makeTables(): readonly Uint32Array[] {
	const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
	for (let byte = 0; byte < 256; byte++) {
		let value = byte;
		for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
		tables[0]![byte] = value;
	}
	for (let step = 1; step < 8; step++) {
		for (let byte = 0; byte < 256; byte++) {
			const before = tables[step - 1]![byte]!;
			tables[step]![byte] = tables[0]![before & 0xff]! ^ (before >>> 8);
		}
	}
	return tables;
}

/** The CRC-32 of `bytes` after those whose CRC-32 is `before`; 0 to begin with. */
export function crc32(bytes: Uint8Array, before: number): number {
	const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
		...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
		...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
	];
	let crc = ~before;
	let at = 0;
	for (const last = bytes.length - 7; at < last; at += 8) {
		const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
		crc =
			t7[low & 0xff]! ^
			t6[(low >>> 8) & 0xff]! ^
			t5[(low >>> 16) & 0xff]! ^
			t4[low >>> 24]! ^
			t3[bytes[at + 4]!]! ^
			t2[bytes[at + 5]!]! ^
			t1[bytes[at + 6]!]! ^
			t0[bytes[at + 7]!]!;
	}
	for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
	return ~crc >>> 0;
}
