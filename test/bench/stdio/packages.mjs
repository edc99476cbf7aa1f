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
