// Bundles a few lines for a web page as an application's build would, and says what came along. For the budget test and
// `npm run bench -- size`.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import resolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { rollup } from "rollup";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const ENTRY = `${repository}entry.js`;

/** The doors of the built library that a page can import. */
const DOORS = { millrace: "dist/src/index.js", "millrace/host": "dist/src/host/index.js" };

/**
 * Bundles `code`, whose imports are doors of the library or installed packages. Gives its size in bytes, minified (unless
 * `minify` is false, which is quicker) and then gzipped, and the modules of which something was kept, relative to the
 * repository. Rejects on an import that a page has no answer for.
 */
export async function bundle(code, { minify = true } = {}) {
	const entry = {
		name: "entry",
		resolveId: (id) => (id === ENTRY ? id : Object.hasOwn(DOORS, id) ? repository + DOORS[id] : null),
		load: (id) => (id === ENTRY ? code : null),
	};
	const build = await rollup({
		input: ENTRY,
		plugins: [
			entry,
			resolve({ browser: true, preferBuiltins: false }),
			minify && terser({ module: true, compress: { passes: 2 } }),
		],
		onLog(level, log, handler) {
			if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
			handler(level, log);
		},
	});
	try {
		const { output } = await build.generate({ format: "esm" });
		const modules = Object.entries(output[0].modules).filter(([, { renderedLength }]) => renderedLength > 0);
		return {
			bytes: Buffer.byteLength(output[0].code),
			gzip: gzipSync(output[0].code, { level: 9 }).length,
			modules: modules.map(([id]) => relative(repository, id)).filter((id) => id !== "entry.js"),
		};
	} finally {
		await build.close();
	}
}
