import { fstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { JSON_LIMITS, type JsonValue, parseJson } from "../../../src/json/index.ts";
import { Detailed, within } from "./failure.ts";
import { FileError } from "./files.ts";
import { UsageError } from "./usage.ts";

/**
 * The bytes of FILE, or of standard input for `-`. Reads at most `limit` + 1 bytes: a reader above then sees that the
 * bound was crossed, and nothing larger is ever held. Throws a `FileError`.
 */
export async function readBytes(file: string, limit: number = JSON_LIMITS.bytes): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		const stream = file === "-" ? standardInput() : (await open(file, "r")).createReadStream({ end: limit });
		for await (const chunk of stream as AsyncIterable<Uint8Array>) {
			chunks.push(chunk);
			length += chunk.length;
			if (length > limit) break;
		}
	} catch (error) {
		throw new FileError(nameOf(file), error);
	}
	return Buffer.concat(chunks, length);
}

/** Node reads a directory as an empty stream. */
function standardInput(): AsyncIterable<Uint8Array> {
	if (fstatSync(0).isDirectory()) throw Object.assign(new Error("stdin is a directory"), { code: "EISDIR" });
	return process.stdin;
}

/** The JSON/1 value in FILE, or on standard input for `-`; what is wrong with it names the file. */
export function readJson(file: string): Promise<JsonValue> {
	return readWith(file, JSON_LIMITS.bytes, parseJson);
}

/** What `parse` makes of the bytes of FILE or standard input; what it throws names the file. */
export async function readWith<T>(file: string, limit: number, parse: (bytes: Uint8Array) => T): Promise<T> {
	const bytes = await readBytes(file, limit);
	return within(nameOf(file), () => parse(bytes));
}

/** A JSON/1 value given by an option: inline JSON, `@file`, or `-` for standard input. */
export async function readValue(option: string, argument: string): Promise<JsonValue> {
	if (argument === "-") return readJson("-");
	if (!argument.startsWith("@")) {
		try {
			return parseJson(argument);
		} catch (error) {
			const hints = [`${option} takes JSON between the quotes of your shell, or @FILE, or - for stdin`];
			throw new Detailed(error, { source: option, hints });
		}
	}
	if (argument === "@") throw new UsageError(`${option}: "@" needs a file name behind it`);
	return readJson(argument.slice(1));
}

function nameOf(file: string): string {
	return file === "-" ? "stdin" : file;
}
