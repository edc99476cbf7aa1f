/** The library as a web page has it: its TypeScript sources bundled as an application's build would. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** Bundles `code`, which may import `millrace`, `millrace/host` and `millrace/browser`, to one module. */
export async function bundleForPage(code: string): Promise<string> {
	const { outputFiles } = await build({
		stdin: { contents: code, resolveDir: repository, loader: "ts" },
		bundle: true,
		write: false,
		format: "esm",
		target: "es2023",
		platform: "browser",
		alias: {
			millrace: `${repository}src/index.ts`,
			"millrace/host": `${repository}src/host/index.ts`,
			"millrace/browser": `${repository}adapters/browser/index.ts`,
		},
	});
	const [file] = outputFiles;
	if (file === undefined) throw new Error("The bundle is empty.");
	return file.text;
}
