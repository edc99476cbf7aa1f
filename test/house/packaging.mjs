// Packs the library as it would be published and has publint and Are the Types Wrong judge the tarball; part of
// `npm run check`. What a project that installs it can do is tested in packaging.test.ts.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The file of a development dependency, run without a shell in between. */
const tool = (path) => join(repository, "node_modules", path);

const directory = mkdtempSync(join(tmpdir(), "millrace-pack-"));
try {
	// The build has run: a second one by a script of the package would be another tarball than the one tested.
	const npm = process.env.npm_execpath === undefined ? ["npm"] : [process.execPath, process.env.npm_execpath];
	const pack = [...npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", directory];
	execFileSync(pack[0], pack.slice(1), { cwd: repository });
	const tarball = join(directory, readdirSync(directory)[0]);
	for (const [name, ...args] of [
		[tool("publint/src/cli.js"), "--strict", tarball],
		[
			tool("@arethetypeswrong/cli/dist/index.js"),
			tarball,
			...["--profile", "esm-only", "--format", "ascii"],
			// A document to be copied, with no types.
			...["--exclude-entrypoints", "./browser/frame.html"],
		],
	]) {
		const { status, stdout, stderr } = spawnSync(process.execPath, [name, ...args], {
			cwd: repository,
			encoding: "utf8",
		});
		if (status !== 0) {
			process.stdout.write(stdout);
			process.stderr.write(stderr);
			process.exitCode = 1;
		}
	}
	if (process.exitCode !== 1) console.log("packaging: publint --strict and attw --profile esm-only accept the tarball");
} finally {
	rmSync(directory, { recursive: true, force: true });
}
