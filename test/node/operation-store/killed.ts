import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One Run of a host in a process of its own, as `host.mjs` takes it. */
export interface Row {
	readonly key: string;
	readonly kind: string;
	readonly at?: string;
	readonly step?: string;
	readonly slow?: boolean;
	/** Its work lasts until a file beside the counter says so. */
	readonly hold?: boolean;
}

/** How such a process ended, and what each Run in it gave. */
export interface HostEnd {
	readonly signal: string | null;
	readonly exitCode: number | null;
	readonly outputs: ReadonlyMap<string, unknown>;
	readonly stderr: string;
}

/** Hosts that share one directory: `operations.db`, `packages`, and a counter for each key. */
export class Hosts {
	readonly base: string;

	constructor(base: string) {
		this.base = base;
	}

	get store(): string {
		return join(this.base, "operations.db");
	}

	counterOf(key: string): string {
		return join(this.base, `${key}.count`);
	}

	/** What was started under a key, each start a word. */
	started(key: string): readonly string[] {
		return lines(this.counterOf(key));
	}

	/** Runs the rows one after the other in one process; `launched` is called when a slow row's component has been started. */
	run(rows: readonly Row[], launched?: (child: ChildProcess) => void): Promise<HostEnd> {
		const script = fileURLToPath(new URL("host.mjs", import.meta.url));
		const counted = rows.map((row) => ({ ...row, counter: this.counterOf(row.key) }));
		const job = { store: this.store, packages: join(this.base, "packages"), temporary: this.base, rows: counted };
		const child = spawn(process.execPath, [script, JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe"] });
		let stdout = "";
		let stderr = "";
		child.stdout.on("data", (chunk) => {
			stdout += chunk;
			if (String(chunk).includes("launched")) launched?.(child);
		});
		child.stderr.on("data", (chunk) => {
			stderr += chunk;
		});
		return new Promise((resolve) => {
			child.once("close", (exitCode, signal) => {
				const ended = stdout.split("\n").filter((line) => line.startsWith("{"));
				const outputs = ended.map((line) => JSON.parse(line) as { key: string; output: unknown });
				resolve({ exitCode, signal, stderr, outputs: new Map(outputs.map(({ key, output }) => [key, output])) });
			});
		});
	}
}

/** The lines of a file; none where there is no file. */
export function lines(path: string): readonly string[] {
	return existsSync(path)
		? readFileSync(path, "utf8")
				.split("\n")
				.filter((line) => line !== "")
		: [];
}
