/**
 * Loads TypeScript on a Node that doesn't strip types by itself, to the letter as one that does: exact specifiers only (no
 * guessed suffixes), type-only imports written as such, `.ts` takes its module kind from the nearest package.json or, where
 * that says nothing, from its syntax; nothing below a `node_modules`. Line numbers stay what they were. One difference: an
 * `enum` or a parameter property runs here, while Node itself refuses what it can't merely erase.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { transform } from "sucrase";

type Kind = "module" | "commonjs";

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
	const suffix = /^file:[^?#]*\.([cm]?ts)(?:[?#]|$)/.exec(url)?.[1];
	if (suffix === undefined || /\/node_modules\//.test(url)) return next(url, context);
	const text = await readFile(new URL(url), "utf8");
	const { code } = transform(text, {
		transforms: ["typescript"],
		disableESTransforms: true,
		keepUnusedImports: true,
		filePath: fileURLToPath(url),
	});
	const kind = suffix === "mts" ? "module" : suffix === "cts" ? "commonjs" : (declaredKind(url) ?? kindOf(code));
	return { format: kind, source: code, shortCircuit: true };
}

/** The module kind that the nearest package.json declares, if it does. */
function declaredKind(url: string): Kind | undefined {
	for (let at = new URL("./package.json", url); ; ) {
		if (at.pathname.endsWith("/node_modules/package.json")) return undefined;
		try {
			const { type } = JSON.parse(readFileSync(at, "utf8")) as { type?: unknown };
			return type === "module" || type === "commonjs" ? type : undefined;
		} catch {
			// None here that can be read: the next one above says it.
		}
		const up = new URL("../package.json", at);
		if (up.pathname === at.pathname) return undefined;
		at = up;
	}
}

/** Static syntax that only a module may contain, as the engine complains about it. */
const MODULE_ONLY =
	/^(?:Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import\.meta' outside a module)/;

/**
 * The module kind by syntax, as Node finds it: CommonJS, unless it doesn't compile as that for want of a module: because of
 * its imports and exports, or of an `await` or a name that is taken only there. Runs nothing.
 */
function kindOf(code: string): Kind {
	try {
		compileFunction(code, ["exports", "require", "module", "__filename", "__dirname"]);
		return "commonjs";
	} catch (error) {
		if (error instanceof SyntaxError && MODULE_ONLY.test(error.message)) return "module";
	}
	try {
		compileFunction(`(async () => {${code}\n})`);
		return "module";
	} catch {
		return "commonjs";
	}
}
