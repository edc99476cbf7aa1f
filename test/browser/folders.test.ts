/** Folders that are really dropped and picked in Chromium have the digest that Node gives them. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestPackage, directory } from "../../adapters/node/index.ts";
import { launchChromium, needsChromium } from "./support/chromium.ts";
import { dropPaths } from "./support/drop.ts";
import { bundleForPage } from "./support/library.ts";
import { type Served, serve } from "./support/serve.ts";

const PAGE = `<!doctype html><meta charset="utf-8"><p id="zone">drop</p><input id="pick" type="file" webkitdirectory>
<input id="files" type="file" multiple><script type="module" src="/page.js"></script>`;

/** What the page does: whatever comes is digested, and the answer kept where the test finds it. */
const CODE = `
import { digestPackage } from "millrace";
import { directoryHandle, droppedItems, pickedFolder } from "millrace/browser";
const digest = async (source) => {
	try {
		const { digest, files } = await digestPackage(source);
		return { digest, files: files.length };
	} catch (error) {
		return { code: error.code, path: error.path, message: error.message };
	}
};
const zone = document.getElementById("zone");
zone.addEventListener("dragover", (event) => event.preventDefault());
zone.addEventListener("drop", (event) => {
	event.preventDefault();
	const dropped = droppedItems(event.dataTransfer);
	window.answer = (async () => dropped === undefined ? "nothing"
		: { kind: dropped.kind, name: dropped.name, ...(dropped.kind === "folder" ? await digest(dropped.source) : { size: dropped.file.size }) })();
});
for (const id of ["pick", "files"]) {
	document.getElementById(id).addEventListener("change", (event) => {
		window.answer = digest(pickedFolder(event.target.files));
	});
}
window.handle = async (files) => {
	const root = await navigator.storage.getDirectory();
	const folder = await root.getDirectoryHandle("package", { create: true });
	for (const [path, text] of Object.entries(files)) {
		let at = folder;
		const names = path.split("/");
		for (const name of names.slice(0, -1)) at = await at.getDirectoryHandle(name, { create: true });
		const writable = await (await at.getFileHandle(names.at(-1), { create: true })).createWritable();
		await writable.write(text);
		await writable.close();
	}
	const source = directoryHandle(folder);
	const first = await digest(source);
	await folder.removeEntry("FLOW.md");
	const second = await digest(source);
	await root.removeEntry("package", { recursive: true });
	return { first, second, third: await digest(source) };
};
`;

const FILES: Readonly<Record<string, string>> = {
	"FLOW.md": "---\nname: dropped\ndescription: Dropped.\n---\n",
	"a/b/deep.txt": "deep",
	"a.txt": "before a/",
	".hidden": "hidden",
	"ünï/čøde.txt": "names",
	"sp ace/#?%41.txt": "characters that URLs take for their own",
};

describe.skipIf(needsChromium)("folders in Chromium", { timeout: 60_000 }, () => {
	let browser: Browser;
	let served: Served;
	let root: string;
	let folder: string;

	beforeAll(async () => {
		root = mkdtempSync(join(tmpdir(), "millrace-folders-"));
		folder = join(root, "dropped");
		write(folder, FILES);
		served = await serve(root, {
			"/": { type: "text/html", body: PAGE },
			"/page.js": { type: "text/javascript", body: await bundleForPage(CODE) },
		});
		browser = await launchChromium();
	}, 60_000);
	afterAll(async () => {
		await browser?.close();
		await served?.close();
		rmSync(root, { recursive: true, force: true });
	});

	function write(at: string, files: Readonly<Record<string, string>>): void {
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(dirname(join(at, path)), { recursive: true });
			writeFileSync(join(at, path), text);
		}
	}

	async function open(): Promise<Page> {
		const page = await browser.newPage();
		await page.goto(`${served.url}/`);
		return page;
	}

	const answer = (page: Page): Promise<unknown> =>
		page.waitForFunction(() => "answer" in window).then(() => page.evaluate("window.answer"));

	it("a dropped folder", async () => {
		const { digest } = await digestPackage(directory(folder));
		const page = await open();
		await dropPaths(page, "#zone", [folder]);
		expect(await answer(page)).toEqual({ kind: "folder", name: "dropped", digest, files: 6 });
	});

	it("the content of a folder, dropped as several things", async () => {
		const { digest } = await digestPackage(directory(folder));
		const page = await open();
		await dropPaths(
			page,
			"#zone",
			["FLOW.md", "a", "a.txt", ".hidden", "ünï", "sp ace"].map((name) => join(folder, name)),
		);
		expect(await answer(page)).toEqual({ kind: "folder", name: "", digest, files: 6 });
	});

	it("one dropped file is a file", async () => {
		const page = await open();
		await dropPaths(page, "#zone", [join(folder, "a.txt")]);
		expect(await answer(page)).toEqual({ kind: "file", name: "a.txt", size: 9 });
	});

	it("a picked folder", async () => {
		const { digest } = await digestPackage(directory(folder));
		const page = await open();
		await page.locator("#pick").setInputFiles(folder);
		expect(await answer(page)).toEqual({ digest, files: 6 });
	});

	it("picked files without a folder lie at the root", async () => {
		const page = await open();
		await page.locator("#files").setInputFiles([join(folder, "FLOW.md"), join(folder, "a.txt")]);
		const flat = join(root, "flat");
		write(flat, { "FLOW.md": FILES["FLOW.md"]!, "a.txt": FILES["a.txt"]! });
		expect(await answer(page)).toEqual({ ...(await digestPackage(directory(flat))), files: 2 });
	});

	it("a directory handle, walked anew each time it is listed", async () => {
		const { digest } = await digestPackage(directory(folder));
		const page = await open();
		const { first, second, third } = (await page.evaluate(
			(files) => (window as unknown as { handle(files: object): Promise<unknown> }).handle(files),
			FILES,
		)) as Record<string, object>;
		expect(first).toEqual({ digest, files: 6 });
		expect(second).toMatchObject({ code: "PACKAGE_FLOW_MISSING" });
		expect(third).toMatchObject({
			code: "PACKAGE_SOURCE_FAILED",
			message: expect.stringMatching(/^The folder can't be read .*Check that it is still there/),
		});
	});

	it("more files than a package may have end at the bound", async () => {
		const many = join(root, "many");
		mkdirSync(many);
		for (let index = 0; index < 65_537; index += 1) writeFileSync(join(many, `${index}`), "");
		const page = await open();
		await dropPaths(page, "#zone", [many]);
		expect(await answer(page)).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			message: expect.stringContaining("65536"),
		});
	});

	it("a file that went away says which", async () => {
		const going = join(root, "going");
		write(going, { ...FILES, "gone.txt": "soon" });
		const page = await open();
		await page.evaluate(() => {
			const picker = document.getElementById("pick") as HTMLInputElement;
			picker.addEventListener("change", (event) => event.stopImmediatePropagation(), { capture: true, once: true });
		});
		await page.locator("#pick").setInputFiles(going);
		rmSync(join(going, "gone.txt"));
		await page.evaluate(() => document.getElementById("pick")?.dispatchEvent(new Event("change")));
		expect(await answer(page)).toMatchObject({ path: "gone.txt", message: expect.stringContaining("gone.txt") });
	});

	it("names that are no UTF-8 are refused, as Node refuses them", async () => {
		const odd = join(root, "odd");
		write(odd, { "FLOW.md": FILES["FLOW.md"]! });
		writeFileSync(Buffer.concat([Buffer.from(`${odd}/bad-`), Buffer.from([0xff]), Buffer.from(".txt")]), "x");
		const page = await open();
		await dropPaths(page, "#zone", [odd]);
		expect(await answer(page)).toMatchObject({
			code: expect.stringMatching(/^PACKAGE_(?:PATH_INVALID|SOURCE_FAILED)$/),
		});
	});

	it("a symbolic link is never shown: the digest is of the regular files", async () => {
		const linked = join(root, "linked");
		write(linked, { "FLOW.md": FILES["FLOW.md"]! });
		const { digest } = await digestPackage(directory(linked));
		symlinkSync(join(folder, "a.txt"), join(linked, "link.txt"));
		const page = await open();
		await dropPaths(page, "#zone", [linked]);
		expect(await answer(page)).toMatchObject({ digest, files: 1 });
	});
});
