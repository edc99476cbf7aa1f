// A host in this runtime, whose components run in the same one: three processes, with a channel from a child to another.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { directory, nodeRuntime } from "../../dist/adapters/node/index.js";
import { createHost } from "../../dist/src/host/index.js";
import { parseCapabilityContract } from "../../dist/src/index.js";

const name = ["deno", "bun"].find((each) => process.versions[each] !== undefined) ?? "node";
const flow = (which) => new URL(`../../demo/flows/${which}/`, import.meta.url);

const archive = {
	contract: parseCapabilityContract(await readFile(new URL("contracts/archive.capability.json", flow("survey")))),
	async call({ channels }) {
		let recorded = 0;
		for await (const _ of channels.readings) recorded += 1;
		return { value: { recorded } };
	},
};

const host = createHost({
	runtime: nodeRuntime({ selectors: { [name]: process.execPath }, suffixes: { ts: name } }),
});
const packages = await Promise.all(["survey", "station", "summary"].map((each) => host.load(directory(flow(each)))));
const [survey, station, summary] = packages;
try {
	const run = host.run(survey, {
		input: { place: "Hobart", celsius: [11.5, 12, 14.25] },
		deadlineMs: 30_000,
		children: { station, summary },
		capabilities: { archive },
	});
	const { outcome, output } = await run.result;
	console.log(name, outcome, JSON.stringify(output));
} finally {
	await Promise.all(packages.map((pack) => pack.dispose()));
}
