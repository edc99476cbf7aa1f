import { type ChildProcess, spawn } from "node:child_process";

/** Bytes of stdout that one case may bring, and of stderr that are kept for a report. */
const OUTPUT = { stdout: 134_217_728, stderr: 4_096 } as const;

const LF = 0x0a;

/** A component under test, in a process group that is killed as a whole. None of its methods rejects. */
export class ComponentUnderTest {
	readonly #child: ChildProcess;
	readonly #atExit = (): void => this.kill();
	readonly #frames: Uint8Array[] = [];
	readonly exited: Promise<{ readonly code: number | null; readonly how: string }>;
	#parts: Buffer[] = [];
	#bytes = 0;
	#ended = false;
	#wake: () => void = () => undefined;
	#stderr: Buffer = Buffer.alloc(0);
	startFailure: Error | undefined;

	/** Starts `command`, of which the first word is the program; no shell is involved. */
	constructor([program = "", ...args]: readonly string[]) {
		this.#child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
		process.on("exit", this.#atExit);
		this.#child.stdout!.on("data", (chunk: Buffer) => this.#take(chunk));
		this.#child.stdout!.on("close", () => {
			this.#ended = true;
			this.#wake();
		});
		this.#child.stderr!.on("data", (chunk: Buffer) => {
			this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-OUTPUT.stderr);
		});
		// What breaks is seen by what doesn't come.
		for (const stream of [this.#child.stdin!, this.#child.stdout!, this.#child.stderr!]) stream.on("error", () => {});
		this.exited = new Promise((resolve) => {
			this.#child.once("error", (error) => {
				this.startFailure = error;
				this.#ended = true;
				this.#wake();
				resolve({ code: null, how: "before it was started" });
			});
			this.#child.once("exit", (code, signal) =>
				resolve({ code, how: signal === null ? `with exit code ${code}` : `by ${signal}` }),
			);
		});
	}

	get stderr(): string {
		return this.#stderr.toString("utf8").trim();
	}

	/** Bytes after the last complete frame. */
	get rest(): Uint8Array {
		return Buffer.concat(this.#parts);
	}

	#take(chunk: Buffer): void {
		this.#bytes += chunk.length;
		if (this.#bytes > OUTPUT.stdout) {
			this.kill();
			return;
		}
		let start = 0;
		for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
			this.#parts.push(chunk.subarray(start, end));
			this.#frames.push(Buffer.concat(this.#parts));
			this.#parts = [];
			start = end + 1;
		}
		if (start < chunk.length) this.#parts.push(chunk.subarray(start));
		this.#wake();
	}

	/** The next frame; `end` where none comes any more, undefined where none came within `ms`. */
	async next(ms: number): Promise<Uint8Array | "end" | undefined> {
		const limit = performance.now() + ms;
		for (;;) {
			const frame = this.#frames.shift();
			if (frame !== undefined) return frame;
			if (this.#ended) return "end";
			const left = limit - performance.now();
			if (left <= 0) return undefined;
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, left);
				this.#wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
	}

	/** Writes bytes, in pieces of `chunk` where given. Resolves when they are written, or the pipe is gone. */
	async write(bytes: Uint8Array, chunk: number = bytes.length): Promise<void> {
		for (let start = 0; start < bytes.length; start += chunk) {
			const piece = bytes.subarray(start, start + chunk);
			await new Promise<void>((resolve) => this.#child.stdin!.write(piece, () => resolve()));
			// A turn between them, so that a reader may see them apart.
			if (chunk < bytes.length) await new Promise((resolve) => setImmediate(resolve));
		}
	}

	endInput(): void {
		this.#child.stdin!.end();
	}

	/** Kills what is left of it, and lets go of its pipes. */
	kill(): void {
		const { pid } = this.#child;
		process.off("exit", this.#atExit);
		if (pid !== undefined) {
			try {
				process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
			} catch {
				// Nobody is left.
			}
		}
		for (const stream of [this.#child.stdin!, this.#child.stdout!, this.#child.stderr!]) stream.destroy();
	}
}
