import { createReadStream, fstatSync, openSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { ChannelReceiver, RootChannel } from "../../../src/host/index.ts";
import { JSON_LIMITS, JsonError, type JsonValue, parseJson } from "../../../src/json/index.ts";
import { Detailed } from "./failure.ts";
import { FileError } from "./files.ts";
import { type Output, safeJson, write } from "./output.ts";
import { checkPlace } from "./trace.ts";
import { UsageError } from "./usage.ts";

/** `--channel name=FILE` or `--channel name=-`. */
export interface ChannelOption {
	readonly name: string;
	readonly file: string;
}

/** What the ports of FLOW.md say of them. */
type Ports = ReadonlyMap<string, { readonly direction: "send" | "receive" }>;

export interface ChannelPlaces {
	/** Directories whose content is identified by a digest. */
	readonly packages: readonly string[];
	/** An option of the command that reads stdin already. */
	readonly stdinTaken: boolean;
}

const LF = 0x0a;

/**
 * The root's channels as files of NDJSON: a port that receives is fed with one JSON/1 value per line, of a port that sends
 * each item becomes a line. Everything is opened before anything starts.
 */
export class ChannelFiles {
	readonly #options: readonly ChannelOption[];
	readonly #output: Output;
	readonly #inputs: Readable[] = [];
	readonly #outputs: { readonly file: string; readonly handle: FileHandle; items: number }[] = [];
	#channels: Record<string, RootChannel> = {};
	#printing = false;
	#closed = false;
	#failure: Error | undefined;
	#failed: (error: Error) => void = () => undefined;

	constructor(options: readonly ChannelOption[], output: Output) {
		this.#options = options;
		this.#output = output;
	}

	/** For `host.run`. */
	get channels(): Readonly<Record<string, RootChannel>> {
		return this.#channels;
	}

	/** stdout carries items, so that a result for people has no place there. */
	get printing(): boolean {
		return this.#printing;
	}

	/** The first line that is no value, or file that can't be read or written any more. */
	get failure(): Error | undefined {
		return this.#failure;
	}

	/** Calls `failed` with that failure, at once if it is there. */
	onFailure(failed: (error: Error) => void): void {
		this.#failed = failed;
		if (this.#failure !== undefined) failed(this.#failure);
	}

	/**
	 * Opens every file for its port. Throws `UsageError` and `FileError`. A name that FLOW.md doesn't declare is left to the
	 * host, which refuses it.
	 */
	async open(ports: Ports, { packages, stdinTaken }: ChannelPlaces): Promise<void> {
		const known = this.#options.map((option) => ({ ...option, direction: ports.get(option.name)?.direction }));
		const standard = (direction: string): number =>
			known.filter((each) => each.file === "-" && each.direction === direction).length;
		if (standard("receive") + (stdinTaken ? 1 : 0) > 1) throw new UsageError("only one thing can be read from stdin");
		if (standard("send") > 1) throw new UsageError("only one --channel can write to stdout");
		for (const { name, file, direction } of known) {
			if (direction === "send") {
				if (file !== "-") checkPlace("--channel", file, packages);
				this.#channels[name] = await this.#sink(name, file);
			} else if (direction === "receive") this.#channels[name] = this.#feed(file);
			else this.#channels[name] = [];
		}
	}

	/** Lets go of everything. An output that got no item of a Run that failed is removed. */
	async close(succeeded: boolean): Promise<void> {
		this.#closed = true;
		for (const input of this.#inputs) input.destroy();
		for (const { file, handle, items } of this.#outputs) {
			await handle.close();
			if (!succeeded && items === 0) rmSync(file, { force: true });
		}
	}

	#feed(file: string): RootChannel {
		const input = openInput(file);
		// An error before anybody reads is found by the reader.
		input.on("error", () => undefined);
		this.#inputs.push(input);
		return this.#values(file === "-" ? "stdin" : file, input);
	}

	async *#values(source: string, input: Readable): AsyncGenerator<JsonValue> {
		let number = 0;
		try {
			for await (const line of linesOf(input)) {
				number += 1;
				yield parseJson(line);
			}
		} catch (error) {
			if (error instanceof JsonError) {
				const message = `Line ${number}: ${error.message}`;
				throw this.#fail(new Detailed(error, { message, source, line: number }));
			}
			// Closed, because the Run is over and wants no more.
			if (this.#closed) return;
			throw this.#fail(new FileError(source, error));
		}
	}

	async #sink(name: string, file: string): Promise<RootChannel> {
		if (file === "-") {
			this.#printing = true;
			const named = this.#output.json;
			return (receiver: ChannelReceiver) =>
				this.#drain(receiver, (value) =>
					write(process.stdout, `${safeJson(named ? { channel: name, value } : value)}\n`),
				);
		}
		const handle = await create(file);
		const target = { file, handle, items: 0 };
		this.#outputs.push(target);
		return (receiver: ChannelReceiver) =>
			this.#drain(receiver, async (value) => {
				try {
					await handle.writeFile(`${safeJson(value)}\n`);
				} catch (error) {
					throw new FileError(file, error);
				}
				target.items += 1;
				return true;
			});
	}

	/** Takes what the port sends until it ends, or until nobody reads what is written. */
	async #drain(receiver: ChannelReceiver, put: (value: JsonValue) => Promise<boolean>): Promise<void> {
		for await (const value of receiver) {
			let taken: boolean;
			try {
				taken = await put(value);
			} catch (error) {
				throw this.#fail(error as Error);
			}
			if (!taken) return;
		}
	}

	#fail(error: Error): Error {
		this.#failure ??= error;
		this.#failed(this.#failure);
		return error;
	}
}

function openInput(file: string): Readable {
	try {
		const descriptor = file === "-" ? 0 : openSync(file, "r");
		if (fstatSync(descriptor).isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
		return file === "-" ? process.stdin : createReadStream(file, { fd: descriptor });
	} catch (error) {
		throw new FileError(file === "-" ? "stdin" : file, error);
	}
}

async function create(file: string): Promise<FileHandle> {
	try {
		return await open(file, "wx", 0o600);
	} catch (error) {
		throw new FileError(file, error);
	}
}

/** The lines of a stream, without their LF. What is longer than a JSON/1 document may be is given up to one byte beyond it. */
async function* linesOf(input: Readable): AsyncGenerator<Uint8Array> {
	let parts: Buffer[] = [];
	let length = 0;
	for await (const chunk of input as AsyncIterable<Buffer>) {
		let start = 0;
		for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
			parts.push(chunk.subarray(start, end));
			yield Buffer.concat(parts);
			parts = [];
			length = 0;
			start = end + 1;
		}
		parts.push(chunk.subarray(start));
		length += chunk.length - start;
		if (length > JSON_LIMITS.bytes) yield Buffer.concat(parts);
	}
	if (length > 0) yield Buffer.concat(parts);
}
