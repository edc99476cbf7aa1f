import { createHash } from "node:crypto";
import { canonicalize, parseJson } from "../../../src/json/index.ts";
import { readBytes } from "./input.ts";
import { type Output, write } from "./output.ts";

/** `millrace canonicalize FILE`: checks JSON/1 and prints the RFC 8785 bytes, without a line end. */
export async function canonicalizeCommand(file: string, output: Output): Promise<void> {
	const bytes = canonicalize(parseJson(await readBytes(file)));
	if (!output.json) return write(process.stdout, bytes);
	const sha256 = createHash("sha256").update(bytes).digest("hex");
	await output.answer("", {
		status: "succeeded",
		canonical: new TextDecoder().decode(bytes),
		bytes: bytes.length,
		sha256,
	});
}
