import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Plugin, rollup } from "rollup";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

// Its types are those of a CommonJS module, whose default they hide.
const { default: terser } = (await import("@rollup/plugin-terser")) as unknown as { default: () => Plugin };

const room = fileURLToPath(new URL("../../src/unicode/index.ts", import.meta.url));

/** What a page downloads for `import`: the room bundled by rollup, minified and at gzip's best. */
async function bundle(source: string): Promise<{ code: string; gzipped: number }> {
	const build = await rollup({
		input: "entry",
		onLog: (level, log, handler) => (log.code === "EMPTY_BUNDLE" ? undefined : handler(level, log)),
		plugins: [
			{
				name: "source",
				resolveId: (id) => (id === "entry" ? id : null),
				load: (id) => (id === "entry" ? source : null),
				transform: (code, id) =>
					id.endsWith(".ts")
						? ts.transpileModule(code, {
								compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
							}).outputText
						: null,
			},
			terser(),
		],
	});
	const { output } = await build.generate({ format: "esm" });
	await build.close();
	const [{ code }] = output;
	return { code, gzipped: gzipSync(code, { level: 9 }).length };
}

describe("the size of the room", () => {
	let whole: { code: string; gzipped: number };
	beforeAll(async () => {
		whole = await bundle(`export * from ${JSON.stringify(room)};`);
	});

	it("is under 8 KB gzipped, tables and all", () => {
		expect(whole.gzipped).toBeLessThan(8_000);
		expect(whole.code).toContain("String.fromCodePoint");
	});

	it("the bundle works alone", async () => {
		const url = `data:text/javascript;base64,${Buffer.from(whole.code).toString("base64")}`;
		const bundled = await import(/* @vite-ignore */ url);
		expect(bundled.toNfc("e\u0301\u1100\u1161")).toBe("\u00e9\uac00");
		expect(bundled.toCasefold("\u1e9e\u{10400}")).toBe("ss\u{10428}");
		expect(bundled.isNfc("\u{105d2}\u0307")).toBe(true);
	});

	it("has no effects at load: who imports nothing from it ships nothing", async () => {
		expect((await bundle(`import ${JSON.stringify(room)};`)).code.trim()).toBe("");
		expect((await bundle(`import { isNfc } from ${JSON.stringify(room)};`)).code.trim()).toBe("");
	});

	it("who folds only ships no normalization, and the reverse", async () => {
		const folding = await bundle(`export { toCasefold } from ${JSON.stringify(room)};`);
		const check = await bundle(`export { isNfc } from ${JSON.stringify(room)};`);
		expect(folding.gzipped + check.gzipped).toBeLessThan(whole.gzipped + 600);
		expect(folding.gzipped).toBeLessThan(2_500);
	});
});
