/** The published package: what is in it, and what a project that installs it can and can't do. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as bundle } from "esbuild";
import { rollup } from "rollup";
import ts from "typescript";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestPackage, memorySource } from "../../src/package/index.ts";
import { launchChromium, needsChromium } from "../browser/support/chromium.ts";
import { serve } from "../browser/support/serve.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as {
	readonly version: string;
	readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
	readonly dependencies: Readonly<Record<string, string>>;
};

/** The doors for modules: `millrace`, `millrace/sdk` and so on. */
const doors = Object.keys(manifest.exports)
	.filter((name) => !/\.(?:json|html)$/.test(name))
	.map((name) => name.replace(/^\./, "millrace"));

let packed: readonly string[];
/** A project with the packed files and only the declared dependencies below its `node_modules`. */
let project: string;

/** Runs a program in the project and gives what it prints. */
async function node(...args: readonly string[]): Promise<string> {
	const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:NODE_|npm_)/.test(name)));
	return (await run(process.execPath, args, { cwd: project, env: environment, timeout: 60_000 })).stdout.trimEnd();
}

beforeAll(async () => {
	const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: repository });
	packed = (JSON.parse(stdout) as [{ files: { path: string }[] }])[0].files.map(({ path }) => path);
	project = await realpath(await mkdtemp(join(tmpdir(), "millrace-project-")));
	await writeFile(join(project, "package.json"), '{ "type": "module" }');
	const modules = join(project, "node_modules");
	for (const path of packed) {
		await mkdir(dirname(join(modules, "millrace", path)), { recursive: true });
		await cp(`${repository}${path}`, join(modules, "millrace", path));
	}
	for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
		await mkdir(dirname(join(modules, name)), { recursive: true });
		await symlink(`${repository}node_modules/${name}`, join(modules, name), "junction");
	}
}, 60_000);

afterAll(() => rm(project, { recursive: true, force: true }));

describe("what is in it", () => {
	it("the built library, the corpus and the words about them, and nothing else", () => {
		const strangers = packed.filter(
			(path) =>
				!/^dist\/(?:src|adapters|conformance)\/.+\.(?:js|d\.ts)$/.test(path) &&
				!/^dist\/(?:sdk\/(?:node|deno|bun)\.js|browser\/(?:millrace\.min\.js(?:\.map)?|frame\.html|sucrase\.js))$/.test(
					path,
				) &&
				!/^conformance\/(?:[A-Z]+\.md|cases\/(?:[a-z]+\/)?[a-z0-9-]+\.json|players\/flow\.(?:mjs|py)|components\/component\.(?:mjs|py))$/.test(
					path,
				) &&
				!["package.json", "README.md", "LICENSE", "CHANGELOG.md"].includes(path),
		);
		expect(strangers).toEqual([]);
		for (const path of [
			"LICENSE",
			"README.md",
			"dist/sdk/node.js",
			"conformance/DRIVER.md",
			"conformance/players/flow.py",
			"conformance/components/component.py",
		])
			expect(packed).toContain(path);
		expect(packed.filter((path) => path.startsWith("conformance/cases/")).length).toBeGreaterThan(3);
	});

	it("nothing that the source no longer makes (run `npm run clean` if this fails)", () => {
		const source = (path: string): string => path.replace(/^dist\//, "").replace(/\.(?:d\.ts|js)$/, ".ts");
		const compiled = packed.filter((path) => /^dist\/(?:src|adapters|conformance)\//.test(path));
		expect(compiled.filter((path) => !existsSync(repository + source(path)))).toEqual([]);
		expect(compiled.length).toBeGreaterThan(100);
	});
});

describe("under Node", () => {
	it("every door can be imported and required, with the same exports", async () => {
		const list = (load: string): string => `
			const doors = ${JSON.stringify(doors)};
			(async () => {
				for (const door of doors) console.log(door, Object.keys(await ${load}(door)).sort().join());
			})();`;
		const imported = await node("--input-type=module", "-e", list("(async (door) => import(door))"));
		const required = await node("--input-type=commonjs", "-e", list("require"));
		expect(required).toBe(imported);
		const lines = imported.split("\n");
		expect(lines).toHaveLength(doors.length);
		expect(lines.find((line) => line.startsWith("millrace/sdk "))).toBe(
			"millrace/sdk CapabilityError,OperationError,handle",
		);
		for (const line of lines) expect(line).toMatch(/^\S+ \w+/);
	});

	it("a component loads no dependency through millrace/sdk", async () => {
		await rm(join(project, "alone"), { recursive: true, force: true });
		await cp(join(project, "node_modules", "millrace"), join(project, "alone", "node_modules", "millrace"), {
			recursive: true,
		});
		const code = 'import("millrace/sdk").then(({ handle }) => console.log(typeof handle))';
		const { stdout } = await run(process.execPath, ["--no-global-search-paths", "-e", code], {
			cwd: join(project, "alone"),
		});
		expect(stdout).toBe("function\n");
	});

	it.each(["millrace/dist/src/index.js", "millrace/src/json", "millrace/json", "millrace/conformance/DRIVER.md"])(
		"the deep import %s is closed",
		async (specifier) => {
			const code = `import(${JSON.stringify(specifier)}).then(() => "open", (error) => error.code).then(console.log)`;
			expect(await node("-e", code)).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED");
		},
	);

	it("its package.json can be read, and the command runs a new package", { timeout: 60_000 }, async () => {
		const version = 'console.log(require("millrace/package.json").version)';
		expect(await node("--input-type=commonjs", "-e", version)).toBe(manifest.version);
		const command = join("node_modules", "millrace", "dist", "adapters", "node", "cli", "main.js");
		expect(await node(command, "--version")).toBe(manifest.version);
		await node(command, "new", "hello");
		const report = JSON.parse(await node(command, "run", "hello", "--input", '{"name":"Ada"}', "--json")) as {
			readonly status: string;
		};
		expect(report.status).toBe("succeeded");
	});
});

describe("its types", () => {
	const core = `
		import { canonicalize, compileSchema, digestPackage, type Digest, memorySource, parseJson } from "millrace";
		import { createHost, type HostRuntime } from "millrace/host";
		import { handle, OperationError, type RunContext } from "millrace/sdk";
		export const bytes: Uint8Array = canonicalize(parseJson("1"));
		export const valid: boolean = compileSchema("true").evaluate(null).valid;
		export const digest: Promise<Digest> = digestPackage(memorySource({})).then((answer) => answer.digest);
		export const host = (runtime: HostRuntime) => createHost({ runtime });
		export const refuse = (run: RunContext) => {
			if (run.signal.aborted) throw new OperationError("CANCELLED");
		};
		// @ts-expect-error: a result has an outcome
		export const wrong = () => handle(async () => ({ output: 1 }));
	`;
	const onNode = `${core}
		import { directory, nodeRuntime } from "millrace/node";
		export const pack = () => host(nodeRuntime()).load(directory("."));
	`;

	/** What the compiler says about `code` in the project. */
	async function check(name: string, code: string, options: ts.CompilerOptions): Promise<string[]> {
		const file = join(project, name);
		await writeFile(file, code);
		const program = ts.createProgram([file], {
			target: ts.ScriptTarget.ES2022,
			strict: true,
			exactOptionalPropertyTypes: true,
			skipLibCheck: false,
			noEmit: true,
			...options,
		});
		return ts.getPreEmitDiagnostics(program).map(({ file: where, messageText }) => {
			return `${where?.fileName.slice(project.length) ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
		});
	}

	const nodenext = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
	const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
	it.each([
		["nodenext, with no environment's types", core, { ...nodenext, types: [], lib: ["lib.es2022.d.ts"] }],
		["bundler, for a page", core, { ...bundler, types: [], lib: ["lib.es2022.d.ts", "lib.dom.d.ts"] }],
		["nodenext, for Node", onNode, { ...nodenext, types: ["node"], lib: ["lib.es2022.d.ts"] }],
		["bundler, for Node", onNode, { ...bundler, types: ["node"], lib: ["lib.es2022.d.ts"] }],
	])("%s", { timeout: 60_000 }, async (name, code, options) => {
		expect(await check(`${name.replaceAll(/\W+/g, "-")}.ts`, code, options)).toEqual([]);
	});
});

describe("in a page's bundle", () => {
	/** The ids that a browser bundle of one import is left without; rejects where something can't be resolved. */
	async function bundleFor(specifier: string): Promise<readonly string[]> {
		const entry = join(project, "page.js");
		await writeFile(entry, `export * from ${JSON.stringify(specifier)};`);
		const bundled = await rollup({
			input: entry,
			plugins: [nodeResolve({ browser: true, preferBuiltins: false })],
			onLog(_level, { message }) {
				throw new Error(message);
			},
		});
		const { output } = await bundled.generate({ format: "esm" });
		await bundled.close();
		const made = new Set(output.map(({ fileName }) => fileName));
		return output[0].imports.filter((name) => !made.has(name));
	}

	it.each(["millrace", "millrace/host", "millrace/browser", "millrace/sdk"])(
		"%s needs nothing else",
		{ timeout: 60_000 },
		async (door) => {
			expect(await bundleFor(door)).toEqual([]);
		},
	);

	it("millrace/node fails the build", async () => {
		await expect(bundleFor("millrace/node")).rejects.toThrow("millrace/node");
	});

	/** What the page does with the library: something of each door that pages have. */
	const PAGE = `
		import { canonicalText, compileSchema, digestPackage, inspectPackage, memorySource, parseJson } from "millrace";
		import { archive, browserRuntime } from "millrace/browser";
		import { createHost } from "millrace/host";
		const files = { "FLOW.md": "---\\nname: a\\ndescription: b\\n---\\n" };
		const { metadata } = await inspectPackage(memorySource(files));
		const host = createHost({ runtime: browserRuntime({ frame: "/frame.html" }) });
		document.title = JSON.stringify([
			(await digestPackage(memorySource(files))).digest, metadata.name, typeof host.load, typeof archive,
			canonicalText(parseJson('{"b":1.0,"a":2}')), compileSchema('{"$schema":"https://flow.jig.md/schemas/schema-1.json"}').evaluate(null).valid,
		]);
	`;

	const BUNDLERS: Readonly<Record<string, (root: string) => Promise<unknown>>> = {
		Vite: (root) => build({ root, logLevel: "error", build: { target: "esnext", outDir: "out", minify: true } }),
		esbuild: async (root) => {
			await bundle({
				absWorkingDir: root,
				entryPoints: ["page.js"],
				bundle: true,
				splitting: true,
				format: "esm",
				minify: true,
				target: "es2022",
				outdir: "out",
			});
			await writeFile(join(root, "out", "index.html"), '<script type="module" src="/page.js"></script>');
		},
	};

	it.skipIf(needsChromium).each(Object.keys(BUNDLERS))(
		"built by %s, it runs in Chromium",
		{ timeout: 120_000 },
		async (name) => {
			const root = join(project, name);
			await mkdir(root, { recursive: true });
			await writeFile(join(root, "page.js"), PAGE);
			await writeFile(join(root, "index.html"), '<script type="module" src="./page.js"></script>');
			await BUNDLERS[name]!(root);
			const served = await serve(join(root, "out"));
			const browser = await launchChromium();
			try {
				const page = await browser.newPage();
				await page.goto(`${served.url}/`);
				await page.waitForFunction(() => document.title !== "");
				const { digest } = await digestPackage(memorySource({ "FLOW.md": "---\nname: a\ndescription: b\n---\n" }));
				expect(JSON.parse(await page.title())).toEqual([digest, "a", "function", "function", '{"a":2,"b":1}', true]);
			} finally {
				await browser.close();
				await served.close();
			}
		},
	);
});

describe("under other runtimes", () => {
	/** The binaries themselves: what npm links to needs a script of theirs to have run. */
	const installed: Readonly<Record<string, string>> = {
		deno: `${repository}test/runtimes/node_modules/@deno/linux-x64-glibc/deno`,
		bun: `${repository}test/runtimes/node_modules/@oven/bun-linux-x64/bin/bun`,
	};
	const code = `
		for (const door of ${JSON.stringify(doors.filter((door) => door !== "millrace/browser"))}) {
			console.log(door, Object.keys(await import(door)).sort().join());
		}`;

	it.each([
		["deno", ["run", "--quiet", "-A", "--node-modules-dir=manual", "--no-lock", "doors.mjs"]],
		["bun", ["doors.mjs"]],
	])("%s imports every door", { timeout: 60_000 }, async (name, args) => {
		// Installed by `npm run test:runtimes`, which CI does first; a machine without them skips this by name.
		const command = existsSync(installed[name] ?? "") ? installed[name]! : name;
		await writeFile(join(project, "doors.mjs"), code);
		let printed: string;
		try {
			printed = (await run(command, args, { cwd: project, timeout: 60_000 })).stdout.trimEnd();
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT" && !process.env.CI) return expect(command).toBe(name);
			throw error;
		}
		expect(printed).toBe(await node("doors.mjs"));
	});
});
