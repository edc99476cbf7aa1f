/** Real component processes over the built SDK, with a host that is nothing but pipes. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { installed } from "../runtimes/installed.ts";
import { type Message, rootRequest } from "./memory-host.ts";

const repository = new URL("../../", import.meta.url);

/** A JavaScript runtime that components are run under, with the entry that `millrace/sdk` resolves to there. */
export interface Runtime {
	readonly name: "node" | "deno" | "bun";
	readonly command: readonly string[];
	readonly sdk: URL;
}

const entry = (name: Runtime["name"]): URL => new URL(`dist/adapters/${name}/sdk.js`, repository);

/** Node, which runs this, and each of Deno and Bun that is installed: see test/runtimes. */
export const runtimes: readonly Runtime[] = [
	{ name: "node", command: [process.execPath], sdk: entry("node") },
	...other("deno", ["run", "--quiet", "--no-lock"]),
	...other("bun", []),
];

function other(name: "deno" | "bun", parts: readonly string[]): Runtime[] {
	const path = installed(name);
	return path === undefined ? [] : [{ name, command: [path, ...parts], sdk: entry(name) }];
}

/** Directory for this test file's components; removed by `removeComponents`. */
const directory = mkdtempSync(join(tmpdir(), "millrace-sdk-"));

export function removeComponents(): void {
	rmSync(directory, { recursive: true, force: true });
}

let written = 0;

/** Writes a module that starts with the SDK's import, and returns its path. */
export function component(source: string, { sdk }: Runtime = runtimes[0]!): string {
	if (!existsSync(sdk)) throw new Error("The SDK isn't built: run `npm run build` first.");
	const path = join(directory, `component-${written++}.mjs`);
	writeFileSync(
		path,
		`import { handle, OperationError, CapabilityError } from ${JSON.stringify(sdk.href)};\n${source}`,
	);
	return path;
}

/** Writes a helper module beside the components and returns its URL. */
export function module(source: string): string {
	const path = join(directory, `module-${written++}.mjs`);
	writeFileSync(path, source);
	return pathToFileURL(path).href;
}

export class ProcessHost {
	readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly exit: Promise<{ code: number | null; signal: string | null }>;
	/** Complete messages, in order. */
	readonly received: Message[] = [];
	stderr = "";
	#rest: Buffer[] = [];
	#changed: (() => void)[] = [];

	constructor(path: string, options: { read?: boolean; runtime?: Runtime } = {}) {
		const [executable, ...parts] = (options.runtime ?? runtimes[0]!).command;
		this.child = spawn(executable!, [...parts, path], { stdio: ["pipe", "pipe", "pipe"] });
		this.child.stdin.on("error", () => {});
		this.child.stderr.on("data", (chunk) => {
			this.stderr += chunk;
		});
		if (options.read !== false) this.child.stdout.on("data", (chunk) => this.#take(chunk));
		this.exit = new Promise((resolve) => {
			this.child.on("close", (code, signal) => {
				resolve({ code, signal });
				this.#wake();
			});
		});
	}

	/** What stdout holds after the last line end. */
	get trailing(): string {
		return Buffer.concat(this.#rest).toString();
	}

	send(...messages: Message[]): void {
		this.child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
	}

	run(input: unknown = null, more: Message = {}): void {
		this.send(rootRequest(input, more));
	}

	cancel(): void {
		this.send({ jsonrpc: "2.0", method: "request/cancel", params: { requestId: "host:1" } });
	}

	/** The `count`-th message, once it is there. */
	async until(count: number): Promise<Message> {
		while (this.received.length < count) {
			if (this.child.exitCode !== null && this.child.stdout.closed) {
				throw new Error(`the component ended after ${this.received.length} messages: ${this.stderr}`);
			}
			await new Promise<void>((resolve) => this.#changed.push(resolve));
		}
		return this.received[count - 1]!;
	}

	#take(chunk: Buffer): void {
		let from = 0;
		for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
			this.#rest.push(chunk.subarray(from, at));
			this.received.push(JSON.parse(Buffer.concat(this.#rest).toString()));
			this.#rest = [];
			from = at + 1;
		}
		if (from < chunk.length) this.#rest.push(chunk.subarray(from));
		this.#wake();
	}

	#wake(): void {
		for (const wake of this.#changed.splice(0)) wake();
	}
}
