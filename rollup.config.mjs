import resolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";

const node = /^node:/;

/**
 * One self-contained file per runtime that a stage places beside a package, so that `@jigging/flow` resolves there. It is
 * copied for every package that is loaded and parsed by every component that starts, so it is small; class names stay,
 * since an author meets them in stack traces.
 */
const sdk = (runtime) => ({
	input: `dist/adapters/${runtime}/sdk.js`,
	external: node,
	output: { file: `dist/sdk/${runtime}.js`, format: "esm", banner: "/*! millrace/sdk, MIT License */" },
	plugins: [resolve(), terser({ module: true, keep_classnames: true, compress: { passes: 3, ecma: 2022 } })],
});

/** The core for a web page: one file, no bundler needed. Fails the build if anything asks for Node. */
const browser = {
	input: "dist/src/index.js",
	output: {
		file: "dist/browser/millrace.min.js",
		format: "esm",
		sourcemap: true,
		banner:
			"/*! millrace, MIT License. Includes @noble/hashes (MIT License, Paul Miller) and yaml (ISC License, Eemeli Aro). */",
	},
	plugins: [resolve({ browser: true, preferBuiltins: false }), terser({ module: true })],
	onLog(level, log, handler) {
		if (log.code === "UNRESOLVED_IMPORT") handler("error", log);
		else handler(level, log);
	},
};

export default [sdk("node"), sdk("deno"), sdk("bun"), browser];
