// JSON/1 reading, the guard, and RFC 8785, against named peers. Every reader starts from bytes, so each peer is given the same
// fatal decode; "-" in the title says what a peer doesn't check: only json-dup-key-validator refuses duplicates.
import canonicalizePeer from "canonicalize";
import stableStringify from "fast-json-stable-stringify";
import { canonicalize as jsonCanonicalize } from "json-canonicalize";
import dupKeyValidator from "json-dup-key-validator";
import { parse as losslessParse } from "lossless-json";
import { configure as configureStable } from "safe-stable-stringify";
import secureParse from "secure-json-parse";
import { admitJson, canonicalize, parseJson } from "../../dist/src/json/index.js";
import { compare } from "./measure.mjs";

const safeStable = configureStable({ deterministic: true });
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** A small seeded generator (mulberry32), so that every run reads the same documents. */
function seeded(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

const random = seeded(8785);
const upTo = (count) => Math.floor(random() * count);
const words = "the river turns its wheel and grinds what the harvest brought to the mill".split(" ");
const sentence = (count) => Array.from({ length: count }, () => words[upTo(words.length)]).join(" ");
const scripts = ["Grüße aus Köln", "水車がまわる", "мельница стоит у реки", "الطاحونة", "🌾🌊⚙️", "plain"];

const frame = {
	jsonrpc: "2.0",
	method: "flow/call",
	id: "r-000017",
	params: {
		operationId: "summarize-17",
		slot: "summarizer",
		intent: "Summarize: one paragraph",
		input: { text: sentence(12), limit: 3, strict: true },
		channels: {},
	},
};
const records = Array.from({ length: 344 }, (_, id) => ({
	id,
	name: sentence(2),
	created: `2026-11-${10 + upTo(20)}T12:34:56Z`,
	score: Math.round(random() * 1e6) / 1e3,
	tags: [sentence(1), sentence(1)],
	owner: { id: upTo(1000), active: random() < 0.5, note: null },
}));

/** Titles and values; `pretty` documents are indented. */
const documents = [
	["frame, 0.3 KB", frame],
	["records, pretty", records, "  "],
	["integers", Array.from({ length: 10_000 }, () => upTo(100_000))],
	["coordinates", Array.from({ length: 20_000 }, () => [random() * 360 - 180, random() * 180 - 90])],
	["text, 4 MB", Array.from({ length: 400 }, () => sentence(1900))],
	["mixed scripts", Array.from({ length: 6_000 }, (_, id) => ({ id, text: scripts[upTo(scripts.length)] }))],
	["escapes", Array.from({ length: 6_000 }, (_, id) => ({ id, text: 'a "quoted"\tline\nand a \\ path' }))],
	["numbered names", Object.fromEntries(Array.from({ length: 5_000 }, (_, id) => [String(id * 7), { value: id }]))],
];

/** Runs the comparison and prints it; returns the ratios by title. */
export async function bench() {
	const ratios = {};
	for (const [title, value, indent] of documents) {
		const bytes = encoder.encode(JSON.stringify(value, null, indent));
		ratios[`read: ${title}`] = compare(`read: ${title}`, [
			["JSON.parse", () => JSON.parse(decoder.decode(bytes))],
			["millrace", () => parseJson(bytes)],
			["secure-json-parse", () => secureParse(decoder.decode(bytes))],
			["lossless-json", () => losslessParse(decoder.decode(bytes), null, Number)],
			["json-dup-key-validator", () => dupKeyValidator.parse(decoder.decode(bytes), false)],
		]);
	}
	for (const [title, value] of documents) {
		ratios[`canonical: ${title}`] = compare(`canonical: ${title}`, [
			["JSON.stringify", () => encoder.encode(JSON.stringify(value))],
			["millrace", () => canonicalize(value)],
			["canonicalize", () => encoder.encode(canonicalizePeer(value))],
			["json-canonicalize", () => encoder.encode(jsonCanonicalize(value))],
			["fast-json-stable-stringify", () => encoder.encode(stableStringify(value))],
			["safe-stable-stringify", () => encoder.encode(safeStable(value))],
		]);
	}
	for (const [title, value] of documents) {
		ratios[`admit: ${title}`] = compare(`admit: ${title}`, [
			["structuredClone", () => structuredClone(value)],
			["millrace", () => admitJson(value)],
		]);
	}
	return ratios;
}
