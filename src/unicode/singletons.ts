/** What code points that decompose to one other are replaced by: apart from the other tables, since who only checks needs none of it. */
import { REPLACEMENTS } from "./replacements.generated.ts";
import { decodeColumns, singletons } from "./tables.ts";

let replacements: ReadonlyMap<number, number> | undefined;

/** The other code point of each singleton, decoded at the first call. It may be a pair, never a singleton again. */
export function singletonReplacements(): ReadonlyMap<number, number> {
	replacements ??= decode();
	return replacements;
}

function decode(): ReadonlyMap<number, number> {
	const [to] = decodeColumns(REPLACEMENTS, "f") as [number[]];
	return new Map(singletons().map((codePoint, row) => [codePoint, to[row]!]));
}
