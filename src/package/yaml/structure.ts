/** What the composer lets pass although YAML 1.2 doesn't, looked for in the syntax tree. */

import type { CST } from "yaml";
import { refuseAt } from "./place.ts";

/**
 * Refuses two mistakes that the composer turns into other content without a word: a second node after an explicit key, which
 * it drops (`? "a" "b"`, `? a` and then `- b`), and an entry that doesn't begin its line (`a: {}: b`, read as two entries).
 * Flow collections hold no block collection, so they are passed over. Recursion is bounded by the guard that built the tree.
 * Throws `PACKAGE_YAML_INVALID`.
 */
export function checkStructure(text: string, tokens: readonly CST.Token[]): void {
	for (const token of tokens) if (token.type === "document") checkNode(text, token.value);
}

function checkNode(text: string, node: CST.Token | null | undefined): void {
	if (node?.type !== "block-map" && node?.type !== "block-seq") return;
	for (const [index, item] of node.items.entries()) {
		if (index > 0) checkBegin(text, item);
		const separated = "sep" in item && item.sep?.some((token) => token.type === "map-value-ind");
		if (node.type === "block-map" && item.value !== undefined && !separated) {
			throw refuseAt(text, item.value.offset, 'This belongs to no key: a ":" is missing before it, or it is too much.');
		}
		checkNode(text, item.key);
		checkNode(text, item.value);
	}
}

/** Every entry of a block collection but the first begins a line. */
function checkBegin(text: string, item: CST.CollectionItem): void {
	const written = item.start.find(({ type }) => type !== "space" && type !== "newline" && type !== "comment");
	const offset = written?.offset ?? item.key?.offset ?? item.sep?.[0]?.offset;
	if (offset === undefined) return;
	for (let at = offset - 1; at >= 0 && text[at] !== "\n"; at--) {
		if (text[at] !== " " && text[at] !== "\t")
			throw refuseAt(text, offset, "A new entry must begin on a line of its own.");
	}
}
