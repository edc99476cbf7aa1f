/** What other programs write is read as what they were given, and what they read of it is the same: GNU tar, Python, Info-ZIP, modern-tar. */
import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packTar } from "modern-tar";
import { describe, expect, test } from "vitest";
import { archive, digestPackage, directory } from "../../adapters/node/index.ts";
import type { PackageErrorCode } from "../../src/package/index.ts";
import { contents, FLOW_MD, has, refusal, workspace, writeTree } from "./support.ts";

const python = has("python3", "-c", "import tarfile, zipfile");
const gnuTar = has("tar", "--version");
const infoZip = has("zip", "-v");

const LONG = `${"long-".repeat(18)}/${"name-".repeat(30)}.txt`;

/** A tree with what archives have special forms for: long names, other scripts, empty and large files. */
function tree({ ascii = false } = {}): string {
	return writeTree(join(workspace(), "package"), {
		"FLOW.md": FLOW_MD,
		"flow.mjs": "// nothing\n",
		empty: "",
		"deep/er/file": "x".repeat(100_000),
		...(ascii ? {} : { "ünïcode/日本.txt": "text" }),
		[LONG]: "long",
		".hidden": "h",
		zeros: new Uint8Array(50_000),
	});
}

const sh = (program: string, words: readonly string[], cwd: string): string =>
	execFileSync(program, words, {
		cwd,
		encoding: "utf8",
		maxBuffer: 100_000_000,
		env: { ...process.env, LC_ALL: "C.UTF-8" },
	});

describe.skipIf(!gnuTar)("GNU tar", () => {
	test.each([
		["gnu", "--format=gnu"],
		["pax", "--format=pax"],
		["gnu, gzip", "--format=gnu", "-z"],
		["pax, gzip", "--format=posix", "-z"],
		["pax, sorted by it", "--format=pax", "--sort=name"],
		["many records", "--format=gnu", "-b", "100"],
	])("%s", async (_, ...options) => {
		const root = tree();
		linkSync(join(root, "flow.mjs"), join(root, "linked.mjs"));
		const { digest } = await digestPackage(root);
		const file = join(root, "..", "made");
		sh("tar", [...options, "-cf", file, "package"], join(root, ".."));
		expect((await digestPackage(archive(file, { prefix: "package/" }))).digest).toBe(digest);
		sh("tar", [...options, "-cf", file, "."], root);
		expect((await digestPackage(archive(file))).digest).toBe(digest);
	});

	test.each<[string, PackageErrorCode, (root: string) => void, readonly string[]]>([
		["a symbolic link", "PACKAGE_SYMLINK", (root) => symlinkSync("flow.mjs", join(root, "link")), []],
		["a sparse file", "PACKAGE_ARCHIVE_UNSUPPORTED", (root) => sh("truncate", ["-s", "1M", "zeros"], root), ["-S"]],
		[
			"a sparse file in PAX",
			"PACKAGE_ARCHIVE_UNSUPPORTED",
			(root) => sh("truncate", ["-s", "1M", "zeros"], root),
			["-S", "--format=pax"],
		],
		["a pipe", "PACKAGE_SPECIAL_FILE", (root) => sh("mkfifo", ["pipe"], root), []],
		["a volume label, which has no magic", "PACKAGE_ARCHIVE_INVALID", () => {}, ["-V", "label"]],
		["an incremental dump", "PACKAGE_ARCHIVE_UNSUPPORTED", () => {}, ["-g", "snapshot"]],
		["paths that were kept absolute", "PACKAGE_PATH_INVALID", () => {}, ["-P", "--transform=s,^,/,"]],
		["the old format of Unix V7", "PACKAGE_ARCHIVE_INVALID", () => {}, ["--format=v7", "--exclude=long-*"]],
	])("%s is refused", async (_, code, change, options) => {
		const root = tree();
		change(root);
		const file = join(root, "..", "made");
		sh("tar", [...options, "-cf", file, "package"], join(root, ".."));
		await refusal(archive(file).list(), code);
	});

	test("an archive that was appended to has one end, and its files twice", async () => {
		const root = tree();
		const file = join(root, "..", "made.tar");
		sh("tar", ["-cf", file, "."], root);
		sh("tar", ["-rf", file, "./flow.mjs"], root);
		expect((await refusal(archive(file).list(), "PACKAGE_PATH_COLLISION")).path).toBe("flow.mjs");
	});
});

const PYTHON = `
import io, json, sys, tarfile, zipfile
what, target, source = sys.argv[1:4]
files = json.load(open(source))
if what.startswith("zip"):
    mode = {"zip-deflated": zipfile.ZIP_DEFLATED}.get(what, zipfile.ZIP_STORED)
    out = open(target, "wb")
    if what == "zip-streamed":
        class Pipe(io.RawIOBase):
            def writable(self): return True
            def write(self, data): return out.write(data)
        stream = Pipe()
    else:
        stream = out
    with zipfile.ZipFile(stream, "w", mode) as z:
        for name, text in files.items():
            if what == "zip-long":
                with z.open(name, "w", force_zip64=True) as f: f.write(text.encode())
            else: z.writestr(name, text)
    out.close()
else:
    kind = {"tar-gnu": tarfile.GNU_FORMAT, "tar-pax": tarfile.PAX_FORMAT, "tar-ustar": tarfile.USTAR_FORMAT}[what]
    with tarfile.open(target, "w", format=kind) as t:
        for name, text in files.items():
            info = tarfile.TarInfo(name); info.size = len(text.encode()); info.mtime = 1.5
            t.addfile(info, io.BytesIO(text.encode()))
read = {}
if what.startswith("zip"):
    with zipfile.ZipFile(target) as z:
        for i in z.infolist(): read[i.filename] = z.read(i).decode()
else:
    with tarfile.open(target) as t:
        for m in t: read[m.name] = t.extractfile(m).read().decode()
print(json.dumps(read))
`;

function pythonMakes(
	what: string,
	files: Readonly<Record<string, string>>,
): { readonly file: string; readonly read: unknown } {
	const place = writeTree(workspace(), { "files.json": JSON.stringify(files), "make.py": PYTHON });
	const read: unknown = JSON.parse(sh("python3", ["make.py", what, "made", "files.json"], place));
	return { file: join(place, "made"), read };
}

describe.skipIf(!python)("Python", () => {
	const files = { "FLOW.md": FLOW_MD, "a/ü/日本": "text", empty: "", "b/long": "y".repeat(70_000) };

	test.each(["tar-gnu", "tar-pax", "tar-ustar", "zip-deflated", "zip-stored", "zip-streamed", "zip-long"])(
		"%s",
		async (what) => {
			const { file, read } = pythonMakes(what, files);
			const ours = await contents(archive(file));
			expect(ours).toEqual(files);
			expect(ours).toEqual(read);
		},
	);

	test.each(["tar-gnu", "tar-pax"])("%s with long names", async (what) => {
		const { file, read } = pythonMakes(what, { "FLOW.md": FLOW_MD, [LONG]: "long" });
		expect(await contents(archive(file))).toEqual(read);
	});

	test.each(["zip-stored", "tar-pax"])(
		"70,000 files in a %s end at the bound of Package/1",
		{ timeout: 60_000 },
		async (what) => {
			const many = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`d${index % 700}/f${index}`, ""]));
			const { file } = pythonMakes(what, many);
			const error = await refusal(archive(file).list(), "PACKAGE_LIMIT_EXCEEDED");
			expect(error.limit).toEqual({ name: "files", max: 65_536 });
		},
	);

	test("65,536 files in a zip, which needs 64-bit records for them, are read", { timeout: 60_000 }, async () => {
		const many = Object.fromEntries(Array.from({ length: 65_535 }, (_, index) => [`d${index % 700}/f${index}`, "x"]));
		const { file } = pythonMakes("zip-stored", { "FLOW.md": FLOW_MD, ...many });
		expect((await digestPackage(archive(file))).files).toHaveLength(65_536);
	});
});

describe.skipIf(!infoZip)("Info-ZIP", () => {
	test.each([
		["deflated", "-r"],
		["stored", "-r", "-0"],
		["without directories", "-rD"],
		["without extra fields", "-rX"],
	])("%s", async (_, ...options) => {
		const root = tree({ ascii: true });
		const { digest } = await digestPackage(root);
		const file = join(root, "..", "made.zip");
		sh("zip", ["-q", ...options, file, "package"], join(root, ".."));
		expect((await digestPackage(archive(file, { prefix: "package/" }))).digest).toBe(digest);
	});

	test("names beyond ASCII, whose encoding it doesn't tell, are refused: Python for one reads others", async () => {
		const root = tree();
		sh("zip", ["-q", "-r", "../all.zip", "."], root);
		await refusal(archive(join(root, "../all.zip")).list(), "PACKAGE_PATH_INVALID");
	});

	test("a symbolic link that was kept is refused, so is a password", async () => {
		const root = tree({ ascii: true });
		symlinkSync("flow.mjs", join(root, "link"));
		sh("zip", ["-q", "-ry", "../links.zip", "."], root);
		sh("zip", ["-q", "-P", "secret", "../secret.zip", "FLOW.md"], root);
		expect((await refusal(archive(join(root, "../links.zip")).list(), "PACKAGE_SYMLINK")).path).toBe("link");
		const encrypted = await refusal(archive(join(root, "../secret.zip")).list(), "PACKAGE_ARCHIVE_UNSUPPORTED");
		expect(encrypted.message).toContain("encrypted");
	});

	test("what it writes to a pipe, with the sizes behind the data", async () => {
		const root = tree({ ascii: true });
		const { digest } = await digestPackage(root);
		const piped = execFileSync("sh", ["-c", "zip -q -r - . | cat > ../piped.zip"], { cwd: root });
		expect(piped.length).toBe(0);
		expect((await digestPackage(archive(join(root, "../piped.zip")))).digest).toBe(digest);
	});
});

test("modern-tar", async () => {
	const files = { "FLOW.md": FLOW_MD, [LONG]: "long", "ünï/日本": "text", empty: "" };
	const bytes = await packTar(
		Object.entries(files).map(([name, body]) => ({
			header: { name, size: new TextEncoder().encode(body).length, type: "file" as const },
			body,
		})),
	);
	expect(await contents(archive(new Blob([bytes as Uint8Array<ArrayBuffer>])))).toEqual(files);
});

test("what npm pack makes of a package", { timeout: 60_000 }, async () => {
	const root = writeTree(join(workspace(), "sample"), {
		"FLOW.md": FLOW_MD,
		"flow.mjs": "// nothing\n",
		"package.json": '{ "name": "sample", "version": "1.0.0" }',
	});
	sh("npm", ["pack", "--silent", "--ignore-scripts"], root);
	const file = join(root, "sample-1.0.0.tgz");
	const offered = archive(file);
	await refusal(offered.list(), "PACKAGE_FLOW_MISSING");
	expect(offered.commonPrefix).toBe("package/");
	const packed = await contents(archive(file, { prefix: "package/" }));
	expect(Object.keys(packed)).toEqual(["FLOW.md", "flow.mjs", "package.json"]);
	expect(packed["FLOW.md"]).toBe(readFileSync(join(root, "FLOW.md"), "utf8"));
	expect((await digestPackage(directory(root))).files).toHaveLength(4);
});
