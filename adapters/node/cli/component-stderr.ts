import { escapeForDisplay } from "../../../src/display.ts";
import type { StderrTail } from "../../../src/host/index.ts";
import { count, type Output, paint } from "./output.ts";

/** What is shown of one line; longer ones are cut into pieces while they come, and shortened in a tail. */
const LINE_CHARACTERS = 400;

/** How many of its last lines a failed component's report shows. */
const TAIL_LINES = 20;

function shown(line: string): string {
	return `${paint.dim("│")} ${escapeForDisplay(line.replace(/\r$/, "").replaceAll("\t", "    "))}`;
}

/** Passes a component's stderr on as it comes: whole lines, nothing in them that could steer a terminal. */
export class StderrPrinter {
	readonly #decoder = new TextDecoder();
	#rest = "";

	write(chunk: Uint8Array): void {
		const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
		this.#rest = lines.pop()!;
		for (const line of lines) this.#print(line);
		while (this.#rest.length > LINE_CHARACTERS) {
			this.#print(this.#rest.slice(0, LINE_CHARACTERS));
			this.#rest = this.#rest.slice(LINE_CHARACTERS);
		}
	}

	/** Prints a last line that has no line end. */
	end(): void {
		const rest = this.#rest + this.#decoder.decode();
		this.#rest = "";
		if (rest !== "") this.#print(rest);
	}

	#print(line: string): void {
		process.stderr.write(`${shown(line)}\n`);
	}
}

/** Shows the last lines of what a failed component wrote to stderr, bounded. */
export function noteStderrTail(output: Output, { text, bytes }: StderrTail): void {
	if (bytes === 0) return;
	const lines = text.replace(/\n$/, "").split("\n");
	const last = lines.slice(-TAIL_LINES);
	const all = bytes === Buffer.byteLength(text) && last.length === lines.length;
	output.note(
		"stderr",
		`${count(bytes, "byte")} from the component${all ? "" : `, the end of them (${count(last.length, "line")})`}:`,
	);
	for (const line of last)
		output.note("", shown(line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line));
}
