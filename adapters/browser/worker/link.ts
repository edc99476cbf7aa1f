/** From the files of a package to modules that a Worker can load, with nothing evaluated. */
import { parse } from "es-module-lexer/js";
import { quoteForDisplay } from "../../../src/display.ts";
import { HostError } from "../../../src/host/index.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import type { LinkedModule, ModuleName } from "./messages.ts";
import { type Resolution, resolveSpecifier, urlOf } from "./specifiers.ts";

/** Names that a module gets for `import()` and for `import.meta`; others are taken where its text has them. */
const LOADER = "__import";
const META = "__meta";

/** Bytes of one module at most: taking it apart keeps the page busy, TypeScript some four times as long. */
const MODULE_BYTES = 8_388_608;
const TYPED_BYTES = 2_097_152;

/** Bytes that are read before the page gets its turn. */
const TURN_BYTES = 524_288;

/** Takes the types out of TypeScript. Loaded when a package has some. */
type Strip = (text: string, path: string) => string;

/** A module whose text was read: what it imports before it runs, and what it may import later. */
interface Module extends LinkedModule {
	readonly imports: readonly string[];
	/** Why it can't run: an import that nothing answers, with its place. */
	readonly fault: string | undefined;
}

/**
 * Links every module of a package that can be linked, those first that others import. Rejects with a `HostError`
 * `LAUNCH_FAILED` of phase `activation` when the entrypoint can't run: it or a module that it imports is no JavaScript, has
 * more than 8 MiB (2 MiB of TypeScript), imports what isn't there, or is in a cycle of imports; or with the signal's reason.
 *
 * A Worker loads modules from Blobs, whose URLs are not known before their content is, so a cycle of static imports can't be
 * loaded; a dynamic `import()` may close one.
 */
export async function linkModules(
	entry: string,
	files: ReadonlyMap<string, Uint8Array>,
	strip: Strip | undefined,
	signal: AbortSignal | undefined,
): Promise<readonly LinkedModule[]> {
	const modules = new Map<string, Module>();
	let turn = 0;
	for (const [path, bytes] of files) {
		if (!MODULE.test(path) && path !== entry) continue;
		modules.set(path, readModule(path, bytes, files, strip));
		turn += bytes.length;
		if (turn < TURN_BYTES) continue;
		turn = 0;
		await new Promise((resolve) => setTimeout(resolve));
		signal?.throwIfAborted();
	}
	return new Order(modules).from(entry);
}

const MODULE = /\.(?:m?js|m?ts|json)$/;

function readModule(
	path: string,
	bytes: Uint8Array,
	files: ReadonlyMap<string, Uint8Array>,
	strip: Strip | undefined,
): Module {
	const isJson = path.endsWith(".json");
	const isTyped = /\.m?ts$/.test(path);
	const most = isTyped ? TYPED_BYTES : MODULE_BYTES;
	if (!isJson && bytes.length > most) {
		const fault = `${quoteForDisplay(path)} has ${bytes.length} bytes; a page runs modules of ${most} at most.`;
		return { path, parts: [], imports: [], fault };
	}
	try {
		const text = decodeUtf8(bytes);
		// A policy that lets no request out keeps JSON modules out too: it comes as JavaScript.
		if (isJson)
			return { path, parts: [`export default JSON.parse(${JSON.stringify(text)});`], imports: [], fault: undefined };
		const code = isTyped && strip !== undefined ? strip(text, path) : text;
		// What stands before the text takes away what makes a first line `#!` no syntax error.
		return cut(path, code.startsWith("#!") ? `//${code}` : code, files);
	} catch (error) {
		const fault = `${quoteForDisplay(path)} is no ${isJson ? "text" : "module"}: ${error instanceof Error ? error.message : String(error)}`;
		return { path, parts: [], imports: [], fault };
	}
}

/** Cuts a module's text at what has to be replaced. */
function cut(path: string, code: string, files: ReadonlyMap<string, Uint8Array>): Module {
	const [found] = parse(code, path);
	const parts: (string | ModuleName)[] = [];
	const imports: string[] = [];
	let fault: string | undefined;
	let at = 0;
	const loader = nameNotIn(code, LOADER);
	const meta = nameNotIn(code, META);
	const names = new Set<string>();
	const put = (start: number, end: number, ...replacement: (string | ModuleName)[]): void => {
		parts.push(code.slice(at, start), ...replacement);
		at = end;
	};
	for (const one of found) {
		if (one.type === "import-meta") {
			put(one.start, one.end, meta);
			names.add(`${meta}={__proto__:null,url:${JSON.stringify(urlOf(path))}}`);
			continue;
		}
		if (one.type === "dynamic") {
			// `import(` becomes a call of the helper, which resolves what it is given when it is called.
			put(one.importStart, one.importStart + "import".length, loader);
			names.add(`${loader}=globalThis[Symbol.for("millrace.import")](${JSON.stringify(path)})`);
			continue;
		}
		const target = resolveSpecifier(one.specifier, path);
		const why =
			one.phase === null
				? (faultOf(target, files) ?? faultOfAttributes(target, one.attributes))
				: "is imported in a phase that pages don't know";
		if (why === undefined) {
			put(one.start, one.end, target as ModuleName);
			if (one.attributes !== null) put(one.end + 1, one.importEnd);
			if ("path" in target) imports.push(target.path);
		} else {
			fault ??= `${quoteForDisplay(path)}, line ${lineAt(code, one.start)}: ${quoteForDisplay(one.specifier)} ${why}.`;
		}
	}
	// Stacks and syntax errors name the module, not its Blob.
	parts.push(`${code.slice(at)}\n//# sourceURL=${urlOf(path)}`);
	// On the first line, so that line numbers stay what they are.
	if (names.size > 0) parts.unshift(`const ${Array.from(names).join()};`);
	return { path, parts, imports, fault };
}

function faultOf(target: Resolution, files: ReadonlyMap<string, Uint8Array>): string | undefined {
	if ("fault" in target) return target.fault;
	if ("sdk" in target) return undefined;
	if (!files.has(target.path)) return `is ${quoteForDisplay(target.path)}, which the package doesn't have`;
	return MODULE.test(target.path) ? undefined : "is no module: .mjs, .js, .mts, .ts or .json";
}

/** JSON is imported as such and nothing else is, as Node and browsers want it. */
function faultOfAttributes(
	target: Resolution,
	attributes: readonly (readonly [string, string])[] | null,
): string | undefined {
	const wanted = "path" in target && target.path.endsWith(".json");
	const given = attributes?.length === 1 && attributes[0]?.[0] === "type" && attributes[0][1] === "json";
	if (wanted === given && (given || attributes === null || attributes.length === 0)) return undefined;
	return wanted ? 'is JSON; import it with { type: "json" }' : "has import attributes that only JSON has";
}

/** A name that the text has nowhere. */
function nameNotIn(code: string, first: string): string {
	let name = first;
	while (code.includes(name)) name += "_";
	return name;
}

function lineAt(code: string, index: number): number {
	return code.slice(0, index).split("\n").length;
}

/** Puts modules into an order in which each comes after what it imports. */
class Order {
	readonly #modules: ReadonlyMap<string, Module>;
	readonly #linked: Map<string, LinkedModule> = new Map();
	readonly #faults: Map<string, string> = new Map();

	constructor(modules: ReadonlyMap<string, Module>) {
		this.#modules = modules;
	}

	from(entry: string): readonly LinkedModule[] {
		this.#visit(entry);
		const fault = this.#faults.get(entry);
		if (fault !== undefined) throw new HostError(fault, { code: "LAUNCH_FAILED", phase: "activation" });
		// What only a dynamic import can reach is linked where that can be done; where not, the import rejects.
		for (const path of this.#modules.keys()) this.#visit(path);
		return Array.from(this.#linked.values());
	}

	/** Depth first with a stack of its own: a chain of imports is as long as a package has files. */
	#visit(first: string): void {
		const stack: { readonly module: Module; next: number }[] = [];
		const onStack = new Set<string>();
		const enter = (path: string): string | undefined => {
			if (this.#linked.has(path)) return undefined;
			const known = this.#faults.get(path);
			if (known !== undefined) return known;
			if (onStack.has(path)) {
				const cycle = stack.map(({ module }) => module.path);
				const shown = [...cycle.slice(cycle.indexOf(path)), path].map((one) => quoteForDisplay(one)).join(" → ");
				return `The modules ${shown} import each other in a circle, which can't be loaded in a page: break it, or bundle the package.`;
			}
			const module = this.#modules.get(path)!;
			if (module.fault !== undefined) {
				this.#faults.set(path, module.fault);
				return module.fault;
			}
			stack.push({ module, next: 0 });
			onStack.add(path);
			return undefined;
		};
		let fault = enter(first);
		for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
			const { module } = top;
			const wanted = fault === undefined ? module.imports[top.next++] : undefined;
			if (wanted !== undefined) {
				fault = enter(wanted);
				continue;
			}
			stack.pop();
			onStack.delete(module.path);
			// Whoever imports what can't run can't run either.
			if (fault === undefined) this.#linked.set(module.path, { path: module.path, parts: module.parts });
			else this.#faults.set(module.path, fault);
		}
	}
}
