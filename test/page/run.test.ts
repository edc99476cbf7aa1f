/** The run room of the built page: Flows in real Workers, real packages and traces dropped on it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeTraceLine, type RunEvent, traceHeader } from "../../src/host/index.ts";
import { needsChromium } from "../browser/support/chromium.ts";
import { dropPaths } from "../browser/support/drop.ts";
import { expectAccessible, type Visit, visit } from "./support.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(repository, "dist/adapters/node/cli/main.js");
const flow = (name: string): string => join(repository, "demo/flows", name);

const start = (page: Page): Promise<void> => page.getByRole("button", { name: "Run", exact: true }).click();
const rows = (page: Page): Locator => page.locator(".seq-line");
const title = async (page: Page): Promise<string> => (await page.locator(".seq-title p").textContent()) ?? "";
const outcome = (page: Page): Locator => page.locator(".run-outcome:not(.running)");
const ended = async (page: Page, words: RegExp | string): Promise<string> => {
	await page.locator(".run-outcome h2", { hasText: words }).waitFor({ timeout: 30_000 });
	return (await outcome(page).textContent()) ?? "";
};
/** Opens an example and waits until it can be run. */
const example = async (site: Visit, name: string, options = {}): Promise<{ page: Page; complaints: string[] }> => {
	const opened = await site.open(`#/run/${name}`, options);
	await opened.page.getByRole("heading", { name, exact: true }).waitFor();
	return opened;
};

describe.skipIf(needsChromium)("the run room", { timeout: 90_000 }, () => {
	let site: Visit;
	let folder: string;
	let trace: string;
	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), "millrace-run-"));
		trace = join(folder, "node.trace");
		const child = ["--child", `greeter=${flow("greet")}`];
		const recording = ["--input", '{"name":"Ada"}', "--trace"];
		const record = (...words: readonly string[]): void => {
			execFileSync(process.execPath, [cli, "run", flow("parent"), ...child, ...recording, ...words], { stdio: "pipe" });
		};
		record(trace, "--trace-values");
		record(join(folder, "bare.trace"));
		site = await visit();
	}, 60_000);
	afterAll(async () => {
		await site?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	describe("runs in a Worker", () => {
		it("an example with a child and a capability, and draws it", async () => {
			const { page, complaints } = await example(site, "parent");
			await start(page);
			expect(await ended(page, "Accepted:")).toContain("Hello, Countess Ada!");
			expect(await page.locator(".seq-head").allTextContents()).toEqual([
				"host",
				expect.stringContaining("parent"),
				expect.stringContaining("titles"),
				expect.stringContaining("greet"),
			]);
			const names = await rows(page).allTextContents();
			expect(names.join("\n")).toContain("parent to host: capability/call titles.lookup (title:1)");
			expect(complaints).toEqual([]);
		});

		it("a broadcast to two readers, its channel a lane of its own", async () => {
			const { page, complaints } = await example(site, "survey");
			await start(page);
			expect(await ended(page, "Accepted:")).toContain('"recorded": 5');
			await page.getByLabel("Search in labels and frames").fill("item 5");
			await expect.poll(() => title(page)).toContain(" of ");
			const names = (await rows(page).allTextContents()).join("\n");
			expect(names).toContain("channel 1 to archive: answer: item 5");
			expect(names).toContain("channel 1 to summary (summarize): answer: item 5");
			expect(complaints).toEqual([]);
		});

		it("and shows an answer that the package does not promise, with its details and what to do", async () => {
			const { page } = await example(site, "unfit");
			await start(page);
			const words = await ended(page, "INVALID_RESULT");
			expect(words).toContain("/output/total");
			expect(words).toContain("acceptance");
			expect(words).toContain("What to do.");
		});

		it("and ends an endless loop at its deadline, the page usable all the while", async () => {
			const { page } = await example(site, "endless");
			await page.getByLabel("Deadline").fill("1");
			await start(page);
			await page.getByRole("heading", { name: "Running…" }).waitFor();
			await page.getByRole("log", { name: "What it prints" }).getByText("Looping.").waitFor();
			await page.getByLabel("Search in labels and frames").fill("flow/run");
			expect(await ended(page, "DEADLINE_EXCEEDED")).toContain("ended by the host");
			expect(await page.locator("iframe").count()).toBe(0);
		});

		it("and stops a flood, its end kept", async () => {
			const { page } = await example(site, "chatty");
			await start(page);
			const words = await ended(page, "RESOURCE_EXHAUSTED");
			expect(words).toContain("the end of 4");
			expect(words.length).toBeLessThan(20_000);
		});

		it("and cancels on request, at once", async () => {
			const { page } = await example(site, "slow");
			await start(page);
			await page.getByText("1 of 30").first().waitFor();
			await page.getByRole("button", { name: "Cancel", exact: true }).click();
			const words = await ended(page, "CANCELLED");
			expect(words).toContain("exit 0");
			expect(words).not.toContain("Failed");
			await page.getByLabel("Search in labels and frames").fill("cancel");
			await expect.poll(() => title(page)).toContain(" of ");
			expect((await rows(page).allTextContents()).join("\n")).toContain("host to slow: request/cancel");
		});

		it("and cancels what hears nobody, by force", async () => {
			const { page } = await example(site, "endless");
			await page.getByLabel("Deadline").fill("60");
			await start(page);
			await page.getByRole("log", { name: "What it prints" }).getByText("Looping.").waitFor();
			await page.getByRole("button", { name: "Cancel", exact: true }).click();
			await ended(page, "CANCELLED");
		});

		it("and gives up what runs when another package is chosen", async () => {
			const { page } = await example(site, "slow");
			await start(page);
			await page.getByText("1 of 30").first().waitFor();
			await page.getByRole("button", { name: /^A greeting/ }).click();
			await page.getByRole("heading", { name: "greet", exact: true }).waitFor();
			await start(page);
			expect(await ended(page, "Accepted:")).toContain("Hello, Ada!");
			await expect.poll(() => page.locator("iframe").count()).toBe(0);
		});
	});

	describe("takes what is dropped", () => {
		const drop = (page: Page, path: string): Promise<void> => dropPaths(page, ".run-chooser .drop", [path]);

		it("a folder, its input checked as one types", async () => {
			const { page, complaints } = await example(site, "slow");
			await drop(page, flow("greet"));
			await page.getByRole("heading", { name: "greet", exact: true }).waitFor();
			const button = page.getByRole("button", { name: "Run", exact: true });
			const input = page.getByLabel("Input", { exact: true });
			await input.fill('{"name": 3}');
			await page.locator(".run-problems", { hasText: "/name" }).waitFor();
			expect(await button.isDisabled()).toBe(true);
			await page.locator(".run-problems").getByRole("button", { name: "/name" }).click();
			await expect.poll(() => page.evaluate(() => document.activeElement?.shadowRoot != null)).toBe(true);
			await page.keyboard.type("4");
			await page.locator(".run-problems", { hasText: "/name" }).waitFor();
			expect(await input.textContent()).toContain('{"name": 4}');
			await input.fill('{"name": ');
			await page.locator(".run-problems", { hasText: "line 1" }).waitFor();
			await input.fill('{"name": "<img src=x onerror=alert(1)>"}');
			await page.getByText("Fits input.schema.json").waitFor();
			await start(page);
			expect(await ended(page, "Accepted:")).toContain("Hello, <img src=x onerror=alert(1)>!");
			expect(await page.locator("main img").count()).toBe(0);
			expect(complaints).toEqual([]);
		});

		/** The example `greet` as npm packs one: below `package/`. */
		const tarball = (): string => {
			const archive = join(folder, "greet.tgz");
			cpSync(flow("greet"), join(folder, "package"), { recursive: true });
			execFileSync("tar", ["-czf", archive, "-C", folder, "package"]);
			return archive;
		};

		it("an archive whose package lies in a directory: offered, not assumed", async () => {
			const { page } = await example(site, "slow");
			await drop(page, tarball());
			await page.getByRole("button", { name: "Open what lies in package/" }).click();
			await page.getByRole("heading", { name: "greet", exact: true }).waitFor();
			await page.getByLabel("Input", { exact: true }).fill('{"name": "Tar"}');
			await start(page);
			expect(await ended(page, "Accepted:")).toContain("Hello, Tar!");
		});

		it("children for its slots, asked for when they are missed", async () => {
			const { page } = await example(site, "slow");
			await drop(page, flow("parent"));
			await page.getByRole("heading", { name: "parent", exact: true }).waitFor();
			await page.getByText("This page has no implementation of it").waitFor();
			await page.getByLabel("Input", { exact: true }).fill('{"name": "Ada"}');
			await start(page);
			expect(await ended(page, "UNAVAILABLE")).toContain("It called the child slot greeter");
			await page.getByRole("button", { name: "Give it a package" }).click();
			await page.locator(".run-children .drop").scrollIntoViewIfNeeded();
			await dropPaths(page, ".run-children .drop", [tarball()]);
			await page.getByRole("button", { name: "Take what lies in package/" }).click();
			await page.locator(".run-children .good", { hasText: "greet" }).waitFor();
			await start(page);
			expect(await ended(page, "Accepted:")).toContain("Hello, Ada!");
		});

		it("settings, where a package has a schema for them; an input is sketched from its schema", async () => {
			const settable = join(folder, "settable");
			const $schema = "https://flow.jig.md/schemas/schema-1.json";
			const object = (name: string, type: string): string =>
				JSON.stringify({ $schema, type: "object", properties: { [name]: { type } }, required: [name] });
			mkdirSync(settable);
			writeFileSync(join(settable, "FLOW.md"), "---\nname: settable\ndescription: Repeats.\n---\n# Repeat\n");
			writeFileSync(join(settable, "input.schema.json"), object("word", "string"));
			writeFileSync(join(settable, "settings.schema.json"), object("times", "integer"));
			writeFileSync(
				join(settable, "flow.js"),
				'import { handle } from "millrace/sdk";\nawait handle(async ({ input, settings }) => ({ outcome: "done", output: input.word.repeat(settings.times) }));\n',
			);
			const { page } = await example(site, "slow");
			await drop(page, settable);
			await page.getByRole("heading", { name: "settable", exact: true }).waitFor();
			const [input, settings] = [
				page.getByLabel("Input", { exact: true }),
				page.getByLabel("Settings", { exact: true }),
			];
			await page.locator(".run-editor .cm-content").first().waitFor();
			expect(await input.textContent()).toContain('"word": ""');
			await input.fill('{"word": "ho"}');
			await settings.fill('{"times": "3"}');
			await page.locator(".run-problems", { hasText: "/times" }).waitFor();
			await settings.fill('{"times": 3}');
			await start(page);
			expect(await ended(page, "Accepted:")).toContain('"hohoho"');
		});

		it("packages with channels: what they receive is typed, what they send is shown", async () => {
			const { page } = await example(site, "slow");
			await drop(page, flow("summary"));
			await page.getByRole("heading", { name: "summary", exact: true }).waitFor();
			await page
				.getByLabel("Channel readings receives")
				.fill('[{"hour": 0, "celsius": 10}, {"hour": 1, "celsius": 20}]');
			await start(page);
			expect(await ended(page, "Accepted:")).toContain('"mean": 15');
			await page.evaluate(() => scrollTo(0, 0));
			await drop(page, flow("station"));
			await page.getByRole("heading", { name: "station", exact: true }).waitFor();
			await page.getByLabel("Input", { exact: true }).fill('{"celsius": [1.5, 2]}');
			await start(page);
			expect(await ended(page, "Accepted:")).toMatch(/Sent to readings[\s\S]*"celsius": 1\.5/);
		});

		it("and says before it starts what can't run in a page", async () => {
			const { page } = await example(site, "slow");
			await drop(page, flow("greet-python"));
			await page.getByText("It can't run in a page.").waitFor();
			await page.getByText("A page runs .mjs, .js and .ts entrypoints").waitFor();
			expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
		});

		it("and refuses what is no package, with the way to Verify", async () => {
			const broken = join(folder, "broken");
			mkdirSync(broken);
			writeFileSync(join(broken, "FLOW.md"), "no metadata\n");
			const { page } = await example(site, "slow");
			await drop(page, broken);
			await page.locator(".notice.bad", { hasText: "PACKAGE_FRONTMATTER_INVALID" }).waitFor();
			await page.getByRole("button", { name: "Look at it in Verify" }).waitFor();
		});
	});

	describe("opens traces", () => {
		const open = async (name: string, options = {}): Promise<Page> => {
			const { page } = await example(site, "slow", options);
			await page.locator(".run-chooser input[type=file]").first().setInputFiles(name);
			return page;
		};

		it("that Node recorded; a row opens by Enter, and the arrow keys step", async () => {
			const page = await open(trace);
			await page.locator(".seq-head", { hasText: "parent" }).waitFor();
			await rows(page).first().focus();
			for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page.locator(".seq-detail", { hasText: '"slot": "titles"' }).waitFor();
			await page.getByRole("button", { name: /Go to its answer/ }).click();
			await expect
				.poll(() => page.evaluate(() => document.activeElement?.textContent))
				.toContain("host to parent: failure: UNAVAILABLE (title:1)");
			await page.keyboard.press("End");
			await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("accepted: done");
		});

		it("filtered by kind and by operation", async () => {
			const page = await open(trace);
			await page.locator(".seq-head", { hasText: "parent" }).waitFor();
			for (const kind of ["Channels", "Cancellation", "Decisions", "Process"]) await page.getByLabel(kind).uncheck();
			await page.getByRole("combobox", { name: "Operation" }).selectOption("greet:1");
			const shown = await rows(page).allTextContents();
			expect(shown.length).toBeGreaterThan(3);
			expect(shown.every((words) => !words.includes("titles"))).toBe(true);
			await page.getByRole("button", { name: "Show everything" }).click();
			await expect.poll(() => title(page)).not.toContain(" of ");
		});

		it("without values: order, sizes and decisions", async () => {
			const page = await open(join(folder, "bare.trace"));
			await page.getByText("written without values").waitFor();
			expect((await rows(page).allTextContents()).join("\n")).toContain("dispatched greet:1");
			expect(await page.getByRole("button", { name: "Download trace" }).count()).toBe(0);
		});

		it("and refuses a broken one at its line", async () => {
			const broken = join(folder, "broken.trace");
			writeFileSync(broken, `${readFileSync(trace, "utf8").split("\n").slice(0, 4).join("\n")}\n{"atMs":\n`);
			const page = await open(broken);
			await page.locator(".notice.bad", { hasText: "Line 5 can't be read" }).waitFor();
		});

		it("of its own: what it downloads, it opens, and so does the command", async () => {
			const { page } = await example(site, "parent");
			await start(page);
			await ended(page, "Accepted:");
			const before = await title(page);
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Download trace" }).click(),
			]);
			const file = join(folder, "page.trace");
			await download.saveAs(file);
			expect(execFileSync(process.execPath, [cli, "sequence", file], { encoding: "utf8" })).toContain(
				"flow/run-child greeter (greet:1)",
			);
			await page.locator(".run-chooser input[type=file]").first().setInputFiles(file);
			await page.getByText("Read from").waitFor();
			expect(await title(page)).toBe(before);
		});

		it("of 100,000 events: drawn in a moment, few rows in the document, searched and scrolled", async () => {
			const long = join(folder, "long.trace");
			writeFileSync(long, [...longTrace(100_000)].join(""));
			const page = await open(long);
			await page.locator(".seq-title p", { hasText: "100,000 events" }).waitFor({ timeout: 30_000 });
			expect(await rows(page).count()).toBeLessThan(80);
			await page.locator(".seq-scroll").evaluate((box) => {
				box.scrollTop = box.scrollHeight;
			});
			await page.locator(".seq-line", { hasText: "note-99999" }).waitFor();
			await page.getByLabel("Search in labels and frames").fill('"number":77777}');
			await expect.poll(() => title(page), { timeout: 5_000 }).toMatch(/^1 of /);
			expect(await rows(page).count()).toBe(1);
		});
	});

	it.each(["light", "dark"] as const)("is accessible in the %s theme, and on a phone", async (colorScheme) => {
		for (const viewport of [
			{ width: 1_280, height: 900 },
			{ width: 390, height: 844 },
		]) {
			const { page } = await example(site, "parent", { colorScheme, viewport });
			await expectAccessible(page);
			await start(page);
			await ended(page, "Accepted:");
			await rows(page).nth(2).click();
			await page.locator(".seq-detail").waitFor();
			await expectAccessible(page);
			const { width, wanted } = await page.evaluate(() => ({
				width: document.documentElement.clientWidth,
				wanted: document.documentElement.scrollWidth,
			}));
			expect(wanted, "nothing is wider than the screen").toBe(width);
		}
	});
});

function* longTrace(count: number): Generator<string> {
	yield `${traceHeader(true)}\n`;
	const digest = `sha256:${"0".repeat(64)}` as const;
	for (let number = 0; number < count; number += 1) {
		const frame = new TextEncoder().encode(`{"jsonrpc":"2.0","method":"note-${number}","params":{"number":${number}}}`);
		const event: RunEvent = {
			...{ atMs: number / 10, path: number % 3 === 0 ? [] : [`child:${number % 3}`], digest },
			event: { type: "session", event: { version: 1, sequence: number, during: 0, type: "received", frame } },
		};
		yield `${encodeTraceLine(event, true)}\n`;
	}
}
