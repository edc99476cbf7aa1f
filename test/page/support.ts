/** The built page in a real Chromium: opened, watched for complaints, judged by axe. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { launchChromium } from "../browser/support/chromium.ts";
import { type Served, serve } from "../browser/support/serve.ts";

/** The folder that `npm run build` makes. */
export const PAGE: string = fileURLToPath(new URL("../../dist/page", import.meta.url));

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A browser and a server of the page, for the tests of one file. */
export interface Visit {
	readonly url: string;
	/** Opens `#/…` in a context of its own. Whatever the page says on its console is kept in `complaints`. */
	open(hash: string, options?: BrowserContextOptions): Promise<Opened>;
	close(): Promise<void>;
}

export interface Opened {
	readonly page: Page;
	/** Errors and warnings of the console, exceptions, and requests to anywhere but the page's own server. */
	readonly complaints: string[];
}

export async function visit(): Promise<Visit> {
	const served: Served = await serve(PAGE);
	const browser: Browser = await launchChromium();
	return {
		url: served.url,
		async open(hash, options = {}) {
			const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options });
			const page = await context.newPage();
			const complaints: string[] = [];
			page.on("console", (message) => {
				if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
			});
			page.on("pageerror", (error) => complaints.push(String(error)));
			page.on("request", (request) => {
				if (!request.url().startsWith(served.url) && !/^(?:blob|data):/.test(request.url()))
					complaints.push(`a request to ${request.url()}`);
			});
			await page.goto(`${served.url}/${hash}`);
			return { page, complaints };
		},
		async close() {
			await browser.close();
			await served.close();
		},
	};
}

/** Fails on whatever axe finds serious or critical in the page as it is now. The page's own policy lets no foreign script in, so axe comes in from outside. */
export async function expectAccessible(page: Page): Promise<void> {
	await page.evaluate((await import("node:fs")).readFileSync(axe, "utf8"));
	const found = await page.evaluate(async () => {
		const { axe } = globalThis as unknown as {
			axe: {
				run(): Promise<{
					violations: { id: string; impact: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
				}>;
			};
		};
		const { violations } = await axe.run();
		return violations
			.filter(({ impact }) => impact === "serious" || impact === "critical")
			.map(
				({ id, help, nodes }) =>
					`${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
			);
	});
	expect(found).toEqual([]);
}
