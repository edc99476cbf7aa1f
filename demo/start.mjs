// `npm start`: one example package run on real input, then on bad input. Prints what was checked and why a result was accepted.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../dist/adapters/node/cli/main.js", import.meta.url));

function millrace(...args) {
	console.log(`\n$ millrace ${args.map((each) => (/[{"\s]/.test(each) ? `'${each}'` : each)).join(" ")}`);
	const { status } = spawnSync(process.execPath, [command, ...args], {
		cwd: fileURLToPath(new URL("..", import.meta.url)),
		stdio: ["ignore", "inherit", "inherit"],
	});
	return status;
}

const accepted = millrace("run", "demo/flows/greet", "--input", '{"name":"Ada"}');
const refused = millrace("run", "demo/flows/greet", "--input", '{"name":42}');
const ok = accepted === 0 && refused === 1;
console.log(
	ok
		? "\nThe first was accepted, the second refused before anything started."
		: "\nThat is not what should have happened.",
);
process.exitCode = ok ? 0 : 1;
