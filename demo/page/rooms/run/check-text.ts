/** What somebody types as JSON, against the schema that it has to fit. */
import { JsonError, type JsonValue, parseJson, type Schema, SchemaError } from "millrace";
import { indexOfByte, type Range, rangesOf } from "../../parts/ranges.ts";

/** Problems that are shown at once. */
const MOST = 20;

export interface Problem {
	/** A line and column, or a JSON Pointer; empty for the whole. */
	readonly where: string;
	readonly message: string;
	/** The piece of the text that it is about, where there is one. */
	readonly range?: Range | undefined;
}

export type CheckedText =
	| { readonly ok: true; readonly value: JsonValue }
	| { readonly ok: false; readonly problems: readonly Problem[]; readonly more: boolean };

/** Parses a text as JSON/1 and evaluates it; without a schema, any value will do. */
export function checkText(text: string, schema: Schema | undefined): CheckedText {
	let value: JsonValue;
	try {
		value = parseJson(text);
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		if (text.trim() === "") return refused("", "Nothing is written here; null is a value, too.");
		const { line, column, offset, reason } = error;
		const from = offset === undefined ? undefined : indexOfByte(text, offset);
		const range = from === undefined ? undefined : { from, to: from + 1 };
		return refused(line === undefined ? "" : `line ${line}, column ${column}`, `${reason}.`, range);
	}
	if (schema === undefined) return { ok: true, value };
	try {
		const { valid, diagnostics } = schema.evaluate(value, { all: true });
		if (valid) return { ok: true, value };
		const shown = diagnostics.slice(0, MOST);
		const ranges = rangesOf(text, new Set(shown.map(({ instancePointer }) => instancePointer)));
		const problems = shown.map(({ instancePointer, message }) => ({
			where: instancePointer,
			message,
			range: ranges.get(instancePointer),
		}));
		return { ok: false, problems, more: diagnostics.length > MOST };
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return refused("", error.message);
	}
}

function refused(where: string, message: string, range?: Range): CheckedText {
	return { ok: false, problems: [{ where, message, range }], more: false };
}

/** What is typed as a deadline, in milliseconds, or what is wrong with it. */
export function checkDeadline(text: string): { readonly ms: number } | { readonly problem: string } {
	const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
	if (!(seconds >= 0.1 && seconds <= 3_600)) return { problem: "Give seconds, from 0.1 to 3600." };
	return { ms: seconds * 1_000 };
}
