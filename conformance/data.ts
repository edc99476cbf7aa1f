import { fromBase64 } from "../src/base64.ts";
import { encodeUtf8 } from "../src/web.ts";

/** The request itself is malformed: answered as `badRequest`, never as a verdict. */
export class BadRequest extends Error {
	override readonly name = "BadRequest";
}

/** A request or a part of one: plain data that came out of one line of JSON. */
export type Fields = { readonly [name: string]: unknown };

/** One own member, or undefined. */
export function field(fields: Fields, name: string): unknown {
	return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A member that must be a string. */
export function textField(fields: Fields, name: string): string {
	const value = field(fields, name);
	if (typeof value !== "string") throw new BadRequest(`"${name}" must be a string`);
	return value;
}

/** Whether `value` is an object with members (not null, not an array). */
export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The bytes that `{text}`, `{b64}` or `{hex}` stand for. Text with a lone surrogate has no bytes and is refused. */
export function dataBytes(fields: Fields): Uint8Array {
	const [name, ...more] = ["text", "b64", "hex"].filter((each) => field(fields, each) !== undefined);
	if (name === undefined || more.length > 0) throw new BadRequest('give exactly one of "text", "b64" and "hex"');
	const value = textField(fields, name);
	if (name === "hex") return hexBytes(value);
	if (name === "b64") return base64Bytes(value);
	if (!value.isWellFormed()) throw new BadRequest('"text" holds a lone surrogate, which has no UTF-8 bytes');
	return encodeUtf8(value);
}

/** A path or file content given either as a plain string or as data. */
export function bytesOf(value: unknown, plain: "text" | "b64"): Uint8Array {
	if (typeof value === "string") return dataBytes({ [plain]: value });
	if (isFields(value)) return dataBytes(value);
	throw new BadRequest("expected a string or data");
}

function hexBytes(text: string): Uint8Array {
	if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) throw new BadRequest('"hex" must be pairs of hexadecimal digits');
	return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
		Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
	);
}

function base64Bytes(text: string): Uint8Array {
	const bytes = fromBase64(text);
	if (bytes === undefined) throw new BadRequest('"b64" is no base64');
	return bytes;
}
