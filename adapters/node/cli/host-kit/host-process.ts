import { spawn } from "node:child_process";

/** Bytes of an adapter's whole stdout, and of its stderr that are kept for a report. */
const OUTPUT = { stdout: 67_108_864, stderr: 4_096 } as const;

/** How one call of an adapter ended. */
export interface AdapterEnd {
	/** Everything it wrote to stdout, or undefined where that was no UTF-8 or too much. */
	readonly stdout: string | undefined;
	/** As `with exit code 1`, `by SIGKILL`, `after 60000 ms without an end`. */
	readonly how: string;
	readonly stderr: string;
	/** The kit ended it. */
	readonly killed: boolean;
	/** The program could not be started at all. */
	readonly startFailure?: Error;
}

/** Runs a job through a host's adapter. Never rejects. */
export type Adapter = (
	jobFile: string,
	around: { readonly temporary: string; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<AdapterEnd>;

/** An adapter that is a program: the job file is its last argument, no shell is involved, its group is killed as a whole. */
export function programAdapter([program = "", ...args]: readonly string[]): Adapter {
	return (jobFile, { temporary, timeoutMs, signal }) =>
		new Promise((resolve) => {
			const child = spawn(program, [...args, jobFile], {
				stdio: ["ignore", "pipe", "pipe"],
				detached: true,
				env: { ...process.env, TMPDIR: temporary },
			});
			const chunks: Buffer[] = [];
			let length = 0;
			let stderr = Buffer.alloc(0);
			let how: string | undefined;
			let startFailure: Error | undefined;
			child.stdout.on("data", (chunk: Buffer) => {
				length += chunk.length;
				if (length <= OUTPUT.stdout) chunks.push(chunk);
				else kill("after it had written too much");
			});
			child.stderr.on("data", (chunk: Buffer) => {
				stderr = Buffer.concat([stderr, chunk]).subarray(-OUTPUT.stderr);
			});
			const kill = (why: string): void => {
				how ??= why;
				killGroup(child.pid);
				// Whoever else holds its pipes doesn't keep the kit waiting.
				child.stdout.destroy();
				child.stderr.destroy();
			};
			const timer = setTimeout(() => kill(`after ${timeoutMs} ms without an end`), timeoutMs);
			const aborted = (): void => kill("by interruption");
			const atExit = (): void => killGroup(child.pid);
			signal.addEventListener("abort", aborted);
			process.on("exit", atExit);
			if (signal.aborted) aborted();
			child.once("error", (error) => {
				startFailure = error;
				settle("before it was started");
			});
			child.once("close", (code, by) => settle(by === null ? `with exit code ${code}` : `by ${by}`));
			function settle(ended: string): void {
				clearTimeout(timer);
				signal.removeEventListener("abort", aborted);
				process.off("exit", atExit);
				resolve({
					stdout: length > OUTPUT.stdout ? undefined : textOf(Buffer.concat(chunks)),
					how: how ?? ended,
					killed: how !== undefined,
					stderr: stderr.toString("utf8"),
					...(startFailure === undefined ? {} : { startFailure }),
				});
			}
		});
}

function textOf(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

function killGroup(pid: number | undefined): void {
	if (pid === undefined) return;
	try {
		process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
	} catch {
		// Nobody is left.
	}
}
