import colours from "picocolors";
import { escapeForDisplay } from "../../../src/display.ts";
import { FileError } from "./files.ts";

/** How a command speaks: to people (lines) or to machines (`--json`: exactly one object on stdout). */
export interface Output {
	readonly json: boolean;
	/** One line of a report for people, on stderr; nothing under `--json`. Text from outside must be escaped already. */
	note(label: string, text: string): void;
	/** The command's answer, given once: `text` for people, `data` as the one object under `--json`. */
	answer(text: string, data: Record<string, unknown>): Promise<void>;
}

type Paint = ReturnType<typeof colours.createColors>;

/** Colours only where somebody sees them; NO_COLOR turns them off, FORCE_COLOR on. */
function paintFor(stream: { readonly isTTY?: boolean }): Paint {
	const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
	const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
	return colours.createColors(!NO_COLOR && (forced || (stream.isTTY === true && TERM !== "dumb")));
}

/** Colours for notes, on stderr. */
export const paint: Paint = paintFor(process.stderr);

/** Colours for answers, on stdout. */
export const paintAnswer: Paint = paintFor(process.stdout);

const LABEL_WIDTH = 10;

/** The output of one command. */
export function createOutput(json: boolean): Output {
	return {
		json,
		note(label, text) {
			if (!json) process.stderr.write(`${noteLine(label, text)}\n`);
		},
		async answer(text, data) {
			if (json) await write(process.stdout, `${safeJson(data)}\n`);
			else if (text !== "") await write(process.stdout, `${text}\n`);
		},
	};
}

/** A label and what it says, as one line of a report. */
export function noteLine(label: string, text: string, colour: (text: string) => string = paint.dim): string {
	return `${colour(label.padEnd(LABEL_WIDTH))}${text}`;
}

/**
 * Writes all of `text`. Answers false when the reader went away (EPIPE), which is no error of ours; rejects with a
 * `FileError` for anything else, such as a full disk.
 */
export function write(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<boolean> {
	return new Promise((resolve, reject) => {
		stream.write(text, (error) => {
			if (!error) resolve(true);
			else if ((error as NodeJS.ErrnoException).code === "EPIPE") resolve(false);
			else reject(new FileError(stream === process.stdout ? "stdout" : "stderr", error));
		});
	});
}

/** A value as JSON in which no character can steer a terminal. */
export function safeJson(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, undefined, indent));
}

/** JSON text with every character that could steer a terminal spelled `\uXXXX`, which is the same value. */
export function escapeJson(text: string): string {
	return text.replace(/[^\n -~]+/g, (run) =>
		escapeForDisplay(run) === run ? run : Array.from(run, safeCharacter).join(""),
	);
}

function safeCharacter(character: string): string {
	if (escapeForDisplay(character) === character) return character;
	return character
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}

/** `1,234 files` for people. */
export function count(value: number, noun: string): string {
	return `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** `1,234` for people. */
export function grouped(value: number): string {
	return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
