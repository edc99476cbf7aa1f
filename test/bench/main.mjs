// Prints ratios against named peers, measured in one process per area; never a test. `npm run bench -- json schema` runs a selection.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const areas = readdirSync(here)
	.filter((name) => name.endsWith(".mjs") && name !== "main.mjs" && name !== "measure.mjs")
	.map((name) => name.slice(0, -4));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !areas.includes(name));

if (unknown.length > 0) {
	console.error(`no bench named ${unknown.join(", ")}; there are ${areas.join(", ")}`);
	process.exitCode = 2;
} else {
	console.log(`node ${process.version}, ${process.arch}`);
	console.log("Ratios are speeds against the first named: 1.00 is as fast, 2.00 twice as fast.");
	for (const area of wanted.length > 0 ? wanted : areas) {
		console.log(`\n# ${area}`);
		const script = `import(${JSON.stringify(`${here}${area}.mjs`)}).then((module) => module.bench())`;
		const { status } = spawnSync(process.execPath, ["--expose-gc", "-e", script], { stdio: "inherit" });
		if (status !== 0) process.exitCode = 1;
	}
}
