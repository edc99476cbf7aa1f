import colours from "picocolors";
import { escapeForDisplay } from "../../../src/display.ts";
import type { JsonValue } from "../../../src/json/index.ts";

/** How a command speaks: to people (lines) or to machines (`--json`: exactly one object on stdout). */
export interface Output {
	readonly json: boolean;
	/** One line of a report for people, on stderr; nothing under `--json`. Text from outside must be escaped already. */
	note(label: string, text: string): void;
	/** The command's answer: `text` for people, `data` as the one object under `--json`. */
	answer(text: string, data: Record<string, unknown>): Promise<void>;
}

/** Colours for stderr, which carries everything that is decoration; off unless stderr is a terminal (or FORCE_COLOR). */
export const paint: ReturnType<typeof colours.createColors> = colours.createColors(
	!process.env.NO_COLOR && (process.stderr.isTTY === true || Boolean(process.env.FORCE_COLOR)),
);

const LABEL_WIDTH = 10;

/** The output of one command. */
export function createOutput(json: boolean): Output {
	return {
		json,
		note(label, text) {
			if (!json) process.stderr.write(`${paint.dim(label.padEnd(LABEL_WIDTH))}${text}\n`);
		},
		answer: (text, data) => write(process.stdout, json ? `${JSON.stringify(data)}\n` : text === "" ? "" : `${text}\n`),
	};
}

/** Writes all of `text` or says why not; a reader that went away (EPIPE) is no error of ours. */
export function write(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
	return new Promise((resolve, reject) => {
		stream.write(text, (error) => {
			if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") reject(error);
			else resolve();
		});
	});
}

/** A value from outside as indented JSON whose strings can't steer a terminal (`\uXXXX` is still JSON). */
export function showValue(value: JsonValue): string {
	return JSON.stringify(value, undefined, 2).replace(/[^\n]+/g, (line) =>
		escapeForDisplay(line).replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => jsonEscape(Number.parseInt(hex, 16))),
	);
}

function jsonEscape(codePoint: number): string {
	return Array.from(
		String.fromCodePoint(codePoint).split(""),
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	).join("");
}

/** `1,234` for people. */
export function count(value: number, noun: string): string {
	return `${value.toLocaleString("en-US")} ${noun}${value === 1 ? "" : "s"}`;
}
