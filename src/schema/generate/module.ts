/** From a schema to a standalone ES module: the verdict, and on request the exact charge, without imports and without `eval`. */

import { limitMessage, SCHEMA_LIMITS } from "../limits.ts";
import { readSchemaFile } from "../open.ts";
import { ChargeWriter } from "./charge.ts";
import { groupsOf, WAYS } from "./groups.ts";
import { METERED_RUNTIME, writeMetered } from "./metered.ts";
import { MostWriter } from "./most.ts";
import { literal, Names } from "./text.ts";
import { VerdictWriter } from "./verdict.ts";

/** What a generated module should have. */
export interface SchemaModuleOptions {
	/** Export `evaluate` too, which reports the exact work units. */
	readonly meter?: boolean;
}

/** A generated module. The same file and options give the same text in the same version. */
export interface SchemaModuleSource {
	/** The ES module: ASCII, no imports, nothing evaluated, so that it loads under any content security policy. */
	readonly code: string;
	/** Its declarations for TypeScript, the text of a `.d.mts` file. */
	readonly types: string;
}

/** What a generated module exports. */
export interface SchemaModule {
	/**
	 * The verdict on an admitted value (of `parseJson` or `admitJson`, or of `JSON.parse` where no member is given twice). Throws
	 * an `Error` with `code` `SCHEMA_LIMIT_EXCEEDED` when the charge crosses 1,000,000 units, whatever the verdict would be.
	 */
	accepts(value: unknown): boolean;
}

/** What a generated module with a meter exports. */
export interface MeteredSchemaModule extends SchemaModule {
	/** The verdict with the exact work units (Schema/1 section 4), at most 1,000,000. Throws as `accepts` does. */
	evaluate(value: unknown): { readonly valid: boolean; readonly work: number };
}

/**
 * Generates the module of a schema file: UTF-8 bytes (or their text) of at most 262,144 bytes. It gives the verdict and the charge
 * that `compileSchema` gives (Schema/1 section 4), faster, and without this library. Throws `SchemaError` as `compileSchema` does.
 */
export function generateSchemaModule(file: Uint8Array | string, options: SchemaModuleOptions = {}): SchemaModuleSource {
	const { root, graph } = readSchemaFile(file);
	const meter = options.meter === true;
	const names = new Names();
	const groups = groupsOf(root, graph);
	const parts =
		groups === "certain"
			? byGroups(root, graph, names, meter)
			: withMemo(root, graph, names, meter, groups === "conditional");
	const code = [HEADER, cleanness(names), RUNTIME, ...parts].join("\n");
	return { code: indent(`${code}\n`), types: meter ? TYPES + METERED_TYPES : TYPES };
}

/**
 * Generates the module of a schema file and hands it to the embedder's own loader; this library never evaluates a text. `codegen`
 * turns the source of an ES module into its exports, as an `import()` of a `Blob`'s URL does. Rejects with what it throws, and
 * with `SchemaError` as `compileSchema` throws.
 */
export async function compileSchemaModule<T extends boolean = false>(
	file: Uint8Array | string,
	ports: { readonly codegen: (source: string) => unknown; readonly meter?: T },
): Promise<T extends true ? MeteredSchemaModule : SchemaModule> {
	const { code } = generateSchemaModule(file, { meter: ports.meter === true });
	return (await ports.codegen(code)) as T extends true ? MeteredSchemaModule : SchemaModule;
}

type Read = ReturnType<typeof readSchemaFile>;

/** Verdict and charge each by itself; a valid instance that can't have charged too much isn't metered for its verdict. */
function byGroups(root: Read["root"], graph: Read["graph"], names: Names, meter: boolean): string[] {
	const verdict = new VerdictWriter(graph, names);
	const charges = new ChargeWriter(graph, names, verdict);
	const accepts = verdict.accepts(root, "v");
	const charge = charges.charge([root], "v");
	verdict.finish();
	const most = new MostWriter(graph).of([root], [[root]]);
	const parts = [...verdict.declarations, ...charges.declarations];
	// What the schema itself bounds needn't be added up; nor do scalars need to be counted where UTF-16 units fit already.
	const cheap = Number(charge) <= SCHEMA_LIMITS.work;
	if (!cheap)
		parts.push(
			`function check(v) {\nexact = false;\nleast = 0;\nif (${charge} <= MOST) return;\nexact = true;\nleast = 0;\nif (${charge} > MOST) throw exhausted();\n}`,
		);
	const when = cheap ? "" : most <= SCHEMA_LIMITS.work ? "if (!valid) check(v);\n" : "check(v);\n";
	parts.push(
		`${DOCS.accepts}\nexport function accepts(value) {\n${OWN}\nleast = 0;\nconst valid = ${accepts};\n${when}return valid;\n}`,
	);
	if (meter)
		parts.push(
			`${DOCS.evaluate}\nexport function evaluate(value) {\n${OWN}\nexact = true;\nleast = 0;\nconst work = ${charge};\nif (work > MOST) throw exhausted();\nleast = 0;\nreturn { valid: ${accepts}, work };\n}`,
		);
	return [STATE, "let exact = true;", ...parts];
}

/** Both at once, unless the verdict alone is bounded and a valid instance can't have charged too much. */
function withMemo(
	root: Read["root"],
	graph: Read["graph"],
	names: Names,
	meter: boolean,
	isBounded: boolean,
): string[] {
	const { declarations, name } = writeMetered(root, graph, names);
	const judge = `function judge(v) {\nspent = 0;\ntry {\nreturn ${name}(v, { below: undefined, known: undefined });\n} catch (error) {\nthrow error === EXHAUSTED ? exhausted() : error;\n}\n}`;
	const parts = [METERED_RUNTIME, ...declarations, judge];
	let short = "";
	if (isBounded && new MostWriter(graph).of([root], [[root]]) <= SCHEMA_LIMITS.work) {
		const verdict = new VerdictWriter(graph, names);
		short = `least = 0;\nif (${verdict.accepts(root, "v")}) return true;\n`;
		verdict.finish();
		parts.push(STATE, ...verdict.declarations);
	}
	parts.push(`${DOCS.accepts}\nexport function accepts(value) {\n${OWN}\n${short}return judge(v);\n}`);
	if (meter)
		parts.push(
			`${DOCS.evaluate}\nexport function evaluate(value) {\n${OWN}\nconst valid = judge(v);\nreturn { valid, work: spent };\n}`,
		);
	return parts;
}

const HEADER = "// Generated by millrace from a Schema/1 file. Don't edit: generate it again.";
/** What the verdict gives up at: no instance within the budget leads so far. */
const STATE = `const FAR = ${WAYS * SCHEMA_LIMITS.work};\nlet least = 0;`;
const OWN = "const v = isClean() ? value : detach(value);";

const DOCS = {
	accepts: `/**
 * Whether a JSON value is valid. Throws an Error with code "SCHEMA_LIMIT_EXCEEDED" when the validation costs too much.
 * @param {unknown} value
 * @returns {boolean}
 */`,
	evaluate: `/**
 * Whether a JSON value is valid, and the exact work units of the validation. Throws as accepts does.
 * @param {unknown} value
 * @returns {{ readonly valid: boolean, readonly work: number }}
 */`,
};

const TYPES = `/** Whether a JSON value is valid. Throws an \`Error\` with \`code\` \`SCHEMA_LIMIT_EXCEEDED\` when the validation costs too much. */
export declare function accepts(value: unknown): boolean;
`;
const METERED_TYPES = `/** Whether a JSON value is valid, and the exact work units of the validation. Throws as \`accepts\` does. */
export declare function evaluate(value: unknown): { readonly valid: boolean; readonly work: number };
`;

/**
 * A member is read where \`Object.prototype\` lends no name that the schema looks for; otherwise the value is copied to objects that
 * inherit nothing. A scalar is one UTF-16 unit, or two that pair.
 */
const RUNTIME = `const MOST = ${SCHEMA_LIMITS.work};
function detach(value) {
	if (typeof value !== "object" || value === null) return value;
	if (isArray(value)) return value.map(detach);
	const copy = create(null);
	for (const name of keys(value)) copy[name] = detach(value[name]);
	return copy;
}
function size(text) {
	let count = text.length;
	for (let i = 1; i < text.length; i++) {
		if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--;
	}
	return count;
}
function exhausted() {
	const error = new Error("${limitMessage("work")}.");
	error.name = "SchemaError";
	error.code = "SCHEMA_LIMIT_EXCEEDED";
	error.limit = { name: "work", max: MOST };
	return error;
}
function yes() {
	return true;
}
function no() {
	return false;
}`;

/** Whether \`Object.prototype\` lends nothing that this module would take for a member. */
function cleanness(names: Names): string {
	const lent = [...names.used];
	const builtins =
		"const { create, hasOwn, keys, prototype } = Object;\nconst { isArray } = Array;\nconst { isInteger } = Number;";
	const test =
		lent.length <= 64
			? `return ${lent.map((name) => `!(${literal(name)} in prototype)`).join(" && ") || "true"};`
			: `for (let i = 0; i < names.length; i++) if (names[i] in prototype) return false;\nreturn true;`;
	const list = lent.length <= 64 ? "" : `const names = [${lent.map(literal).join(", ")}];\n`;
	return `${builtins}\n${list}function isClean() {\nfor (const _ in prototype) return false;\n${test}\n}`;
}

/** Indents by blocks: a line that opens one ends with a brace, and one that closes it begins with one. */
function indent(code: string): string {
	let depth = 0;
	return code
		.split("\n")
		.map((line) => {
			const text = line.trimStart();
			if (text.startsWith("}")) depth--;
			const indented =
				text === "" || text.startsWith("*") ? (text === "" ? "" : ` ${text}`) : "\t".repeat(depth) + text;
			if (text.endsWith("{") && !text.startsWith("*")) depth++;
			return indented;
		})
		.join("\n");
}
