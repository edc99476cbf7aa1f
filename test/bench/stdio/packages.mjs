// The packages that the stdio bench runs through the public way: a handler of the SDK under `host.run`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FLOW_MD = "---\nname: bench\ndescription: Calls its host.\nuses:\n  bench:\n    local: true\n---\n";
const WORK = readFileSync(new URL("./work.mjs", import.meta.url), "utf8");

/** Calls its host as `work.mjs` says. */
export const CALLING = {
	"FLOW.md": FLOW_MD,
	"work.mjs": WORK,
	"flow.mjs": `import { handle } from "@jigging/flow";
import { fail, work } from "./work.mjs";
await handle(async (run) => {
	let made = 0;
	await work((method, input, done) => {
		made += 1;
		run.callCapability({ operationId: \`o:\${made}\`, slot: "bench", method, input }).then(done, fail);
	});
	return { outcome: "done", output: null };
});
`,
};

/** Makes a direct channel, has its child read it, and sends what it was told to; gives the milliseconds of it all. */
export const SENDING = {
	"FLOW.md": "---\nname: sending\ndescription: Sends values to its child.\n---\n",
	"flow.mjs": `import { handle } from "@jigging/flow";
await handle(async (run) => {
	const { send, receive } = await run.channel();
	const start = performance.now();
	const child = run.runChildFlow({ operationId: "read", slot: "reader", input: null, channels: { values: receive } });
	for (let count = 0; count < run.input.count; count++) await send.send(run.input.value);
	await send.close();
	const { output } = await child;
	if (output !== run.input.count) throw new Error("the child has read " + output);
	return { outcome: "done", output: performance.now() - start };
});
`,
};

/** Reads a channel to its end and gives the number of its values. */
export const READING = {
	"FLOW.md":
		"---\nname: reading\ndescription: Counts what it receives.\nchannels:\n  values:\n    direction: receive\n    required: true\n---\n",
	"flow.mjs": `import { handle } from "@jigging/flow";
await handle(async (run) => {
	let count = 0;
	for await (const value of run.channels.values) count += value === undefined ? 0 : 1;
	return { outcome: "done", output: count };
});
`,
};

/** Answers its root and ends. */
export const ECHOING = {
	"FLOW.md": FLOW_MD,
	"flow.mjs":
		'import { handle } from "@jigging/flow";\nawait handle(async (run) => ({ outcome: "done", output: run.input }));\n',
};

/** Sends (`up`) or asks for (`down`) a frame of 16 MiB, and gives the growth of its memory in frames. */
export const WEIGHING = {
	"FLOW.md": FLOW_MD,
	"memory.mjs": readFileSync(new URL("./memory.mjs", import.meta.url), "utf8"),
	"flow.mjs": `import { handle } from "@jigging/flow";
import { growthOf, largest } from "./memory.mjs";
await handle(async (run) => {
	const call = (operationId, method, input) => run.callCapability({ operationId, slot: "bench", method, input });
	await call("warm", "warm", null);
	const output = await growthOf(() => call("big", run.input, run.input === "up" ? largest() : null));
	return { outcome: "done", output };
});
`,
};

export function writePackage(root, files) {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	return root;
}
