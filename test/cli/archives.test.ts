import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { concat, tar, tarFile, tarMember } from "../archive/support.ts";
import { type ZipEntry, zip } from "../archive/zip-support.ts";
import { asked, leftIn, millrace, packageOf, workspace, writeTree } from "./command.ts";

const FLOW_MD = "---\nname: sample\ndescription: A sample.\n---\n";
const ECHO =
	'import { handle } from "millrace/sdk";\nawait handle(async (run) => ({ outcome: "done", output: run.input }));\n';

/** Archives of one package: at the root, and below `package/` as npm packs it. */
function archives(): { readonly place: string; readonly dir: string } {
	const place = workspace();
	const dir = writeTree(join(place, "dir"), { "FLOW.md": FLOW_MD, "flow.mjs": ECHO });
	const below = (prefix: string): Uint8Array =>
		tar(tarFile(`${prefix}FLOW.md`, FLOW_MD), tarFile(`${prefix}flow.mjs`, ECHO));
	const zipped = (prefix: string): Uint8Array =>
		zip([
			{ name: `${prefix}FLOW.md`, body: FLOW_MD },
			{ name: `${prefix}flow.mjs`, body: ECHO },
		]);
	writeTree(place, {
		"root.tar": below(""),
		"root.tgz": gzipSync(below("")),
		"root.zip": zipped(""),
		"npm.tar": below("package/"),
		"npm.tgz": gzipSync(below("package/")),
		"npm.zip": zipped("package/"),
		"a name that says nothing": gzipSync(below("")),
	});
	return { place, dir };
}

const { place, dir } = archives();
const digest = (await asked(["digest", dir])).answer.digest as string;

describe.concurrent("digest, inspect and run", () => {
	test.each(["root.tar", "root.tgz", "root.zip", "a name that says nothing"])(
		"take %s where they take a directory",
		async (name) => {
			const file = join(place, name);
			const temporary = workspace();
			const [digested, inspected, ran] = await Promise.all([
				millrace(["digest", file, "--expect", digest], { temporary }),
				asked(["inspect", file], { temporary }),
				asked(["run", file, "--input", '"hi"', "--expect", digest], { temporary }),
			]);
			expect(digested).toMatchObject({ exitCode: 0, stdout: `${digest}\n` });
			expect(inspected.answer).toMatchObject({ status: "succeeded", digest, entrypoint: { path: "flow.mjs" } });
			expect(ran.answer).toMatchObject({ status: "succeeded", output: "hi", digest });
			expect(leftIn(temporary)).toEqual([]);
		},
	);

	test.each(["npm.tar", "npm.tgz", "npm.zip"])("say which prefix %s needs, and take it", async (name) => {
		const file = join(place, name);
		const [bare, people, prefixed, short] = await Promise.all([
			asked(["digest", file]),
			millrace(["run", file]),
			asked(["digest", file, "--prefix", "package/", "--manifest"]),
			asked(["run", file, "--prefix", "package", "--input", "1"]),
		]);
		expect(bare).toMatchObject({
			exitCode: 1,
			answer: { code: "PACKAGE_FLOW_MISSING", hints: [expect.stringContaining("--prefix package/")] },
		});
		expect(people.exitCode).toBe(1);
		expect(people.stderr).toMatch(/^hint {6}--prefix package\/ takes that directory/m);
		expect(prefixed.answer).toMatchObject({ digest, files: 2 });
		expect(short.answer).toMatchObject({ status: "succeeded", output: 1, digest });
	});

	test("a child may be an archive too", async () => {
		const parent = packageOf(
			'import { handle } from "millrace/sdk";\nawait handle((run) => run.runChildFlow({ operationId: "one", slot: "child", input: 7 }));\n',
		);
		const words = ["run", parent, "--child", `child=${join(place, "npm.tgz")}@${digest}`, "--prefix", "package/"];
		const { exitCode, answer } = await asked(words);
		expect([exitCode, answer.code ?? answer.status]).toEqual([0, "succeeded"]);
	});

	test("a digest that isn't the expected one is explained as for a directory", async () => {
		const crlf = tar(tarFile("FLOW.md", FLOW_MD), tarFile("flow.mjs", ECHO.replaceAll("\n", "\r\n")));
		const file = join(writeTree(workspace(), { "crlf.tar": crlf }), "crlf.tar");
		const { exitCode, stderr } = await millrace(["digest", file, "--expect", digest]);
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^hint {6}only CRLF line ends differ \(flow\.mjs\)/m);
	});
});

describe.concurrent("refusals", () => {
	const flow = tarFile("FLOW.md", FLOW_MD);
	const kernel = new Uint8Array(
		execFileSync(process.execPath, ["-e", "process.stdout.write(zlib.deflateRawSync(Buffer.alloc(30e6)))"]),
	);
	const bombs: readonly ZipEntry[] = [
		{ name: "FLOW.md", body: FLOW_MD },
		{ name: "bomb", data: kernel, size: 30_000_000 },
	];

	test.each<[string, Uint8Array, string, string | undefined]>([
		["a zip bomb", zip(bombs), "PACKAGE_ARCHIVE_LIMIT", undefined],
		["a gzip bomb", gzipSync(new Uint8Array(60_000_000)), "PACKAGE_ARCHIVE_LIMIT", undefined],
		["..", tar(flow, tarFile("../../evil")), "PACKAGE_PATH_INVALID", "../../evil"],
		[
			"a symbolic link",
			tar(flow, tarMember({ name: "link", type: "2", linkName: "/etc/passwd" })),
			"PACKAGE_SYMLINK",
			"link",
		],
		[
			"2 GB that aren't there",
			tar(flow, tarMember({ name: "huge", size: 2_000_000_000 })),
			"PACKAGE_LIMIT_EXCEEDED",
			"huge",
		],
		["a truncated tar", flow, "PACKAGE_ARCHIVE_INVALID", undefined],
		["two archives in one", concat(tar(flow), tar(flow)), "PACKAGE_ARCHIVE_INVALID", undefined],
		["no archive", new TextEncoder().encode("hello"), "PACKAGE_ARCHIVE_INVALID", undefined],
		["nothing", new Uint8Array(0), "PACKAGE_ARCHIVE_INVALID", undefined],
	])("%s", async (_, bytes, code, path) => {
		const file = join(workspace(), "archive");
		writeFileSync(file, bytes);
		const temporary = workspace();
		for (const command of ["digest", "run"]) {
			const { exitCode, answer, stderr } = await asked([command, file], { temporary });
			expect({ exitCode, code: answer.code, path: answer.path, stderr }).toEqual({
				exitCode: 1,
				code,
				path,
				stderr: "",
			});
		}
		expect(leftIn(temporary)).toEqual([]);
	});

	test.each([
		[["digest", dir, "--prefix", "package/"], /--prefix is for archives/],
		[["run", dir, "--prefix", "package/"], /--prefix is for archives/],
		[["digest", join(place, "npm.tgz"), "--prefix", "../x"], /names no directory in an archive/],
		[["inspect", join(place, "npm.tgz"), "--prefix", ""], /names no directory in an archive/],
	])("a wrong command line: %j", async (words, message) => {
		const { exitCode, stderr } = await millrace(words);
		expect(exitCode).toBe(2);
		expect(stderr).toMatch(message);
	});

	test("a file outside the prefix", async () => {
		const { answer } = await asked(["digest", join(place, "root.tar"), "--prefix", "package/"]);
		expect(answer).toMatchObject({ code: "PACKAGE_PATH_INVALID", path: "FLOW.md" });
	});
});
