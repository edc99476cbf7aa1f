/** Generated modules in a real Chromium, under a policy that evaluates nothing: the evaluator beside them, value by value. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileSchemaValue, generateSchemaModule } from "../../src/schema/index.ts";
import { instances, schemaFiles } from "../schema/arbitrary.ts";
import { launchChromium, needsChromium } from "./support/chromium.ts";
import { serve } from "./support/serve.ts";

const POLICY = "default-src 'none'; script-src 'self'";

const files = fc.sample(schemaFiles, { seed: 7, numRuns: 200 });
const values = fc.sample(instances(), { seed: 7, numRuns: 40 });
const name = (i: number): string => `/module-${i}.mjs`;

const MAIN = `
const evaluated = await Promise.resolve().then(() => new Function("return 1")()).catch((error) => error.name);
const values = JSON.parse(document.querySelector("main").textContent);
const answers = [];
for (let i = 0; i < ${files.length}; i++) {
	const { accepts, evaluate } = await import("/module-" + i + ".mjs");
	answers.push(values.map((value) => { const { valid, work } = evaluate(value); return [valid, work, accepts(value)]; }));
}
document.querySelector("main").textContent = JSON.stringify({ evaluated, answers });
document.title = "done";
`;

/** JSON as the text of an element. */
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

describe.skipIf(needsChromium)("generated modules in Chromium, without unsafe-eval", () => {
	let server: Awaited<ReturnType<typeof serve>>;
	let browser: Awaited<ReturnType<typeof launchChromium>>;

	beforeAll(async () => {
		const javascript = (body: string) => ({ type: "text/javascript", body });
		const modules = files.map((file, i) => [
			name(i),
			javascript(generateSchemaModule(JSON.stringify(file), { meter: true }).code),
		]);
		const page = `<!doctype html><meta charset="utf-8"><main>${escaped(JSON.stringify(values))}</main><script type="module" src="/main.js"></script>`;
		server = await serve(
			"/nowhere",
			{
				"/": { type: "text/html; charset=utf-8", body: page },
				"/main.js": javascript(MAIN),
				...Object.fromEntries(modules),
			},
			{ "content-security-policy": POLICY },
		);
		browser = await launchChromium();
	}, 60_000);

	afterAll(async () => {
		await browser?.close();
		await server?.close();
	});

	it("give the evaluator's verdict and charge", async () => {
		const page = await browser.newPage();
		await page.goto(server.url);
		const done = page.locator("xpath=//title[text()='done']");
		await done.waitFor({ state: "attached", timeout: 60_000 });
		const { evaluated, answers } = JSON.parse((await page.locator("main").textContent())!) as {
			evaluated: string;
			answers: unknown[][];
		};
		expect(evaluated).toBe("EvalError");
		const asJson = JSON.parse(JSON.stringify(values)) as typeof values;
		const expected = files.map((file) => {
			const schema = compileSchemaValue(file);
			return asJson.map((value) => {
				const { valid, work } = schema.evaluate(value);
				return [valid, work, valid];
			});
		});
		expect(answers).toEqual(expected);
		expect(expected.flat().filter(([valid]) => valid).length).toBeGreaterThan(100);
	}, 120_000);
});
