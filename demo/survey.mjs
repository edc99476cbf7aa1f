// `node demo/survey.mjs`: a parent that wires one channel between two children and a capability of this program, run, and
// drawn as a sequence from its trace. With a file name, the drawing is also written there as SVG.
import { readFile, writeFile } from "node:fs/promises";
import { parseCapabilityContract } from "millrace";
import { createHost, sequenceOf, sequenceSvg, sequenceText } from "millrace/host";
import { directory, nodeRuntime } from "millrace/node";

const flow = (name) => new URL(`flows/${name}/`, import.meta.url);
const descriptor = await readFile(new URL("contracts/archive.capability.json", flow("survey")));

/** The capability: keeps what it is told, in the memory of this program. */
const shelves = new Map();
const archive = {
	contract: parseCapabilityContract(descriptor),
	async call({ input, channels }) {
		const kept = [];
		for await (const reading of channels.readings) kept.push(reading);
		shelves.set(input.place, kept);
		return { value: { recorded: kept.length } };
	},
};

const host = createHost({ runtime: nodeRuntime() });
const packages = await Promise.all(["survey", "station", "summary"].map((name) => host.load(directory(flow(name)))));
const [survey, station, summary] = packages;
try {
	const events = [];
	const run = host.run(survey, {
		input: { place: "Hobart", celsius: [11.5, 12, 14.25, 13, 10.5] },
		deadlineMs: 30_000,
		children: { station, summary },
		capabilities: { archive },
		onTrace: (event) => events.push(event),
	});
	const { outcome, output } = await run.result;
	const drawing = sequenceOf(events);
	console.log(sequenceText(drawing));
	console.log(outcome, JSON.stringify(output));
	console.log("archived", JSON.stringify([...shelves]));
	const [, , file] = process.argv;
	if (file !== undefined) await writeFile(file, sequenceSvg(drawing), { flag: "wx" });
} finally {
	await Promise.all(packages.map((pack) => pack.dispose()));
}
