/** In Chromium, with its own decompression, every archive has the answer that Node gives it: as a Blob, and as the body of a response. */
import { tmpdir } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archive, digestPackage } from "../../adapters/node/index.ts";
import { launchChromium, needsChromium } from "../browser/support/chromium.ts";
import { bundleForPage } from "../browser/support/library.ts";
import { type Served, serve } from "../browser/support/serve.ts";
import { samples } from "./samples.ts";

const CODE = `
import { digestPackage } from "millrace";
import { archive } from "millrace/browser";
import { archiveSource } from "./adapters/archive/index.ts";
const answer = async (input) => {
	try {
		return (await digestPackage(archiveSource(input))).digest;
	} catch (error) {
		return error.code + " " + error.path;
	}
};
window.answers = async (url) => {
	const blob = await (await fetch(url)).blob();
	return [await answer(blob), await answer((await fetch(url)).body)];
};
const spooled = async () => {
	const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("millrace-spool", { create: true });
	return (await Array.fromAsync(folder.keys())).length;
};
window.spool = async (url) => {
	const blob = await (await fetch(url)).blob();
	const source = archive(blob, { limits: { spoolBytes: 1_000 } });
	const { digest } = await digestPackage(source);
	const during = await spooled();
	await source.dispose();
	return { digest, during, after: await spooled() };
};
`;

async function answerOf(bytes: Uint8Array): Promise<string> {
	try {
		return (await digestPackage(archive(new Blob([bytes as Uint8Array<ArrayBuffer>])))).digest;
	} catch (error) {
		const { code, path } = error as { readonly code: string; readonly path?: string };
		return `${code} ${path}`;
	}
}

describe.skipIf(needsChromium)("in Chromium", () => {
	let browser: Browser;
	let page: Page;
	let served: Served;

	beforeAll(async () => {
		const extra = Object.fromEntries(
			samples.map(([, body], index) => [`/${index}`, { type: "application/octet-stream", body }] as const),
		);
		served = await serve(tmpdir(), {
			...extra,
			"/": { type: "text/html", body: '<!doctype html><script type="module" src="/page.js"></script>' },
			"/page.js": { type: "text/javascript", body: await bundleForPage(CODE) },
		});
		browser = await launchChromium();
		page = await browser.newPage();
		await page.goto(`${served.url}/`);
		await page.waitForFunction("window.answers !== undefined");
	}, 60_000);

	afterAll(async () => {
		await browser?.close();
		await served?.close();
	});

	test.each(samples.map(([name, bytes], index) => [name, bytes, index] as const))("%s", async (_, bytes, index) => {
		const expected = await answerOf(bytes);
		expect(expected).toMatch(/^(?:sha256:|PACKAGE_)/);
		const answers = await page.evaluate(
			(url) => (window as unknown as { answers(url: string): Promise<string[]> }).answers(url),
			`/${index}`,
		);
		expect(answers).toEqual([expected, expected]);
	});

	test("what is unpacked beyond spoolBytes lies in the private file system until dispose", async () => {
		const index = samples.findIndex(([name]) => name === "tar.gz");
		const answer = await page.evaluate(
			(url) => (window as unknown as { spool(url: string): Promise<unknown> }).spool(url),
			`/${index}`,
		);
		expect(answer).toEqual({ digest: await answerOf(samples[index]![1]), during: 1, after: 0 });
	});
});
