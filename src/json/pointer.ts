/** RFC 6901 JSON Pointers as strings (not URI fragments). */

import { JsonError } from "./error.ts";
import type { JsonValue } from "./value.ts";

/** One token as it stands in a pointer: `~` becomes `~0`, `/` becomes `~1` (RFC 6901 section 3). */
function escapeToken(token: string | number): string {
	const text = String(token);
	return /[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}

/** The pointer of a path of member names and item indices; `""` is the whole value. */
export function formatPointer(tokens: readonly (string | number)[]): string {
	let pointer = "";
	for (const token of tokens) pointer += `/${escapeToken(token)}`;
	return pointer;
}

/** The pointer one step below `pointer`. */
export function appendPointer(pointer: string, token: string | number): string {
	return `${pointer}/${escapeToken(token)}`;
}

/**
 * The tokens of a pointer, unescaped. Throws `JsonError` `JSON_POINTER` when the text is neither empty nor starts with
 * `/`, or when a `~` is not followed by `0` or `1` (RFC 6901 section 3).
 */
export function parsePointer(text: string): string[] {
	if (text === "") return [];
	if (!text.startsWith("/")) throw new JsonError("JSON_POINTER", 'A JSON Pointer is empty or starts with "/"');
	if (/~(?![01])/.test(text))
		throw new JsonError("JSON_POINTER", 'In a JSON Pointer "~" is written "~0" and "/" in a name "~1"');
	const tokens = text.slice(1).split("/");
	return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * The value that a pointer names, or `undefined` when there is none (RFC 6901 section 4): own members only; an array index
 * is `0` or digits without a leading zero, `-` names nothing. Throws `JsonError` `JSON_POINTER` for a malformed pointer.
 */
export function resolvePointer(value: JsonValue, pointer: string): JsonValue | undefined {
	let current: JsonValue = value;
	for (const token of parsePointer(pointer)) {
		if (typeof current !== "object" || current === null) return undefined;
		if (Array.isArray(current) && !/^(?:0|[1-9][0-9]*)$/.test(token)) return undefined;
		if (!Object.hasOwn(current, token)) return undefined;
		current = (current as { readonly [name: string]: JsonValue })[token]!;
	}
	return current;
}
