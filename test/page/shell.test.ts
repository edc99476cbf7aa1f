/** The page as a whole: what it loads, what it may do, how it opens where it can't start. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, needsChromium } from "../browser/support/chromium.ts";
import { expectAccessible, PAGE, type Visit, visit } from "./support.ts";

describe.skipIf(needsChromium)("the page in Chromium", { timeout: 60_000 }, () => {
	let site: Visit;
	beforeAll(async () => {
		site = await visit();
	});
	afterAll(() => site?.close());

	it("opens its front door without a complaint, and every room from there", async () => {
		const { page, complaints } = await site.open("");
		await page.getByRole("heading", { name: "Is this the package you approved?" }).waitFor();
		for (const name of ["Verify", "Playground", "Run"]) {
			await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name }).click();
			await page.getByRole("heading", { level: 1 }).first().waitFor();
			await expect.poll(() => page.title()).toBe(`${name} · millrace`);
			expect(await page.getByRole("link", { name, exact: true }).getAttribute("aria-current")).toBe("page");
		}
		await page.goBack();
		await expect.poll(() => page.title()).toBe("Playground · millrace");
		expect(complaints).toEqual([]);
	});

	it("finds every room again as it was left", async () => {
		const { page, complaints } = await site.open("");
		const enter = (name: string): Promise<void> =>
			page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name }).click();
		await enter("Verify");
		await page.getByRole("button", { name: "Look at an example" }).click();
		await page.getByRole("heading", { name: "parent is a package" }).waitFor();
		await enter("Playground");
		const instance = page.getByRole("textbox", { name: "Instance", exact: true });
		await page.locator(".editor .cm-content").nth(1).waitFor();
		await instance.click();
		await page.keyboard.press("Control+A");
		await page.keyboard.insertText('{"kept": true}');
		await enter("Run");
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByRole("heading", { name: "Accepted: done" }).waitFor();
		await enter("Verify");
		await page.getByRole("heading", { name: "parent is a package" }).waitFor();
		await enter("Playground");
		await expect.poll(() => instance.textContent()).toBe('{"kept": true}');
		await enter("Run");
		await page.getByRole("heading", { name: "Accepted: done" }).waitFor();
		expect(complaints).toEqual([]);
	});

	it.each(["light", "dark"] as const)("is accessible in the %s theme, and on a phone", async (colorScheme) => {
		const { page } = await site.open("", { colorScheme, viewport: { width: 390, height: 844 } });
		await page.getByRole("heading", { level: 1 }).waitFor();
		await expectAccessible(page);
		const { width, wanted } = await page.evaluate(() => ({
			width: document.documentElement.clientWidth,
			wanted: document.documentElement.scrollWidth,
		}));
		expect(wanted, "nothing is wider than the screen").toBe(width);
	});

	it("keeps the theme that was chosen", async () => {
		const { page } = await site.open("", { colorScheme: "light" });
		await page.getByLabel("Theme").selectOption("dark");
		const colour = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const dark = await colour();
		await page.reload();
		await page.getByRole("heading", { level: 1 }).waitFor();
		expect(await colour()).toBe(dark);
		await page.getByLabel("Theme").selectOption("light");
		expect(await colour()).not.toBe(dark);
	});

	it("can't reach out: a request of its own is refused by its policy", async () => {
		const { page } = await site.open("");
		const refused = await page.evaluate(() =>
			fetch("/index.html").then(
				() => false,
				() => true,
			),
		);
		expect(refused).toBe(true);
	});

	it("opened from a file, says what to do instead", async () => {
		const browser = await launchChromium();
		try {
			const page = await browser.newPage();
			await page.goto(pathToFileURL(join(PAGE, "index.html")).href);
			await page.getByText("npm run demo").waitFor();
		} finally {
			await browser.close();
		}
	});
});

describe("what the page is made of", () => {
	const text = (name: string): string => readFileSync(join(PAGE, name), "utf8");

	it("has a policy that lets nothing in and nothing out", () => {
		const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text("index.html"))?.[1] ?? "";
		expect(policy).toMatch(/^default-src 'none'; /);
		expect(policy).toContain("connect-src 'none'");
		expect(policy).not.toMatch(/unsafe-|https?:|\*/);
	});

	const gzipped = (names: Iterable<string>): number =>
		[...names].reduce((sum, name) => sum + gzipSync(text(name), { level: 9 }).length, 0);
	const shell = ["index.html", "style.css", "theme.js", "mark.svg"];
	/** The file of a room, by the beginning of its name. */
	const room = (name: string): string =>
		readdirSync(PAGE).find((file) => file.startsWith(`${name}-`) && file.endsWith(".js")) ?? "";

	it("loads in less than 150 KB gzipped before a room asks for more", () => {
		const first = [...shell, ...modulesOf("main.js")];
		expect(first.length).toBeGreaterThan(4);
		expect(gzipped(first)).toBeLessThan(150_000);
	});

	it("verifies with less than 62 KB gzipped; YAML and zip come when there is something to read", () => {
		const needed = modulesOf(room("verify"), modulesOf("main.js"));
		expect([...needed].some((name) => name.startsWith("verify-"))).toBe(true);
		expect([...needed].filter((name) => /BLOCK_FOLDED|File format is not recognized/.test(text(name)))).toEqual([]);
		expect(gzipped([...shell, ...needed])).toBeLessThan(62_000);
	});

	/** A module and what it imports before it runs. */
	function modulesOf(name: string, seen: Set<string> = new Set()): Set<string> {
		if (seen.has(name)) return seen;
		seen.add(name);
		for (const [, next] of text(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) modulesOf(next!, seen);
		return seen;
	}

	it("is a folder of files that any server can give out", () => {
		expect(readdirSync(PAGE)).toEqual(expect.arrayContaining(["index.html", "main.js", "style.css", "theme.js"]));
	});
});
