// `npm run demo`: every example package under demo/flows, inspected and, where it needs nothing bound, run.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../dist/adapters/node/cli/main.js", import.meta.url));
const repository = fileURLToPath(new URL("..", import.meta.url));

const RUNS = [
	["run", "demo/flows/greet", "--input", '{"name":"Ada"}'],
	["run", "demo/flows/greet-python", "--input", '{"name":"Grace"}'],
	["run", "demo/flows/parent", "--input", '{"name":"Ada"}', "--child", "greeter=demo/flows/greet"],
];

let failed = 0;
for (const args of [...RUNS.map(([, directory]) => ["inspect", directory]), ...RUNS]) {
	console.log(`\n$ millrace ${args.join(" ")}`);
	const { status } = spawnSync(process.execPath, [command, ...args], {
		cwd: repository,
		stdio: ["ignore", "inherit", "inherit"],
	});
	if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
