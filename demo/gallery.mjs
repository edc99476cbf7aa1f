// `npm run gallery`: every example package under demo/flows, inspected, then run; the ones with channels by a program.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { millrace } from "./millrace.mjs";

const packages = readdirSync(new URL("flows/", import.meta.url)).sort();
const runs = [
	["greet", "--input", '{"name":"Ada"}'],
	["greet-python", "--input", '{"name":"Grace"}'],
	["parent", "--input", '{"name":"Ada"}', "--child", "greeter=demo/flows/greet"],
];
const codes = [
	...packages.map((name) => millrace("inspect", `demo/flows/${name}`)),
	...runs.map(([name, ...words]) => millrace("run", `demo/flows/${name}`, ...words)),
];
console.log("\n$ node demo/survey.mjs");
codes.push(
	spawnSync(process.execPath, [fileURLToPath(new URL("survey.mjs", import.meta.url))], { stdio: "inherit" }).status,
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
