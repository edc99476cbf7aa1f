import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** Everything that a module imports at run time, followed through the source, packages by name. */
function staticImports(entry: string): Set<string> {
	const found = new Set<string>();
	const waiting = [resolve(root, entry)];
	for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
		if (found.has(file)) continue;
		found.add(file);
		const source = readFileSync(file, "utf8");
		for (const [statement, specifier] of source.matchAll(/^(?:import|export)\b[^;]*?from\s+"([^"]+)";/gms)) {
			if (/^(?:import|export) type\b/.test(statement)) continue;
			if (specifier!.startsWith(".")) waiting.push(resolve(dirname(file), specifier!));
			else found.add(specifier!);
		}
	}
	return found;
}

describe("what a page pays for", () => {
	test("digestPackage loads no YAML, no schemas and no contracts", () => {
		const imports = [...staticImports("package/digest.ts")];
		expect(
			imports.filter((name) => name === "yaml" || /\/(?:yaml|schema|contract|json|host|run)\//.test(name)),
		).toEqual([]);
		expect(imports).toContain("@noble/hashes/sha2.js");
	});

	test("the scan would see it: an inspection does", () => {
		expect(staticImports("package/inspect.ts")).toContain("yaml");
	});

	test("contracts need no YAML either", () => {
		expect(staticImports("contract/index.ts")).not.toContain("yaml");
	});
});
