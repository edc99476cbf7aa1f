// The digest of a directory of 5,000 files and 20 MB, warm, each as a ratio to `tar | sha256sum` where there is a tar, and
// to plain loops over the same files. The plain loops check nothing: no links, no names, no changes, no confirmation.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	closeSync,
	fstatSync,
	ftruncateSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestPackage as digestConfirmed, directory, nodeSha256 } from "../../dist/adapters/node/index.js";
import { digestPackage } from "../../dist/src/package/index.js";
import { compareTasks, isShort, keep, peakMemory } from "./measure.mjs";

const FILES = isShort ? 500 : 5_000;
const BYTES = 4_000 * FILES;

/** Files of 0.4 to 7.6 KB in 250 directories, and a FLOW.md. */
function makeTree(root) {
	writeFileSync(join(root, "FLOW.md"), "---\nname: tree\ndescription: A tree to be digested.\n---\n");
	const average = BYTES / FILES;
	const content = Buffer.alloc(
		2 * average,
		"The river turns its wheel and grinds what the harvest brought to the mill.\n",
	);
	for (let index = 1; index < FILES; index++) {
		const folder = join(root, `d${index % 25}`, `e${index % 250}`);
		if (index <= 250) mkdirSync(folder, { recursive: true });
		const size = Math.floor(average * (0.1 + 1.8 * ((index * 0.618) % 1)));
		content.writeUInt32LE(index, 0);
		writeFileSync(join(folder, `file-${index}.txt`), content.subarray(0, size));
	}
}

/** Every file's path, in path order. */
function filesOf(root) {
	const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

function readWhole(root) {
	const hash = createHash("sha256");
	for (const path of filesOf(root)) hash.update(readFileSync(path));
	return hash.digest("hex");
}

function readInto(root) {
	const hash = createHash("sha256");
	const buffer = Buffer.allocUnsafe(65_536);
	for (const path of filesOf(root)) {
		const file = openSync(path, "r");
		for (let left = fstatSync(file).size; left > 0; ) {
			const count = readSync(file, buffer);
			hash.update(buffer.subarray(0, count));
			left -= count;
		}
		closeSync(file);
	}
	return hash.digest("hex");
}

/** The ways, by name. Each can also be run alone in a process of its own, to see its memory. */
const WAYS = {
	"readFileSync, one after the other": readWhole,
	"one reused buffer": readInto,
	"millrace digestPackage, one pass": (root) => digestPackage(directory(root), { sha256: nodeSha256 }),
	"millrace/node digestPackage, confirmed": (root) => digestConfirmed(root),
	"  … with a manifest": (root) => digestConfirmed(root, { manifest: true }),
	"  … with the portable hash": (root) => digestConfirmed(directory(root), { sha256: undefined }),
};

/** Runs one way and prints the most memory the process has held. */
export async function measureMemory(name, root) {
	await WAYS[name](root);
	console.log(peakMemory().toFixed(0));
}

function memoryOf(name, root) {
	const self = JSON.stringify(fileURLToPath(import.meta.url));
	const script = `import(${self}).then((own) => own.measureMemory(${JSON.stringify(name)}, ${JSON.stringify(root)}))`;
	return execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim();
}

/** Prints and keeps what a process has held at most, in MB. */
function keepMemory(name, megabytes) {
	const met = keep(`${name}, peak memory in MB`, Number(megabytes), {}, { goal: 90, atMost: true });
	console.log(`  peak memory ${megabytes} MB   goal <= 90: ${met ? "met" : "MISSED"}`);
}

const LARGE = isShort ? 2 ** 20 : 2 ** 30;

/** Files of 1 GiB, of zeros that take no room on most disks: time against sha256sum, and memory. */
async function large(count) {
	const root = mkdtempSync(join(tmpdir(), "millrace-bench-large-"));
	try {
		writeFileSync(join(root, "FLOW.md"), "---\nname: large\ndescription: Large files.\n---\n");
		for (let index = 0; index < count; index++) {
			const file = openSync(join(root, `large-${index}`), "w");
			ftruncateSync(file, LARGE);
			closeSync(file);
		}
		const confirmed = "millrace/node digestPackage, confirmed";
		const sum = () => execFileSync("sh", ["-c", 'sha256sum "$0"/*', root], { stdio: "ignore" });
		const ways = [
			["sha256sum", sum],
			[confirmed, () => WAYS[confirmed](root)],
		];
		await compareTasks(`${count} × ${LARGE / 2 ** 20} MiB`, ways, { rounds: 3, goal: 1 / 1.1 });
		keepMemory(`${count} × ${LARGE / 2 ** 20} MiB`, memoryOf(confirmed, root));
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

export async function bench() {
	const root = mkdtempSync(join(tmpdir(), "millrace-bench-tree-"));
	try {
		makeTree(root);
		const archive = () => {
			const { status } = spawnSync("sh", ["-c", 'tar -cf - -C "$0" . | sha256sum', root], { stdio: "ignore" });
			if (status !== 0) throw new Error("tar | sha256sum failed");
		};
		const hasTar = spawnSync("sh", ["-c", "command -v tar && command -v sha256sum"], { stdio: "ignore" }).status === 0;
		const ways = Object.entries(WAYS).map(([name, run]) => [name, () => run(root)]);
		const title = `${FILES.toLocaleString("en")} files, ${BYTES / 1e6} MB`;
		const ratios = await compareTasks(title, hasTar ? [["tar | sha256sum", archive], ...ways] : ways);
		// Every check of Package/1 on a directory that others may be changing.
		if (hasTar) {
			const met = keep(`${title}, confirmed`, ratios["millrace/node digestPackage, confirmed"], {}, { goal: 1 / 1.15 });
			console.log(`  confirmed, in at most 1.15 of the time: ${met ? "met" : "MISSED"}`);
		}
		const memory = Object.keys(WAYS).map((name) => [name.trim(), memoryOf(name, root)]);
		console.log(`peak memory, MB, each in a process of its own: ${memory.map((each) => each.join(" ")).join("; ")}`);
		keepMemory(title, Object.fromEntries(memory)["millrace/node digestPackage, confirmed"]);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
	if (spawnSync("sh", ["-c", "command -v sha256sum"]).status === 0) for (const count of [1, 4]) await large(count);
}
