import { open } from "node:fs/promises";
import { JSON_LIMITS, type JsonValue, parseJson } from "../../../src/json/index.ts";
import { UsageError } from "./usage.ts";

/**
 * The bytes of FILE, or of standard input for `-`. Reads at most `limit` + 1 bytes: a reader above then sees that the
 * bound was crossed, and nothing larger is ever held.
 */
export async function readBytes(file: string, limit: number = JSON_LIMITS.bytes): Promise<Uint8Array> {
	return file === "-" ? readAll(process.stdin, limit) : readFileBounded(file, limit);
}

async function readFileBounded(file: string, limit: number): Promise<Uint8Array> {
	const handle = await open(file, "r");
	try {
		const chunks: Uint8Array[] = [];
		let length = 0;
		while (length <= limit) {
			const { bytesRead, buffer } = await handle.read({ buffer: new Uint8Array(Math.min(65_536, limit + 1 - length)) });
			if (bytesRead === 0) break;
			chunks.push(buffer.subarray(0, bytesRead));
			length += bytesRead;
		}
		return Buffer.concat(chunks, length);
	} finally {
		await handle.close();
	}
}

async function readAll(stream: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > limit) break;
	}
	return Buffer.concat(chunks, length);
}

/** A JSON/1 value given on the command line: inline JSON, `@file`, or `-` for standard input. */
export async function readValue(argument: string): Promise<JsonValue> {
	if (argument === "-") return parseJson(await readBytes("-"));
	if (argument.startsWith("@")) {
		if (argument.length === 1) throw new UsageError('"@" needs a file name behind it');
		return parseJson(await readBytes(argument.slice(1)));
	}
	return parseJson(argument);
}
