import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "../../src/host/index.ts";
import { builtFile } from "./built.ts";

/** The runtimes that the SDK is bundled for; Node's is the one that must exist. */
const RUNTIMES = ["node", "deno", "bun"] as const;

/**
 * Everything of a stage that isn't the package: the SDK as one file per runtime, reachable under both its names with one
 * module instance behind them, and two barriers: `package.json` makes `.js` and `.ts` modules and ends every search for a
 * package scope, `tsconfig.json` ends Bun's for a map of module paths. Paths are relative to the stage. A copy inside the package wins: Node looks there first.
 *
 * Throws a `HostError` `PACKAGE_STAGE_FAILED` when the library was not built.
 */
export function stageFiles(): ReadonlyMap<string, string> {
	const files = new Map<string, string>();
	const names: Record<string, string> = {};
	for (const runtime of RUNTIMES) {
		const bundle = builtFile(`sdk/${runtime}.js`);
		if (bundle === undefined && runtime === "node")
			throw new HostError("The SDK bundle dist/sdk/node.js is missing: build the library (npm run build).", {
				code: "PACKAGE_STAGE_FAILED",
				phase: "package",
			});
		if (bundle === undefined) continue;
		names[runtime === "node" ? "default" : runtime] = `./${runtime}.js`;
		// Under the name that the specification's examples use: finding and opening one more file takes a twentieth of a small
		// component's life.
		files.set(`node_modules/@jigging/flow/${runtime}.js`, readFileSync(bundle, "utf8"));
		files.set(`node_modules/millrace/${runtime}.js`, `export * from "../@jigging/flow/${runtime}.js";\n`);
	}
	// Conditions are tried in their order, so the one that always matches comes last.
	const { default: fallback, ...special } = names;
	const conditions = { ...special, default: fallback };
	files.set("node_modules/millrace/package.json", manifest("millrace", { "./sdk": conditions }));
	files.set("node_modules/@jigging/flow/package.json", manifest("@jigging/flow", { ".": conditions }));
	files.set("package.json", `${JSON.stringify({ type: "module" })}\n`);
	files.set("tsconfig.json", "{}\n");
	return files;
}

function manifest(name: string, exports: unknown): string {
	return `${JSON.stringify({ name, type: "module", exports })}\n`;
}

/** Writes them below `stage`, files 0444. Throws the system's error. */
export function installStageFiles(stage: string, files: ReadonlyMap<string, string>): void {
	for (const [path, text] of files) {
		mkdirSync(dirname(join(stage, path)), { recursive: true, mode: 0o700 });
		writeFileSync(join(stage, path), text, { flag: "wx", mode: 0o444 });
	}
}
