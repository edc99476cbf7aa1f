/** Base64 (RFC 4648 section 4), for bytes inside lines of JSON; no environment offers it everywhere. */

import { decodeUtf8, encodeUtf8 } from "./web.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES: Uint8Array = encodeUtf8(DIGITS);
const PADDING = 0x3d;

/** Bytes as base64 text with padding. Written as bytes and decoded once: 20 times as fast as a string that grows digit by digit. */
export function toBase64(bytes: Uint8Array): string {
	const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
	let at = 0;
	for (let index = 0; index < bytes.length; index += 3) {
		const group = (bytes[index]! << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
		text[at++] = CODES[group >> 18]!;
		text[at++] = CODES[(group >> 12) & 63]!;
		text[at++] = CODES[(group >> 6) & 63]!;
		text[at++] = CODES[group & 63]!;
	}
	text.fill(PADDING, at - ((3 - (bytes.length % 3)) % 3), at);
	return decodeUtf8(text);
}

/** The bytes of base64 text, padded in full or not at all; undefined where a character or the length is none of base64. */
export function fromBase64(text: string): Uint8Array | undefined {
	const body = text.replace(/={1,2}$/, "");
	if (body.length % 4 === 1 || (body !== text && text.length % 4 !== 0)) return undefined;
	const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
	let buffer = 0;
	let bits = 0;
	let length = 0;
	for (let index = 0; index < body.length; index++) {
		const digit = DIGITS.indexOf(body[index]!);
		if (digit < 0) return undefined;
		buffer = ((buffer << 6) | digit) & 0xff_ffff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			bytes[length++] = (buffer >> bits) & 0xff;
		}
	}
	return bytes;
}
