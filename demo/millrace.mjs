// The built command, called as a user calls it, with what was typed above what came of it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../dist/adapters/node/cli/main.js", import.meta.url));
const repository = fileURLToPath(new URL("..", import.meta.url));

/** Runs `millrace` in the repository, shows it, and answers its exit code. */
export function millrace(...words) {
	console.log(`\n$ millrace ${words.map((word) => (/^[\w./=:@-]+$/.test(word) ? word : `'${word}'`)).join(" ")}`);
	const { status } = spawnSync(process.execPath, [command, ...words], {
		cwd: repository,
		stdio: ["ignore", "inherit", "inherit"],
	});
	return status;
}
