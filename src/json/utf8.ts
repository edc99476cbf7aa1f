/** Well-formed UTF-8 (Unicode Table 3-7) and places in it. */

/** The offset of the first ill-formed sequence (its first byte), or -1 when the bytes are UTF-8. */
export function findInvalidUtf8(bytes: Uint8Array): number {
	const length = bytes.length;
	let at = 0;
	while (at < length) {
		const lead = bytes[at]!;
		if (lead < 0x80) {
			at++;
			continue;
		}
		if (lead < 0xc2 || lead > 0xf4) return at;
		const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
		if (at + size > length) return at;
		const second = bytes[at + 1]!;
		// The second byte is narrower after four leads: no overlong forms, no surrogates, nothing above U+10FFFF.
		const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
		const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
		if (second < low || second > high) return at;
		for (let i = 2; i < size; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return at;
		at += size;
	}
	return -1;
}

/** Line and column (1-based, columns in scalar values) of a byte offset whose prefix is valid UTF-8. */
export function placeAt(bytes: Uint8Array, offset: number): { offset: number; line: number; column: number } {
	let line = 1;
	let column = 1;
	const end = Math.min(offset, bytes.length);
	for (let at = 0; at < end; at++) {
		const byte = bytes[at]!;
		if (byte === 0x0a || (byte === 0x0d && bytes[at + 1] !== 0x0a)) {
			line++;
			column = 1;
		} else if (byte !== 0x0d && (byte & 0xc0) !== 0x80) {
			column++;
		}
	}
	return { offset, line, column };
}
