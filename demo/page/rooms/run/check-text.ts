/** What somebody types as JSON, against the schema that it has to fit. */
import { JsonError, type JsonValue, parseJson, type Schema, SchemaError } from "millrace";

/** Problems that are shown at once. */
const MOST = 20;

export interface Problem {
	/** A line and column, or a JSON Pointer; empty for the whole. */
	readonly where: string;
	readonly message: string;
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
		const { line, column, reason } = error;
		return refused(line === undefined ? "" : `line ${line}, column ${column}`, `${reason}.`);
	}
	if (schema === undefined) return { ok: true, value };
	try {
		const { valid, diagnostics } = schema.evaluate(value, { all: true });
		if (valid) return { ok: true, value };
		const problems = diagnostics
			.slice(0, MOST)
			.map(({ instancePointer, message }) => ({ where: instancePointer, message }));
		return { ok: false, problems, more: diagnostics.length > MOST };
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return refused("", error.message);
	}
}

function refused(where: string, message: string): CheckedText {
	return { ok: false, problems: [{ where, message }], more: false };
}

/** What is typed as a deadline, in milliseconds, or what is wrong with it. */
export function checkDeadline(text: string): { readonly ms: number } | { readonly problem: string } {
	const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
	if (!(seconds >= 0.1 && seconds <= 3_600)) return { problem: "Give seconds, from 0.1 to 3600." };
	return { ms: seconds * 1_000 };
}
