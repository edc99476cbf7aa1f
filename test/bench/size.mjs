// What an import costs a web page: minified and gzipped bytes of a bundle with nothing else in it.
import { bundle } from "../house/bundle.mjs";
import { keep } from "./measure.mjs";

/** Titles, code, and for some the most gzipped bytes that there should be. */
const ENTRIES = [
	["values and schemas", 'export { parseJson, canonicalize, compileSchema } from "millrace";', 14_336],
	["parseJson", 'export { parseJson } from "millrace";'],
	["canonicalize", 'export { canonicalize } from "millrace";'],
	["compileSchema", 'export { compileSchema } from "millrace";'],
	["digestPackage", 'export { digestPackage } from "millrace";', 12_000],
	["parseCapabilityContract", 'export { parseCapabilityContract } from "millrace";'],
	["inspectPackage", 'export { inspectPackage } from "millrace";'],
	["everything", 'export * from "millrace";'],
	["everything, and a host", 'export * from "millrace"; export * from "millrace/host";'],
	["peer: @cfworker/json-schema", 'export { Validator } from "@cfworker/json-schema";'],
	["peer: lossless-json parse", 'export { parse } from "lossless-json";'],
	["peer: json-canonicalize", 'export { canonicalize } from "json-canonicalize";'],
	["part: yaml parse", 'export { parse } from "yaml";'],
	["part: @noble/hashes sha256", 'export { sha256 } from "@noble/hashes/sha2.js";'],
];

export async function bench() {
	console.log(`${"import".padEnd(34)} ${"minified".padStart(9)} ${"gzipped".padStart(9)} ${"modules".padStart(9)}`);
	for (const [title, code, budget] of ENTRIES) {
		const { bytes, gzip, modules } = await bundle(code);
		const cells = [bytes, gzip, modules.length].map((count) => count.toLocaleString("en").padStart(9));
		console.log(`${title.padEnd(34)} ${cells.join(" ")}`);
		if (budget !== undefined) keep(`${title}, of its budget`, gzip / budget, {}, { goal: 1, atMost: true });
	}
}
