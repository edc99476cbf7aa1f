// A host in a process of its own, to see its memory: `node weigh.mjs <package> up|down` prints the growth of host and
// component, in frames, as JSON.
import { argv } from "node:process";
import { directory, nodeRuntime } from "../../../dist/adapters/node/index.js";
import { createHost } from "../../../dist/src/host/index.js";
import { growthOf, largest } from "./memory.mjs";

const [, , root, way] = argv;
const host = createHost({ runtime: nodeRuntime() });
const pack = await host.load(directory(root));
let warm;
const warmed = new Promise((resolve) => {
	warm = resolve;
});
const run = host.run(pack, {
	input: way,
	deadlineMs: 60_000,
	capabilities: {
		bench: {
			call: async ({ method }) => {
				if (method === "warm") {
					warm();
					// The measure starts before the component goes on.
					await new Promise((resolve) => setImmediate(resolve));
				}
				return { value: method === "down" ? largest() : null };
			},
		},
	},
});
await warmed;
const grown = await growthOf(() => run.result);
const { output } = await run.result;
await pack.dispose();
console.log(JSON.stringify({ host: grown, component: output }));
