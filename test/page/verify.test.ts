/** The room where packages are verified, with real folders and archives, in a real Chromium. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestPackage, directory, inspectPackage } from "../../adapters/node/index.ts";
import { launchChromium, needsChromium } from "../browser/support/chromium.ts";
import { dropPaths } from "../browser/support/drop.ts";
import { expectAccessible, type Opened, type Visit, visit } from "./support.ts";

const greet = fileURLToPath(new URL("../../demo/flows/greet", import.meta.url));
const parent = fileURLToPath(new URL("../../demo/flows/parent", import.meta.url));

describe.skipIf(needsChromium)("the Verify room", { timeout: 60_000 }, () => {
	let site: Visit;
	let root: string;
	beforeAll(async () => {
		site = await visit();
		root = mkdtempSync(join(tmpdir(), "millrace-verify-"));
	});
	afterAll(async () => {
		await site?.close();
		rmSync(root, { recursive: true, force: true });
	}, 60_000);

	/** A folder of its own with these files. */
	function folder(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
		for (const [path, content] of Object.entries(files)) {
			mkdirSync(dirname(join(root, name, path)), { recursive: true });
			writeFileSync(join(root, name, path), content);
		}
		return join(root, name);
	}

	const flowMd = "---\nname: small\ndescription: A small one.\n---\nDo it.\n";

	/** A tar of the content of a folder, below `prefix`. */
	function tar(name: string, from: string, prefix = "."): string {
		const path = join(root, name);
		const gzip = name.endsWith("gz") ? "-z" : [];
		execFileSync("tar", ["-c", ...[gzip].flat(), "-f", path, `--transform=s,^\\.,${prefix},`, "-C", from, "."]);
		return path;
	}

	/** A tar of FLOW.md and so many small files. */
	function crowd(name: string, files: number): string {
		const path = join(root, name);
		const make = `
import tarfile, sys, io
t = tarfile.open(sys.argv[1], "w", format=tarfile.USTAR_FORMAT)
def add(name, text):
    i = tarfile.TarInfo(name); i.size = len(text); t.addfile(i, io.BytesIO(text))
add("FLOW.md", sys.argv[2].encode())
for n in range(int(sys.argv[3])): add("%02d/%05d.txt" % (n // 1000, n), b"%d" % n)
t.close()`;
		execFileSync("python3", ["-c", make, path, flowMd, String(files)]);
		return path;
	}

	async function dropped(paths: readonly string[]): Promise<Opened> {
		const opened = await site.open("#/verify");
		await opened.page.getByRole("heading", { name: "Verify a package" }).waitFor();
		await dropPaths(opened.page, ".drop", paths);
		return opened;
	}

	const outcome = (page: Page): Promise<string | null> => page.locator("#outcome").textContent();
	const digestOf = (page: Page): Promise<string | null> => page.getByTestId("digest").textContent();

	it("an expected digest in capitals, in groups or without its name is compared all the same", async () => {
		const { page } = await dropped([parent]);
		const digest = (await digestOf(page)) ?? "";
		const hex = digest.slice("sha256:".length);
		const verdict = page.getByTestId("expected-verdict");
		for (const given of [digest, digest.toUpperCase(), hex, ` ${hex.toUpperCase().replace(/.{8}/g, "$& ")}`]) {
			await page.getByLabel("The digest that you were given").fill(given);
			await verdict.getByText("✓ Equal.").waitFor();
		}
		await page.getByLabel("The digest that you were given").fill(`${digest}0`);
		await page.getByText("This has 72 characters in all instead of 71.").waitFor();
	});

	it("a dropped folder: its digest is Node's, and what it declares is shown", async () => {
		const { page, complaints } = await dropped([parent]);
		expect(await digestOf(page)).toBe((await digestPackage(directory(parent))).digest);
		expect(await outcome(page)).toBe("parent is a package");
		expect(await page.locator("#outcome").evaluate((heading) => heading === document.activeElement)).toBe(true);
		const text = (await page.locator("main").textContent()) ?? "";
		for (const words of ["titles", "Capabilities", "flow.ts", "input schema", "3 nodes, depth 2", "methods lookup"])
			expect(text).toContain(words);
		const { files, uses, body } = await inspectPackage(directory(parent));
		for (const { path, sha256 } of files) {
			expect(text).toContain(path);
			expect(text).toContain(sha256?.slice("sha256:".length));
		}
		for (const use of uses.values()) if ("contract" in use) expect(text).toContain(use.contract.identity.digest);
		expect(text).toContain(new TextDecoder().decode(body).trim());
		expect(complaints).toEqual([]);
	});

	it("on the front door a drop leads into the room", async () => {
		const { page } = await site.open("");
		await page.getByRole("heading", { level: 1 }).waitFor();
		await dropPaths(page, ".drop", [greet]);
		expect(await digestOf(page)).toBe((await digestPackage(directory(greet))).digest);
	});

	it.each(["plain.tar", "packed.tar.gz", "packed.tgz"])("an archive: %s", async (name) => {
		const { page } = await dropped([tar(name, greet)]);
		expect(await digestOf(page)).toBe((await digestPackage(directory(greet))).digest);
	});

	it("a zip", async () => {
		const path = join(root, "packed.zip");
		execFileSync("python3", [
			"-c",
			"import shutil,sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])",
			path.slice(0, -4),
			greet,
		]);
		const { page } = await dropped([path]);
		expect(await digestOf(page)).toBe((await digestPackage(directory(greet))).digest);
	});

	it("an npm tarball: its prefix is offered, and taken when it is asked for", async () => {
		const tarball = tar("npm.tgz", greet, "package");
		const { digest } = await digestPackage(directory(greet));
		const { page } = await dropped([tarball]);
		await page.getByText("There is no FLOW.md at the top").waitFor();
		expect(await page.getByTestId("digest").count()).toBe(0);
		await page.getByRole("button", { name: "Look inside package/" }).click();
		expect(await digestOf(page)).toBe(digest);
		await dropPaths(page, "[aria-labelledby=expected] .drop", [tarball]);
		const inside = page.getByRole("button", { name: "Compare with what is inside package/" });
		await inside.waitFor();
		expect(await page.getByText("has the same files, byte for byte").count()).toBe(0);
		await inside.click();
		await page.getByText("has the same files, byte for byte").waitFor();
	});

	it("a folder further inside is offered, and several things that are dropped together are one package", async () => {
		const outer = folder("outer", { "inner/FLOW.md": flowMd, "inner/a": "a", "other.txt": "o" });
		const { digest } = await digestPackage(directory(join(outer, "inner")));
		const { page } = await dropped([outer]);
		await page.getByRole("button", { name: "Look inside inner/" }).click();
		expect(await digestOf(page)).toBe(digest);
		await dropPaths(page, ".drop", [join(outer, "inner/FLOW.md"), join(outer, "inner/a")]);
		await page.getByText("What you dropped is a package").waitFor();
		expect(await digestOf(page)).toBe(digest);
	});

	it("an expected digest: equal, not equal, and no digest at all", async () => {
		const { page } = await dropped([greet]);
		const digest = (await digestOf(page)) ?? "";
		const field = page.getByLabel("The digest that you were given");
		await field.fill(` ${digest} `);
		await page.getByText("✓ Equal.").waitFor();
		await field.fill(digest.slice("sha256:".length));
		await page.getByText("✓ Equal.").waitFor();
		await field.fill(`sha256:${"0".repeat(64)}`);
		await page.getByText("✗ Not equal.").waitFor();
		await field.fill("sha256:12");
		await page.getByText("That is no digest").waitFor();
	});

	it("a manifest, and a second package: exactly which files differ", async () => {
		const before = folder("before", {
			"FLOW.md": flowMd,
			"a.txt": "one\ntwo\n",
			"b.txt": "b",
			"c.txt": "moved",
			gone: "x",
		});
		const after = folder("after", {
			"FLOW.md": flowMd,
			"a.txt": "one\r\ntwo\r\n",
			"b.txt": "B",
			"d/c.txt": "moved",
			new: "n",
		});
		const cli = fileURLToPath(new URL("../../dist/adapters/node/cli/main.js", import.meta.url));
		const manifests = ["--json", ""].map((flag, index) => {
			const path = join(root, index === 0 ? "manifest.json" : "manifest.txt");
			const args = [cli, "digest", before, "--manifest", flag].filter((word) => word !== "");
			writeFileSync(path, execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] }));
			return path;
		});
		for (const other of [...manifests, before]) {
			const { page } = await dropped([after]);
			await page.getByTestId("digest").waitFor();
			await dropPaths(page, "[aria-labelledby=expected] .drop", [other]);
			const list = page.getByTestId("differences");
			await list.getByText("has other line endings").waitFor();
			await page.getByText("Looking at line endings").waitFor({ state: "detached" });
			const text = (await list.textContent()) ?? "";
			for (const words of [
				"line endings a.txt has other line endings (CRLF instead of LF)",
				"b.txt has other content (1 byte became 1)",
				createHash("sha256").update("b").digest("hex"),
				createHash("sha256").update("B").digest("hex"),
				"2 changed, 1 added, 1 removed, 1 renamed",
				"d/c.txt was c.txt",
				"gone is missing here",
				"new is only in this one",
			])
				expect(text).toContain(words);
		}
		const { page } = await dropped([after]);
		await page.getByTestId("digest").waitFor();
		await dropPaths(page, "[aria-labelledby=expected] .drop", [after]);
		await page.getByText("has the same files, byte for byte").waitFor();
	});

	it("what a reviewer should see is shown", async () => {
		const { page } = await dropped([
			folder("odd", {
				"FLOW.md": flowMd,
				"flow.mjs": "const admin = false; /*\u202e } if (admin) { */\nconst pаypal = 1;\n",
				".env": "KEY=1",
				"run.exe": new Uint8Array([0x4d, 0x5a, 0x90, 0]),
				"zero.txt": "a\u200bb",
			}),
		]);
		const notices = async (kind: string): Promise<string> =>
			(await page.locator(`[data-kind="${kind}"]`).textContent()) ?? "";
		expect(await notices("bidirectional")).toContain("flow.mjs:1:24 U+202E RIGHT-TO-LEFT OVERRIDE");
		expect(await notices("mixed-script")).toContain("flow.mjs:2:7 “pаypal” mixes Latin and Cyrillic");
		expect(await notices("invisible")).toContain("zero.txt:1:2 U+200B ZERO WIDTH SPACE");
		expect(await notices("secret")).toContain(".env");
		expect(await notices("opaque")).toContain("run.exe a program for Windows");
		expect(await page.locator("[aria-labelledby=notices]").textContent()).toContain("5 things");
	});

	it("names that are markup, or move text, are shown as text", async () => {
		const { page, complaints } = await dropped([
			folder("markup", {
				"FLOW.md": "---\nname: small\ndescription: <img src=x onerror=alert(1)>\n---\n<script>alert(2)</script>\n",
				"<img src=x onerror=alert(3)>.txt": "",
				"evil\u202etxt.exe": "",
			}),
		]);
		await page.getByTestId("digest").waitFor();
		expect(await page.locator("main :is(script, img)").count()).toBe(0);
		const text = (await page.locator("main").textContent()) ?? "";
		expect(text).toContain("<img src=x onerror=alert(1)>");
		expect(text).toContain("<script>alert(2)</script>");
		expect(text).toContain("<img src=x onerror=alert(3)>.txt");
		expect(text).toContain("evil\\u{202e}txt.exe");
		expect(text).not.toContain("\u202e");
		expect(complaints).toEqual([]);
	});

	describe("refuses, in words and at the place", () => {
		const refusal = async (paths: readonly string[]): Promise<string> => {
			const { page, complaints } = await dropped(paths);
			await page.locator(".refusal").first().waitFor({ timeout: 30_000 });
			expect(complaints).toEqual([]);
			const text = (await page.locator(".refusal").first().textContent()) ?? "";
			// The page stays usable: the next package is read as if nothing had been.
			await dropPaths(page, ".drop", [greet]);
			await page.getByText("greet is a package").waitFor();
			return text;
		};

		it("a folder without FLOW.md", async () => {
			expect(await refusal([folder("none", { a: "a" })])).toContain("PACKAGE_FLOW_MISSING");
		});

		it("metadata at its line, with the digest that the tree has nevertheless", async () => {
			const bad = folder("bad", { "FLOW.md": "---\nname: small\ndescription: A.\nnope: 1\n---\n" });
			const { page } = await dropped([bad]);
			expect(await digestOf(page)).toBe((await digestPackage(directory(bad))).digest);
			expect(await outcome(page)).toBe("bad has a digest, but is refused");
			const text = await page.locator(".refusal").textContent();
			expect(text).toContain("FLOW.md:4");
			expect(text).toContain("PACKAGE_METADATA_INVALID");
			expect(text).toContain("What to do:");
		});

		it("a schema at its pointer", async () => {
			const text = await refusal([
				folder("schema", {
					"FLOW.md": flowMd,
					"flow.mjs": "",
					"input.schema.json": '{"$schema":"https://flow.jig.md/schemas/schema-1.json","type":"strin"}',
				}),
			]);
			expect(text).toContain("input.schema.json");
			expect(text).toContain("/type");
		});

		it("all that is wrong at once, each at its place", async () => {
			const schema = '{"$schema":"https://flow.jig.md/schemas/schema-1.json","minimum":"1"}';
			const bad = folder("many", {
				"FLOW.md": "---\nname: small\ndescription: A.\nuses:\n  a:\n    contract: ./gone.capability.json\n---\n",
				"flow.mjs": "",
				"input.schema.json": "{",
				"result.schema.json": schema,
			});
			const { page } = await dropped([bad]);
			await page.getByText("3 things to mend").waitFor();
			const text = (await page.locator(".outcome").textContent()) ?? "";
			for (const words of ["input.schema.json", "result.schema.json", "/minimum", "gone.capability.json", "FLOW.md:6"])
				expect(text).toContain(words);
		});

		it("names that no package may have, all of them", async () => {
			const names = ["a\\b", `${"é".normalize("NFD")}.txt`, "FLOW.md"];
			const { page } = await dropped([folder("names", Object.fromEntries(names.map((name) => [name, flowMd])))]);
			await page.getByText("2 things to mend").waitFor();
			const text = (await page.locator(".outcome").textContent()) ?? "";
			expect(text).toContain("A name has a backslash");
			expect(text).toContain("put together from parts");
		});

		it("70,000 files", async () => {
			expect(await refusal([crowd("crowd.tar", 70_000)])).toContain("larger than the standard admits");
		});

		it("a folder that can't be read", async () => {
			const locked = folder("locked", { "FLOW.md": flowMd, "inside/a": "a" });
			const { page } = await site.open("#/verify");
			await page.getByRole("heading", { name: "Verify a package" }).waitFor();
			// Whoever runs this may read everything, so the browser's answer to a person who may not stands in.
			await page.evaluate(() => {
				const entryOf = DataTransferItem.prototype.webkitGetAsEntry;
				DataTransferItem.prototype.webkitGetAsEntry = function () {
					const entry = entryOf.call(this) as FileSystemDirectoryEntry;
					const directory = Object.getPrototypeOf(entry) as FileSystemDirectoryEntry;
					const { createReader } = directory;
					directory.createReader = function () {
						const reader = createReader.call(this);
						if (this.name !== "inside") return reader;
						return { readEntries: (_, fail) => fail?.(new DOMException("It is locked.", "NotReadableError")) };
					};
					return entry;
				};
			});
			await dropPaths(page, ".drop", [locked]);
			const text = (await page.locator(".refusal").textContent()) ?? "";
			expect(text).toContain("inside");
			expect(text).toContain("NotReadableError");
			expect(text).toContain("Check that it is still there and that you may read it");
			expect(text).toContain("PACKAGE_SOURCE_FAILED");
		});

		it("a symbolic link in a tar", async () => {
			const linked = folder("linked", { "FLOW.md": flowMd });
			symlinkSync("/etc/passwd", join(linked, "link"));
			const text = await refusal([tar("linked.tar", linked)]);
			expect(text).toContain("PACKAGE_SYMLINK");
			expect(text).toContain("link");
		});

		it("a path that leads out of an archive", async () => {
			const path = join(root, "out.tar");
			execFileSync("python3", [
				"-c",
				"import tarfile,sys,io\nt=tarfile.open(sys.argv[1],'w')\nfor n in ['FLOW.md','../evil']:\n i=tarfile.TarInfo(n); i.size=1; t.addfile(i,io.BytesIO(b'x'))\nt.close()",
				path,
			]);
			const text = await refusal([path]);
			expect(text).toContain("PACKAGE_PATH_INVALID");
			expect(text).toContain("../evil");
		});

		it("a bomb", async () => {
			const path = join(root, "bomb.tgz");
			writeFileSync(path, gzipSync(new Uint8Array(200_000_000)));
			expect(await refusal([path])).toContain("PACKAGE_ARCHIVE_LIMIT");
		});

		it("a file of 2 GB", async () => {
			const large = folder("large", { "FLOW.md": flowMd, "data.bin": "" });
			truncateSync(join(large, "data.bin"), 2_147_483_648);
			const text = await refusal([large]);
			expect(text).toContain("data.bin");
			expect(text).toContain("PACKAGE_LIMIT_EXCEEDED");
		});

		it("what is no archive", async () => {
			expect(await refusal([join(greet, "FLOW.md")])).toContain("PACKAGE_ARCHIVE_INVALID");
		});
	});

	it("shows how far it has come, and stops when it is asked to", async () => {
		const large = folder("slow", { "FLOW.md": flowMd });
		for (let index = 0; index < 8; index += 1) {
			writeFileSync(join(large, `${index}.bin`), "");
			truncateSync(join(large, `${index}.bin`), 60_000_000);
		}
		const { page } = await dropped([large]);
		await page.getByText(/\d+ % · \d+ of 9 files · .* of 458 MiB · about .* left/).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		await page.getByText("You stopped it.").waitFor();
		expect(await page.locator(".refusal").count()).toBe(0);
		await dropPaths(page, ".drop", [greet]);
		await page.getByText("greet is a package").waitFor();
		await dropPaths(page, "[aria-labelledby=expected] .drop", [large]);
		await page.getByText(/\d+ % · \d+ of 9 files/).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		await page.getByText("You stopped it.").waitFor();
	});

	it("65,536 files: a page of them at a time, found by path or hash, largest first", { timeout: 180_000 }, async () => {
		const { page } = await dropped([crowd("full.tar", 65_535)]);
		await page.getByText("full.tar is a package").waitFor({ timeout: 120_000 });
		const rows = page.locator(".files tbody tr");
		expect(await rows.count()).toBe(100);
		await page.getByText("1 to 100 of 65,536").waitFor();
		await page.getByRole("button", { name: "Next" }).click();
		await page.getByText("101 to 200 of 65,536").waitFor();
		await page.getByLabel("Filter by path").fill("65/65000");
		await page.getByText("1 to 1 of 1").waitFor();
		expect(await rows.first().textContent()).toContain("65/65000.txt");
		const hash = await rows.first().locator(".hash").textContent();
		await page.getByLabel("Filter by path").fill(hash ?? "");
		await page.getByText("1 to 1 of 1").waitFor();
		await page.getByLabel("Filter by path").fill("");
		await page.getByRole("button", { name: "Bytes" }).click();
		expect(await rows.first().textContent()).toContain("FLOW.md");
		// Its own report, more values than JSON/1 admits in one document, is a manifest to compare with.
		const [report] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download JSON" }).click(),
		]);
		const saved = join(root, "full.json");
		await report.saveAs(saved);
		await dropPaths(page, "[aria-labelledby=expected] .drop", [saved]);
		await page.getByText("has the same files, byte for byte").waitFor();
	});

	it("works on plain http too, where a browser keeps its newer interfaces back", async () => {
		const browser = await launchChromium(["--host-resolver-rules=MAP plain.test 127.0.0.1"]);
		try {
			const page = await browser.newPage();
			await page.goto(`${site.url.replace("127.0.0.1", "plain.test")}/#/verify`);
			expect(await page.evaluate(() => [isSecureContext, "storage" in navigator, "clipboard" in navigator])).toEqual([
				false,
				false,
				false,
			]);
			// Past what is kept in memory, so that it has to go somewhere.
			const large = folder("http", {
				"FLOW.md": flowMd,
				"data.bin": new Uint8Array(40_000_000).map((_, at) => at * 7 + (at >> 9)),
			});
			await page.locator(".drop").waitFor();
			await dropPaths(page, ".drop", [tar("http.tgz", large)]);
			expect(await digestOf(page)).toBe((await digestPackage(directory(large))).digest);
			await page.getByRole("button", { name: "Copy digest" }).click();
			await page.getByRole("button", { name: "Copied" }).waitFor();
		} finally {
			await browser.close();
		}
	});

	it("gives a report to keep", async () => {
		const { page } = await dropped([greet]);
		await page.getByTestId("digest").waitFor();
		const [markdown] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download Markdown" }).click(),
		]);
		const text = readFileSync((await markdown.path()) ?? "", "utf8");
		expect(text).toContain((await digestPackage(directory(greet))).digest);
		expect(text).toContain("| `FLOW.md` |");
		const [json] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download JSON" }).click(),
		]);
		const report = JSON.parse(readFileSync((await json.path()) ?? "", "utf8"));
		expect(report.manifest).toContainEqual(expect.objectContaining({ path: "FLOW.md" }));
	});

	it("an example is there for who has no package at hand, and everything is reached by keyboard", async () => {
		const { page, complaints } = await site.open("#/verify");
		await page.getByRole("heading", { name: "What stays here" }).waitFor();
		await expectAccessible(page);
		await page.getByRole("button", { name: "Look at an example" }).focus();
		await page.keyboard.press("Enter");
		expect(await digestOf(page)).toBe((await digestPackage(directory(parent))).digest);
		const levels = await page
			.locator("main :is(h1, h2, h3, h4)")
			.evaluateAll((all) => all.map(({ tagName }) => tagName));
		for (const [index, level] of levels.entries())
			expect(Number(level[1]) - Number(levels[index - 1]?.[1] ?? 0)).toBeLessThan(2);
		for (const name of ["Copy digest", "Copy Markdown", "Download JSON", "Choose a file"]) {
			for (let presses = 0; presses < 40; presses += 1) {
				await page.keyboard.press("Tab");
				if (await page.evaluate((text) => document.activeElement?.textContent === text, name)) break;
			}
			expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
		}
		expect(complaints).toEqual([]);
	});

	it.each(["light", "dark"] as const)("is accessible in the %s theme and on a phone", async (colorScheme) => {
		const { page } = await site.open("#/verify", { colorScheme, viewport: { width: 390, height: 844 } });
		await page.getByRole("heading", { name: "Verify a package" }).waitFor();
		await dropPaths(page, ".drop", [parent]);
		await page.getByTestId("digest").waitFor();
		await page.getByLabel("The digest that you were given").fill(`sha256:${"0".repeat(64)}`);
		await page.getByText("✗ Not equal.").waitFor();
		await expectAccessible(page);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
	});
});
