/**
 * Loads TypeScript on a Node that doesn't strip types by itself, to the letter as one that does: exact specifiers only (no
 * guessed suffixes), type-only imports written as such, `.ts` takes its module kind from the nearest package.json, nothing
 * below a `node_modules`. Line numbers stay what they were.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "sucrase";

interface LoadContext {
	readonly format?: string | null | undefined;
}
interface Loaded {
	readonly format: string;
	readonly source?: string | ArrayBuffer | Uint8Array | null;
	readonly shortCircuit?: boolean;
}
type NextLoad = (url: string, context: LoadContext) => Promise<Loaded>;

/** Node's `load` hook. Rejects with a `SyntaxError` for text that is not TypeScript. */
export async function load(url: string, context: LoadContext, next: NextLoad): Promise<Loaded> {
	const kind = /^file:[^?#]*\.([cm]?ts)(?:[?#]|$)/.exec(url)?.[1];
	if (kind === undefined || /\/node_modules\//.test(url)) return next(url, context);
	const format = kind === "mts" ? "module" : kind === "cts" ? "commonjs" : moduleKind(url);
	const text = await readFile(new URL(url), "utf8");
	const { code } = transform(text, {
		transforms: format === "module" ? ["typescript"] : ["typescript", "imports"],
		disableESTransforms: true,
		keepUnusedImports: true,
		filePath: fileURLToPath(url),
	});
	return { format, source: code, shortCircuit: true };
}

/** The module kind that the nearest package.json gives: `module` by its type, `commonjs` without one. */
function moduleKind(url: string): "module" | "commonjs" {
	for (let at = new URL("./package.json", url); ; ) {
		if (at.pathname.endsWith("/node_modules/package.json")) return "commonjs";
		try {
			const { type } = JSON.parse(readFileSync(at, "utf8")) as { type?: unknown };
			return type === "module" ? "module" : "commonjs";
		} catch {}
		const up = new URL("../package.json", at);
		if (up.pathname === at.pathname) return "commonjs";
		at = up;
	}
}
