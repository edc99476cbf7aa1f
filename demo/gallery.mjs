// `npm run demo`: every example package under demo/flows, inspected, then run.
import { readdirSync } from "node:fs";
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
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
