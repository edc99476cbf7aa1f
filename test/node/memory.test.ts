import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FLOW_MD, workspace, writeTree } from "./fixtures.ts";

/** All four files take about ten seconds of one core; without the flag one of 256 MiB shows the same shape. */
const FULL = process.env.MILLRACE_BIG !== undefined;

test("a tree of files as large as Package/1 admits digests within 100 MB of memory", { timeout: 300_000 }, () => {
	const root = writeTree(workspace(), { "FLOW.md": FLOW_MD });
	const sizes = FULL ? [2 ** 30, 2 ** 30, 2 ** 30, 2 ** 30 - FLOW_MD.length] : [2 ** 28];
	for (const [index, size] of sizes.entries()) {
		const fd = openSync(join(root, `file${index}`), "w");
		ftruncateSync(fd, size);
		closeSync(fd);
	}
	const door = JSON.stringify(join(import.meta.dirname, "../../dist/adapters/node/index.js"));
	const script = `import { digestPackage } from ${door};
		const { digest } = await digestPackage(${JSON.stringify(root)});
		console.log(digest.length, process.resourceUsage().maxRSS);`;
	const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
	expect(stderr).toBe("");
	const [length, kibibytes] = stdout.trim().split(" ").map(Number);
	expect(length).toBe(71);
	expect(kibibytes! * 1_024).toBeLessThan(100_000_000);
	if (FULL) console.log(`peak ${Math.round((kibibytes! * 1_024) / 1e6)} MB`);
});
