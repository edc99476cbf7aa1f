/** What an import costs a web page: only what it needs comes along, within a budget. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle } from "./bundle.mjs";

/** What is imported, its budget in bytes gzipped, and what must not come along. */
const IMPORTS: readonly [names: string, bytes: number, stranger: RegExp][] = [
	["parseJson", 4_650, /yaml|noble|unicode|schema|contract|package|host/],
	["canonicalize", 2_600, /yaml|noble|unicode|schema|contract|package|host/],
	["parseJson, canonicalize, compileSchema", 16_600, /yaml|noble|unicode|contract|package|host/],
	["digestPackage", 12_000, /yaml|replacements|src\/(?:json|schema|contract|run|sdk|host)\//],
	["digestPackage, memorySource", 12_288, /yaml|replacements|src\/(?:json|schema|contract|run|sdk|host)\//],
	["parseCapabilityContract", 34_000, /yaml|src\/(?:package|run|sdk|host)\//],
];

describe("an import brings along what it needs, and no more", () => {
	it.each(IMPORTS)("%s", { timeout: 120_000 }, async (names, bytes, stranger) => {
		const { gzip, modules } = await bundle(`export { ${names} } from "millrace";`);
		expect(modules.length).toBeGreaterThan(3);
		expect(modules.filter((path) => stranger.test(path))).toEqual([]);
		expect(gzip).toBeLessThanOrEqual(bytes);
	});
});

it("inspecting a package brings YAML along, but no host", { timeout: 60_000 }, async () => {
	const { modules } = await bundle('export { inspectPackage } from "millrace";', { minify: false });
	expect(modules.some((path) => path.includes("/yaml/"))).toBe(true);
	expect(modules.filter((path) => /src\/(?:run|sdk|host)\//.test(path))).toEqual([]);
});

it("a page can be a host", { timeout: 60_000 }, async () => {
	const { modules } = await bundle('export { createHost } from "millrace/host";', { minify: false });
	expect(modules).toContain("dist/src/host/host.js");
	expect(modules.filter((path) => path.startsWith("dist/adapters/"))).toEqual([]);
});

it("a builtin of Node ends the build", async () => {
	await expect(bundle('export { readFileSync } from "node:fs";')).rejects.toThrow("node:fs");
});

describe("what the build bundles", () => {
	const built = (path: string): string => readFileSync(new URL(`../../dist/${path}`, import.meta.url), "utf8");

	it("the whole core for a page, within 90 KB gzipped", () => {
		expect(gzipSync(built("browser/millrace.min.js")).length).toBeLessThan(90_000);
	});

	it.each(["node", "deno", "bun"])("the SDK for %s: small, alone, and with its class names", (runtime) => {
		const code = built(`sdk/${runtime}.js`);
		expect(gzipSync(code).length).toBeLessThan(26_000);
		expect([...code.matchAll(/\bfrom\s*"([^"]*)"/g)].map(([, specifier]) => specifier).sort()).toEqual(
			runtime === "node" ? [] : ["node:console", "node:process"],
		);
		for (const name of ["OperationError", "CapabilityError", "ComponentSession"])
			expect(code).toContain(`class ${name}`);
		expect(code).not.toContain("HostSession");
	});
});
