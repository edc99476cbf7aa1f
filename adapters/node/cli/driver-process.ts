import { type ChildProcess, spawn } from "node:child_process";
import { decodeUtf8 } from "../../../src/web.ts";
import { type Line, linesOf } from "./lines.ts";
import { LINE_BYTES } from "./serve.ts";

/** Why a driver gave no usable answer. */
export type DriverErrorCode = "DRIVER_START_FAILED" | "DRIVER_ENDED" | "DRIVER_TIMEOUT" | "DRIVER_LINE_INVALID";

export class DriverError extends Error {
	override readonly name = "DriverError";
	readonly code: DriverErrorCode;

	constructor(code: DriverErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}

/** Milliseconds that a driver has to end by itself once its input has ended. */
const END_MS = 1_000;

const END: IteratorResult<Line, void> = { done: true, value: undefined };

/** A driver under test: one program, asked one line at a time, in a process group that is killed as a whole. */
export class DriverProcess {
	readonly #child: ChildProcess;
	readonly #name: string;
	readonly #lines: AsyncGenerator<Line, void, undefined>;
	readonly #exited: Promise<string>;
	readonly #atExit = (): void => this.#kill();
	#startFailure: Error | undefined;

	/** Starts `command`, of which the first word is the program; no shell is involved. */
	constructor(command: readonly string[]) {
		const [program = "", ...args] = command;
		this.#name = program;
		this.#child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
		this.#exited = new Promise((resolve) => {
			this.#child.once("exit", (code, signal) => resolve(signal === null ? `with exit code ${code}` : `by ${signal}`));
			this.#child.once("error", (error) => {
				this.#startFailure ??= error;
				resolve("before it was started");
			});
		});
		// A driver that died is reported by the answer it doesn't give.
		this.#child.stdin!.on("error", () => {});
		this.#lines = linesOf(this.#child.stdout!, LINE_BYTES);
		process.on("exit", this.#atExit);
	}

	/** Sends one line and waits at most `ms` for the line that answers it. Throws a `DriverError`. */
	async ask(line: string, ms: number, signal: AbortSignal): Promise<string> {
		this.#child.stdin!.write(`${line}\n`);
		// A pipe that breaks says no more than one that ends.
		const answer = await this.#within(
			this.#lines.next().catch(() => END),
			ms,
			signal,
		);
		if (answer.done) {
			const how = await this.#exited;
			if (this.#startFailure === undefined) throw new DriverError("DRIVER_ENDED", `the driver ended ${how}`);
			const why = this.#startFailure.message;
			throw new DriverError("DRIVER_START_FAILED", `${this.#name} can't be started: ${why}`, {
				cause: this.#startFailure,
			});
		}
		if ("tooLong" in answer.value)
			throw new DriverError("DRIVER_LINE_INVALID", `the driver wrote a line of more than ${LINE_BYTES} bytes`);
		try {
			return decodeUtf8(answer.value.bytes);
		} catch {
			throw new DriverError("DRIVER_LINE_INVALID", "the driver wrote a line that is not UTF-8");
		}
	}

	/** Ends its input, waits a moment, and kills what is left of it. */
	async close(): Promise<void> {
		this.#child.stdin!.end();
		await Promise.race([this.#exited, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
		this.#kill();
		this.#child.stdout!.destroy();
		process.off("exit", this.#atExit);
	}

	#kill(): void {
		if (this.#child.pid === undefined) return;
		try {
			if (process.platform === "win32") this.#child.kill("SIGKILL");
			else process.kill(-this.#child.pid, "SIGKILL");
		} catch {
			// Nobody is left.
		}
	}

	#within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
		return new Promise((resolve, reject) => {
			const aborted = (): void => settle(() => reject(signal.reason));
			const timer = setTimeout(
				() => settle(() => reject(new DriverError("DRIVER_TIMEOUT", `the driver gave no answer within ${ms} ms`))),
				ms,
			);
			const settle = (how: () => void): void => {
				clearTimeout(timer);
				signal.removeEventListener("abort", aborted);
				how();
			};
			if (signal.aborted) return aborted();
			signal.addEventListener("abort", aborted);
			work.then(
				(value) => settle(() => resolve(value)),
				(error: unknown) => settle(() => reject(error)),
			);
		});
	}
}
