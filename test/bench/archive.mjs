// The digest of a package in a tar of 200 MB, in large files and in small ones, against `sha256sum` of the same file; and of
// what GNU tar compressed of it, against `gzip -dc | sha256sum`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archive, digestPackage } from "../../dist/adapters/node/index.js";
import { compareTasks, isShort } from "./measure.mjs";

const BYTES = isShort ? 5_000_000 : 200_000_000;

/** So many files of one size; half of each compresses. */
function makeTree(root, files) {
	const content = Buffer.alloc(Math.floor(BYTES / files));
	let state = 1;
	for (let at = 0; at < content.length; at += 2) {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		content[at] = state >> 16;
	}
	writeFileSync(join(root, "FLOW.md"), "---\nname: tree\ndescription: A tree to be digested.\n---\n");
	for (let index = 0; index < files; index++) {
		const folder = join(root, `d${index % 20}`);
		mkdirSync(folder, { recursive: true });
		content.writeUInt32LE(index, 0);
		writeFileSync(join(folder, `file-${index}`), content);
	}
}

async function digestOf(file) {
	const source = archive(file);
	await digestPackage(source);
	await source.dispose();
}

function shell(command, ...words) {
	execFileSync("sh", ["-c", command, ...words], { stdio: ["ignore", "ignore", "inherit"] });
}

export async function bench() {
	if (spawnSync("sh", ["-c", "command -v tar && command -v gzip && command -v sha256sum"]).status !== 0) {
		console.log("archives: skipped, since there is no tar, gzip or sha256sum here");
		return;
	}
	for (const files of [200, 5_000]) {
		const place = mkdtempSync(join(tmpdir(), "millrace-bench-archive-"));
		try {
			const [root, tar] = [join(place, "tree"), join(place, "tree.tar")];
			mkdirSync(root);
			makeTree(root, files);
			shell('tar -cf "$1" -C "$0" . && gzip -1 -k "$1"', root, tar);
			rmSync(root, { recursive: true });
			await compareTasks(`${files.toLocaleString("en")} files, ${BYTES / 1e6} MB, in a tar`, [
				["sha256sum", () => shell('sha256sum "$0"', tar)],
				["millrace/node digestPackage(archive(tar))", () => digestOf(tar)],
			]);
			await compareTasks(`the same in a tar.gz`, [
				["gzip -dc | sha256sum", () => shell('gzip -dc "$0" | sha256sum', `${tar}.gz`)],
				["millrace/node digestPackage(archive(tar.gz))", () => digestOf(`${tar}.gz`)],
			]);
		} finally {
			rmSync(place, { recursive: true, force: true });
		}
	}
}
