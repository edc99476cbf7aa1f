/** The floors: the core names no environment, nothing imports upward, and the checker would see it if it did. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkText, floorViolations } from "./floors.mjs";

const CORE = "src/json/planted.ts";

/** The message of the one violation in `text`; fails on none and on several. */
function onlyViolation(text: string, path: string = CORE): string {
	const found = checkText(path, text);
	expect(found).toHaveLength(1);
	return found[0]!;
}

it("hold on the source and on the built files", () => {
	expect(existsSync(new URL("../../dist/src/index.js", import.meta.url))).toBe(true);
	expect(floorViolations()).toEqual([]);
});

describe("a planted violation is found", () => {
	it.each([
		["a builtin of Node", 'import { readFileSync } from "node:fs";', 'imports "node:fs"'],
		["a builtin without its scheme", 'import fs from "fs";', 'imports "fs"'],
		["a package of nobody's room", 'import { parse } from "yaml";', 'imports "yaml"'],
		["a room above", 'import { compileSchema } from "../schema/index.ts";', "imports upward from src/schema/index"],
		["the root door", 'export * from "../index.ts";', "imports upward from src/index"],
		["a type of a room above", 'export type S = import("../schema/index.ts").Schema;', "imports upward"],
		["an adapter", 'import { directory } from "../../adapters/node/directory.ts";', "outside its floors"],
		["a test", 'import { seeded } from "../../test/json/support.ts";', "outside its floors"],
		["process", "export const home = process.env.HOME;", "the global process"],
		["Buffer", "export const bytes = Buffer.from([1]);", "the global Buffer"],
		["globalThis", "export const has = 'fetch' in globalThis;", "globalThis"],
		["the DOM", "export const title = document.title;", "the global document"],
		["a timer", "setTimeout(() => {}, 5);", "the global setTimeout"],
		["the clock", "export const now = Date.now();", "the global Date"],
		["a clock made new", "export const now = new Date();", "the global Date"],
		["chance", "export const die = Math.random();", ".random"],
		["normalize", 'export const nfc = (text) => text.normalize("NFC");', ".normalize"],
		["normalize by its name", 'export const nfc = (text) => text["normalize"]();', ".normalize"],
		["a case of the engine's", "export const low = (text) => text.toLowerCase();", ".toLowerCase"],
		["a locale's order", "export const order = (a, b) => a.localeCompare(b);", ".localeCompare"],
		["Intl", "export const order = new Intl.Collator().compare;", "the global Intl"],
		["a Unicode property of the engine's", "export const letter = /\\p{L}/u;", "Unicode properties"],
		["eval", 'eval("1");', "the global eval"],
		["new Function", 'export const f = new Function("return 1");', "the global Function"],
		["the console", 'console.log("here");', "the global console"],
		["import.meta", "export const here = import.meta.url;", "import.meta"],
		["a shorthand", "export const ports = { process };", "the global process"],
		["a default", "export const f = (clock = performance) => clock.now();", "the global performance"],
		["waiting while it loads", "await Promise.resolve();", "top level"],
	])("%s", (_, text, message) => {
		expect(onlyViolation(text)).toContain(`${CORE}:1: `);
		expect(onlyViolation(text)).toContain(message);
	});

	it("a dynamic import, even of what might be imported", () => {
		expect(onlyViolation('export const load = () => import("../web.ts");')).toContain("imports dynamically");
	});

	it("its line is the violation's", () => {
		expect(onlyViolation("\n\nexport const a = 1,\n\tb = eval;")).toMatch(/^src\/json\/planted\.ts:4: /);
	});

	it("in the built files as in the source", () => {
		expect(onlyViolation('import "../schema/index.js";', "dist/src/json/planted.js")).toContain("upward");
		expect(onlyViolation("process.exit();", "dist/src/json/planted.js")).toContain("process");
	});

	it("in a room that nobody put on a floor", () => {
		expect(onlyViolation("export const a = 1;", "src/attic/index.ts")).toContain("is in no room");
	});

	it.each([
		["a component's adapter that loads the host's", "adapters/deno/x.ts", '"../node/runtime.ts"'],
		["a Node builtin on a page", "adapters/browser/x.ts", '"node:fs"'],
		["a test in an adapter", "adapters/node/x.ts", '"../../test/node/fixtures.ts"'],
		["a demo in an adapter", "adapters/node/x.ts", '"../../demo/start.mjs"'],
		["the corpus outside the command", "adapters/node/x.ts", '"../../conformance/driver.ts"'],
		["the command's packages outside the command", "adapters/node/x.ts", '"commander"'],
		["an adapter in the corpus", "conformance/x.ts", '"../adapters/node/index.ts"'],
	])("%s", (_, path, specifier) => {
		expect(onlyViolation(`import ${specifier};`, path)).toContain("import");
	});
});

describe("what is allowed is not reported", () => {
	it.each([
		["a room below", CORE, 'import { decodeUtf8 } from "../web.ts"; export * from "./value.ts";'],
		["the same room, built", "dist/src/json/planted.js", 'export * from "./value.js";'],
		["every room, from the root door", "src/index.ts", 'export * from "./host/index.ts";'],
		["a name of one's own", CORE, "export const title = (document: { title: string }) => document.title;"],
		["a member of that name", CORE, "export const at = (clock: { performance: number }) => clock.performance;"],
		["a key of that name", CORE, "export const codes = { process: 1, eval: 2 };"],
		["a type of that name", CORE, "export interface Marks { module: string; Date(): void }"],
		["the case of hexadecimal digits", CORE, "export const hex = (unit: number) => unit.toString(16).toUpperCase();"],
		["waiting inside a function", CORE, "export const f = async (p: Promise<void>) => { await p; };"],
		["YAML where FLOW.md is read", "src/package/yaml/planted.ts", 'import { Parser } from "yaml";'],
		["globals of the web in web", "src/web.ts", "export const { TextDecoder } = globalThis;"],
		["Node in its adapter", "adapters/node/x.ts", 'import "node:fs"; process.exit(Date.now());'],
		["the process's streams for Bun", "adapters/bun/x.ts", 'import "../node/component.ts";'],
		["the corpus in the command", "adapters/node/cli/x.ts", 'import "../../../conformance/driver.ts";'],
	])("%s", (_, path, text) => {
		expect(checkText(path, text)).toEqual([]);
	});
});
