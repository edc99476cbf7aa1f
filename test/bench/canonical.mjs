// RFC 8785 bytes and the guard of host values against named peers. The limit of the bytes sorts nothing; that of the guard runs
// accessors, which ours never does.
import canonicalizePeer from "canonicalize";
import stableStringify from "fast-json-stable-stringify";
import { canonicalize as jsonCanonicalize } from "json-canonicalize";
import { configure as configureStable } from "safe-stable-stringify";
import { admitJson, canonicalize } from "../../dist/src/json/index.js";
import { documents, frame } from "./json/corpora.mjs";
import { compare, compareGrowth, compareShapes, keepMean } from "./measure.mjs";

const safeStable = configureStable({ deterministic: true });
const encoder = new TextEncoder();

const document = (title) => JSON.parse(documents.find(([name]) => name.startsWith(title))[1]);

/** The same value with every object's names in order. */
function sorted(value) {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.keys(value)
			.sort()
			.map((name) => [name, sorted(value[name])]),
	);
}

const VALUES = [
	["frame, unsorted", frame],
	["frame, sorted", sorted(frame)],
	["records, unsorted", document("records")],
	["records, sorted", sorted(document("records"))],
	["tables, 3 MB, sorted", sorted(document("tables, 3 MB"))],
	["text, 10 MB", document("text")],
	["GeoJSON, 1.1 MB", document("GeoJSON")],
];

export async function bench() {
	const ratios = VALUES.map(([title, value]) => {
		const { millrace } = compare(
			`canonical: ${title}`,
			[
				["encode(JSON.stringify)", () => encoder.encode(JSON.stringify(value))],
				["millrace", () => canonicalize(value)],
				["canonicalize", () => encoder.encode(canonicalizePeer(value))],
				["json-canonicalize", () => encoder.encode(jsonCanonicalize(value))],
				["fast-json-stable-stringify", () => encoder.encode(stableStringify(value))],
				["safe-stable-stringify", () => encoder.encode(safeStable(value))],
			],
			{ goal: 0.7 },
		);
		return millrace;
	});
	keepMean("canonical: geometric mean", ratios, { goal: 1 });
	const guarded = [...VALUES, ["integers, 60 KB", document("integers")]];
	for (const [title, value] of guarded)
		compare(
			`guard: ${title}`,
			[
				["structuredClone", () => structuredClone(value)],
				["millrace", () => admitJson(value)],
			],
			{ goal: 1.5 },
		);
	compareGrowth("canonical: names in reverse", 1_000, (size) => {
		const value = Object.fromEntries(Array.from({ length: size }, (_, id) => [`n${100_000 - id}`, id]));
		return { run: () => canonicalize(value), units: size };
	});
	const names = (name) => Object.fromEntries(Array.from({ length: 4_000 }, (_, id) => [name(id), id]));
	let deep = 1;
	for (let level = 1; level < 127; level++) deep = [deep];
	const shapes = [
		["records", document("records")],
		["names of one prefix, in reverse", names((id) => `${"a".repeat(40)}${9_999 - id}`)],
		["names that look like integers", names((id) => String(id * 7))],
		["126 levels, over and over", Array.from({ length: 400 }, () => deep)],
		["a string of controls", "\u0001".repeat(100_000)],
		["a string of pairs", "🌾".repeat(50_000)],
	].map(([name, value]) => [name, { run: () => canonicalize(value), units: canonicalize(value).length }]);
	compareShapes("canonical: hostile values, time per byte", shapes, { atMost: 3 });
}
