/** The example packages are whole: what a host checks before it starts one of them passes. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { inspectPackage, memorySource } from "../../src/package/index.ts";

const flows = fileURLToPath(new URL("../../demo/flows/", import.meta.url));

function inspect(name: string) {
	const files = new Map<string, Uint8Array>();
	for (const path of readdirSync(join(flows, name), { recursive: true, encoding: "utf8" })) {
		const place = join(flows, name, path);
		if (statSync(place).isFile()) files.set(path, new Uint8Array(readFileSync(place)));
	}
	return inspectPackage(memorySource(files));
}

describe("demo/flows", () => {
	it.each(["greet", "greet-python", "parent"])("%s", async (name) => {
		const { metadata, entrypoint, schemas, advisories } = await inspect(name);
		expect([metadata.name, entrypoint?.suffix, advisories]).toEqual([name, name === "greet-python" ? "py" : "ts", []]);
		expect(schemas.input!.accepts({ name: "Ada" })).toBe(true);
		for (const input of [
			null,
			"Ada",
			{},
			{ name: "" },
			{ name: "x".repeat(101) },
			{ name: "Ada", title: "Countess" },
		]) {
			const { diagnostics } = schemas.input!.evaluate(input, { code: "INVALID_INPUT" });
			expect(diagnostics).toHaveLength(1);
		}
		const result = { outcome: "done", output: { greeting: "Hello, Ada!" } };
		expect(schemas.result!.accepts(result)).toBe(false);
		const rest = name === "parent" ? { title: null } : { received: { name: "Ada" } };
		expect(schemas.result!.accepts({ ...result, output: { ...result.output, ...rest } })).toBe(true);
	});

	it("parent names its capability exactly", async () => {
		const { uses } = await inspect("parent");
		expect([...uses.keys()]).toEqual(["titles"]);
		expect(uses.get("titles")).toMatchObject({
			contract: { identity: { id: "https://example.org/contracts/titles" } },
		});
	});
});
