/** The benches as a tool: each area runs and says what it measured. What it measured is nothing to test. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../bench/", import.meta.url));
const bench = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
	promisify(execFile)(process.execPath, ["--expose-gc", `${folder}main.mjs`, ...words], { maxBuffer: 2 ** 26 });

/** `page` starts a browser for minutes; `measure` and `main` are no areas. */
const AREAS = readdirSync(folder)
	.filter((name) => name.endsWith(".mjs") && !/^(?:main|measure|page)\.mjs$/.test(name))
	.map((name) => name.slice(0, -4));

const row = {
	name: expect.any(String),
	ratio: expect.any(Number),
	goal: expect.toSatisfy((goal) => goal === null || typeof goal === "number"),
	met: expect.toSatisfy((met) => met === null || typeof met === "boolean"),
	peers: expect.any(Object),
};

describe("npm run bench", () => {
	it("has areas", () => {
		expect(AREAS).toEqual(expect.arrayContaining(["json", "schema", "sha256", "stdio", "tree"]));
	});

	it.each(AREAS)("%s --short --json is one object of rows", { timeout: 240_000 }, async (area) => {
		const { stdout } = await bench(area, "--short", "--json");
		const { rows } = JSON.parse(stdout) as { rows: { name: string; ratio: number }[] };
		expect(rows.length).toBeGreaterThan(0);
		for (const each of rows) {
			expect(each).toMatchObject(row);
			expect(each.name.startsWith(`${area}: `)).toBe(true);
			expect(each.ratio).toBeGreaterThan(0);
		}
	});

	it("names the areas there are when it is asked for another", async () => {
		await expect(bench("jsno")).rejects.toMatchObject({
			code: 2,
			stderr: expect.stringMatching(/no bench named jsno; there are .*json/),
		});
	});
});
