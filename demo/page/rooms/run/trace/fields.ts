/** Members of what a trace says. A trace may come from a file, so that nothing about its shape is taken for granted. */
import { escapeForDisplay } from "millrace";

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** Characters of one name or word in a label; the row's own JSON has the rest. */
const WORD = 120;

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in an own member, or one without members. */
export function member(fields: Fields, name: string): Fields {
	const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
	return isFields(found) ? found : NONE;
}

/** The text in an own member; numbers as text, "?" for anything else. Safe to show. */
export function word(fields: Fields, name: string): string {
	return plainWord(fields, name) ?? "?";
}

/** As {@link word}; undefined where there is neither text nor a number. */
export function plainWord(fields: Fields, name: string): string | undefined {
	const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (typeof found !== "string" && typeof found !== "number") return undefined;
	const text = String(found);
	return escapeForDisplay(text.length > WORD ? `${text.slice(0, WORD)}…` : text);
}

/** How long something is that a trace without values has left out, or undefined where it is there. */
export function elidedLength(value: unknown): number | undefined {
	return isFields(value) && typeof value.elided === "number" ? value.elided : undefined;
}
