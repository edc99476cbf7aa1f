/** The room where schemas are tried, in a real Chromium. */
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES } from "../../demo/page/rooms/playground/examples.ts";
import { packState, type State, unpackState } from "../../demo/page/rooms/playground/link.ts";
import { compileSchema, parseJson } from "../../src/index.ts";
import { needsChromium } from "../browser/support/chromium.ts";
import { expectAccessible, type Opened, type Visit, visit } from "./support.ts";

const SCHEMA =
	'{"$schema": "https://flow.jig.md/schemas/schema-1.json", "type": "object", "properties": {"n": {"type": "integer"}}}';

describe.skipIf(needsChromium)("the Playground", { timeout: 60_000 }, () => {
	let site: Visit;
	beforeAll(async () => {
		site = await visit();
	});
	afterAll(() => site?.close());

	async function opened(state?: Partial<State>): Promise<Opened> {
		const link = state && (await packState({ mode: "schema", source: SCHEMA, instance: "{}", pick: "", ...state }));
		const opened = await site.open(link === undefined ? "#/playground" : `#/playground/${link}`);
		await opened.page.locator(".editor .cm-content").nth(1).waitFor();
		return opened;
	}

	const verdict = (page: Page): Locator => page.getByTestId("verdict");
	const editor = (page: Page, title: string): Locator => page.getByRole("textbox", { name: title, exact: true });

	async function type(page: Page, title: string, text: string): Promise<void> {
		await editor(page, title).click();
		await page.keyboard.press("Control+A");
		await page.keyboard.insertText(text);
	}

	it("says the verdict as one types, at the place, with the work it cost", async () => {
		const { page, complaints } = await opened({ instance: '{"n": 1}' });
		await verdict(page).getByText("✓ Valid").waitFor();
		await type(page, "Instance", '{\n  "n": "one"\n}');
		await verdict(page).getByText("✗ Invalid: 1 place").waitFor();
		await expect.poll(() => page.locator("ol.diagnostics").textContent()).toContain("/properties/n/type");
		const { work } = compileSchema(SCHEMA).evaluate(parseJson('{"n": "one"}'), { all: true });
		await expect.poll(() => page.getByTestId("work").textContent()).toBe(String(work));
		// The mark stands in the text, and the pointer leads there.
		await expect.poll(() => page.locator(".mark").allTextContents()).toEqual(['"integer"', '"one"']);
		await page.getByRole("button", { name: "/n", exact: true }).click();
		// The editor takes the keyboard a frame later; nobody types before.
		await expect.poll(() => page.evaluate(() => document.activeElement?.shadowRoot != null)).toBe(true);
		await page.keyboard.insertText("2");
		await verdict(page).getByText("✓ Valid").waitFor();
		expect(complaints).toEqual([]);
	});

	it("keeps every character of whoever types faster than the page draws", async () => {
		const { page } = await opened();
		const text = '["the river turns its wheel", "and grinds what the harvest brought", 1, 2, 3]';
		for (let round = 0; round < 3; round += 1) {
			await editor(page, "Instance").click();
			await page.keyboard.press("Control+A");
			await page.keyboard.type(text);
			await expect.poll(() => editor(page, "Instance").textContent()).toBe(text);
		}
	});

	it("shows JSON/1's refusals at their byte", async () => {
		const { page } = await opened();
		await type(page, "Instance", '{"ä": 1,\n "ä": 2}');
		await verdict(page).getByText("no JSON/1").waitFor();
		const text = await page.locator("[aria-labelledby=verdict]").textContent();
		expect(text).toContain("JSON_DUPLICATE_MEMBER");
		expect(text).toContain("line 2, column 2, byte 11");
		await expect.poll(() => page.locator(".mark").textContent()).toBe('"');
		await page.getByRole("button", { name: /line 2/ }).click();
		await expect
			.poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("aria-label")))
			.toBe("Instance");
	});

	it("a file keeps its bytes: what no text could show is refused as it is", async () => {
		const { page } = await opened({});
		const open = (bytes: Uint8Array): Promise<void> =>
			page
				.getByLabel("Instance: a file")
				.setInputFiles({ name: "instance.json", mimeType: "application/json", buffer: Buffer.from(bytes) });
		await open(new Uint8Array([0xef, 0xbb, 0xbf, 0x31]));
		await page.getByText("JSON_BOM").waitFor();
		await open(new Uint8Array([0x22, 0xff, 0x22]));
		await page.getByText("JSON_UTF8").waitFor();
		await open(new TextEncoder().encode('{"n": 7}'));
		await verdict(page).getByText("✓ Valid").waitFor();
	});

	it("a schema that can't be used is marked where it is wrong", async () => {
		const { page } = await opened({});
		await type(page, "Schema", SCHEMA.replace('"integer"', '"intger"'));
		await verdict(page).getByText("✗ The schema can't be used").waitFor();
		await expect.poll(() => page.locator(".mark").textContent()).toBe('"intger"');
		expect(await page.locator("[aria-labelledby=verdict]").textContent()).toContain("SCHEMA_INVALID");
	});

	it("keeps everything in the address, what is invalid too", async () => {
		const { page } = await opened();
		await type(page, "Schema", '{"type": "nonsense"');
		await type(page, "Instance", '{"a": 1, "a": 2}');
		const hash = (): Promise<string> => page.evaluate(() => location.hash);
		await expect
			.poll(async () => unpackState((await hash()).slice("#/playground/".length)))
			.toMatchObject({ source: '{"type": "nonsense"', instance: '{"a": 1, "a": 2}' });
		const again = await site.open(await hash());
		await again.page.locator(".editor .cm-content").nth(1).waitFor();
		await again.page.getByText("✗ The schema can't be used").waitFor();
		expect(await editor(again.page, "Schema").textContent()).toBe('{"type": "nonsense"');
		expect(await editor(again.page, "Instance").textContent()).toBe('{"a": 1, "a": 2}');
	});

	it("a link that can't be read says so, and changes nothing", async () => {
		const { page } = await site.open("#/playground/AAAA");
		await page.getByText("This link can't be read").waitFor();
		await verdict(page).getByText("Invalid").waitFor();
	});

	it.each(EXAMPLES.map(([name]) => name))("has an example: %s", async (name) => {
		const { page, complaints } = await opened();
		await page.getByLabel("Start from an example").selectOption(name);
		const expected: Readonly<Record<string, string>> = {
			"A person, with an error": "✗ Invalid: 2 places",
			"A choice by if, then, else": "✗ Invalid: 1 place",
			"What one property asks of others": "✗ Invalid",
			"More work than the budget: a long list, each item against a long enum": "■ Too much work",
			"A keyword that Schema/1 doesn't have": "✗ The schema can't be used",
			"A member that occurs twice": "✗ The instance is no JSON/1",
		};
		await verdict(page)
			.getByText(expected[name] ?? "✓ Valid")
			.waitFor();
		expect(complaints).toEqual([]);
	});

	it("contracts: their identity, and each of their schemas to try", async () => {
		const { page } = await opened();
		await page.getByLabel("Start from an example").selectOption("A capability contract");
		await page
			.getByTestId("contract-digest")
			.getByText(/^sha256:[0-9a-f]{64}$/)
			.waitFor();
		await page.getByLabel("Schema to try it against").selectOption("lookup: output");
		await verdict(page).getByText("✗ Invalid").waitFor();
		await type(page, "Instance", '{"title": "Countess"}');
		await verdict(page).getByText("✓ Valid").waitFor();
	});

	it("the canonical bytes and their digest", async () => {
		const { page } = await opened({ instance: '{"n": 1.0, "a": 2}' });
		await page.getByText("Canonical bytes and digest").click();
		expect(await page.locator("pre.canonical").textContent()).toBe('{"a":2,"n":1}');
		expect(await page.getByTestId("canonical-digest").textContent()).toMatch(/^sha256:[0-9a-f]{64}$/);
	});

	it("a megabyte is evaluated when the typing pauses", async () => {
		const { page } = await opened({});
		await page.getByLabel("Instance: a file").setInputFiles({
			name: "large.json",
			mimeType: "application/json",
			buffer: Buffer.from(JSON.stringify({ n: 1, text: "x".repeat(1_200_000) })),
		});
		await verdict(page).getByText("✓ Valid").waitFor();
	});

	it("the keyboard gets in and out of an editor", async () => {
		const { page } = await opened();
		await editor(page, "Schema").focus();
		await page.keyboard.press("Tab");
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BUTTON");
	});

	it.each(["light", "dark"] as const)("is accessible in the %s theme and on a phone", async (colorScheme) => {
		const { page } = await site.open("#/playground", { colorScheme, viewport: { width: 390, height: 844 } });
		await page.locator(".editor .cm-content").nth(1).waitFor();
		await verdict(page).getByText("Invalid").waitFor();
		await expectAccessible(page);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
	});
});
