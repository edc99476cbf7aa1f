import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { LauncherChoice } from "../../src/host/index.ts";
import type { Entrypoint } from "../../src/package/index.ts";
import { builtFile } from "./built.ts";

/** How one runtime is started. */
export interface Launcher {
	/** Its absolute path; it is never searched. */
	readonly executable: string;
	/** The arguments for an implementation at the absolute path `entry`; default: that path alone. */
	readonly arguments?: ((entry: string, entrypoint: Entrypoint) => readonly string[]) | undefined;
	/** The suffixes it runs; default: any that leads to it. */
	readonly suffixes?: readonly string[] | undefined;
	/** Variables it needs beside the fixed environment. */
	readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface LauncherOptions {
	/**
	 * Entries by selector (`#!/usr/bin/env <selector>`), beside `node` and `python3` or in their place: an absolute
	 * executable, or a {@link Launcher}. An executable alone is started with the implementation's path, or, for `node`,
	 * `deno` and `bun`, as those need it: `{ deno: "/opt/deno/bin/deno" }`.
	 */
	readonly selectors?: Readonly<Record<string, string | Launcher>> | undefined;
	/** The selector meant by a suffix without one, beside `mjs`, `js`, `ts` (node) and `py` (python3). */
	readonly suffixes?: Readonly<Record<string, string>> | undefined;
}

/** What to start for an entrypoint. */
export type Found =
	| { readonly ok: true; readonly selector: string; readonly launcher: Launcher }
	| Extract<LauncherChoice, { ok: false }>;

/** The fixed places of Python; PATH isn't asked. */
const PYTHON = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3", "/opt/local/bin/python3"];

/** Where a host that isn't Node itself finds Node. */
const NODE = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node", "/opt/local/bin/node"];

/**
 * The host's table of runtimes: suffix to selector to absolute executable (Package/1 section 3: a selector identifies
 * semantics, the host says what it runs). Made once, from fixed places; nothing is searched on PATH, no shell is involved.
 */
export class LauncherTable {
	readonly #selectors = new Map<string, { readonly launcher?: Launcher; readonly tried: readonly string[] }>();
	readonly #suffixes = new Map([
		["mjs", "node"],
		["js", "node"],
		["ts", "node"],
		["py", "python3"],
	]);

	/** Throws `TypeError` for an executable that is not absolute, or a selector or suffix outside its grammar. */
	constructor(options: LauncherOptions = {}) {
		const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
		this.#add("node", isNode ? [process.execPath] : NODE, nodeLauncher);
		this.#add("python3", PYTHON, (executable) => ({ executable, suffixes: ["py"] }));
		for (const [selector, given] of Object.entries(options.selectors ?? {})) {
			if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/.test(selector)) throw new TypeError(`"${selector}" is no selector.`);
			const path = typeof given === "string" ? given : given.executable;
			if (!isAbsolute(path))
				throw new TypeError(`The executable of "${selector}" must be an absolute path, not "${path}".`);
			const shape = KNOWN.get(selector) ?? ((executable: string) => ({ executable }));
			this.#add(selector, [path], (executable) => (typeof given === "string" ? shape(executable) : given));
		}
		for (const [suffix, selector] of Object.entries(options.suffixes ?? {})) {
			if (!/^[a-z0-9]{1,16}$/.test(suffix)) throw new TypeError(`"${suffix}" is no suffix of an implementation.`);
			this.#suffixes.set(suffix, selector);
		}
	}

	/** A selector decides alone where there is one; else the suffix does. An unknown selector is refused, whatever the suffix. */
	find(entrypoint: Entrypoint): Found {
		const { selector: named, suffix, path } = entrypoint;
		const selector = named ?? this.#suffixes.get(suffix);
		if (selector === undefined)
			return refused("RUNTIME_UNSUPPORTED", `No launcher runs ".${suffix}" files (${path}); ${this.#known()}.`);
		const entry = this.#selectors.get(selector);
		if (entry === undefined)
			return refused(
				"SELECTOR_UNSUPPORTED",
				`${path} asks for "${selector}", which this host has no launcher for; ${this.#known()}.`,
			);
		const { launcher, tried } = entry;
		if (launcher === undefined)
			return refused(
				named === undefined ? "RUNTIME_UNSUPPORTED" : "SELECTOR_UNSUPPORTED",
				`${path} needs "${selector}", which is not installed here (tried ${tried.join(", ")}).`,
			);
		if (launcher.suffixes !== undefined && !launcher.suffixes.includes(suffix))
			return refused("RUNTIME_UNSUPPORTED", `"${selector}" doesn't run ".${suffix}" files (${path}).`);
		return { ok: true, selector, launcher };
	}

	#add(selector: string, places: readonly string[], make: (executable: string) => Launcher): void {
		const executable = places.find(isExecutable);
		this.#selectors.set(
			selector,
			executable === undefined ? { tried: places } : { launcher: make(executable), tried: places },
		);
	}

	#known(): string {
		const names = [...this.#selectors].filter(([, { launcher }]) => launcher !== undefined).map(([name]) => name);
		return `it knows ${names.join(", ")}`;
	}
}

function refused(code: "RUNTIME_UNSUPPORTED" | "SELECTOR_UNSUPPORTED", message: string): Found {
	return { ok: false, code, message };
}

/** Whether a path leads to a file that this user may execute. */
function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** Node runs `.mjs`, `.js`, and `.ts`: by itself where it strips types by default, else through our loader. */
function nodeLauncher(executable: string): Launcher {
	return {
		executable,
		suffixes: ["mjs", "js", "ts"],
		arguments(entry, { suffix }) {
			if (suffix !== "ts" || (executable === process.execPath && stripsTypes(process.versions.node))) return [entry];
			const loader = builtFile("adapters/node/strip/register.js");
			if (loader === undefined) throw new Error("the TypeScript loader of this library has not been built");
			return ["--import", pathToFileURL(loader).href, entry];
		},
	};
}

/**
 * The runtimes whose command line is known. Deno gets the rights that any other component has; neither it nor Bun may fetch
 * code that isn't in the package, since only the bytes that were hashed may run.
 */
const KNOWN: ReadonlyMap<string, (executable: string) => Launcher> = new Map([
	["node", nodeLauncher],
	[
		"deno",
		(executable) => ({
			executable,
			suffixes: ["ts", "js", "mjs"],
			arguments: (entry) => [...DENO, entry],
			environment: { DENO_NO_UPDATE_CHECK: "1" },
		}),
	],
	["bun", (executable) => ({ executable, suffixes: ["ts", "js", "mjs"], arguments: (entry) => [...BUN, entry] })],
]);

const DENO = ["run", "--quiet", "--no-prompt", "--no-lock", "--cached-only", "--allow-all"];
const BUN = ["run", "--silent", "--no-install"];

/** Whether this version of Node runs TypeScript without being told to: 22.18 and later, 23.6 and later, 24 and later. */
export function stripsTypes(version: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}
