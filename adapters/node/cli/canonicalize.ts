import { createHash } from "node:crypto";
import { canonicalize } from "../../../src/json/index.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import { readJson } from "./input.ts";
import { escapeJson, type Output, write } from "./output.ts";

/**
 * `millrace canonicalize FILE`: checks JSON/1 and prints the RFC 8785 bytes, without a line end. A terminal gets a line in
 * which nothing can steer it; a note then says where those are not the exact bytes.
 */
export async function canonicalizeCommand(file: string, output: Output): Promise<void> {
	const bytes = canonicalize(await readJson(file));
	const canonical = decodeUtf8(bytes);
	if (output.json) {
		const sha256 = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
		return output.answer("", { status: "succeeded", canonical, bytes: bytes.length, sha256 });
	}
	if (process.stdout.isTTY !== true) {
		await write(process.stdout, bytes);
		return;
	}
	const shown = escapeJson(canonical);
	await output.answer(shown, {});
	if (shown !== canonical)
		output.note("note", "what could steer a terminal is spelled \\uXXXX here; a file or pipe gets the exact bytes");
}
