// JSON/1 reading against named peers. Every reader starts from bytes, so each peer is given the same fatal decode; only
// json-dup-key-validator refuses duplicates, lossless-json those of other values.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import dupKeyValidator from "json-dup-key-validator";
import { parse as losslessParse } from "lossless-json";
import secureParse from "secure-json-parse";
import { parseJson } from "../../dist/src/json/index.js";
import { documents, frame, hostile } from "./json/corpora.mjs";
import { compare, compareGrowth, compareShapes, keep, keepMean, median } from "./measure.mjs";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Milliseconds that the first 200 different frames of 300 bytes take in this process. */
export function readFirstFrames(way) {
	const frames = Array.from({ length: 200 }, (_, id) => {
		const named = { ...frame, id: `r-${id}`, params: { ...frame.params, [`extra${id % 10}`]: "x".repeat(40) } };
		return encoder.encode(JSON.stringify(named));
	});
	const read = way === "millrace" ? parseJson : (bytes) => JSON.parse(decoder.decode(bytes));
	const start = process.hrtime.bigint();
	for (const bytes of frames) read(bytes);
	console.log(Number(process.hrtime.bigint() - start) / 1e6);
}

/** Time for a cold process's first frames, ours over the engine's. */
function compareCold() {
	const self = JSON.stringify(fileURLToPath(import.meta.url));
	const time = (way) => {
		const script = `import(${self}).then((own) => own.readFirstFrames(${JSON.stringify(way)}))`;
		return Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout);
	};
	const times = { "JSON.parse": [], millrace: [] };
	for (let round = 0; round < 9; round++) for (const [way, list] of Object.entries(times)) list.push(time(way));
	const ratio = median(times.millrace) / median(times["JSON.parse"]);
	const met = keep("cold: 200 frames, time", ratio, {}, { goal: 5, atMost: true });
	console.log(`${"cold: 200 frames, time".padEnd(34)} ${ratio.toFixed(2)}   goal <= 5: ${met ? "met" : "MISSED"}`);
}

export async function bench() {
	const ratios = documents.map(([title, text]) => {
		const bytes = encoder.encode(text);
		const { millrace } = compare(
			`read: ${title}`,
			[
				["decode + JSON.parse", () => JSON.parse(decoder.decode(bytes))],
				["millrace", () => parseJson(bytes)],
				["secure-json-parse", () => secureParse(decoder.decode(bytes))],
				["lossless-json", () => losslessParse(decoder.decode(bytes), null, Number)],
				["json-dup-key-validator", () => dupKeyValidator.parse(decoder.decode(bytes), false)],
			],
			{ goal: 0.7 },
		);
		return millrace;
	});
	keepMean("read: geometric mean", ratios, { goal: 1 });
	compareCold();
	compareGrowth("read: records", 1_000, (size) => {
		const bytes = encoder.encode(
			JSON.stringify(Array.from({ length: size }, (_, id) => ({ id, name: `record ${id}` }))),
		);
		return { run: () => parseJson(bytes), units: bytes.length };
	});
	for (const size of [65_536, 491_520]) {
		const plain = documents.find(([title]) => title === (size < 100_000 ? "records, 80 KB pretty" : "tables, 3 MB"));
		const shapes = [plain, ...hostile(size)].map(([name, text]) => {
			const bytes = encoder.encode(text);
			return [name, { run: () => parseJson(bytes), units: bytes.length }];
		});
		compareShapes(`read: hostile documents of ${size / 1024} KB, time per byte`, shapes, { atMost: 3 });
	}
}
