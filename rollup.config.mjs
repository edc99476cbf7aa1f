import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import commonjs from "@rollup/plugin-commonjs";
import resolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { transformSync } from "esbuild";

const node = /^node:/;

/** Small, with the names of classes: an author meets them in stack traces. */
const small = terser({ module: true, keep_classnames: true, compress: { passes: 3, ecma: 2022 } });

/** Fails the build where a file for pages asks for Node, or for anything else that isn't there. */
const failUnresolved = (level, log, handler) => handler(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log);

/**
 * One self-contained file per runtime that a stage places beside a package, so that `@jigging/flow` resolves there. It is
 * copied for every package that is loaded and parsed by every component that starts, so it is small.
 */
const sdk = (runtime) => ({
	input: `dist/adapters/${runtime}/sdk.js`,
	external: node,
	output: { file: `dist/sdk/${runtime}.js`, format: "esm", banner: "/*! millrace/sdk, MIT License */" },
	plugins: [resolve(), small],
});

/** The core for a web page: one file, no bundler needed. */
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
	onLog: failUnresolved,
};

/** A script that carries the text of another one, which the build has made before, as the constant `name`. */
const carrying = (name, path) => () => `const ${name} = ${JSON.stringify(readFileSync(path, "utf8"))};`;

/** What a Worker of a page begins with; it carries the SDK. */
const worker = {
	input: "dist/adapters/browser/worker/worker-entry.js",
	output: { file: "dist/browser/worker.js", format: "iife", intro: carrying("SDK_TEXT", "dist/sdk/browser.js") },
	plugins: [resolve(), small],
};

/** The frame that confines a Worker: one file, whose policy knows its one script by its hash, and nothing else. */
const frame = {
	input: "dist/adapters/browser/worker/frame-entry.js",
	output: { file: "dist/browser/frame.js", format: "iife", intro: carrying("WORKER_TEXT", "dist/browser/worker.js") },
	plugins: [
		resolve(),
		small,
		{
			name: "frame-file",
			generateBundle(_, bundle) {
				const { code } = bundle["frame.js"];
				const hash = createHash("sha256").update(code).digest("base64");
				const policy = `default-src 'none'; script-src 'sha256-${hash}' blob:; worker-src blob:`;
				const source = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A running Flow</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<script>${code}</script></html>
`;
				delete bundle["frame.js"];
				this.emitFile({ type: "asset", fileName: "frame.html", source });
			},
		},
	],
};

/** What takes the types out of TypeScript in a page: two packages below it are no ES modules, which not every bundler takes. */
const sucrase = {
	input: "node_modules/sucrase/dist/esm/index.js",
	output: {
		file: "dist/browser/sucrase.js",
		format: "esm",
		banner:
			"/*! sucrase (MIT License, Alec Larson and others), with lines-and-columns, @jridgewell and ts-interface-checker (MIT and Apache-2.0). */",
	},
	plugins: [resolve(), commonjs(), terser({ module: true })],
};

/** The styles of the page before those of its rooms: of two rules that say the same of something, the later one counts. */
const SHEETS = ["style.css", "shell/shell.css", "parts/parts.css", "shell/front.css"];

/** What of the page is no module: its document, its styles as one sheet, and the Worker's frame. */
const pageFiles = {
	name: "page-files",
	buildStart() {
		// Chunks are named by their content: those of an earlier build would stay.
		rmSync("dist/page", { recursive: true, force: true });
	},
	generateBundle() {
		const emit = (fileName, source) => this.emitFile({ type: "asset", fileName, source });
		for (const name of ["index.html", "theme.js", "mark.svg"]) emit(name, readFileSync(`demo/page/${name}`));
		const rooms = readdirSync("demo/page/rooms", { recursive: true }).filter((path) => path.endsWith(".css"));
		const sheets = [...SHEETS, ...rooms.sort().map((path) => `rooms/${path}`)];
		const sheet = sheets.map((path) => readFileSync(`demo/page/${path}`, "utf8")).join("\n");
		emit("style.css", transformSync(sheet, { loader: "css", minify: true }).code);
		emit("frame.html", readFileSync("dist/browser/frame.html"));
	},
};

/** The packages that the page runs as examples, as text, by name and path: a page fetches nothing. */
const pageFlows = {
	name: "page-flows",
	resolveId: (id) => (id === "page-flows" ? id : undefined),
	load(id) {
		if (id !== "page-flows") return undefined;
		const flows = {};
		for (const folder of ["demo/flows", "demo/page/flows"]) {
			for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
				if (!entry.isFile()) continue;
				const [name, ...path] = relative(folder, join(entry.parentPath, entry.name)).split(sep);
				flows[name] ??= {};
				flows[name][path.join("/")] = readFileSync(join(entry.parentPath, entry.name), "utf8");
			}
		}
		return `export default ${JSON.stringify(flows)};`;
	},
};

/** The page: a folder of static files that anyone can serve. Each room, and what is large in it, is loaded on use. */
const page = {
	input: { main: "dist/page-js/main.js" },
	output: {
		dir: "dist/page",
		format: "esm",
		entryFileNames: "[name].js",
		// A room's own file is named after the room, whatever else is in it.
		chunkFileNames: ({ moduleIds }) =>
			`${/rooms[\\/](\w+)[\\/]index\.js$/m.exec(moduleIds.join("\n"))?.[1] ?? "[name]"}-[hash].js`,
	},
	plugins: [
		pageFlows,
		resolve({ preferBuiltins: false }),
		terser({ module: true, compress: { passes: 2, ecma: 2022 } }),
		pageFiles,
	],
	onLog: failUnresolved,
};

export default [sdk("node"), sdk("deno"), sdk("bun"), sdk("browser"), worker, frame, sucrase, browser, page];
