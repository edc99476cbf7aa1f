/**
 * Full default case folding of Unicode 15.1 (toCasefold, R4 and D144 of the core specification; statuses C and F of
 * CaseFolding.txt), from tables of our own: `toLowerCase` is another mapping, and of the engine's Unicode version.
 */
import { foldings } from "./tables.ts";

/**
 * `text` with every code point case-folded by itself: no language's special rules (no Turkic `T` entries), and not
 * normalized again. Up to three times as long as `text`. Code points without a folding (unassigned ones and lone surrogates
 * too) stay; a text without any is returned as it is.
 */
export function toCasefold(text: string): string {
	let start = 0;
	while (start < text.length && isCaselessAscii(text.charCodeAt(start))) start++;
	if (start === text.length) return text;
	const table = foldings();
	const folded: string[] = [];
	let copied = 0; // everything before it is in `folded`
	for (let index = start; index < text.length; ) {
		const codePoint = text.codePointAt(index)!;
		const next = index + (codePoint > 0xffff ? 2 : 1);
		const mapping = isCaselessAscii(codePoint) ? undefined : table.get(codePoint);
		if (mapping !== undefined) {
			if (copied < index) folded.push(text.slice(copied, index));
			folded.push(mapping);
			copied = next;
		}
		index = next;
	}
	if (copied === 0) return text;
	folded.push(text.slice(copied));
	// Joined at once: added one by one, the pieces stay a chain that is many times as large.
	return folded.join("");
}

function isCaselessAscii(unit: number): boolean {
	return unit < 0x80 && (unit < 0x41 || unit > 0x5a);
}
