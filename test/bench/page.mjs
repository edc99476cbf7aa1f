// In Chromium: the digest of a 200 MB tar that was given to the page, against the page's own SHA-256 alone over as many bytes;
// an instance of 50 KB validated again against the length of a frame; the first verdict after the page was asked for.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { createTarPacker } from "modern-tar";
import { chromiumPath, launchChromium } from "../browser/support/chromium.mjs";
import { serve } from "../browser/support/serve.mjs";
import { keep, median } from "./measure.mjs";

const MEGABYTE = 1_000_000;
const FILE_BYTES = 2 * MEGABYTE;
const FILES = 100;
const FRAME_MS = 1_000 / 60;

const CODE = `
import { archive } from "./dist/adapters/browser/index.js";
import { compileSchema, digestPackage, parseJson, portableSha256 } from "./dist/src/index.js";
window.hash = (bytes) => {
	const chunk = new Uint8Array(65_536);
	const start = performance.now();
	const hash = portableSha256();
	for (let left = bytes; left > 0; left -= chunk.length) hash.update(left < chunk.length ? chunk.subarray(0, left) : chunk);
	hash.digest();
	return performance.now() - start;
};
window.digest = async () => {
	const file = document.querySelector("input").files[0];
	const start = performance.now();
	let heap = 0;
	const { files } = await digestPackage(archive(file), {
		onProgress: () => { heap = Math.max(heap, performance.memory.usedJSHeapSize); },
	});
	return { ms: performance.now() - start, files: files.length, heap };
};
window.validate = (schemaText, text) => {
	const schema = compileSchema(schemaText);
	const times = [];
	for (let round = 0; round < 60; round += 1) {
		const start = performance.now();
		schema.evaluate(parseJson(text), { all: true, profile: true });
		times.push(performance.now() - start);
	}
	return times.slice(10).sort((a, b) => a - b)[25];
};
window.ready = true;
`;

/** A tar of 100 files of 2 MB and a FLOW.md, written as it is made. */
async function writeTar(path) {
	const { readable, controller } = createTarPacker();
	const fill = async () => {
		const add = async (name, bytes) => {
			const writer = controller.add({ name, size: bytes.length }).getWriter();
			await writer.write(bytes);
			await writer.close();
		};
		await add("FLOW.md", new TextEncoder().encode("---\nname: large\ndescription: A large one.\n---\n"));
		const bytes = new Uint8Array(FILE_BYTES).map((_, index) => (index * 31) ^ (index >> 7));
		for (let index = 0; index < FILES; index += 1) await add(`data/${index}.bin`, bytes);
		controller.finalize();
	};
	const file = openSync(path, "w");
	const filled = fill();
	for await (const chunk of readable) writeSync(file, chunk);
	closeSync(file);
	await filled;
}

const SCHEMA = JSON.stringify({
	$schema: "https://flow.jig.md/schemas/schema-1.json",
	type: "array",
	items: {
		type: "object",
		properties: {
			id: { type: "integer", minimum: 0 },
			name: { type: "string", minLength: 1, maxLength: 64 },
			tags: { type: "array", items: { type: "string" }, maxItems: 8 },
			active: { type: "boolean" },
		},
		required: ["id", "name"],
		additionalProperties: false,
	},
});

/** Some 50 KB. */
const INSTANCE = JSON.stringify(
	Array.from({ length: 700 }, (_, id) => ({
		id,
		name: `item number ${id}`,
		tags: ["mill", "race"],
		active: id % 2 === 0,
	})),
);

export async function bench() {
	if (chromiumPath === undefined) {
		console.log("no Chromium here: nothing is measured");
		return;
	}
	const folder = mkdtempSync(join(tmpdir(), "millrace-bench-page-"));
	const { outputFiles } = await build({
		stdin: { contents: CODE, resolveDir: process.cwd() },
		bundle: true,
		write: false,
		format: "esm",
		minify: true,
	});
	const served = await serve("dist/page", {
		"/bench.html": { type: "text/html", body: '<input type="file"><script type="module" src="/bench.js"></script>' },
		"/bench.js": { type: "text/javascript", body: outputFiles[0].contents },
	});
	const browser = await launchChromium();
	try {
		const page = await browser.newPage();
		await page.goto(`${served.url}/bench.html`);
		await page.waitForFunction("window.ready");
		await benchTar(page, join(folder, "large.tar"));
		await benchValidation(page);
		await benchFirstVerdict(browser, served.url);
	} finally {
		await browser.close();
		await served.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function benchTar(page, path) {
	await writeTar(path);
	await page.locator("input").setInputFiles(path);
	const hashed = [];
	const digested = [];
	let heap = 0;
	for (let round = 0; round < 4; round += 1) {
		const alone = await page.evaluate((bytes) => window.hash(bytes), FILES * FILE_BYTES);
		const whole = await page.evaluate(() => window.digest());
		if (whole.files !== FILES + 1) throw new Error(`The archive has ${whole.files} files.`);
		heap = Math.max(heap, whole.heap);
		if (round > 0) {
			hashed.push(alone);
			digested.push(whole.ms);
		}
	}
	const ratio = median(hashed) / median(digested);
	const met = keep("200 MB tar, of SHA-256 alone", ratio, {}, { goal: 0.9 });
	console.log(
		`200 MB tar given to the page: ${ratio.toFixed(2)} of its SHA-256 alone (goal 0.9 ${met ? "met" : "missed"}); heap at most ${(heap / MEGABYTE).toFixed(0)} MB`,
	);
}

async function benchValidation(page) {
	const ms = await page.evaluate(([schema, instance]) => window.validate(schema, instance), [SCHEMA, INSTANCE]);
	const met = keep("50 KB instance again, of a frame", ms / FRAME_MS, {}, { goal: 1, atMost: true });
	console.log(
		`${(INSTANCE.length / 1_000).toFixed(0)} KB read and evaluated with profile: ${(ms / FRAME_MS).toFixed(2)} of a frame (goal 1 ${met ? "met" : "missed"})`,
	);
}

/** A new browser profile each time, so that nothing of the page is in a cache. */
async function benchFirstVerdict(browser, url) {
	const times = [];
	for (let round = 0; round < 3; round += 1) {
		const context = await browser.newContext();
		const page = await context.newPage();
		const start = performance.now();
		await page.goto(`${url}/#/playground`);
		await page.getByTestId("verdict").filter({ hasText: /valid/i }).waitFor();
		times.push(performance.now() - start);
		await context.close();
	}
	const ratio = median(times) / 1_000;
	const met = keep("first verdict after load, of a second", ratio, {}, { goal: 1, atMost: true });
	console.log(`first verdict on a cold cache: ${ratio.toFixed(2)} of a second (goal 1 ${met ? "met" : "missed"})`);
}
